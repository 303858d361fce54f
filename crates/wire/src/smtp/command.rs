//! Commands: one line each, written by the client and read by the server.
//!
//! A line is read strictly where leniency could make two servers disagree – which bytes there are, where it ends, what
//! follows a path – and leniently where clients are known to be sloppy: case, spaces after the colon and at the end.

mod fault;
#[cfg(test)]
mod tests;

use std::fmt;

pub use fault::Fault;

use super::auth::{Mechanism, Secret};
use super::extension::Extensions;
use super::mailbox::{AddressError, ForwardPath, MAX_DOMAIN, ReversePath};
use super::parameter::{Mail, Recipient, number};
use super::shadow::DiscardQuery;
use super::token::Token;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// EHLO, HELO, or LHLO to a server of LMTP: what the client calls itself, which may be anything.
    Hello(Hello, String),
    /// MAIL.
    Mail(Mail),
    /// RCPT.
    Recipient(Recipient),
    /// DATA.
    Data,
    /// BDAT: how many bytes follow the line, and whether they are the last ones.
    Chunk {
        /// How many.
        bytes: u64,
        /// Whether none come after them.
        last: bool,
    },
    /// RSET.
    Reset,
    /// NOOP.
    Noop,
    /// QUIT.
    Quit,
    /// VRFY, and what it asks about.
    Verify(String),
    /// HELP.
    Help,
    /// STARTTLS.
    StartTls,
    /// AUTH, perhaps with the first line of the exchange.
    Authenticate(Mechanism, Option<Secret>),
    /// XSHADOW: the name of who holds shadows (H12).
    Shadow(Token),
    /// XQDISCARD: which shadows may go (H12).
    Discards(DiscardQuery),
}

/// How a client says hello.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hello {
    /// HELO: no extensions.
    Helo,
    /// EHLO.
    Ehlo,
    /// LHLO, of LMTP (RFC 2033): as EHLO, and a reply for each recipient after the message.
    Lhlo,
}

/// Why a line is no command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// It has control characters, or is no UTF-8.
    #[error("control characters, or bytes that are no UTF-8")]
    Bytes,
    /// No such command is known.
    #[error("unknown command")]
    Unknown,
    /// The command is known and never served.
    #[error("command not implemented")]
    NotImplemented,
    /// It speaks another protocol, most likely in the hands of somebody who makes a browser talk to us.
    #[error("a command of another protocol")]
    AnotherProtocol,
    /// The command is not written like this.
    #[error("expected: {0}")]
    Syntax(&'static str),
    /// The sender is no address.
    #[error("sender: {0}")]
    Sender(AddressError),
    /// The recipient is no address.
    #[error("recipient: {0}")]
    Recipient(AddressError),
    /// A parameter that is not known, or of an extension that is not offered.
    #[error("unknown parameter")]
    UnknownParameter,
    /// A parameter with a value that it cannot have, or a second time.
    #[error("malformed or repeated parameter")]
    ParameterValue,
    /// A way to authenticate that is not known.
    #[error("unknown authentication mechanism")]
    Mechanism,
}

impl Command {
    /// The command in `line`, which has no line ending, to a server that offered `offered`.
    ///
    /// # Errors
    /// [`CommandError`]: nothing was asked for.
    pub fn parse(line: &[u8], offered: &Extensions) -> Result<Self, CommandError> {
        let text = str::from_utf8(line).map_err(|_| CommandError::Bytes)?;
        if text.chars().any(|letter| letter.is_control() && letter != '\t') {
            return Err(CommandError::Bytes);
        }
        let text = text.trim_end_matches([' ', '\t']);
        let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
        let rest = rest.trim_start_matches(' ');
        match verb.to_ascii_uppercase().as_str() {
            "MAIL" => mail(rest, offered),
            "RCPT" => recipient(rest, offered),
            "BDAT" => chunk(rest).ok_or(CommandError::Syntax("BDAT size [LAST]")),
            "EHLO" => hello(Hello::Ehlo, rest),
            "HELO" => hello(Hello::Helo, rest),
            "LHLO" => hello(Hello::Lhlo, rest),
            "AUTH" => authenticate(rest),
            "XSHADOW" => Token::new(rest).map(Self::Shadow).ok_or(CommandError::Syntax("XSHADOW name")),
            "XQDISCARD" => DiscardQuery::read(rest)
                .map(Self::Discards)
                .ok_or(CommandError::Syntax("XQDISCARD most [cursor]")),
            "NOOP" => Ok(Self::Noop),
            "HELP" => Ok(Self::Help),
            "VRFY" if !rest.is_empty() => Ok(Self::Verify(rest.to_owned())),
            "VRFY" => Err(CommandError::Syntax("VRFY address")),
            "DATA" => alone(Self::Data, rest),
            "RSET" => alone(Self::Reset, rest),
            "QUIT" => alone(Self::Quit, rest),
            "STARTTLS" => alone(Self::StartTls, rest),
            "EXPN" | "ETRN" | "ATRN" | "TURN" | "BURL" | "SEND" | "SOML" | "SAML" => {
                Err(CommandError::NotImplemented)
            }
            "GET" | "HEAD" | "POST" | "PUT" | "OPTIONS" | "CONNECT" => Err(CommandError::AnotherProtocol),
            _ => Err(CommandError::Unknown),
        }
    }

    /// Writes the command with its line ending behind `out`; the bytes of a chunk come after it. It is one line, whatever
    /// the texts in it are.
    pub fn write(&self, out: &mut Vec<u8>) {
        let line = if let Self::Authenticate(mechanism, Some(initial)) = self {
            format!("AUTH {} {}", mechanism.word(), initial.expose())
        } else {
            self.to_string()
        };
        out.extend_from_slice(line.replace(char::is_control, "?").as_bytes());
        out.extend_from_slice(b"\r\n");
    }
}

/// The command as it is written, without what is secret.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hello(Hello::Ehlo, name) => write!(f, "EHLO {name}"),
            Self::Hello(Hello::Helo, name) => write!(f, "HELO {name}"),
            Self::Hello(Hello::Lhlo, name) => write!(f, "LHLO {name}"),
            Self::Mail(mail) => write!(f, "{mail}"),
            Self::Recipient(recipient) => write!(f, "{recipient}"),
            Self::Data => f.write_str("DATA"),
            Self::Chunk { bytes, last: false } => write!(f, "BDAT {bytes}"),
            Self::Chunk { bytes, last: true } => write!(f, "BDAT {bytes} LAST"),
            Self::Reset => f.write_str("RSET"),
            Self::Noop => f.write_str("NOOP"),
            Self::Quit => f.write_str("QUIT"),
            Self::Verify(about) => write!(f, "VRFY {about}"),
            Self::Help => f.write_str("HELP"),
            Self::StartTls => f.write_str("STARTTLS"),
            Self::Authenticate(mechanism, None) => write!(f, "AUTH {}", mechanism.word()),
            Self::Authenticate(mechanism, Some(_)) => write!(f, "AUTH {} …", mechanism.word()),
            Self::Shadow(name) => write!(f, "XSHADOW {name}"),
            Self::Discards(query) => write!(f, "XQDISCARD {query}"),
        }
    }
}

fn mail(text: &str, offered: &Extensions) -> Result<Command, CommandError> {
    let syntax = CommandError::Syntax("MAIL FROM:<address> [parameters]");
    let path = behind_label(text, "FROM:").ok_or(syntax)?;
    let (from, rest) = ReversePath::take(path).map_err(CommandError::Sender)?;
    Ok(Command::Mail(Mail::read(from, parameters(rest).ok_or(syntax)?, offered)?))
}

fn recipient(text: &str, offered: &Extensions) -> Result<Command, CommandError> {
    let syntax = CommandError::Syntax("RCPT TO:<address> [parameters]");
    let path = behind_label(text, "TO:").ok_or(syntax)?;
    let (to, rest) = ForwardPath::take(path).map_err(CommandError::Recipient)?;
    Ok(Command::Recipient(Recipient::read(to, parameters(rest).ok_or(syntax)?, offered)?))
}

/// What follows `FROM:` or `TO:`. Many a client puts a space before the address.
fn behind_label<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let (front, rest) = text.split_at_checked(label.len())?;
    front.eq_ignore_ascii_case(label).then(|| rest.trim_start_matches(' '))
}

/// What follows a path: nothing, or a space and parameters.
fn parameters(rest: &str) -> Option<&str> {
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ') }
}

fn hello(how: Hello, text: &str) -> Result<Command, CommandError> {
    // Clients call themselves all kinds of things; only the first word is kept.
    let name = text.split([' ', '\t']).next().unwrap_or_default();
    if (1..=MAX_DOMAIN).contains(&name.len()) {
        return Ok(Command::Hello(how, name.to_owned()));
    }
    Err(CommandError::Syntax("EHLO or HELO and a name"))
}

fn authenticate(text: &str) -> Result<Command, CommandError> {
    let (word, initial) = match text.split_once(' ') {
        Some((word, initial)) => (word, Some(Secret::new(initial.trim_start_matches(' ').to_owned()))),
        None => (text, None),
    };
    match Mechanism::from_word(word) {
        Some(mechanism) => Ok(Command::Authenticate(mechanism, initial)),
        None if word.is_empty() => Err(CommandError::Syntax("AUTH mechanism [initial-response]")),
        None => Err(CommandError::Mechanism),
    }
}

fn chunk(text: &str) -> Option<Command> {
    let (digits, rest) = text.split_once(' ').unwrap_or((text, ""));
    let last = match rest.trim_start_matches(' ') {
        "" => false,
        word if word.eq_ignore_ascii_case("LAST") => true,
        _ => return None,
    };
    Some(Command::Chunk { bytes: number(digits)?, last })
}

/// A command that takes nothing.
fn alone(command: Command, rest: &str) -> Result<Command, CommandError> {
    if rest.is_empty() { Ok(command) } else { Err(CommandError::Syntax("the command alone")) }
}
