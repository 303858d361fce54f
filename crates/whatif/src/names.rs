//! Names that occur again and again, kept once and spoken of by number.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// How many different names are kept; further ones are all called [`Names::OTHER`].
const NAMES_MAX: u32 = 4_000_000;

/// How many of them may be what clients make up as they like: programs, paths.
const FREE_MAX: u32 = NAMES_MAX / 2;

/// How long a name may be, in bytes; the rest is cut off.
const NAME_BYTES_MAX: usize = 256;

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

    /// The number of a client program or a path.
    pub(crate) fn number(&mut self, text: &str) -> Name {
        self.number_within(text, FREE_MAX)
    }

    /// The number of an owner or a policy.
    pub(crate) fn owner(&mut self, text: &str) -> Name {
        self.number_within(text, NAMES_MAX)
    }

    fn number_within(&mut self, text: &str, most: u32) -> Name {
        if text.is_empty() {
            return Self::NONE;
        }
        let text = text.get(..text.floor_char_boundary(NAME_BYTES_MAX)).unwrap_or(text);
        if let Some(number) = self.numbers.get(text) {
            return Name(*number);
        }
        let Some(number) = u32::try_from(self.texts.len()).ok().filter(|number| *number < most) else {
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

#[cfg(test)]
mod tests {
    use super::{NAME_BYTES_MAX, Names};

    #[test]
    fn a_name_is_kept_once_and_cut_between_letters() {
        let mut names = Names::new();
        let john = names.owner("john");
        assert_eq!((names.owner("john"), names.text(john)), (john, "john"));
        assert_eq!((names.owner(""), names.text(Names::NONE)), (Names::NONE, "-"));
        let long = names.number(&format!("x{}", "é".repeat(NAME_BYTES_MAX)));
        assert_eq!(names.text(long).len(), NAME_BYTES_MAX - 1);
    }
}
