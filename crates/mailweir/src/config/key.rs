//! The catalogue of keys, which the reader itself writes.
//!
//! Every key that the reader asks a document for becomes one entry, so that the catalogue cannot differ from what is
//! really read. `docs/configuration.md` and the example file are compared with it by a test.

use std::fmt;

/// One key that the configuration may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its section with dots, `transport.server`; empty for the top of the file.
    pub section: String,
    /// Its name in the section.
    pub name: &'static str,
    /// What may be written, in words.
    pub allowed: String,
    /// What holds where the key is left out, as one would write it; nothing where there is no such value.
    pub default: Option<String>,
    /// When a change of it takes effect.
    pub effect: Effect,
}

impl Key {
    /// Section and name: `throttle.max_delay`.
    pub fn path(&self) -> String {
        join(&self.section, self.name)
    }
}

/// `name` within `section`.
pub(super) fn join(section: &str, name: &str) -> String {
    if section.is_empty() { name.to_owned() } else { format!("{section}.{name}") }
}

/// When a change of a key takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// With `mailweir reload` or SIGHUP.
    Reload,
    /// When the server is started the next time.
    Restart,
    /// Not in this build: the key is read and checked, and what it asks for stays off.
    Later,
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reload => "reload",
            Self::Restart => "restart",
            Self::Later => "later",
        })
    }
}
