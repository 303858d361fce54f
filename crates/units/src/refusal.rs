//! Why a call may not run.

use crate::owner::Component;
use crate::part::Part;
use crate::time::Millis;

/// A call that may not run, and why: one value for the log, the metric, the explain page and the protocol's answer.
///
/// `limit` and `used` are in the unit of the part: calls, items, subscriptions, or milliseconds of the last minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{component} budget part {part} is used up: {used} of {limit}")]
pub struct Refusal {
    /// Where the call came in.
    pub component: Component,
    /// The part that has nothing left.
    pub part: Part,
    /// What the policy allows.
    pub limit: u64,
    /// What is in use.
    pub used: u64,
    /// When asking again may succeed, true to what is known; nothing where waiting alone does not help.
    pub retry_after: Option<Millis>,
}
