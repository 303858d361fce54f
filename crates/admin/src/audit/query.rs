//! The audit log, asked: which changes, since when.

use std::io;
use std::path::Path;

use weir_units::WallTime;

use super::AUDIT_FILE;
use crate::journal::read::{Match, newest};
use crate::journal::timestamp;
use crate::types::{AuditRecord, Excerpt};

/// Which changes are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditQuery {
    /// Those of this time and later only.
    pub since: Option<WallTime>,
    /// Those made to the thing of this name only, in any case.
    pub target: Option<String>,
    /// So many at most.
    pub limit: usize,
}

impl AuditQuery {
    /// The newest changes that match, of all generations of the log in `directory`.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn run(&self, directory: &Path) -> io::Result<Excerpt<AuditRecord>> {
        let since = self.since.map(timestamp).unwrap_or_default();
        newest(&directory.join(AUDIT_FILE), self.limit, |change: &AuditRecord| {
            if change.time < since {
                return Match::Older;
            }
            let matches = self
                .target
                .as_ref()
                .is_none_or(|target| change.target.to_lowercase() == target.to_lowercase());
            if matches { Match::Wanted } else { Match::Other }
        })
    }
}
