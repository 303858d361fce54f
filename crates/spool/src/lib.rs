//! The durable queue: what was accepted is on disk until it is done (H15).
//!
//! Messages are appended to files that are never changed in place, and a message counts only when a sync has returned;
//! many that come at once share one. Each waits for a time, recipient by recipient; what became of a recipient is appended
//! too. Files are removed from the oldest on, after what is still needed was copied out of them, so that the disk's
//! limit holds. It knows nothing of mail: envelopes and states are bytes that only its user understands.
//!
//! | module | the one idea |
//! |---|---|
//! | [`limits`] | every bound, with its name |
//! | [`message`] | what a message is: envelope, recipients that are due, body |
//! | [`disk`] | what is asked of a disk; a real folder, and a simulated one that crashes |
//! | `record`, `reader` | how bytes become records with checksums, and are found again behind damage |
//! | `segments` | the files: one is written, and given up when it fails |
//! | `index` | where each message is and when it is due, in little memory |
//! | [`store`] | the queue itself, without threads: stage, commit, sweep, recover |
//! | [`spool`] | the queue with a thread of its own that commits for everybody at once |
//!
//! Absent: clocks – `now` is the last argument –, retry schedules, and anything that sends.

mod damage;
pub mod disk;
mod error;
mod index;
pub mod limits;
pub mod message;
mod reader;
mod record;
mod segments;
pub mod spool;
pub mod store;

pub use damage::Damage;
pub use disk::{Disk, DiskFile, Fault, Folder, FolderError, Simulated, SimulatedFile};
pub use error::{Measure, SpoolError};
pub use limits::{Limits, LimitsError, PIECE_BYTES};
pub use message::{Change, Due, MessageId, State, Usage};
pub use record::Identity;
pub use spool::{DraftMessage, Spool};
pub use store::{Body, Locator, OpenError, Recovery, Store, Stored};
