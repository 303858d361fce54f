//! The fields that have a `FieldURI`.

/// A field with a `FieldURI`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Field(u16);
