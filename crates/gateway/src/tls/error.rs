//! What can be wrong with a certificate, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use rustls::pki_types::pem;
use rustls::{Error, InconsistentKeys};

/// Why there is no certificate to show. Each text names the file, the reason, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("cannot read {path}: {reason}; check that the file exists and that this user may read it")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// A file is longer than any certificate.
    #[error(
        "{path} is longer than {limit} bytes; name a PEM file with the server's certificate or key alone"
    )]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The longest that is read, in bytes.
        limit: u64,
    },
    /// The self-signed certificate cannot be kept.
    #[error(
        "cannot write {path}: {reason}; make the directory writable, or configure [tls] certificate and key"
    )]
    Write {
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// A file is no PEM, or a broken one.
    #[error(
        "{path} is no valid PEM: {reason}; it should consist of -----BEGIN …----- and -----END …----- blocks"
    )]
    Pem {
        /// The file.
        path: PathBuf,
        /// What the reader says.
        reason: pem::Error,
    },
    /// A PEM file without a certificate.
    #[error("{path} holds no certificate; it should begin with -----BEGIN CERTIFICATE-----")]
    NoCertificate {
        /// The file.
        path: PathBuf,
    },
    /// A PEM file without a private key that is not encrypted.
    #[error(
        "{path} holds no private key in the clear; an encrypted one has to be decrypted first (openssl pkey)"
    )]
    NoKey {
        /// The file.
        path: PathBuf,
    },
    /// A certificate that is none.
    #[error("the first certificate in {path} cannot be understood; it should be an X.509 certificate")]
    Unreadable {
        /// The file.
        path: PathBuf,
    },
    /// A key of a kind that is not supported.
    #[error(
        "the key in {path} cannot be used: {reason}; use RSA of 2048 bits or more, ECDSA P-256 or P-384, or Ed25519"
    )]
    Key {
        /// The file.
        path: PathBuf,
        /// What the cryptography says.
        reason: Error,
    },
    /// Certificate and key are no pair.
    #[error(
        "the key in {key} does not belong to the first certificate in {certificate}; name the pair, own certificate first"
    )]
    Mismatch {
        /// The certificate's file.
        certificate: PathBuf,
        /// The key's file.
        key: PathBuf,
    },
    /// A self-signed certificate could not be made.
    #[error("cannot make a self-signed certificate: {reason}; configure [tls] certificate and key")]
    Make {
        /// What the generator says.
        reason: rcgen::Error,
    },
    /// The cryptography lacks what TLS needs.
    #[error("TLS cannot be set up: {0}")]
    Configuration(Error),
}

impl TlsError {
    /// What the cryptography says about a pair of files.
    pub(super) fn from_pair(certificate: &Path, key: &Path, error: Error) -> Self {
        if error == Error::InconsistentKeys(InconsistentKeys::KeyMismatch) {
            return Self::Mismatch { certificate: certificate.to_owned(), key: key.to_owned() };
        }
        Self::Key { path: key.to_owned(), reason: error }
    }
}
