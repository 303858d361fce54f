//! Refusals and failures in the protocol's words (T19, T27).
//!
//! The protocol has one answer to both: HTTP status 503 with `Retry-After` in seconds (MS-ASHTTP, section 3.1.5.2.3).
//! A refusal names its reason in `X-MS-ASThrottle`, in the words that the protocol's servers have for why they block a
//! device; a failure of the origin does not, since the client did nothing.

#[cfg(test)]
mod tests;

use weir_units::{Millis, Part, Refusal};

/// The HTTP status of every answer here.
pub const STATUS: u16 = 503;

/// The wait that is asked for where nothing better is known: the protocol's "few seconds".
pub const DEFAULT_RETRY_AFTER: Millis = Millis::new(5000);

/// The media type of [`RefusalAnswer::body`].
pub const CONTENT_TYPE: &str = "text/html";

/// Why a device is throttled, as `X-MS-ASThrottle` says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Throttle {
    /// The account's budget is used up.
    OutOfBudgets,
    /// Commands came too often.
    CommandFrequency,
}

impl Throttle {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OutOfBudgets => "OutOfBudgets",
            Self::CommandFrequency => "CommandFrequency",
        }
    }

    /// The reason that a used-up part of a budget is.
    const fn of(part: Part) -> Self {
        match part {
            Part::MessageRate => Self::CommandFrequency,
            Part::MaxConcurrency
            | Part::HangingConnections
            | Part::Time(_)
            | Part::FindCount
            | Part::MaxSubscriptions
            | Part::FastSearchTimeout
            | Part::Cpu
            | Part::Waiting
            | Part::RecipientRate
            | Part::Backoff
            | Part::BlockList
            | Part::FairShare => Self::OutOfBudgets,
        }
    }
}

/// What the client is told, with status [`STATUS`].
///
/// ```
/// use weir_units::{Component, Millis, Part, Refusal};
/// use weir_wire::eas::RefusalAnswer;
/// let answer = RefusalAnswer::new(&Refusal {
///     component: Component::Eas,
///     part: Part::MaxConcurrency,
///     limit: 10,
///     used: 10,
///     retry_after: Some(Millis::new(1001)),
/// });
/// let headers: Vec<_> = answer.headers().collect();
/// assert_eq!(headers[0], ("Retry-After", "2".to_owned()));
/// assert_eq!(headers[1], ("X-MS-ASThrottle", "OutOfBudgets".to_owned()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusalAnswer {
    retry_after_seconds: u64,
    throttle: Option<Throttle>,
}

impl RefusalAnswer {
    /// The words for `refusal`.
    pub fn new(refusal: &Refusal) -> Self {
        Self { retry_after_seconds: seconds(refusal.retry_after), throttle: Some(Throttle::of(refusal.part)) }
    }

    /// The words for an origin that does not answer, which may be asked again after `retry_after` (T27).
    pub fn unavailable(retry_after: Option<Millis>) -> Self {
        Self { retry_after_seconds: seconds(retry_after), throttle: None }
    }

    /// The seconds of `Retry-After`: at least 1, a started second counted whole.
    pub const fn retry_after_seconds(self) -> u64 {
        self.retry_after_seconds
    }

    /// The reason, where the client is the one who is throttled.
    pub const fn throttle(self) -> Option<Throttle> {
        self.throttle
    }

    /// The headers that say it, by name and value, beside [`CONTENT_TYPE`].
    pub fn headers(self) -> impl Iterator<Item = (&'static str, String)> {
        let throttle = self.throttle.map(|throttle| ("X-MS-ASThrottle", throttle.name().to_owned()));
        std::iter::once(("Retry-After", self.retry_after_seconds.to_string())).chain(throttle)
    }

    /// The page for whoever looks.
    pub const fn body(self) -> &'static str {
        match self.throttle {
            Some(Throttle::OutOfBudgets | Throttle::CommandFrequency) => {
                "<!DOCTYPE html><title>Too much at once</title><p>This account asks for more than its share of the \
                 server. Wait as long as Retry-After says, then try again.</p>"
            }
            None => {
                "<!DOCTYPE html><title>Not available</title><p>The mail server does not answer. Wait as long as \
                 Retry-After says, then try again.</p>"
            }
        }
    }
}

/// Whole seconds that every client's numbers can hold.
fn seconds(retry_after: Option<Millis>) -> u64 {
    let most = u64::from(i32::MAX.unsigned_abs());
    retry_after.unwrap_or(DEFAULT_RETRY_AFTER).count().div_ceil(1000).clamp(1, most)
}
