//! What is wrong with bytes that claim to be of the protocol.

/// Why bytes could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The bytes end within a field.
    #[error("ends within {0}")]
    Ends(&'static str),
    /// Something is longer, or there is more of it, than is read.
    #[error("{what} goes beyond {limit}, the most that is read")]
    TooLong {
        /// What is.
        what: &'static str,
        /// The limit that it goes beyond.
        limit: usize,
    },
    /// A field says what it cannot say.
    #[error("{0} says what it cannot")]
    Wrong(&'static str),
    /// Bytes are left where there must be none.
    #[error("bytes are left after {0}")]
    Left(&'static str),
    /// A ROP that is reserved, or only sent as a response: where it ends is not known.
    #[error("ROP {0:#04x} is none that a client may send")]
    UnknownRop(u8),
    /// A property type of which it is not known how long its values are.
    #[error("property type {0:#06x} has no length that is known")]
    UnknownType(u16),
}
