//! Elements as values.

/// An element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element;
