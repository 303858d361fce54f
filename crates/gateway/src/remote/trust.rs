//! Whom the gateway believes to be the origin: the system's roots, and the administrator's own authority.
//!
//! The system's roots are read with `rustls-native-certs`, the smallest crate that finds them on every system and
//! heeds `SSL_CERT_FILE`; roots compiled in would go out of date with the program and ignore what the administrator
//! installed. A certificate has to match the host that the configuration names. Absent: client certificates, and any
//! switch that turns the check off.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore, version};

use super::error::RemoteError;

/// The longest file of trusted certificates that is read, in bytes.
const LONGEST: u64 = 1 << 20;

/// How servers are asked for their certificate: TLS 1.2 and 1.3, HTTP/1.1, `ca` trusted besides the system's roots.
///
/// # Errors
/// Where `ca` cannot be read or holds no certificate. System roots that cannot be read are only warned of.
pub(crate) fn client_config(ca: Option<&Path>) -> Result<Arc<ClientConfig>, RemoteError> {
    let mut roots = system_roots();
    if let Some(ca) = ca {
        add_file(&mut roots, ca)?;
    }
    if roots.is_empty() {
        tracing::warn!(
            "no root certificates were found: every server of the origin will be refused; set `ca`"
        );
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&version::TLS13, &version::TLS12])
        .map_err(RemoteError::Configuration)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn system_roots() -> RootCertStore {
    let found = rustls_native_certs::load_native_certs();
    for error in &found.errors {
        tracing::warn!(%error, "some of the system's root certificates cannot be read");
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    roots
}

fn add_file(roots: &mut RootCertStore, path: &Path) -> Result<(), RemoteError> {
    let unusable = |reason: &dyn ToString| RemoteError::Certificate {
        path: path.to_owned(),
        reason: reason.to_string(),
    };
    let text = read(path)?;
    let mut count = 0_usize;
    for certificate in CertificateDer::pem_slice_iter(&text) {
        let certificate = certificate.map_err(|reason| unusable(&reason))?;
        roots.add(certificate).map_err(|reason| unusable(&reason))?;
        count += 1;
    }
    if count == 0 { Err(unusable(&"it has no PEM block of a certificate")) } else { Ok(()) }
}

fn read(path: &Path) -> Result<Vec<u8>, RemoteError> {
    let failed = |reason| RemoteError::Read { path: path.to_owned(), reason };
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes)).map_err(failed)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length <= LONGEST) {
        return Ok(bytes);
    }
    Err(RemoteError::TooLong { path: path.to_owned(), limit: LONGEST })
}
