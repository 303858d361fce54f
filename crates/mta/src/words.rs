//! Every reply of a session that is not the protocol's own, in one place.
//!
//! What transport decides comes as [`Words`], what the durable queue says as [`IntakeError`]; both become replies here.
//! The texts of the protocol itself are `weir_wire`'s.

use weir_spool::{Measure, SpoolError};
use weir_transport::receive::Words;
use weir_wire::smtp::{Code, Reply};

use crate::intake::IntakeError;
use crate::metrics::Refused;

/// The reply that says these words.
pub(crate) fn reply(words: Words) -> Reply {
    let (_, subject, detail) = words.status;
    say(words.code, subject, detail, words.text)
}

/// What the sender of a message that was not taken is told, and what it counts as.
pub(crate) fn not_taken(error: &IntakeError) -> (Reply, Refused) {
    match error {
        IntakeError::Header(_) => (Reply::header_too_large(), Refused::Size),
        IntakeError::Loop { .. } => (Reply::too_many_hops(), Refused::Loop),
        IntakeError::Pressure => (reply(Words::NO_RESOURCES), Refused::Pressure),
        IntakeError::Spool(SpoolError::Full { .. } | SpoolError::TooMany { .. }) => {
            (Reply::insufficient_resources(), Refused::Pressure)
        }
        IntakeError::Spool(SpoolError::TooLarge { what: Measure::Body, .. }) => {
            (reply(Words::TOO_LARGE), Refused::Size)
        }
        IntakeError::Spool(SpoolError::TooLarge { .. }) => {
            (reply(Words::TOO_MANY_RECIPIENTS), Refused::Recipients)
        }
        IntakeError::Spool(
            SpoolError::Unknown(_)
            | SpoolError::UnknownRecipient { .. }
            | SpoolError::NotKept(_)
            | SpoolError::InDoubt(_)
            | SpoolError::Damaged { .. }
            | SpoolError::Unreadable(_)
            | SpoolError::Incomplete
            | SpoolError::Closed,
        ) => (Reply::local_error(), Refused::Unavailable),
    }
}

/// The sender is somebody else's address.
pub(crate) fn not_your_address() -> Reply {
    say(553, 7, 1, "Sender address is not one of the account that you logged in with")
}

/// The recipient's domain is one that mail cannot go to.
pub(crate) fn bad_domain() -> Reply {
    say(550, 1, 2, "Recipient's domain is none that mail can be sent to: check the address")
}

/// The name in XSHADOW is not the partner's that the client has proved to be.
pub(crate) fn not_that_partner() -> Reply {
    say(550, 7, 1, "XSHADOW is for shadow partners, each by its own name")
}

fn say(code: u16, subject: u16, detail: u16, text: &str) -> Reply {
    let code = Code::new(code).expect("every code here is between 200 and 599");
    Reply::new(code, subject, detail, text)
}

#[cfg(test)]
mod tests;
