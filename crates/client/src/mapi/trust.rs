//! Whom the client believes to be the server: the system's roots, and an authority of the user's own.
//!
//! A certificate has to match the host that the URL names. Absent: client certificates, and any switch that turns the
//! check off.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore, version};

use super::error::MapiError;

/// The longest file of trusted certificates that is read, in bytes.
const MAX_CA_FILE: u64 = 1 << 20;

/// TLS 1.2 and 1.3, HTTP/1.1, `ca` trusted besides the system's roots.
pub(super) fn client_config(server: &str, ca: Option<&Path>) -> Result<Arc<ClientConfig>, MapiError> {
    let mut roots = RootCertStore::empty();
    // Roots that cannot be read are missed as soon as a server needs one of them, and its refusal says so.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = ca {
        add_file(&mut roots, path)
            .map_err(|why| MapiError::Authority { file: path.to_owned(), why: why.to_string() })?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&version::TLS13, &version::TLS12])
        .map_err(|error| MapiError::Tls { server: server.to_owned(), why: error.to_string() })?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn add_file(roots: &mut RootCertStore, path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let mut text = Vec::new();
    let length = File::open(path)?.take(MAX_CA_FILE + 1).read_to_end(&mut text)?;
    if u64::try_from(length)? > MAX_CA_FILE {
        return Err(format!("it has more than {MAX_CA_FILE} bytes").into());
    }
    let mut count = 0_usize;
    for certificate in CertificateDer::pem_slice_iter(&text) {
        roots.add(certificate?)?;
        count += 1;
    }
    if count == 0 { Err("it has no PEM block of a certificate".into()) } else { Ok(()) }
}
