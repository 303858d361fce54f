//! What is wrong with a configuration: every mistake of a file at once, each with file, line, key and what is allowed.

use std::fmt;
use std::path::{Path, PathBuf};

/// One mistake in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The line it is on, counted from 1; the section's first line where a whole section is meant.
    pub line: usize,
    /// What is wrong, beginning with the key.
    pub text: String,
}

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration {}: {source}; give its path with --config", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is larger than any configuration.
    #[error("the configuration {} has {size} bytes; at most {most} are read", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
        /// The largest file that is read, in bytes.
        most: u64,
    },
    /// The file says things that are not allowed.
    #[error("{}", Listing { file, mistakes })]
    Wrong {
        /// The file's name, as it was given.
        file: String,
        /// The mistakes, in the order of their lines; at least one.
        mistakes: Vec<Mistake>,
    },
}

impl ConfigError {
    /// The file cannot be read, because of `source`.
    pub(super) fn unreadable(path: &Path, source: std::io::Error) -> Self {
        Self::Unreadable { path: path.to_owned(), source }
    }
}

/// Mistakes, one a line, as compilers print them.
pub(crate) struct Listing<'e> {
    /// The file's name, as it was given.
    pub(crate) file: &'e str,
    /// The mistakes, in the order of their lines.
    pub(crate) mistakes: &'e [Mistake],
}

impl fmt::Display for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, mistake) in self.mistakes.iter().enumerate() {
            let end = if index == 0 { "" } else { "\n" };
            write!(f, "{end}{}:{}: {}", self.file, mistake.line, mistake.text)?;
        }
        Ok(())
    }
}
