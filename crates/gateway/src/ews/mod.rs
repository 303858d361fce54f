//! The front that speaks Exchange Web Services.
//!
//! | file | idea |
//! |---|---|
//! | `front.rs` | one request from its head to its answer |
//! | `batch.rs` | its steps, carried out one by one |
//! | `find.rs` | what a find may bring (T10–T12) |

mod batch;
mod find;
pub(crate) mod front;
#[cfg(test)]
mod tests;
