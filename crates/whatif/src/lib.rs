//! What a recorded log says, and what another policy would have done to those who are in it (T22).
//!
//! Three questions are put to a log. *Exact replay*: does each recorded verdict follow from the inputs that stand in its
//! own line? *What if*: whom would a candidate policy have delayed or refused, how often and how long – by the very
//! budgets that hold at the gateway, on pretended time? *Runaways*: who takes the most? The last two need no log of ours:
//! those of IIS, nginx and `HAProxy` are read too.
//!
//! Nothing here reads a clock or opens a file: bytes come in, a report goes out. A log is read once, in order, whatever
//! its size; what is kept grows with the number of owners and with how many calls overlap, both within named bounds.
//!
//! | module | the one idea |
//! |---|---|
//! | [`format`] | which program wrote the log |
//! | [`record`] | one call, as any log tells it |
//! | [`source`], [`merge`] | lines within their bounds; several files in the order of time |
//! | `read` | the syntax of each format |
//! | `order` | from the order of endings to the order of arrivals |
//! | [`replay`] | verdicts found again |
//! | [`simulate`], [`candidate`] | a policy in place of another |
//! | [`runaways`] | who takes the most |

pub mod candidate;
pub mod format;
pub mod merge;
mod names;
mod order;
mod read;
pub mod record;
pub mod replay;
pub mod runaways;
pub mod simulate;
pub mod source;

pub use candidate::{Candidate, WhatIf};
pub use format::Format;
pub use merge::{Log, Reading};
pub use record::Record;
