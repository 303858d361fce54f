//! A budget's refusal in the words of SMTP (T19).
//!
//! The text for `MessageRateLimit` is the one that clients and administrators of Exchange know; it is given as it stands.
//! Every answer asks to come back: a budget fills again by itself. Only a program that is kept out is refused for good.

use weir_units::{Part, Refusal};

use super::{Code, Reply};

const RATE: &str = "Message submission rate for this client has exceeded the configured limit";
const RECIPIENTS: &str =
    "The number of recipients of this sender has exceeded the configured limit; try again later";
const CONNECTIONS: &str =
    "The number of connections of this client has exceeded the configured limit; try again later";
const BUSY: &str = "The server cannot service this request right now; try again later";
const KEPT_OUT: &str = "The server does not admit this program";

impl From<&Refusal> for Reply {
    /// What the refused client is told.
    fn from(refusal: &Refusal) -> Self {
        match refusal.part {
            Part::MessageRate => Self::new(Code(421), 4, 2, RATE),
            Part::RecipientRate => Self::new(Code(452), 5, 3, RECIPIENTS),
            Part::MaxConcurrency | Part::HangingConnections => Self::new(Code(421), 3, 2, CONNECTIONS),
            Part::BlockList => Self::new(Code(554), 7, 1, KEPT_OUT),
            Part::Time(_)
            | Part::FindCount
            | Part::MaxSubscriptions
            | Part::FastSearchTimeout
            | Part::Cpu
            | Part::Waiting
            | Part::Backoff
            | Part::FairShare => Self::new(Code(451), 3, 2, BUSY),
        }
    }
}
