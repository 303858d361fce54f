//! How a program is named: words, as its clients write them.
//!
//! A header is taken for the words in it – letters, digits, `.`, `-` and `_` – and whatever stands between for gaps:
//! `Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.4266; Pro)` has ten. A pattern is found where its own
//! words follow one another, in any case; `*` in it stands for any part of a word. So `Outlook` is found in this
//! header and not in `MacOutlook/16.1` or `Outlook-iOS/4.2`, and `*Outlook*` in all three. The word behind is the version.

use std::fmt;
use std::str::FromStr;

use super::versions::Version;

/// The longest pattern, in characters.
pub const MOST_PATTERN: usize = 100;
/// As much of what a client says of itself is looked at, in bytes …
const MOST_TEXT: usize = 1024;
/// … and so many words of it.
const MOST_WORDS: usize = 64;

/// A program or a process, as an administrator names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    words: Vec<String>,
}

/// A text that names no program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// Without a word.
    #[error("must name a program: letters, digits, \".\", \"-\", \"_\", and \"*\" for any part of a word")]
    Empty,
    /// Longer than any name.
    #[error("has {length} characters; at most {MOST_PATTERN} are allowed")]
    TooLong {
        /// Its length.
        length: usize,
    },
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let text = text.trim();
        let length = text.chars().count();
        if length > MOST_PATTERN {
            return Err(PatternError::TooLong { length });
        }
        let words: Vec<String> = split(text, |c| is_word(c) || c == '*').map(str::to_owned).collect();
        if words.is_empty() { Err(PatternError::Empty) } else { Ok(Self { text: text.to_owned(), words }) }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Pattern {
    /// Where the pattern ends, each time that it is found: the index of the word behind it.
    pub(super) fn ends<'a>(&'a self, words: &'a [&str]) -> impl Iterator<Item = usize> + 'a {
        let is_here = |window: &[&str]| self.words.iter().zip(window).all(|(glob, word)| matches(glob, word));
        let length = self.words.len();
        words
            .windows(length)
            .enumerate()
            .filter(move |(_, window)| is_here(window))
            .map(move |(at, _)| at + length)
    }
}

/// The words of what a client says of itself.
pub(super) fn words(text: &str) -> Vec<&str> {
    let text = text.get(..text.floor_char_boundary(MOST_TEXT)).unwrap_or(text);
    split(text, is_word).take(MOST_WORDS).collect()
}

/// The version that stands behind a program's name.
pub(super) fn version_after(words: &[&str], end: usize) -> Option<Version> {
    words.get(end).and_then(|word| Version::stated(word))
}

fn split(text: &str, belongs: impl Fn(char) -> bool) -> impl Iterator<Item = &str> {
    text.split(move |c| !belongs(c)).filter(|word| !word.is_empty())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-' | '_')
}

/// Whether `glob` stands for the whole of `word`: `*` for anything, letters for themselves in any case.
///
/// When a letter does not fit, the last `*` takes one byte more; earlier ones need not, since what the last one takes
/// could only have been less.
fn matches(glob: &str, word: &str) -> bool {
    let (glob, word) = (glob.as_bytes(), word.as_bytes());
    let (mut g, mut w) = (0, 0);
    let mut star = None;
    while w < word.len() {
        match (glob.get(g), word.get(w)) {
            (Some(b'*'), _) => {
                star = Some((g, w));
                g += 1;
            }
            (Some(one), Some(other)) if one.eq_ignore_ascii_case(other) => {
                g += 1;
                w += 1;
            }
            _ => {
                let Some((at, taken)) = star else { return false };
                star = Some((at, taken + 1));
                g = at + 1;
                w = taken + 1;
            }
        }
    }
    glob.iter().skip(g).all(|rest| *rest == b'*')
}

#[cfg(test)]
mod tests;
