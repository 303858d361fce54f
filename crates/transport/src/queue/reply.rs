//! What a reply means, and for whom.
//!
//! | stage | 2xx, 3xx | 4xx | 5xx |
//! |---|---|---|---|
//! | banner | go on | the next target | the next target: it serves nobody, which is no word about the mail |
//! | EHLO | go on | the next target | HELO; after that the next target |
//! | STARTTLS | go on | without, or the next target where TLS is required | the same |
//! | AUTH | go on | the next target | the next target: our password is not the sender's fault |
//! | MAIL | go on | the message is deferred | the message comes back |
//! | RCPT | go on | the recipient is deferred; 452 after an accepted one: again at once | he comes back; 552 as 452 |
//! | DATA | go on | deferred, all accepted so far | they come back |
//! | message | done | deferred | they come back |
//!
//! 421 ends the connection at every stage: whoever has not been answered for is deferred. A reply that has no place
//! where it stands is a fault of the peer: the connection ends, and nothing is taken for delivered.

use std::fmt;
use std::sync::Arc;

use super::concurrency::Feedback;

/// The most letters of a reply's text that are kept.
pub const MAX_TEXT: usize = 512;

/// What was answered to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// The connection itself.
    Banner,
    /// EHLO or LHLO.
    Ehlo,
    /// HELO.
    Helo,
    /// STARTTLS.
    StartTls,
    /// AUTH.
    Auth,
    /// MAIL FROM.
    Mail,
    /// RCPT TO.
    Recipient,
    /// DATA.
    Data,
    /// The message: its final dot, or its last chunk.
    Message,
    /// RSET.
    Reset,
}

/// A reply, its lines joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The three digits.
    pub code: u16,
    /// The text, enhanced status code included.
    pub text: Arc<str>,
}

/// What a meaning depends on beside the reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The connection must be encrypted.
    pub tls_required: bool,
    /// Recipients of this transaction that were accepted so far.
    pub accepted: usize,
}

/// What becomes of a recipient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// He has it.
    Done,
    /// He is named again in another transaction, at once.
    Again,
    /// He is tried again later.
    Deferred,
    /// His sender is told.
    Bounced,
}

/// What a reply means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// What was hoped for: go on.
    Proceed,
    /// Go on in the older way: HELO, or without encryption.
    Without,
    /// This of the recipient that was named.
    Recipient(Fate),
    /// This of all recipients that have no fate yet; the connection is good for another message.
    Message(Fate),
    /// The connection ends, and all recipients that have no fate yet are tried at the next target.
    NextTarget,
    /// The connection ends, and all recipients that have no fate yet are deferred.
    Lost,
}

/// The kind of a code.
enum Class {
    Good,
    Busy,
    Temporary,
    Permanent,
    Nonsense,
}

impl Reply {
    /// A reply; its text is cut to [`MAX_TEXT`] letters, and what would break a line of a log becomes a space.
    pub fn new(code: u16, text: &str) -> Self {
        let shown = |letter: char| if letter.is_control() { ' ' } else { letter };
        let text: String = text.chars().take(MAX_TEXT).map(shown).collect();
        Self { code, text: text.into() }
    }

    /// What this reply to `stage` means.
    pub const fn meaning(&self, stage: Stage, context: Context) -> Meaning {
        match (stage, self.class(stage)) {
            (Stage::Message, Class::Good) => Meaning::Message(Fate::Done),
            (_, Class::Good) | (Stage::Reset, Class::Temporary | Class::Permanent) => Meaning::Proceed,
            (Stage::Banner, Class::Busy | Class::Temporary | Class::Permanent)
            | (Stage::Ehlo, Class::Temporary)
            | (Stage::Helo | Stage::Auth, Class::Temporary | Class::Permanent) => Meaning::NextTarget,
            (Stage::Ehlo, Class::Permanent) if !context.tls_required => Meaning::Without,
            (Stage::StartTls, Class::Temporary | Class::Permanent) if !context.tls_required => {
                Meaning::Without
            }
            (Stage::Ehlo, Class::Permanent) | (Stage::StartTls, Class::Temporary | Class::Permanent) => {
                Meaning::NextTarget
            }
            (_, Class::Busy | Class::Nonsense) => Meaning::Lost,
            (Stage::Recipient, Class::Temporary) => Meaning::Recipient(self.recipient_fate(context)),
            (Stage::Recipient, Class::Permanent) => Meaning::Recipient(match self.code {
                // Too many recipients (RFC 5321, 4.5.3.1.10).
                552 => self.recipient_fate(context),
                _ => Fate::Bounced,
            }),
            (Stage::Mail | Stage::Data | Stage::Message, Class::Temporary) => {
                Meaning::Message(Fate::Deferred)
            }
            (Stage::Mail | Stage::Data | Stage::Message, Class::Permanent) => Meaning::Message(Fate::Bounced),
        }
    }

    /// What it teaches about how much the next hop bears; most replies teach nothing.
    pub const fn feedback(&self, stage: Stage) -> Option<Feedback> {
        match (stage, self.class(stage)) {
            (_, Class::Busy)
            | (Stage::Banner | Stage::Ehlo | Stage::Helo | Stage::Mail, Class::Temporary) => {
                Some(Feedback::Overloaded)
            }
            (Stage::Message, Class::Good) => Some(Feedback::Delivered),
            (_, Class::Good | Class::Temporary | Class::Permanent | Class::Nonsense) => None,
        }
    }

    /// A recipient too many goes with the next transaction; where none was accepted, that would be the same again.
    const fn recipient_fate(&self, context: Context) -> Fate {
        match self.code {
            452 | 552 if context.accepted > 0 => Fate::Again,
            _ => Fate::Deferred,
        }
    }

    const fn class(&self, stage: Stage) -> Class {
        match (self.code, stage) {
            (421, _) => Class::Busy,
            (200..300, Stage::Data) => Class::Nonsense,
            (354, Stage::Data) | (200..300, _) => Class::Good,
            (400..500, _) => Class::Temporary,
            (500..600, _) => Class::Permanent,
            _ => Class::Nonsense,
        }
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code, self.text)
    }
}

#[cfg(test)]
mod tests;
