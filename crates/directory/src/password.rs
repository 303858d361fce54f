//! Passwords, as argon2id hashes.
//!
//! A hash says with which price it was made, so that the price can rise without asking anybody for his password. A
//! name that nobody has is answered only after the same work on a hash that nobody's password fits (T8): time does
//! not tell which names exist. At most as many hashes are computed at once as there are processors, since each takes
//! [`PasswordCost::memory_kib`] of memory. No password and no hash is ever part of a log line, an error or a `Debug`
//! text.

use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::available_parallelism;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};

/// The longest password, in bytes.
pub const MAX_PASSWORD_BYTES: usize = 1024;

/// What computing one hash costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PasswordCost {
    /// Memory, in KiB.
    pub memory_kib: u32,
    /// How often the memory is gone through.
    pub passes: u32,
    /// Lanes that could be filled in parallel.
    pub lanes: u32,
}

impl PasswordCost {
    /// 19 MiB, twice, one lane: some tens of milliseconds.
    pub const MODERATE: Self = Self { memory_kib: 19 * 1024, passes: 2, lanes: 1 };
    /// The least that argon2 allows. For tests of other things; real passwords deserve [`PasswordCost::MODERATE`].
    pub const LEAST: Self = Self { memory_kib: 8, passes: 1, lanes: 1 };
}

impl Default for PasswordCost {
    fn default() -> Self {
        Self::MODERATE
    }
}

/// Makes and compares hashes.
pub(crate) struct Passwords {
    argon2: Argon2<'static>,
    /// A hash of the same price that no password fits.
    nobodys: String,
    /// How many more hashes may be computed at once.
    free: Mutex<usize>,
    freed: Condvar,
    #[cfg(test)]
    comparisons: std::sync::atomic::AtomicUsize,
}

impl Passwords {
    pub(crate) fn new(cost: PasswordCost) -> Result<Self, String> {
        let params =
            Params::new(cost.memory_kib, cost.passes, cost.lanes, None).map_err(|error| error.to_string())?;
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let hash: PasswordHash = argon2.hash_password(b"nobody's").map_err(|error| error.to_string())?;
        Ok(Self {
            nobodys: hash.to_string(),
            argon2,
            free: Mutex::new(available_parallelism().map_or(1, usize::from)),
            freed: Condvar::new(),
            #[cfg(test)]
            comparisons: std::sync::atomic::AtomicUsize::new(0),
        })
    }

    /// The text to store for `password`.
    pub(crate) fn hash(&self, password: &str) -> Result<String, PasswordError> {
        if password.is_empty() {
            return Err(PasswordError::Empty);
        }
        if password.len() > MAX_PASSWORD_BYTES {
            return Err(PasswordError::TooLong { bytes: password.len() });
        }
        let _place = self.place();
        let hash: PasswordHash = self
            .argon2
            .hash_password(password.as_bytes())
            .map_err(|error| PasswordError::Failed(error.to_string()))?;
        Ok(hash.to_string())
    }

    /// Whether `password` fits the stored text. Without one, and with one that is no hash, the work is done for
    /// nobody and the answer is no.
    pub(crate) fn fits(&self, password: &str, stored: Option<&str>) -> bool {
        #[cfg(test)]
        self.comparisons.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let _place = self.place();
        let own = stored
            .and_then(|text| PasswordHash::new(text).ok())
            .filter(|_| password.len() <= MAX_PASSWORD_BYTES);
        let candidate = password.as_bytes().get(..MAX_PASSWORD_BYTES).unwrap_or(password.as_bytes());
        if let Some(hash) = own {
            return self.argon2.verify_password(candidate, &hash).is_ok();
        }
        if let Ok(nobodys) = PasswordHash::new(&self.nobodys) {
            // The answer does not matter, the work does.
            let _ = self.argon2.verify_password(candidate, &nobodys);
        }
        false
    }

    /// How many times a password was compared, whoever it was for.
    #[cfg(test)]
    pub(crate) fn comparisons(&self) -> usize {
        self.comparisons.load(std::sync::atomic::Ordering::Relaxed)
    }

    fn place(&self) -> Place<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self.freed.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        *free = free.saturating_sub(1);
        Place(self)
    }
}

/// The right to compute one hash; dropping it gives it back.
struct Place<'a>(&'a Passwords);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut free = self.0.free.lock().unwrap_or_else(PoisonError::into_inner);
        *free = free.saturating_add(1);
        self.0.freed.notify_one();
    }
}

/// Why a password cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PasswordError {
    /// There is nothing in it.
    #[error("the password is empty; give one, or say that the mailbox has none")]
    Empty,
    /// There is too much in it.
    #[error("the password has {bytes} bytes and may have at most {MAX_PASSWORD_BYTES}; give a shorter one")]
    TooLong {
        /// Its length, in bytes.
        bytes: usize,
    },
    /// The hash could not be computed.
    #[error("the password cannot be hashed: {0}; try again")]
    Failed(String),
}

#[cfg(test)]
mod tests;
