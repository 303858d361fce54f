//! The client's side of a session: commands in groups, and content on its way out.
//!
//! | module | what it holds |
//! |---|---|
//! | [`pipeline`] | which commands may be sent at once, and which reply belongs to which |
//! | [`encoder`] | a message behind DATA, or in chunks of BDAT |

pub mod encoder;
pub mod pipeline;
#[cfg(test)]
mod tests;

pub use encoder::Encoder;
pub use pipeline::{MAX_IN_FLIGHT, Pipeline};
