//! Commands sent in groups (RFC 2920).
//!
//! To a server that has PIPELINING many commands go out at once and their replies come back in order; to any other they
//! go one by one. What changes the meaning of all that follows – DATA, a chunk, AUTH, STARTTLS, a hello, QUIT – ends its
//! group either way.

use std::collections::VecDeque;

use super::super::command::Command;

/// The most commands that wait for replies at the same time, so that neither side can block the other by what it has
/// not read yet.
pub const MAX_IN_FLIGHT: usize = 50;

/// Commands that are to be sent, and those that wait for their replies.
///
/// ```
/// use weir_wire::smtp::{Command, ForwardPath, Mail, Pipeline, Recipient, ReversePath};
/// let commands = [
///     Command::Mail(Mail::new(ReversePath::Null)),
///     Command::Recipient(Recipient::new(ForwardPath::Postmaster)),
///     Command::Data,
/// ];
/// let (mut pipeline, mut out) = (Pipeline::new(commands, true), Vec::new());
/// pipeline.write(&mut out);
/// assert_eq!(out, b"MAIL FROM:<>\r\nRCPT TO:<postmaster>\r\nDATA\r\n");
/// assert!(matches!(pipeline.answered(), Some(Command::Mail(_))), "the first reply belongs to MAIL");
/// ```
#[derive(Debug)]
pub struct Pipeline {
    waiting: VecDeque<Command>,
    sent: VecDeque<Command>,
    most: usize,
}

impl Pipeline {
    /// Commands for a server that has PIPELINING or not.
    pub fn new(commands: impl IntoIterator<Item = Command>, pipelining: bool) -> Self {
        let most = if pipelining { MAX_IN_FLIGHT } else { 1 };
        Self { waiting: commands.into_iter().collect(), sent: VecDeque::new(), most }
    }

    /// Writes behind `out` what may be sent as things stand.
    pub fn write(&mut self, out: &mut Vec<u8>) {
        while self.sent.len() < self.most && !self.sent.back().is_some_and(ends_group) {
            let Some(command) = self.waiting.pop_front() else { return };
            command.write(out);
            self.sent.push_back(command);
        }
    }

    /// A reply has come: the command that it answers; nothing where none was sent, and the server speaks out of turn.
    pub fn answered(&mut self) -> Option<Command> {
        self.sent.pop_front()
    }

    /// Whether every command was sent and answered.
    pub fn is_done(&self) -> bool {
        self.waiting.is_empty() && self.sent.is_empty()
    }

    /// Leaves out what was not sent yet, after a reply that makes it pointless.
    pub fn give_up(&mut self) {
        self.waiting.clear();
    }
}

/// Whether nothing may be sent behind a command before its reply is there.
const fn ends_group(command: &Command) -> bool {
    match command {
        Command::Hello(..)
        | Command::Data
        | Command::Chunk { .. }
        | Command::Quit
        | Command::Verify(_)
        | Command::Noop
        | Command::Help
        | Command::StartTls
        | Command::Authenticate(..)
        | Command::Shadow(_)
        | Command::Discards(_) => true,
        Command::Mail(_) | Command::Recipient(_) | Command::Reset => false,
    }
}
