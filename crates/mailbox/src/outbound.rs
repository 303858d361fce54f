//! Mail for people whose mailbox is elsewhere, on its way out.
//!
//! The mailbox server carries no mail over a network. Where there is a transport, it gets an [`Outbound`]; without one,
//! whoever writes to people elsewhere is told that they cannot be reached.
//!
//! A step that sends hands its message over as the last thing before it commits. A message that is refused undoes the
//! step: nothing was sent to anybody, and the client is told why. If the store fails, or the machine, between the two,
//! the message is on its way while the client hears of a failure or nothing: nothing that was sent is lost, and who
//! sends it again sends it twice to those elsewhere.

use bytes::Bytes;
use weir_wire::ews::refusal::too_many_sent;
use weir_wire::ews::response::ErrorMessage;
use weir_wire::smtp::Mailbox;

use crate::session::Person;

/// A message for people elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// Whose mailbox it is sent from.
    pub from: Person,
    /// Whom it is for, each once.
    pub to: Vec<Mailbox>,
    /// All of it in Internet form: its lines end in CR LF, and nobody is named who gets it unseen.
    pub message: Bytes,
}

/// The way to people elsewhere.
pub trait Outbound: Send + Sync {
    /// Takes a message over: once this returns, it outlives a crash. Called on the mailbox server's own threads while
    /// other changes of the store wait, so it may block, but not for long.
    ///
    /// # Errors
    /// [`NotSent`]: nobody gets it.
    fn submit(&self, mail: Outgoing) -> Result<(), NotSent>;
}

/// Why a message was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotSent {
    /// Its sender has sent too many, or to too many people, in this time (`MessageRateLimit`, `RecipientRateLimit`).
    #[error("the sender has sent too much")]
    TooMany,
    /// There is no room for it, or something failed; later there may be.
    #[error("the transport takes no mail at the moment")]
    Unavailable,
    /// It is longer than messages may be.
    #[error("the message is longer than {limit} bytes")]
    TooLarge {
        /// The most bytes.
        limit: u64,
    },
    /// It is none that other servers take.
    #[error("the message is malformed: {0}")]
    Malformed(String),
}

impl From<NotSent> for ErrorMessage {
    fn from(why: NotSent) -> Self {
        match why {
            NotSent::TooMany => too_many_sent(),
            NotSent::Unavailable => Self::new(
                "ErrorInsufficientResources",
                "The server cannot take the message for people elsewhere right now; it was sent to nobody. Try again \
                 later.",
            ),
            NotSent::TooLarge { limit } => Self::new(
                "ErrorMessageSizeExceeded",
                format!("The message is larger than {limit} bytes; it was sent to nobody."),
            ),
            NotSent::Malformed(why) => Self::new(
                "ErrorMimeContentInvalid",
                format!("The message cannot be sent to people elsewhere: {why}. It was sent to nobody."),
            ),
        }
    }
}
