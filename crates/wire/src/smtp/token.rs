//! Names that go anywhere: into a parameter, a boundary, the name of a file.

use std::fmt;

/// The most bytes of a token.
pub const MAX_TOKEN: usize = 64;

/// A name or an identity of letters, digits, `.`, `-` and `_`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(Box<str>);

impl Token {
    /// That name; nothing where it is empty, too long, or of other letters.
    pub fn new(text: &str) -> Option<Self> {
        let fine = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
        ((1..=MAX_TOKEN).contains(&text.len()) && text.bytes().all(fine)).then(|| Self(text.into()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
