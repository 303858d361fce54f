//! Whose certificates are believed: those of the system's authorities for the target's name, or anybody's.
//!
//! Mail between servers is encrypted even where nobody vouches for the peer's certificate, since the other choice is no
//! encryption at all; what must be sure of its peer is `verified`. The system's authorities are read with
//! `rustls-native-certs`, which heeds `SSL_CERT_FILE`.

use std::net::SocketAddr;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme, version};
use tokio_rustls::TlsConnector;
use weir_transport::{Host, HostPort};

/// How the two kinds of peers are asked for their certificate.
#[derive(Clone)]
pub(super) struct Trust {
    anybody: TlsConnector,
    authorities: TlsConnector,
}

/// Believes every certificate. A signature made with it would prove nothing either.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl Trust {
    /// TLS 1.2 and 1.3, with the authorities that the system knows.
    ///
    /// # Errors
    /// Where TLS cannot be set up at all. Authorities that cannot be read are warned of if `needed`.
    pub(super) fn of_system(needed: bool) -> Result<Self, rustls::Error> {
        let found = rustls_native_certs::load_native_certs();
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(found.certs);
        if needed && roots.is_empty() {
            tracing::warn!(
                errors = ?found.errors,
                "no root certificates were found: connections that must be verified will be refused"
            );
        }
        Self::of(roots)
    }

    /// The same with `roots` for authorities.
    pub(super) fn of(roots: RootCertStore) -> Result<Self, rustls::Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = || {
            ClientConfig::builder_with_provider(Arc::clone(&provider))
                .with_protocol_versions(&[&version::TLS13, &version::TLS12])
        };
        let verifier = Arc::new(Anybody(Arc::clone(&provider)));
        let anybody = builder()?.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
        let authorities = builder()?.with_root_certificates(roots).with_no_client_auth();
        let connector = |config| TlsConnector::from(Arc::new(config));
        Ok(Self { anybody: connector(anybody), authorities: connector(authorities) })
    }

    /// What makes the handshake with a peer whose certificate has to be `verified` or not.
    pub(super) const fn connector(&self, verified: bool) -> &TlsConnector {
        if verified { &self.authorities } else { &self.anybody }
    }
}

/// Whose certificate is asked for: that of the host that the target is called by, with its port or without, or of the
/// address where it has no such name.
pub(super) fn server_name(target_name: &str, address: SocketAddr) -> ServerName<'static> {
    let named = match target_name.parse().map(|HostPort { host, .. }| host) {
        Ok(Host::Name(name)) => ServerName::try_from(name.as_str().to_owned()).ok(),
        Ok(Host::Address(_)) | Err(_) => None,
    };
    named.unwrap_or_else(|| ServerName::IpAddress(address.ip().into()))
}

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
