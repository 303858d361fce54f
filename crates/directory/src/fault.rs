//! Whose fault a refused change is.

/// What kind of answer a failed operation deserves, so that an interface need not know every error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// Something that was named does not exist.
    NotFound,
    /// What was asked is well formed, but the present state forbids it.
    Conflict,
    /// What was asked is not well formed.
    Invalid,
    /// The directory itself failed; asking again later may help.
    Directory,
}
