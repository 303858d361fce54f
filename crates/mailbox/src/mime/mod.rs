//! Messages in Internet form: read into items, and built from them.

pub(crate) mod attachment;
pub(crate) mod build;
pub(crate) mod invitation;
pub(crate) mod outgoing;
pub(crate) mod read;
