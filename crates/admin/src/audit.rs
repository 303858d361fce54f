//! Who changed what (`log/audit.jsonl`): one line for every change made through the API.
//!
//! A line says when, who (by which kind of token), what was done to which thing, and how that thing looked
//! before and after. It is on disk before the change is answered. Secrets never reach this module: a changed
//! password is an entry whose `before` and `after` are the account without it. Nothing of it is ever removed: past
//! [`AuditSettings::max_bytes`] the file becomes a numbered generation, `audit.1.jsonl`, `audit.2.jsonl` …, and an
//! [`AuditQuery`] goes through all of them.

mod query;
#[cfg(test)]
mod tests;

use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use weir_units::WallTime;

use crate::journal::{Journal, Keep, timestamp};
use crate::types::AuditRecord;
pub use query::AuditQuery;

/// The file of the audit log, within the log directory.
pub const AUDIT_FILE: &str = "audit.jsonl";

/// The limits of the audit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditSettings {
    /// How large the file grows, in bytes, before it is set aside under the next number.
    pub max_bytes: u64,
}

impl Default for AuditSettings {
    fn default() -> Self {
        Self { max_bytes: 64 * 1024 * 1024 }
    }
}

/// Who made a change, as far as a token tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// Whoever holds the token of the data directory.
    AdminToken,
    /// Whoever may send the process a signal.
    Signal,
    /// Whoever holds the read-only token; he can log in at the page, and changes nothing.
    ReadOnlyToken,
}

impl Actor {
    /// The word for it in the log.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AdminToken => "admin-token",
            Self::Signal => "signal",
            Self::ReadOnlyToken => "readonly-token",
        }
    }
}

/// One change. `before` and `after` are nothing where the thing did not exist.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// What was done: `policy.set`.
    pub action: &'static str,
    /// The thing it was done to, by name.
    pub target: String,
    /// How it looked before.
    pub before: Option<Value>,
    /// How it looks since.
    pub after: Option<Value>,
}

/// The audit log, open for writing.
#[derive(Debug)]
pub struct AuditLog(Mutex<Journal>);

impl AuditLog {
    /// Opens [`AUDIT_FILE`] in `directory`, making both where they are missing.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn open(directory: &Path, settings: AuditSettings) -> io::Result<Self> {
        let journal = Journal::open(directory.join(AUDIT_FILE), settings.max_bytes, Keep::All)?;
        Ok(Self(Mutex::new(journal)))
    }

    /// Writes that `actor` made `change` at `now`, and waits until it is on disk.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn record(&self, actor: Actor, change: &Change, now: WallTime) -> io::Result<()> {
        let line = AuditRecord {
            time: timestamp(now),
            who: actor.name().to_owned(),
            action: change.action.to_owned(),
            target: change.target.clone(),
            before: change.before.clone(),
            after: change.after.clone(),
        };
        let mut journal = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        journal.append(&line)?;
        journal.sync()
    }
}
