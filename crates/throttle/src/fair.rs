//! Fair share at an origin: whose call runs next, and how many run at once (T23).
//!
//! Budgets stop an owner after he has taken too much. They do not stop ten of his calls from standing in front of
//! everybody else's right now, and they refuse him even where the server is idle. This gate, the last before the origin,
//! lets so many calls run at once as the origin can work on, and the rest wait with us, in a line for each owner, where
//! the order is still ours to choose. A flood then delays the flooder, and nobody waits while the origin has room.
//!
//! | module | the one idea |
//! |---|---|
//! | [`rules`] | bounds and weights |
//! | [`queue`] | calls that run, wait and leave |
//! | `rounds` | whose turn it is: surplus round robin on measured cost |
//! | `quantum` | the largest cost of the last minute |
//! | `owners`, `slab` | who is known, and lists that cost the same at any length |
//! | [`limit`], `sample` | how many calls run at once, found from what they take |
//! | [`gate`] | the same for several threads |

pub mod gate;
pub mod limit;
mod owners;
mod quantum;
pub mod queue;
mod rounds;
pub mod rules;
mod sample;
mod slab;

pub use gate::{FairGate, Load};
pub use limit::{AdaptiveLimit, Kind, Mark};
pub use queue::{Arrival, FairQueue, Holding, Ticket};
pub use rules::{Crowded, FairBounds, LimitRules, LimitRulesError, Weight};
