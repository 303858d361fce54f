//! The tables, and their migration from one release to the next.
//!
//! `user_version` says which schema a file has. Each entry of [`MIGRATIONS`] leads from its index to the next
//! version, in one transaction; a file from a later release is refused rather than guessed at.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::text;
use crate::server::OpenError;

/// How long a connection waits for another's write to end before it gives up.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// Statements kept prepared for one connection.
const STATEMENTS: usize = 128;

/// Pages of the write-ahead log after which it is folded into the database.
const CHECKPOINT_PAGES: i64 = 4000;

/// The steps from each schema version to the next.
const MIGRATIONS: &[&str] =
    &[include_str!("schema/0001.sql"), include_str!("schema/0002.sql"), include_str!("schema/0003.sql")];

/// Opens the store, creates or migrates it, and counts this opening. Gives the connection and the count, which no two
/// openings share.
pub(crate) fn open_and_migrate(path: &Path) -> Result<(Connection, u64), OpenError> {
    let refused = |source| OpenError::Sqlite { path: path.to_owned(), source };
    make_private(path).map_err(|source| OpenError::Create { path: path.to_owned(), source })?;
    let mut db = open(path)?;
    let found: i64 = db.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(refused)?;
    let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    if found > known {
        return Err(OpenError::TooNew { path: path.to_owned(), found, known });
    }
    migrate(&mut db, usize::try_from(found).unwrap_or(0)).map_err(refused)?;
    let boot: i64 = db
        .query_row("UPDATE opening SET count = count + 1 RETURNING count", [], |row| row.get(0))
        .map_err(refused)?;
    Ok((db, u64::try_from(boot).unwrap_or(0)))
}

/// Opens one more connection to a store that has its schema already.
pub(crate) fn open(path: &Path) -> Result<Connection, OpenError> {
    connect(path).map_err(|source| OpenError::Sqlite { path: path.to_owned(), source })
}

/// Makes the file, where it is not there, so that nobody but its owner reads the mail in it; SQLite gives the files
/// beside it the same permissions.
fn make_private(path: &Path) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(BUSY_TIMEOUT)?;
    db.pragma_update(None, "journal_mode", "wal")?;
    db.pragma_update(None, "synchronous", "full")?;
    db.pragma_update(None, "foreign_keys", true)?;
    db.pragma_update(None, "temp_store", "memory")?;
    db.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    db.set_prepared_statement_cache_capacity(STATEMENTS);
    text::register(&db)?;
    Ok(db)
}

fn migrate(db: &mut Connection, from: usize) -> rusqlite::Result<()> {
    for (version, migration) in MIGRATIONS.iter().enumerate().skip(from) {
        let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch(migration)?;
        transaction.pragma_update(None, "user_version", i64::try_from(version + 1).unwrap_or(i64::MAX))?;
        transaction.commit()?;
    }
    Ok(())
}
