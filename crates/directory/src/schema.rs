//! The shape of the store's tables, by version.
//!
//! `user_version` of the file says how many of [`STEPS`] it has been through. Opening carries out those that are
//! missing, all in one transaction; a file from a later build is refused untouched, for it may hold what this build
//! would silently lose.

use rusqlite::{Connection, TransactionBehavior};

use crate::store::StoreError;

/// What leads from each version to the one after it, from an empty file on. Only ever appended to.
pub(crate) const STEPS: &[&str] =
    &[include_str!("schema/version_1.sql"), include_str!("schema/version_2.sql")];

/// Brings the file to the version that `steps` lead to.
///
/// # Errors
/// The file is of a later version, or `SQLite` fails; the file is then as it was.
pub(crate) fn migrate(connection: &mut Connection, steps: &[&str]) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: u32 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let known = u32::try_from(steps.len()).unwrap_or(u32::MAX);
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    for (step, version) in steps.iter().zip(1_u32..).skip_while(|(_, version)| *version <= found) {
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "user_version", version)?;
    }
    transaction.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests;
