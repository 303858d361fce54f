//! A caller that takes nearly everything, and writes down what was said and taken.

use super::super::super::auth::Mechanism;
use super::super::super::command::Hello;
use super::super::super::content::ContentRules;
use super::super::super::extension::{Extension, Extensions};
use super::super::super::mailbox::ForwardPath;
use super::super::super::shadow::{DiscardNotices, database_reply};
use super::super::super::token::Token;
use super::*;

/// Everything but AUTH, which is offered under TLS.
pub(super) fn plain() -> Extensions {
    Extensions { keywords: Extension::ALL.into(), size: Some(1000), mechanisms: Vec::new() }
}

pub(super) fn limits() -> Limits {
    let content = ContentRules { max_bytes: Some(1000), ..ContentRules::default() };
    Limits { content, ..Limits::default() }
}

pub(super) struct Driver {
    pub(super) server: Server,
    /// What every command is answered with, if anything.
    pub(super) refuse: Option<Reply>,
    message: Vec<u8>,
    messages: usize,
}

impl Driver {
    pub(super) fn new(limits: Limits, offered: Extensions) -> Self {
        Self { server: Server::new(limits, offered), refuse: None, message: Vec::new(), messages: 0 }
    }

    /// What comes of `bytes` in pieces of `size`: `S:` with a reply's line, `M:` with a message.
    pub(super) fn feed(&mut self, bytes: &[u8], size: usize) -> Vec<String> {
        let mut log = Vec::new();
        for mut piece in bytes.chunks(size) {
            while let Some(event) = self.server.next(&mut piece) {
                self.take(event, &mut log);
            }
            assert!(piece.is_empty() || self.server.is_over(), "bytes are left over");
        }
        log.iter().map(|line| line.trim_end().to_owned()).collect()
    }

    fn take(&mut self, event: Event<'_>, log: &mut Vec<String>) {
        let Some(reply) = self.reply(event, log) else { return };
        let mut out = Vec::new();
        self.server.answer(&reply, &mut out);
        let text = String::from_utf8(out).unwrap();
        log.extend(text.lines().map(|line| format!("S: {line}")));
        if self.server.is_handshake() {
            let mut offered = plain();
            offered.keywords.remove(&Extension::StartTls);
            offered.mechanisms = vec![Mechanism::Plain, Mechanism::Login];
            self.server.secured(offered);
        }
    }

    fn reply(&mut self, event: Event<'_>, log: &mut Vec<String>) -> Option<Reply> {
        Some(match event {
            Event::Content(content) => {
                self.message.extend_from_slice(content);
                return None;
            }
            Event::Command(command) => self.refuse.clone().unwrap_or_else(|| self.command(&command)),
            Event::Challenge(challenge) => challenge.reply(),
            Event::Credentials(credentials) if credentials.password.expose() == "secret" => {
                Reply::authenticated()
            }
            Event::Credentials(_) => Reply::wrong_credentials(),
            Event::ChunkEnd(summary) => Reply::chunk_ok(summary.bytes),
            Event::End(summary) => {
                assert_eq!(u64::try_from(self.message.len()), Ok(summary.bytes));
                self.messages += 1;
                log.push(format!("M: {}", std::mem::take(&mut self.message).escape_ascii()));
                Reply::queued(&self.messages.to_string())
            }
            Event::Broken(fault) => {
                self.message.clear();
                fault.reply()
            }
            Event::Fault(fault) => fault.reply(),
        })
    }

    fn command(&mut self, command: &Command) -> Reply {
        match command {
            Command::Hello(Hello::Ehlo, _) => self.server.offered().reply("hub01"),
            Command::Hello(..) => Reply::plain(Code::OK, "hub01"),
            Command::Mail(_) => {
                self.message.clear();
                Reply::sender_ok()
            }
            Command::Recipient(recipient) => match &recipient.to {
                ForwardPath::Mailbox(mailbox) if mailbox.local() == "no" => Reply::no_such_recipient(),
                ForwardPath::Mailbox(_) | ForwardPath::Postmaster => Reply::recipient_ok(),
            },
            Command::Data => Reply::start_data(),
            Command::StartTls => Reply::start_tls(),
            Command::Quit => Reply::bye(),
            Command::Verify(_) => Reply::cannot_verify(),
            Command::Help => Reply::help(),
            Command::Shadow(_) => database_reply(&Token::new("4f2a90c1").unwrap()),
            Command::Discards(query) => {
                let messages = vec![Token::new("017").unwrap(), Token::new("018").unwrap()];
                let cursor = query.seen.unwrap_or(0) + 2;
                DiscardNotices { cursor, left: 0, messages }.reply()
            }
            Command::Reset | Command::Noop => Reply::ok(),
            Command::Chunk { .. } | Command::Authenticate(..) => panic!("{command} is no event"),
        }
    }
}
