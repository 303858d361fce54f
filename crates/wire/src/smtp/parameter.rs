//! MAIL and RCPT with their parameters.
//!
//! A parameter is `NAME` or `NAME=value`. Each may stand once; one that is not known, or whose extension the reader did
//! not offer, is refused as such (555), one with a wrong value likewise (501). What is written here is what is read here.
//!
//! | parameter | of | extension |
//! |---|---|---|
//! | `SIZE`, `BODY`, `SMTPUTF8`, `AUTH` | MAIL | RFC 1870, 6152, 6531, 4954 |
//! | `RET`, `ENVID` | MAIL | DSN, RFC 3461 |
//! | `XSHADOW` | MAIL | shadow redundancy ([`shadow`](super::shadow)) |
//! | `NOTIFY`, `ORCPT` | RCPT | DSN, RFC 3461 |

mod notify;
#[cfg(test)]
mod tests;

use std::fmt;

pub use notify::{Notify, OriginalRecipient};

use super::command::CommandError;
use super::extension::{Extension, Extensions};
use super::mailbox::{ForwardPath, Mailbox, ReversePath};
use super::token::Token;
use super::xtext;

/// The most bytes of an envelope identifier, decoded (RFC 3461, section 5.4).
pub const MAX_ENVELOPE_ID: usize = 100;

/// What MAIL says: whom the message is from, and how it is to be treated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// Whom it is from.
    pub from: ReversePath,
    /// How many bytes it has, by the sender's estimate.
    pub size: Option<u64>,
    /// What its lines are made of.
    pub body: Option<Body>,
    /// Whether its addresses or header fields may be of any script.
    pub smtp_utf8: bool,
    /// Who submitted it first, by the word of a server that is trusted to know.
    pub submitter: Option<ReversePath>,
    /// How much of it a report of failure gives back.
    pub give_back: Option<GiveBack>,
    /// What its sender calls this envelope.
    pub envelope_id: Option<String>,
    /// What the holder of its shadow copy calls it.
    pub shadow: Option<Token>,
}

/// What a message's lines are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// ASCII.
    SevenBit,
    /// Any bytes.
    EightBitMime,
}

/// How much of a message a report of failure gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GiveBack {
    /// All of it.
    Full,
    /// Its header.
    Headers,
}

/// What RCPT says: whom the message is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipient {
    /// Whom it is for.
    pub to: ForwardPath,
    /// What of its delivery is reported.
    pub notify: Option<Notify>,
    /// Whom it was for at first, before lists and forwardings.
    pub original: Option<OriginalRecipient>,
}

impl Mail {
    /// A message from `from`, with no parameters.
    pub const fn new(from: ReversePath) -> Self {
        Self {
            from,
            size: None,
            body: None,
            smtp_utf8: false,
            submitter: None,
            give_back: None,
            envelope_id: None,
            shadow: None,
        }
    }

    /// What the parameters in `text` say to a server that offered `offered`.
    pub(super) fn read(from: ReversePath, text: &str, offered: &Extensions) -> Result<Self, CommandError> {
        let mut mail = Self::new(from);
        let mut seen = Vec::new();
        for (name, value) in parameters(text) {
            once(name, &mut seen)?;
            mail.take(name, value, offered)?;
        }
        Ok(mail)
    }

    fn take(&mut self, name: &str, value: Option<&str>, offered: &Extensions) -> Result<(), CommandError> {
        let wrong = CommandError::ParameterValue;
        let text = || value.ok_or(wrong);
        match name.to_ascii_uppercase().as_str() {
            "SIZE" if offered.size.is_some() => self.size = Some(number(text()?).ok_or(wrong)?),
            "BODY" if offered.has(Extension::EightBitMime) => {
                self.body = Some(Body::read(text()?).ok_or(CommandError::UnknownParameter)?);
            }
            "SMTPUTF8" if offered.has(Extension::SmtpUtf8) => {
                self.smtp_utf8 = value.is_none().then_some(true).ok_or(wrong)?;
            }
            "AUTH" if !offered.mechanisms.is_empty() => {
                self.submitter = Some(submitter(text()?).ok_or(wrong)?);
            }
            "RET" if offered.has(Extension::Dsn) => {
                self.give_back = Some(GiveBack::read(text()?).ok_or(wrong)?);
            }
            "ENVID" if offered.has(Extension::Dsn) => {
                let id = xtext::decode(text()?).filter(|id| (1..=MAX_ENVELOPE_ID).contains(&id.len()));
                self.envelope_id = Some(id.ok_or(wrong)?);
            }
            "XSHADOW" if offered.has(Extension::Shadow) => {
                self.shadow = Some(Token::new(text()?).ok_or(wrong)?);
            }
            _ => return Err(CommandError::UnknownParameter),
        }
        Ok(())
    }

    /// What of this can be said to a peer that offers `offered`, and what it ought to understand beyond that. A message
    /// whose addresses need SMTPUTF8 cannot be handed to a peer that lacks it; one of 8-bit lines is the caller's choice.
    pub fn fitting(&self, offered: &Extensions) -> (Self, Vec<Extension>) {
        let mut lacking = Vec::new();
        let utf8 = offered.has(Extension::SmtpUtf8);
        let eight = offered.has(Extension::EightBitMime);
        if !utf8 && (self.smtp_utf8 || !self.from.is_ascii()) {
            lacking.push(Extension::SmtpUtf8);
        }
        if !eight && self.body == Some(Body::EightBitMime) {
            lacking.push(Extension::EightBitMime);
        }
        let dsn = offered.has(Extension::Dsn);
        let shadow = offered.has(Extension::Shadow);
        let mail = Self {
            from: self.from.clone(),
            size: self.size.filter(|_| offered.size.is_some()),
            body: self.body.filter(|_| eight),
            smtp_utf8: self.smtp_utf8 && utf8,
            submitter: self.submitter.clone().filter(|_| !offered.mechanisms.is_empty()),
            give_back: self.give_back.filter(|_| dsn),
            envelope_id: self.envelope_id.clone().filter(|_| dsn),
            shadow: self.shadow.clone().filter(|_| shadow),
        };
        (mail, lacking)
    }
}

impl Recipient {
    /// A recipient with no parameters.
    pub const fn new(to: ForwardPath) -> Self {
        Self { to, notify: None, original: None }
    }

    /// What the parameters in `text` say to a server that offered `offered`.
    pub(super) fn read(to: ForwardPath, text: &str, offered: &Extensions) -> Result<Self, CommandError> {
        let mut recipient = Self::new(to);
        let mut seen = Vec::new();
        for (name, value) in parameters(text) {
            once(name, &mut seen)?;
            let wrong = CommandError::ParameterValue;
            match name.to_ascii_uppercase().as_str() {
                "NOTIFY" if offered.has(Extension::Dsn) => {
                    recipient.notify = Some(value.and_then(Notify::read).ok_or(wrong)?);
                }
                "ORCPT" if offered.has(Extension::Dsn) => {
                    recipient.original = Some(value.and_then(OriginalRecipient::read).ok_or(wrong)?);
                }
                _ => return Err(CommandError::UnknownParameter),
            }
        }
        Ok(recipient)
    }

    /// What of this can be said to a peer that offers `offered`.
    #[must_use]
    pub fn fitting(&self, offered: &Extensions) -> Self {
        let dsn = offered.has(Extension::Dsn);
        Self {
            to: self.to.clone(),
            notify: self.notify.filter(|_| dsn),
            original: self.original.clone().filter(|_| dsn),
        }
    }
}

impl Body {
    /// BINARYMIME (RFC 3030) is not among them: it is not offered.
    fn read(value: &str) -> Option<Self> {
        [Self::SevenBit, Self::EightBitMime].into_iter().find(|body| body.word().eq_ignore_ascii_case(value))
    }

    const fn word(self) -> &'static str {
        match self {
            Self::SevenBit => "7BIT",
            Self::EightBitMime => "8BITMIME",
        }
    }
}

impl GiveBack {
    fn read(value: &str) -> Option<Self> {
        [Self::Full, Self::Headers].into_iter().find(|part| part.word().eq_ignore_ascii_case(value))
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Full => "FULL",
            Self::Headers => "HDRS",
        }
    }
}

impl fmt::Display for Mail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MAIL FROM:{}", self.from)?;
        if let Some(size) = self.size {
            write!(f, " SIZE={size}")?;
        }
        if let Some(body) = self.body {
            write!(f, " BODY={}", body.word())?;
        }
        if self.smtp_utf8 {
            f.write_str(" SMTPUTF8")?;
        }
        if let Some(submitter) = &self.submitter {
            let mut value = String::new();
            match submitter {
                ReversePath::Null => value.push_str("<>"),
                ReversePath::Mailbox(mailbox) => xtext::encode(&mailbox.to_string(), &mut value),
            }
            write!(f, " AUTH={value}")?;
        }
        if let Some(part) = self.give_back {
            write!(f, " RET={}", part.word())?;
        }
        if let Some(id) = &self.envelope_id {
            let mut value = String::new();
            xtext::encode(id, &mut value);
            write!(f, " ENVID={value}")?;
        }
        match &self.shadow {
            Some(id) => write!(f, " XSHADOW={id}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RCPT TO:{}", self.to)?;
        if let Some(notify) = self.notify {
            write!(f, " NOTIFY={notify}")?;
        }
        match &self.original {
            Some(original) => write!(f, " ORCPT={}", original.parameter()),
            None => Ok(()),
        }
    }
}

/// The parameters of a command, each a name and perhaps a value.
fn parameters(text: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    text.split(' ').filter(|word| !word.is_empty()).map(|word| match word.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (word, None),
    })
}

/// Refuses a name that was there before. There are no more than parameters are known, since the first that is not
/// ends the reading.
fn once<'a>(name: &'a str, seen: &mut Vec<&'a str>) -> Result<(), CommandError> {
    if seen.iter().any(|earlier| earlier.eq_ignore_ascii_case(name)) {
        return Err(CommandError::ParameterValue);
    }
    seen.push(name);
    Ok(())
}

/// A count in at most 20 digits.
pub(super) fn number(digits: &str) -> Option<u64> {
    ((1..=20).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| digits.parse().ok())?
}

fn submitter(value: &str) -> Option<ReversePath> {
    if value == "<>" {
        return Some(ReversePath::Null);
    }
    Some(ReversePath::Mailbox(xtext::decode(value)?.parse::<Mailbox>().ok()?))
}
