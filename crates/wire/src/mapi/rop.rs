//! Remote operations: what a ROP buffer holds (MS-OXCROPS).
//!
//! The payload of an `Execute` is a list of ROPs and a table of handles. Nothing says how long a ROP is, so that whoever
//! counts them must know what each is made of. A table knows that of all that a client may send; [`Rops`] splits a list,
//! and [`Tally`] counts (R3, R10). Of what servers send only two are here, those that say "later" and "more room":
//! [`Backoff`] and [`BufferTooSmall`] (R14).
//!
//! Absent: what ROPs are made of. A gateway counts them, and passes them on as they are; who carries them out reads them
//! as [`Call`](super::call::Call)s.

mod backoff;
mod buffer;
mod buffer_too_small;
mod id;
mod length;
mod refusal;
mod table;
mod tally;

pub use backoff::{Backoff, MAX_ROP_TYPES};
pub use buffer::{MAX_HANDLES, NO_HANDLE, RopBuffer, Rops};
pub use buffer_too_small::BufferTooSmall;
pub use id::RopId;
pub use length::{LogonSet, Logons, Rop};
pub use refusal::{back_off, too_busy};
pub use tally::{MAX_ROPS, Tally};
