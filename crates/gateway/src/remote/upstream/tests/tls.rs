//! Origins that are reached by TLS, with an authority of their own.

use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tempfile::TempDir;
use tokio_rustls::TlsAcceptor;

use super::LONG;
use crate::remote::error::RemoteError;
use crate::remote::failure::{Failure, FailureKind};
use crate::remote::scripted::{Scripted, Talk, all, answer_all, get};
use crate::remote::server::Server;
use crate::remote::server_url::ServerUrl;
use crate::remote::settings::RemoteSettings;
use crate::remote::trust;
use crate::remote::upstream::Upstream;
use weir_clock::Clock;

/// An authority, its certificate in a file, and an origin that it vouches for under one name.
struct Vouched {
    origin: Scripted,
    ca: PathBuf,
    _folder: TempDir,
}

impl Vouched {
    async fn of(name: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let ca_key = KeyPair::generate().unwrap();
        let mut ca_params = CertificateParams::new(Vec::new()).unwrap();
        ca_params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = ca_params.self_signed(&ca_key).unwrap();
        let ca = folder.path().join("origin-ca.pem");
        std::fs::write(&ca, authority.pem()).unwrap();

        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &Issuer::new(ca_params, ca_key)).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let origin = Scripted::start(move |number, talk: Talk| {
            let acceptor = acceptor.clone();
            async move {
                if let Ok(stream) = acceptor.accept(talk.into_stream()).await {
                    answer_all(number, Talk::over(stream)).await;
                }
            }
        })
        .await;
        Self { origin, ca, _folder: folder }
    }

    /// Connects to it as to `host`, trusting its authority or not.
    async fn connect(&self, host: &str, trusted: bool) -> Result<Upstream, Failure> {
        let url: ServerUrl = format!("https://{host}:{}", self.origin.address.port()).parse().unwrap();
        let config = trust::client_config(trusted.then_some(self.ca.as_path())).unwrap();
        let settings = RemoteSettings::new(vec![url.clone()]);
        let server = Server::new(&url, self.origin.address, Some(&config), &settings).unwrap();
        Upstream::connect(&Arc::new(server), Clock::start()).await
    }
}

fn is_refused_handshake(outcome: Result<Upstream, Failure>) -> bool {
    let Err(failure) = outcome else { return false };
    matches!(failure.kind, FailureKind::Connect { failure: weir_balance::Failure::Handshake, .. })
        && failure.retry()
}

#[tokio::test]
async fn an_authority_of_ones_own_is_trusted_besides_the_systems() {
    let vouched = Vouched::of("127.0.0.1").await;
    let mut upstream = vouched.connect("127.0.0.1", true).await.unwrap();
    let mut answer = upstream.send(get("/"), LONG).await.unwrap();
    assert_eq!(all(answer.body_mut(), &Clock::start()).await, "0");
    assert!(is_refused_handshake(vouched.connect("127.0.0.1", false).await));
}

#[tokio::test]
async fn a_certificate_for_another_host_is_refused() {
    let vouched = Vouched::of("other.example.com").await;
    assert!(is_refused_handshake(vouched.connect("127.0.0.1", true).await));
}

#[tokio::test]
async fn a_server_that_speaks_no_tls_is_refused() {
    let plain = Scripted::start(|_, mut talk: Talk| async move {
        talk.say("HTTP/1.1 400 Bad Request\r\n\r\n").await;
    })
    .await;
    let vouched = Vouched { origin: plain, ..Vouched::of("127.0.0.1").await };
    assert!(is_refused_handshake(vouched.connect("127.0.0.1", true).await));
}

#[tokio::test]
async fn a_server_that_never_shakes_hands_is_given_up() {
    let silent = Scripted::start(|_, mut talk: Talk| async move { talk.until_closed().await }).await;
    let vouched = Vouched { origin: silent, ..Vouched::of("127.0.0.1").await };
    tokio::time::pause();
    assert!(is_refused_handshake(vouched.connect("127.0.0.1", true).await));
}

#[test]
fn a_file_without_a_certificate_is_named() {
    let folder = TempDir::new().unwrap();
    let check = |text: &str| {
        let file = folder.path().join("ca.pem");
        std::fs::write(&file, text).unwrap();
        trust::client_config(Some(&file)).map(drop).unwrap_err()
    };
    for text in ["", "no PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        let error = check(text);
        assert!(matches!(error, RemoteError::Certificate { .. }), "{error}");
        assert!(error.to_string().contains("ca.pem"), "{error}");
    }
    assert!(matches!(check(&"x".repeat(2 << 20)), RemoteError::TooLong { .. }));
    let missing = folder.path().join("missing.pem");
    assert!(matches!(trust::client_config(Some(&missing)), Err(RemoteError::Read { .. })));
}
