//! Names that occur again and again, kept once and spoken of by number.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// How many different names are kept; further ones are all called [`Names::OTHER`].
pub(crate) const NAMES_MAX: u32 = 4_000_000;

/// The number of a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(u32);

/// A table of names.
#[derive(Debug)]
pub struct Names {
    numbers: HashMap<Box<str>, u32, RandomState>,
    texts: Vec<Box<str>>,
}

impl Names {
    /// The name of what has none.
    pub const NONE: Name = Name(0);
    /// The name of all that there was no room for.
    pub const OTHER: Name = Name(1);

    pub(crate) fn new() -> Self {
        let texts: Vec<Box<str>> = vec!["-".into(), "(others)".into()];
        let numbers = texts.iter().cloned().zip(0..).collect();
        Self { numbers, texts }
    }

    /// The number of `text`.
    pub(crate) fn number(&mut self, text: &str) -> Name {
        if text.is_empty() {
            return Self::NONE;
        }
        if let Some(number) = self.numbers.get(text) {
            return Name(*number);
        }
        let Some(number) = u32::try_from(self.texts.len()).ok().filter(|number| *number < NAMES_MAX) else {
            return Self::OTHER;
        };
        self.numbers.insert(text.into(), number);
        self.texts.push(text.into());
        Name(number)
    }

    /// The text of a name.
    pub fn text(&self, name: Name) -> &str {
        let index = usize::try_from(name.0).unwrap_or(0);
        self.texts.get(index).map_or("-", |text| text)
    }
}
