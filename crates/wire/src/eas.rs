//! Exchange `ActiveSync` as far as a gateway must read it: who calls, what for, and whether the call hangs (T25).
//!
//! [`Query`] reads the query of the request line in both its forms. [`HangPeek`] takes the body in pieces of any size,
//! as it passes, and says whether the call waits for events: a `Ping` does, a `Sync` does that asks for it, and an
//! empty body repeats what was asked before. [`RefusalAnswer`] is a budget's refusal in the protocol's words (T19).
//!
//! Nothing here is believed: device and user are what the client says of itself, good for a log and a block list.
//! Absent: everything else that a body holds, and answers. Sources: MS-ASHTTP, MS-ASCMD, MS-ASWBXML.
//!
//! | module | what it holds |
//! |---|---|
//! | [`command`] | the commands, by name and by code |
//! | [`query`] | the query of the request line |
//! | [`peek`] | whether a call hangs |
//! | [`refusal`] | refusals and failures in the protocol's words |

pub mod command;
pub mod peek;
pub mod query;
pub mod refusal;
mod wbxml;

pub use command::Command;
pub use peek::{Call, HangPeek};
pub use query::{Query, QueryError};
pub use refusal::RefusalAnswer;
