//! What ROPs for streams give.

use super::super::codec::{Sized, layout};

layout! {
    /// How long a stream is.
    pub struct StreamSize {
        /// In bytes.
        size: u32,
    }

    /// Bytes of a stream.
    pub struct ReadStream {
        /// The bytes. None are left, where they are fewer than were asked for.
        data: Vec<u8> as Sized<u16>,
    }

    /// How much was written.
    pub struct WriteStream {
        /// In bytes.
        written: u16,
    }

    /// Where a stream is.
    pub struct SeekStream {
        /// Bytes from the first.
        position: u64,
    }
}
