//! The connectivity log: when and why connections were made, and targets marked (H11).
//!
//! Lines and file names are modelled on those of Exchange, so that tools for them read these. The lines of a session
//! have one identity, and those of several sessions interleave. Nothing is written here: a line is text, and rotation a
//! decision.
//!
//! | module | the one idea |
//! |---|---|
//! | [`mod@line`] | what a line says |
//! | [`file_name`] | `CONNECTLOGyyyymmdd-n.log` |
//! | [`rotation`] | when another file begins, and which old ones go |

pub mod file_name;
pub mod line;
pub mod rotation;

pub use file_name::FileName;
pub use line::{Clock, Description, Direction, Line, Source, header};
pub use rotation::{Current, LogFile, RotationSettings, next_file, surplus};
