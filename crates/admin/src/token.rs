//! The tokens and the address that commands look for: small files in the data directory.
//!
//! `admin-token` and `readonly-token` hold 32 random bytes each in hexadecimal, are made at first start and
//! readable by their owner only. Whoever can read the first is the administrator; the second is given to a
//! helpdesk that shall see everything and change nothing. `admin-address` says where the running server listens.
//! A presented token is compared through its keyed hash, so that the time of the comparison tells nothing, and
//! the server keeps no copy of the tokens themselves in memory.

#[cfg(test)]
mod tests;

use std::fmt;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};

/// The file that holds the administrator's token.
pub const TOKEN_FILE: &str = "admin-token";
/// The file that holds the helpdesk's token, with which nothing can be changed.
pub const READ_ONLY_TOKEN_FILE: &str = "readonly-token";
/// The file that holds the address of the running server.
pub const ADDRESS_FILE: &str = "admin-address";
/// How many random bytes a token has.
const TOKEN_BYTES: usize = 32;
/// The shortest token that is taken from a file that somebody wrote himself.
const MIN_TOKEN_LETTERS: usize = 32;
/// The longest token or address file that is read.
const MAX_FILE_BYTES: u64 = 1024;
/// Readable and writable by the owner, by nobody else.
const OWNER_ONLY: u32 = 0o600;
/// The bits of a mode that say who may read, write and execute.
const ALL_ACCESS: u32 = 0o777;

/// A token or address file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be read, written or protected.
    #[error("cannot use {}: {source}; check that its directory exists and belongs to this user", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file holds something that is too short to be a secret.
    #[error(
        "the token in {} has {letters} letters, at least {MIN_TOKEN_LETTERS} are needed; remove the file and start \
         again to have one made", path.display()
    )]
    TooShort {
        /// The file.
        path: PathBuf,
        /// How long the token is.
        letters: usize,
    },
    /// The system has no random numbers to give.
    #[error("the system gives no random numbers to make a token of; try again")]
    NoRandomness,
}

/// What a token allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Sees and changes everything.
    Administrator,
    /// Sees everything and changes nothing.
    Helpdesk,
}

/// Both tokens of a data directory.
#[derive(Debug)]
pub struct Tokens {
    administrator: TokenCheck,
    helpdesk: TokenCheck,
}

impl Tokens {
    /// Takes the tokens from `directory`'s files, making those that are missing.
    ///
    /// # Errors
    /// A file cannot be used, or holds too short a token.
    pub fn open(directory: &Path) -> Result<Self, TokenError> {
        Ok(Self {
            administrator: TokenCheck::open(&directory.join(TOKEN_FILE))?,
            helpdesk: TokenCheck::open(&directory.join(READ_ONLY_TOKEN_FILE))?,
        })
    }

    /// What `presented` allows; nothing, where it is no token of ours.
    pub fn role(&self, presented: &str) -> Option<Role> {
        // Both are compared, so that the time does not tell which one it is.
        let administrator = self.administrator.accepts(presented);
        let helpdesk = self.helpdesk.accepts(presented);
        administrator.then_some(Role::Administrator).or(helpdesk.then_some(Role::Helpdesk))
    }
}

/// What a presented token is compared with.
pub struct TokenCheck {
    key: hmac::Key,
    tag: hmac::Tag,
}

impl TokenCheck {
    /// Takes the token from the file at `path`, making one first where there is none.
    ///
    /// # Errors
    /// The file cannot be used, or holds too short a token.
    pub fn open(path: &Path) -> Result<Self, TokenError> {
        let unusable = |source| TokenError::File { path: path.to_owned(), source };
        let token = match read_small(path) {
            Ok(text) if !text.trim().is_empty() => text,
            Ok(_) => make(path)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => make(path)?,
            Err(source) => return Err(unusable(source)),
        };
        let token = token.trim();
        if token.len() < MIN_TOKEN_LETTERS {
            return Err(TokenError::TooShort { path: path.to_owned(), letters: token.len() });
        }
        close_to_others(path).map_err(unusable)?;
        Self::new(token)
    }

    /// Compares with `token`.
    ///
    /// # Errors
    /// The system has no random numbers for the key.
    pub fn new(token: &str) -> Result<Self, TokenError> {
        let key = hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new())
            .map_err(|_| TokenError::NoRandomness)?;
        let tag = hmac::sign(&key, token.as_bytes());
        Ok(Self { key, tag })
    }

    /// Whether `presented` is the token, in a time that does not depend on how much of it is right.
    pub fn accepts(&self, presented: &str) -> bool {
        hmac::verify(&self.key, presented.as_bytes(), self.tag.as_ref()).is_ok()
    }
}

impl fmt::Debug for TokenCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenCheck")
    }
}

/// Writes `address` into `directory`'s [`ADDRESS_FILE`], whole or not at all.
///
/// # Errors
/// The file cannot be written.
pub fn publish_address(directory: &Path, address: SocketAddr) -> Result<(), TokenError> {
    let path = directory.join(ADDRESS_FILE);
    let draft = directory.join(format!("{ADDRESS_FILE}.new"));
    fs::write(&draft, format!("{address}\n"))
        .and_then(|()| fs::rename(&draft, &path))
        .map_err(|source| TokenError::File { path, source })
}

/// Takes the file away again when the server stops, so that commands say that none runs. A file that is gone
/// already is as good.
///
/// # Errors
/// The file cannot be removed.
pub fn withdraw_address(directory: &Path) -> Result<(), TokenError> {
    let path = directory.join(ADDRESS_FILE);
    match fs::remove_file(&path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(TokenError::File { path, source }),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Takes from everybody but the owner what access he has. A file whose mode is right is not touched: it may
/// be on a medium that cannot be written.
fn close_to_others(path: &Path) -> io::Result<()> {
    let mode = fs::metadata(path)?.permissions().mode();
    if mode & ALL_ACCESS == OWNER_ONLY {
        return Ok(());
    }
    fs::set_permissions(path, Permissions::from_mode(OWNER_ONLY))
}

/// Reads a file of at most [`MAX_FILE_BYTES`].
pub(crate) fn read_small(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(MAX_FILE_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

/// Makes a token and writes it to `path`, readable by the owner only from the first byte on.
fn make(path: &Path) -> Result<String, TokenError> {
    let mut bytes = [0_u8; TOKEN_BYTES];
    SystemRandom::new().fill(&mut bytes).map_err(|_| TokenError::NoRandomness)?;
    let token = hexadecimal(&bytes);
    let draft = path.with_extension("new");
    let written = fs::remove_file(&draft)
        .or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
        .and_then(|()| OpenOptions::new().write(true).create_new(true).mode(OWNER_ONLY).open(&draft))
        .and_then(|mut file| writeln!(file, "{token}").and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&draft, path));
    match written {
        Ok(()) => Ok(token),
        Err(source) => Err(TokenError::File { path: path.to_owned(), source }),
    }
}

/// `bytes` as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
