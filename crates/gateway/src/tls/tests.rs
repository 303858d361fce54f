use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::{CertificateDer, ServerName, pem::PemObject};
use rustls::{ClientConfig, ProtocolVersion, RootCertStore, version};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::{TlsAcceptor, TlsConnector, client, server};
use weir_units::{Micros, WallTime};

use super::{CertificateSource, CertificateStore, TlsError, provider, self_signed};

const NOW: WallTime = WallTime::from_unix_micros(1_796_000_000_000_000);

fn self_signed(directory: &Path) -> CertificateSource {
    CertificateSource::SelfSigned { directory: directory.join("tls") }
}

/// A certificate for `names` in two files of `directory`.
fn files(directory: &Path, stem: &str, names: &[&str]) -> (PathBuf, PathBuf) {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(names).unwrap().self_signed(&key).unwrap();
    let paths = (directory.join(format!("{stem}.pem")), directory.join(format!("{stem}.key")));
    fs::write(&paths.0, certificate.pem()).unwrap();
    fs::write(&paths.1, key.serialize_pem()).unwrap();
    paths
}

fn source((certificate, key): &(PathBuf, PathBuf)) -> CertificateSource {
    CertificateSource::Files { certificate: certificate.clone(), key: key.clone() }
}

fn trusting(certificate: &Path, versions: &[&'static rustls::SupportedProtocolVersion]) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(certificate).unwrap()).unwrap();
    let mut config = ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    TlsConnector::from(Arc::new(config))
}

type Pair = (client::TlsStream<tokio::io::DuplexStream>, server::TlsStream<tokio::io::DuplexStream>);

async fn connect(store: &Arc<CertificateStore>, client: &TlsConnector, name: &str) -> std::io::Result<Pair> {
    let acceptor = TlsAcceptor::from(store.server_config(&["http/1.1"]).unwrap());
    let (near, far) = tokio::io::duplex(64 << 10);
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let (client, server) = tokio::join!(client.connect(name, near), acceptor.accept(far));
    Ok((client?, server?))
}

#[tokio::test]
async fn a_client_that_trusts_the_self_signed_certificate_connects_by_every_local_name() {
    let directory = TempDir::new().unwrap();
    let source = self_signed(directory.path());
    let store = Arc::new(CertificateStore::open(&source, NOW).unwrap());
    let (certificate, _) = self_signed::paths(&directory.path().join("tls"));
    for (version, number) in
        [(&version::TLS12, ProtocolVersion::TLSv1_2), (&version::TLS13, ProtocolVersion::TLSv1_3)]
    {
        for name in ["localhost", "127.0.0.1", "::1"] {
            let (client, _server) = connect(&store, &trusting(&certificate, &[version]), name).await.unwrap();
            assert_eq!(client.get_ref().1.protocol_version(), Some(number));
            assert_eq!(client.get_ref().1.alpn_protocol(), Some(b"http/1.1".as_slice()));
        }
    }
    assert!(connect(&store, &trusting(&certificate, &[&version::TLS13]), "mail.example.com").await.is_err());
}

#[test]
fn the_self_signed_certificate_is_made_once() {
    let directory = TempDir::new().unwrap();
    let source = self_signed(directory.path());
    let (certificate, _) = self_signed::paths(&directory.path().join("tls"));
    let first = CertificateStore::open(&source, NOW).unwrap();
    let text = fs::read_to_string(&certificate).unwrap();
    let second = CertificateStore::open(&source, NOW.plus(Micros::MINUTE)).unwrap();
    assert_eq!(text, fs::read_to_string(&certificate).unwrap());
    assert_eq!(first.expires(), second.expires());
    let days = (first.expires().unix_seconds() - NOW.unix_seconds()) / 86_400;
    assert!((3648..=3650).contains(&days), "{days} days");
}

#[test]
fn an_ended_self_signed_certificate_is_made_again() {
    let directory = TempDir::new().unwrap();
    let source = self_signed(directory.path());
    let first = CertificateStore::open(&source, NOW).unwrap();
    let second = CertificateStore::open(&source, first.expires()).unwrap();
    assert!(second.expires() > first.expires());
}

#[test]
fn a_self_signed_certificate_without_its_key_is_made_again() {
    let directory = TempDir::new().unwrap();
    let source = self_signed(directory.path());
    CertificateStore::open(&source, NOW).unwrap();
    let (certificate, key) = self_signed::paths(&directory.path().join("tls"));
    let text = fs::read_to_string(&certificate).unwrap();
    fs::remove_file(&key).unwrap();
    CertificateStore::open(&source, NOW).unwrap();
    assert_ne!(text, fs::read_to_string(&certificate).unwrap());
}

#[test]
#[cfg(unix)]
fn nobody_else_may_read_the_key() {
    use std::os::unix::fs::PermissionsExt;
    let directory = TempDir::new().unwrap();
    CertificateStore::open(&self_signed(directory.path()), NOW).unwrap();
    let (_, key) = self_signed::paths(&directory.path().join("tls"));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&key), 0o600);
    assert_eq!(mode(&directory.path().join("tls")), 0o700);
}

#[tokio::test]
async fn a_reload_changes_the_certificate_and_keeps_the_connections() {
    let directory = TempDir::new().unwrap();
    let old = files(directory.path(), "old", &["mail.example.com"]);
    let new = files(directory.path(), "new", &["mail.example.com"]);
    let store = Arc::new(CertificateStore::open(&source(&old), NOW).unwrap());
    let trusts_old = trusting(&old.0, &[&version::TLS13]);
    let (mut client, mut server) = connect(&store, &trusts_old, "mail.example.com").await.unwrap();
    store.reload(&source(&new), NOW).unwrap();
    client.write_all(b"still here").await.unwrap();
    let mut read = [0; 10];
    server.read_exact(&mut read).await.unwrap();
    assert_eq!(&read, b"still here");
    assert!(connect(&store, &trusts_old, "mail.example.com").await.is_err());
    let trusts_new = trusting(&new.0, &[&version::TLS13]);
    assert!(connect(&store, &trusts_new, "mail.example.com").await.is_ok());
}

#[tokio::test]
async fn a_reload_that_fails_leaves_the_old_certificate_in_force() {
    let directory = TempDir::new().unwrap();
    let old = files(directory.path(), "old", &["mail.example.com"]);
    let other = files(directory.path(), "other", &["mail.example.com"]);
    let store = Arc::new(CertificateStore::open(&source(&old), NOW).unwrap());
    let mixed = (other.0, old.1.clone());
    assert!(matches!(store.reload(&source(&mixed), NOW), Err(TlsError::Mismatch { .. })));
    assert!(connect(&store, &trusting(&old.0, &[&version::TLS13]), "mail.example.com").await.is_ok());
}

/// What opening says about a certificate and a key of these contents, with the directory left out.
fn complaint(certificate: &[u8], key: &[u8]) -> String {
    let directory = TempDir::new().unwrap();
    let paths = (directory.path().join("c.pem"), directory.path().join("k.pem"));
    fs::write(&paths.0, certificate).unwrap();
    fs::write(&paths.1, key).unwrap();
    let error = CertificateStore::open(&source(&paths), NOW).unwrap_err().to_string();
    error.replace(&format!("{}/", directory.path().display()), "")
}

#[test]
fn every_complaint_names_the_file_the_reason_and_what_to_do() {
    let directory = TempDir::new().unwrap();
    let good = files(directory.path(), "good", &["mail.example.com"]);
    let other = files(directory.path(), "other", &["mail.example.com"]);
    let (certificate, key) = (fs::read(&good.0).unwrap(), fs::read(&good.1).unwrap());
    let other_key = fs::read(&other.1).unwrap();
    let no_key = b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n".as_slice();
    let no_certificate = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".as_slice();
    let encrypted =
        b"-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n".as_slice();
    let long = vec![b'\n'; (1 << 20) + 1];
    let cases: [(&[u8], &[u8], &str); 8] = [
        (b"", &key, "c.pem holds no certificate; it should begin with -----BEGIN CERTIFICATE-----"),
        (&key, &key, "c.pem holds no certificate; it should begin with -----BEGIN CERTIFICATE-----"),
        (
            no_certificate,
            &key,
            "the first certificate in c.pem cannot be understood; it should be an X.509 certificate",
        ),
        (&certificate[..100], &key, "c.pem is no valid PEM: "),
        (
            &long,
            &key,
            "c.pem is longer than 1048576 bytes; name a PEM file with the server's certificate or key alone",
        ),
        (
            &certificate,
            encrypted,
            "k.pem holds no private key in the clear; an encrypted one has to be decrypted first",
        ),
        (&certificate, no_key, "the key in k.pem cannot be used: "),
        (
            &certificate,
            &other_key,
            "the key in k.pem does not belong to the first certificate in c.pem; name the pair, own certificate first",
        ),
    ];
    for (certificate, key, text) in cases {
        let complaint = complaint(certificate, key);
        assert!(complaint.starts_with(text), "{complaint}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let directory = TempDir::new().unwrap();
    let paths = (directory.path().join("nowhere.pem"), directory.path().join("nowhere.key"));
    let error = CertificateStore::open(&source(&paths), NOW).unwrap_err().to_string();
    assert!(error.contains("nowhere.pem") && error.contains("check that the file exists"), "{error}");
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let directory = TempDir::new().unwrap();
    let in_the_way = directory.path().join("tls");
    fs::write(&in_the_way, "a file").unwrap();
    let error = CertificateStore::open(&self_signed(directory.path()), NOW).unwrap_err().to_string();
    assert!(error.starts_with(&format!("cannot write {}", in_the_way.display())), "{error}");
}
