//! A budget's refusal in the words of EWS (T19, T27).
//!
//! Which error a limit gives, whether it is a fault of the whole request or the message of one step, and the texts
//! that clients compare letter by letter.

use weir_units::{Millis, Part, Refusal};

use super::fault::fault;
use super::request::Version;
use super::response::ErrorMessage;

#[cfg(test)]
mod tests;

/// What the caller is told of a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefusalAnswer {
    /// The whole request is refused: this document, with HTTP status 500.
    Fault(Vec<u8>),
    /// One step is refused: this message in its place, with HTTP status 200.
    Message(ErrorMessage),
}

/// The back-off that is asked for where nothing better is known.
pub const DEFAULT_BACK_OFF: Millis = Millis::new(1000);

const BUSY: &str = "The server cannot service this request right now. Try again later.";
const TOO_MANY_CONNECTIONS: &str = "You have exceeded the available concurrent connections for your account.  \
                                    Try again once your other requests have completed.";
const TOO_MANY_SUBSCRIPTIONS: &str = "You have exceeded the available subscriptions for your account.  \
                                      Remove unnecessary subscriptions and try your request again.";
const TOO_MANY_FOUND: &str = "You have exceeded the maximum number of objects that can be returned for the find \
                              operation. Use paging to reduce the result size and try your request again.";
const SEARCH_TIMED_OUT: &str = "The search took longer than your account's limit for searches allows. Narrow it down \
                                and try your request again.";
const TOO_MANY_SENT: &str = "You have exceeded the number of messages or recipients that your account may send to \
                             in this time. Try again later.";
const KEPT_OUT: &str = "The server does not admit this program.";
const STORE_UNAVAILABLE: &str = "The mailbox store is not available right now. Check whether the request took effect \
                                 before trying it again.";

impl RefusalAnswer {
    /// The words for `refusal`, spoken to a client of `version`, which matters to the find count alone (T12).
    pub fn new(refusal: &Refusal, version: Version) -> Self {
        match refusal.part {
            Part::Time(_) | Part::Waiting | Part::Cpu | Part::Backoff | Part::FairShare => {
                Self::Fault(busy(refusal.retry_after))
            }
            Part::BlockList => Self::Fault(access_denied(KEPT_OUT)),
            Part::MaxConcurrency | Part::HangingConnections => Self::Fault(too_many_connections(refusal)),
            // A page waited in vain for what other calls hold: coming back helps (T11).
            Part::FindCount if refusal.retry_after.is_some() => Self::Fault(busy(refusal.retry_after)),
            Part::FindCount => Self::Message(too_many_found(refusal.limit, version)),
            Part::MaxSubscriptions => {
                Self::Message(ErrorMessage::new("ErrorExceededSubscriptionCount", TOO_MANY_SUBSCRIPTIONS))
            }
            Part::FastSearchTimeout => {
                Self::Message(ErrorMessage::new("ErrorTimeoutExpired", SEARCH_TIMED_OUT))
            }
            Part::MessageRate | Part::RecipientRate => Self::Message(too_many_sent()),
        }
    }
}

/// The fault that asks the client to come back after `back_off`: at least one millisecond, and
/// [`DEFAULT_BACK_OFF`] where nothing is known.
pub fn busy(back_off: Option<Millis>) -> Vec<u8> {
    let back_off = back_off.unwrap_or(DEFAULT_BACK_OFF).count().clamp(1, i32::MAX.unsigned_abs().into());
    fault("ErrorServerBusy", BUSY, &[("BackOffMilliseconds", back_off.to_string())])
}

/// The message of a find that would return more than the `limit` leaves and cannot be cut (T12).
///
/// Clients older than Exchange 2010 do not know its code; they hear that the server is busy, without a back-off, since
/// waiting would not help.
pub fn too_many_found(limit: u64, version: Version) -> ErrorMessage {
    let code =
        if version >= Version::Exchange2010 { "ErrorExceededFindCountLimit" } else { "ErrorServerBusy" };
    ErrorMessage { code, text: TOO_MANY_FOUND.to_owned(), values: vec![("PolicyLimit", limit.to_string())] }
}

/// The message of a step that sends more, or to more people, than its sender may in this time (T19).
pub fn too_many_sent() -> ErrorMessage {
    ErrorMessage::new("ErrorSubmissionQuotaExceeded", TOO_MANY_SENT)
}

/// The fault for a client that is kept out, whatever it asks, with the reason for its user (R16).
pub fn access_denied(why: &str) -> Vec<u8> {
    fault("ErrorAccessDenied", why, &[])
}

/// The fault for an origin that failed once the request was under way, so that it may have had an effect (T27).
pub fn store_unavailable() -> Vec<u8> {
    fault("ErrorMailboxStoreUnavailable", STORE_UNAVAILABLE, &[])
}

fn too_many_connections(refusal: &Refusal) -> Vec<u8> {
    let (policy, limit) = (refusal.part.name(), refusal.limit);
    let message = format!(
        "This operation exceeds the throttling budget for policy part '{policy}', policy value '{limit}',  \
         Budget type: 'Ews'.  Suggested backoff time 0 ms."
    );
    let values = [
        ("Policy", policy.to_owned()),
        ("MaxConcurrencyLimit", limit.to_string()),
        ("ErrorMessage", message),
    ];
    fault("ErrorExceededConnectionCount", TOO_MANY_CONNECTIONS, &values)
}
