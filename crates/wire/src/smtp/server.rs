//! The server's side of a session: what a client's bytes ask for, one thing at a time.
//!
//! Bytes go in by [`Server::next`], in pieces of any size, and an [`Event`] comes out. Every event but content gets one
//! reply, by [`Server::answer`], and until then nothing more is read: so commands that came together are answered one
//! after another, and each is judged by what became of those before it. The session keeps the order of commands, the
//! limits and the framing; whether a sender, a recipient or a password is any good is the caller's to say, and the code
//! of its reply is what the session goes by.
//!
//! Nothing may come behind DATA before it was answered, nor behind STARTTLS: such bytes would be read as content or as
//! commands, depending on the answer, and whoever wrote them may be somebody else than the client. Chunks of BDAT are
//! read to their last byte even if they are refused, since the next command begins behind them.
//!
//! Absent: time. How long a client may take is the caller's.

mod dialogue;
mod event;
#[cfg(test)]
mod tests;

use super::auth::{Exchange, Progress};
use super::command::{Command, Fault};
use super::content::{Bare, ContentFault, ContentRules, Decoder, Found, Framing, Summary};
use super::extension::Extensions;
use super::line::{Line, LineLimits, LineReader};
use super::reply::Reply;

use dialogue::{Dialogue, Next, Pending};
pub use event::{Challenge, Event};

/// The most bytes of a command, its line ending among them, unless stated otherwise: RFC 5321 has 512, and the
/// extensions' parameters add up to some 1,300.
pub const DEFAULT_MAX_COMMAND: usize = 2048;

/// The most bytes of a line of an authentication, its ending among them, unless stated otherwise (RFC 4954).
pub const DEFAULT_MAX_SECRET: usize = 12288;

/// The most recipients of a message, unless stated otherwise (H13, `MaxRecipientsPerMessage`).
pub const DEFAULT_MAX_RECIPIENTS: usize = 200;

/// What a session takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of a command, its line ending among them.
    pub max_command: usize,
    /// The most bytes of a line of an authentication, its ending among them.
    pub max_secret: usize,
    /// The most recipients of a message.
    pub max_recipients: usize,
    /// What a message may be made of.
    pub content: ContentRules,
}

/// One session, from greeting to QUIT.
///
/// ```
/// use weir_wire::smtp::{Event, Extensions, Limits, Reply, Server};
/// let mut server = Server::new(Limits::default(), Extensions::default());
/// let (mut input, mut out): (&[u8], _) = (b"HELO john\r\nRCPT TO:<jane@example.com>\r\nQUIT\r\n", Vec::new());
/// while let Some(event) = server.next(&mut input) {
///     let reply = match event {
///         Event::Fault(fault) => fault.reply(),
///         _ => Reply::ok(),
///     };
///     server.answer(&reply, &mut out);
/// }
/// assert_eq!(out, b"250 2.0.0 OK\r\n503 5.5.1 Bad sequence of commands: send MAIL first\r\n250 2.0.0 OK\r\n");
/// assert!(server.is_over());
/// ```
#[derive(Debug)]
pub struct Server {
    limits: Limits,
    dialogue: Dialogue,
    line: LineReader,
    phase: Phase,
    pending: Option<Pending>,
}

/// What the next bytes are.
#[derive(Debug)]
enum Phase {
    /// Commands.
    Commands,
    /// A line of an authentication.
    Secret(Exchange),
    /// A message behind DATA.
    Message(Decoder),
    /// A chunk of a message.
    Chunk { left: u64, last: bool },
    /// A chunk of a message that is not taken.
    Skip { left: u64, fault: Fault },
    /// TLS: no byte of it is ours.
    Handshake,
    /// Nobody's.
    Over,
}

/// What became of the bytes at hand.
enum Step<'a> {
    /// Something to tell.
    Event(Event<'a>),
    /// Nothing, and there may be more in them.
    Again,
    /// Nothing, and more of them are needed.
    Wait,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_command: DEFAULT_MAX_COMMAND,
            max_secret: DEFAULT_MAX_SECRET,
            max_recipients: DEFAULT_MAX_RECIPIENTS,
            content: ContentRules::default(),
        }
    }
}

impl Server {
    /// A session that offers `offered` to clients who say EHLO.
    pub const fn new(limits: Limits, offered: Extensions) -> Self {
        let line = LineReader::new();
        Self { limits, dialogue: Dialogue::new(offered), line, phase: Phase::Commands, pending: None }
    }

    /// Begins again behind a TLS handshake: what was said before it is forgotten (RFC 3207, section 4.2).
    pub fn secured(&mut self, offered: Extensions) {
        *self = Self::new(self.limits, offered);
        self.dialogue.is_secured = true;
    }

    /// What the session offers.
    pub const fn offered(&self) -> &Extensions {
        &self.dialogue.offered
    }

    /// Changes what the session offers, as for a client that has proved to be a partner.
    pub fn offer(&mut self, offered: Extensions) {
        self.dialogue.offered = offered;
    }

    /// Whether nothing more is read, and the connection is to be closed once all replies are sent.
    pub const fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over)
    }

    /// Whether a TLS handshake is next.
    pub const fn is_handshake(&self) -> bool {
        matches!(self.phase, Phase::Handshake)
    }

    /// What comes next in `input`, whose front is taken; nothing where all of it is used up, where the last event was
    /// not answered yet, and where the session is over.
    pub fn next<'a>(&mut self, input: &mut &'a [u8]) -> Option<Event<'a>> {
        if self.pending.is_some() {
            return None;
        }
        loop {
            match self.step(input) {
                Step::Event(event) => return Some(event),
                Step::Again => {}
                Step::Wait => return None,
            }
        }
    }

    /// Answers the last event: writes `reply` behind `out` and goes on by its code. After 421, 521, QUIT and a fault
    /// that closes, the session is over. Where there was no event, as before the greeting or after a time that is over,
    /// it is written all the same.
    pub fn answer(&mut self, reply: &Reply, out: &mut Vec<u8>) {
        reply.write(out);
        let pending = self.pending.take();
        if reply.closes() || pending.as_ref().is_some_and(Pending::closes) {
            self.phase = Phase::Over;
            return;
        }
        let Some(pending) = pending else { return };
        match self.dialogue.answered(pending, reply.code().class()) {
            Next::Same => {}
            Next::Message { declared_8bit } => {
                let decoder = Decoder::new(self.limits.content, Framing::Dots, declared_8bit);
                self.phase = Phase::Message(decoder);
            }
            Next::Secret(exchange) => self.phase = Phase::Secret(exchange),
            Next::Handshake => self.phase = Phase::Handshake,
        }
    }

    fn step<'a>(&mut self, input: &mut &'a [u8]) -> Step<'a> {
        match &mut self.phase {
            Phase::Commands => self.command(input),
            Phase::Secret(_) => self.secret(input),
            Phase::Message(decoder) => match decoder.next(input) {
                None => Step::Wait,
                Some(Found::Content(content)) => Step::Event(Event::Content(content)),
                Some(Found::End(outcome)) => self.end(outcome),
            },
            Phase::Chunk { .. } => self.chunk(input),
            Phase::Skip { left, fault } => {
                let fault = *fault;
                let within = front_of(input, *left).len();
                take_counted(input, left, within);
                if *left > 0 { Step::Wait } else { self.fault(fault) }
            }
            Phase::Handshake if !input.is_empty() => self.fault(Fault::TooEarly),
            Phase::Handshake | Phase::Over => Step::Wait,
        }
    }

    fn command<'a>(&mut self, input: &mut &'a [u8]) -> Step<'a> {
        let line = match self.line(input, false) {
            None => return Step::Wait,
            Some(Err(fault)) => return self.fault(fault),
            Some(Ok(line)) => line,
        };
        let command = match Command::parse(&line, self.dialogue.spoken()) {
            Ok(command) => command,
            Err(_) if is_chunk(&line) => return self.fault(Fault::Chunk),
            Err(error) => return self.fault(Fault::Command(error)),
        };
        if matches!(command, Command::Data | Command::StartTls) && !input.is_empty() {
            return self.fault(Fault::TooEarly);
        }
        if matches!(command, Command::Chunk { bytes, .. } if self.limits.content.is_hopeless(bytes)) {
            return self.fault(Fault::HugeChunk);
        }
        match (self.dialogue.check(&command, &self.limits), command) {
            (Err(fault), Command::Chunk { bytes, .. }) => {
                self.phase = Phase::Skip { left: bytes, fault };
                Step::Again
            }
            (Err(fault), _) => self.fault(fault),
            (Ok(()), Command::Chunk { bytes, last }) => {
                self.phase = Phase::Chunk { left: bytes, last };
                Step::Again
            }
            (Ok(()), Command::Authenticate(mechanism, initial)) => {
                self.progress(Exchange::begin(mechanism, initial.as_ref()))
            }
            (Ok(()), command) => {
                self.pending = Some(Pending::of(&command));
                Step::Event(Event::Command(command))
            }
        }
    }

    /// The next line of commands, or of an authentication.
    fn line(&mut self, input: &mut &[u8], secret: bool) -> Option<Result<Vec<u8>, Fault>> {
        let limits = LineLimits { command: self.limits.max_command, secret: self.limits.max_secret };
        let line = self.line.next(input, limits, secret)?;
        let text = self.line.take();
        Some(match line {
            Line::TooLong if secret => Err(Fault::SecretTooLong),
            Line::TooLong if is_chunk(&text) => Err(Fault::Chunk),
            Line::TooLong => Err(Fault::LineTooLong),
            Line::Bare if self.limits.content.bare == Bare::Refuse => {
                Err(if is_chunk(&text) { Fault::Chunk } else { Fault::BareLineEnding })
            }
            Line::Bare | Line::Whole => Ok(text),
        })
    }

    fn secret<'a>(&mut self, input: &mut &'a [u8]) -> Step<'a> {
        let Some(line) = self.line(input, true) else { return Step::Wait };
        let Phase::Secret(exchange) = std::mem::replace(&mut self.phase, Phase::Commands) else {
            return Step::Again;
        };
        match line.map(String::from_utf8) {
            Ok(Ok(line)) => self.progress(exchange.answered(&line)),
            Ok(Err(_)) => self.fault(Fault::MalformedSecret),
            Err(fault) => self.fault(fault),
        }
    }

    fn progress<'a>(&mut self, progress: Progress) -> Step<'a> {
        match progress {
            Progress::Ask(exchange, challenge) => {
                self.pending = Some(Pending::Challenge(exchange));
                Step::Event(Event::Challenge(Challenge(challenge)))
            }
            Progress::Done(credentials) => {
                self.pending = Some(Pending::Credentials);
                Step::Event(Event::Credentials(credentials))
            }
            Progress::Malformed => self.fault(Fault::MalformedSecret),
            Progress::Cancelled => self.fault(Fault::Cancelled),
        }
    }

    fn chunk<'a>(&mut self, input: &mut &'a [u8]) -> Step<'a> {
        let Phase::Chunk { left, last } = &mut self.phase else { return Step::Again };
        let decoder = self.dialogue.chunks(&self.limits);
        let mut within = front_of(input, *left);
        let before = within.len();
        let found = decoder.next(&mut within);
        take_counted(input, left, before - within.len());
        if let Some(Found::Content(content)) = found {
            return Step::Event(Event::Content(content));
        }
        if *left > 0 {
            return Step::Wait;
        }
        let last = *last;
        if last && let Some(content) = decoder.flush() {
            return Step::Event(Event::Content(content));
        }
        match decoder.so_far() {
            Ok(summary) if !last => {
                self.phase = Phase::Commands;
                self.pending = Some(Pending::Chunk);
                Step::Event(Event::ChunkEnd(summary))
            }
            outcome => self.end(outcome),
        }
    }

    /// The end of a message.
    fn end<'a>(&mut self, outcome: Result<Summary, ContentFault>) -> Step<'a> {
        self.phase = Phase::Commands;
        self.pending = Some(Pending::Message { closes: outcome.is_err_and(ContentFault::closes) });
        Step::Event(outcome.map_or_else(Event::Broken, Event::End))
    }

    fn fault<'a>(&mut self, fault: Fault) -> Step<'a> {
        self.phase = Phase::Commands;
        self.pending = Some(Pending::Fault { closes: fault.closes() });
        Step::Event(Event::Fault(fault))
    }
}

/// Whether a line that cannot be read is BDAT, whose bytes would be read as commands.
fn is_chunk(line: &[u8]) -> bool {
    line.get(..4).is_some_and(|verb| verb.eq_ignore_ascii_case(b"BDAT"))
}

/// As much of a chunk as `input` holds.
fn front_of(input: &[u8], left: u64) -> &[u8] {
    let within = usize::try_from(left).unwrap_or(usize::MAX).min(input.len());
    input.get(..within).unwrap_or(input)
}

/// Takes bytes of a chunk from the front of `input`.
fn take_counted(input: &mut &[u8], left: &mut u64, bytes: usize) {
    *input = input.get(bytes..).unwrap_or_default();
    *left = left.saturating_sub(u64::try_from(bytes).unwrap_or(u64::MAX));
}
