//! Throttling policies and budgets as pure decisions.
//!
//! Given a [`Policy`], one owner's [`Budget`] and `now`, this crate says who may go, who waits how long and who is
//! refused (T1, T2, T5–T7, T9–T12, T19, T25, T26); given an origin's latency, which MAPI session backs off, and for how long
//! (R1–R10, R12, R13). It reads no clock, opens no socket, starts no task and knows no protocol: `now` is the last
//! argument of every decision, and every answer is a value that a log, a metric and a protocol can say alike.
//!
//! | module | the one idea |
//! |---|---|
//! | [`parameter`] | the table of a policy's parameters: name, unit, range |
//! | [`policy`] | a stored policy, which keeps value, null and left out apart |
//! | [`limits`] | what is in force for one request |
//! | [`admission`] | what a call asks, and the answers |
//! | [`budget`] | one owner's running account in one component |
//! | [`budgets`] | the bounded table of all of them |
//! | [`call`] | what one call holds of a budget until it ends |
//! | [`snapshot`] | a budget at one moment, as the request log prints it |
//! | [`evidence`], [`verdict`] | what the gates on a call's way saw, and what follows from it (T22) |
//! | [`fair`] | whose call runs next at a busy origin |
//! | [`find`] | how many items a find may return |
//! | [`cpu`] | how busy the processor is and what delay that asks for |
//! | [`patience`] | how long one request may be made to wait in all |
//! | [`submissions`] | messages a minute and recipients a day of an owner |
//! | [`rpc`] | the back-off of MAPI sessions by the latency of their origin |
//! | [`warnings`] | what an administrator should hear about budgets (T16) |

pub mod admission;
pub mod budget;
pub mod budgets;
pub mod call;
mod clock;
pub mod cpu;
pub mod evidence;
pub mod fair;
pub mod find;
mod holdings;
pub mod limits;
mod line;
mod minute;
pub mod parameter;
pub mod patience;
pub mod policy;
pub mod rpc;
pub mod snapshot;
pub mod submissions;
mod sync;
pub mod verdict;
pub mod warnings;

pub use admission::{Admission, Look, OverBudget, Rules, WAITING_MAX};
pub use budget::Budget;
pub use budgets::{Account, Budgets, TableFull};
pub use call::Call;
pub use cpu::{Busy, CpuWindow, cpu_delay};
pub use evidence::{Evidence, Manner, Seen};
pub use holdings::PLACES_MAX;
pub use limits::{ComponentLimits, Limits};
pub use minute::SLICE;
pub use parameter::{Parameter, Unit};
pub use patience::Patience;
pub use policy::{Policy, PolicyError, Setting};
pub use snapshot::{PartState, Snapshot};
pub use submissions::Submissions;
pub use verdict::Verdict;
