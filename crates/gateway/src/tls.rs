//! The certificate that the listeners show, and how it is replaced while they run.
//!
//! It comes from two PEM files, or is a self-signed one that is made once and kept in the data directory, so that a
//! client that was told to trust it goes on trusting it. A reload reads everything again and swaps it for the next
//! handshakes; connections that exist keep what they have, and a certificate that does not fit leaves the old one in
//! force. Absent here: client certificates, and choosing by server name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arc_swap::ArcSwap;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{ServerConfig, version};
use weir_units::WallTime;

mod error;
mod expiry;
mod file;
mod self_signed;

pub use error::TlsError;

/// Where the certificate comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificateSource {
    /// Two PEM files: the certificate with its chain, its own first, and the key.
    Files {
        /// The certificate and its chain.
        certificate: PathBuf,
        /// The private key: PKCS#8, PKCS#1 or SEC1.
        key: PathBuf,
    },
    /// A self-signed certificate that is kept in this directory, and made there where it is missing or has ended.
    SelfSigned {
        /// The directory `tls` of the data directory.
        directory: PathBuf,
    },
}

/// The certificate in force; shared by all listeners.
#[derive(Debug)]
pub struct CertificateStore {
    current: ArcSwap<Loaded>,
}

#[derive(Debug)]
struct Loaded {
    key: Arc<CertifiedKey>,
    expires: WallTime,
}

impl CertificateStore {
    /// Reads the certificate, or makes it.
    ///
    /// # Errors
    /// Where a file cannot be read or written, or certificate and key are no pair; see [`TlsError`].
    pub fn open(source: &CertificateSource, now: WallTime) -> Result<Self, TlsError> {
        Ok(Self { current: ArcSwap::from_pointee(load(source, now)?) })
    }

    /// Reads the certificate again, from the same source or another, and uses it for the next handshakes.
    ///
    /// # Errors
    /// As [`CertificateStore::open`]; the old certificate stays in force.
    pub fn reload(&self, source: &CertificateSource, now: WallTime) -> Result<(), TlsError> {
        self.current.store(Arc::new(load(source, now)?));
        Ok(())
    }

    /// When the certificate in force ends.
    pub fn expires(&self) -> WallTime {
        self.current.load().expires
    }

    /// The settings of a TLS listener that shows this store's certificate, by TLS 1.2 and 1.3, and names these protocols
    /// to clients that ask for one (ALPN).
    ///
    /// # Errors
    /// Where the cryptography offers neither version.
    pub fn server_config(self: &Arc<Self>, protocols: &[&str]) -> Result<Arc<ServerConfig>, TlsError> {
        let resolver = Arc::clone(self);
        let mut config = ServerConfig::builder_with_provider(provider())
            .with_protocol_versions(&[&version::TLS13, &version::TLS12])
            .map_err(TlsError::Configuration)?
            .with_no_client_auth()
            .with_cert_resolver(resolver);
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        Ok(Arc::new(config))
    }
}

impl ResolvesServerCert for CertificateStore {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current.load().key))
    }
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn load(source: &CertificateSource, now: WallTime) -> Result<Loaded, TlsError> {
    let loaded = match source {
        CertificateSource::Files { certificate, key } => load_files(certificate, key)?,
        CertificateSource::SelfSigned { directory } => load_self_signed(directory, now)?,
    };
    if loaded.expires <= now {
        tracing::warn!(
            ended_at = %in_utc(loaded.expires),
            "the TLS certificate has ended; clients will refuse it until it is renewed and `mailweir reload` was run"
        );
    }
    Ok(loaded)
}

/// The kept certificate, or a fresh one where there is none or it has ended.
fn load_self_signed(directory: &Path, now: WallTime) -> Result<Loaded, TlsError> {
    let (certificate, key) = self_signed::paths(directory);
    if certificate.exists() && key.exists() {
        let kept = load_files(&certificate, &key)?;
        if kept.expires > now {
            return Ok(kept);
        }
    }
    self_signed::make(directory, now)?;
    load_files(&certificate, &key)
}

fn load_files(certificate: &Path, key: &Path) -> Result<Loaded, TlsError> {
    let chain = read_chain(certificate)?;
    let expires = chain.first().and_then(|own| expiry::not_after(own));
    let expires = expires.ok_or_else(|| TlsError::Unreadable { path: certificate.to_owned() })?;
    let pair = CertifiedKey::from_der(chain, read_key(key)?, &provider());
    let pair = pair.map_err(|error| TlsError::from_pair(certificate, key, error))?;
    Ok(Loaded { key: Arc::new(pair), expires })
}

fn read_chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let text = file::read(path)?;
    let chain: Result<Vec<_>, pem::Error> = CertificateDer::pem_slice_iter(&text).collect();
    let chain = chain.map_err(|reason| TlsError::Pem { path: path.to_owned(), reason })?;
    if chain.is_empty() {
        return Err(TlsError::NoCertificate { path: path.to_owned() });
    }
    Ok(chain)
}

fn read_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    let text = file::read(path)?;
    let first = PrivateKeyDer::pem_slice_iter(&text).next();
    let first = first.ok_or_else(|| TlsError::NoKey { path: path.to_owned() })?;
    first.map_err(|reason| TlsError::Pem { path: path.to_owned(), reason })
}

fn in_utc(time: WallTime) -> String {
    jiff::Timestamp::from_microsecond(time.unix_micros())
        .map_or_else(|_| "?".to_owned(), |time| time.to_string())
}

#[cfg(test)]
mod tests;
