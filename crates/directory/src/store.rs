//! The directory on `SQLite`.
//!
//! One connection writes, behind a lock; a few others read and never wait for it, since the file is in WAL mode.
//! Every change is one transaction that also moves the version row (T14): whoever sees a change sees the version
//! moved. Changes made in the file by other hands do not move it, and are noticed when the policy cache's times are
//! over. What can be listed and changed is in [`crate::organisation`], [`crate::mailbox`] and
//! [`crate::policy_row`], each an `impl Store`.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::directory::DirectoryError;
use crate::guid::{Guid, RANDOM_GUID};
use crate::password::{PasswordCost, Passwords};
use crate::schema::{STEPS, migrate};

/// How many connections read at the same time; further readers wait for one of them.
pub const READERS: usize = 4;

/// How long an access waits for another process that has the file locked.
pub const LOCK_PATIENCE: Duration = Duration::from_secs(5);

/// The directory on `SQLite`. Share it in an `Arc`.
pub struct Store {
    path: PathBuf,
    // Readers close first: the last connection to close tidies the file up, which a reader cannot.
    readers: Mutex<Vec<Connection>>,
    writer: Mutex<Connection>,
    reader_returned: Condvar,
    passwords: Passwords,
}

impl Store {
    /// Opens the directory in the file at `path`, made where there is none, readable by its owner only.
    ///
    /// # Errors
    /// The file cannot be opened or is no database, or a later build of Mailweir wrote it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_with(path, PasswordCost::MODERATE)
    }

    /// As [`Store::open`], with a price of one's own for passwords set from here on.
    ///
    /// # Errors
    /// As [`Store::open`], and the price is none that argon2 knows.
    pub fn open_with(path: impl AsRef<Path>, cost: PasswordCost) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let unopenable = |why: String| StoreError::Open { path: path.to_owned(), why };
        create_private(path).map_err(|error| unopenable(error.to_string()))?;
        let mut writer = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
            .map_err(|error| unopenable(error.to_string()))?;
        migrate(&mut writer, STEPS)?;
        let readers = (0..READERS)
            .map(|_| connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY))
            .collect::<Result<_, _>>()
            .map_err(|error| unopenable(error.to_string()))?;
        Ok(Self {
            path: path.to_owned(),
            writer: Mutex::new(writer),
            readers: Mutex::new(readers),
            reader_returned: Condvar::new(),
            passwords: Passwords::new(cost).map_err(StoreError::Password)?,
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn passwords(&self) -> &Passwords {
        &self.passwords
    }

    /// What `act` sees is one state of the directory, whatever is written meanwhile.
    pub(crate) fn read<T, E: From<StoreError>>(
        &self,
        act: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let reader = self.reader();
        let transaction = reader.connection().unchecked_transaction().map_err(StoreError::Sqlite)?;
        act(&transaction)
    }

    /// What `act` does is done whole or not at all, and moves the version (T14).
    pub(crate) fn write<T, E: From<StoreError>>(
        &self,
        act: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let transaction = begin(&mut writer)?;
        let done = act(&transaction)?;
        transaction
            .execute("UPDATE version SET number = number + 1", [])
            .and_then(|_| transaction.commit())
            .map_err(StoreError::Sqlite)?;
        Ok(done)
    }

    /// As [`Store::write`], and then everything is as it was before: to see what would become of `act`.
    pub(crate) fn rehearse<T, E: From<StoreError>>(
        &self,
        act: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        // Dropping it takes everything back.
        act(&begin(&mut writer)?)
    }

    fn reader(&self) -> Reader<'_> {
        let readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut readers = self
            .reader_returned
            .wait_while(readers, |readers| readers.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        Reader { store: self, connection: readers.pop() }
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Store({})", self.path.display())
    }
}

/// A random identifier.
pub(crate) fn random_guid(connection: &Connection) -> Result<Guid, StoreError> {
    Ok(connection
        .prepare_cached(RANDOM_GUID)?
        .query_row([], |row| Ok(Guid::of_row(row.get_ref(0)?.as_str()?)))?)
}

/// A reading connection on loan; dropping it gives it back.
struct Reader<'a> {
    store: &'a Store,
    connection: Option<Connection>,
}

impl Reader<'_> {
    fn connection(&self) -> &Connection {
        self.connection.as_ref().expect("a reader holds its connection until it is dropped")
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        let mut readers: MutexGuard<'_, _> =
            self.store.readers.lock().unwrap_or_else(PoisonError::into_inner);
        readers.extend(self.connection.take());
        self.store.reader_returned.notify_one();
    }
}

fn begin(writer: &mut Connection) -> Result<Transaction<'_>, StoreError> {
    Ok(writer.transaction_with_behavior(TransactionBehavior::Immediate)?)
}

/// Makes the file, where there is none, so that others on this machine cannot read password hashes. `SQLite` gives
/// its companion files the same mode.
fn create_private(path: &Path) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

fn connect(path: &Path, access: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(LOCK_PATIENCE)?;
    if access.contains(OpenFlags::SQLITE_OPEN_READ_WRITE) {
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
    }
    connection.pragma_update(None, "foreign_keys", true)?;
    // The file may come from elsewhere; its schema must not make us run what an attacker put there.
    connection.pragma_update(None, "trusted_schema", false)?;
    Ok(connection)
}

/// Why the store cannot be opened or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file cannot be opened.
    #[error("the directory {} cannot be opened: {why}; check that the file is a Mailweir directory and that this \
             user may read and write it", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// A later build wrote the file.
    #[error(
        "the directory is of version {found} and this build knows versions up to {known}; start the build of \
             Mailweir that wrote it, or a later one"
    )]
    Newer {
        /// The file's version.
        found: u32,
        /// The latest version that this build knows.
        known: u32,
    },
    /// Passwords cannot be worked with.
    #[error("passwords cannot be hashed: {0}")]
    Password(String),
    /// A policy cannot be written down.
    #[error("the policy cannot be written down: {0}; this is a fault of Mailweir, please report it")]
    Policy(String),
    /// `SQLite` fails.
    #[error("the directory's database fails: {0}; nothing was changed, try again")]
    Sqlite(#[from] rusqlite::Error),
}

impl From<StoreError> for DirectoryError {
    fn from(error: StoreError) -> Self {
        Self { why: error.to_string() }
    }
}

#[cfg(test)]
mod tests;
