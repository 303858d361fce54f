//! Who the client is, by PROXY header and by request.

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio_rustls::TlsConnector;
use weir_units::WallTime;

use super::*;
use crate::tls::{CertificateSource, CertificateStore};

const HEADER: &str = "PROXY TCP4 203.0.113.7 198.51.100.1 50000 443\r\n";

#[tokio::test]
async fn the_client_that_a_trusted_proxy_announces_is_the_client() {
    let server = served(listen(true, true)).await;
    let whole = format!("{HEADER}{}", request(""));
    let answered = said_to(server.address, whole.as_bytes()).await;
    assert!(answered.ends_with("[203.0.113.7]"), "{answered}");
}

#[tokio::test]
async fn a_header_may_come_byte_by_byte_and_nothing_behind_it_is_lost() {
    let server = served(listen(true, true)).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    for byte in format!("{HEADER}{}", request("")).bytes() {
        stream.write_all(&[byte]).await.unwrap();
        tokio::task::yield_now().await;
    }
    let answered = answer(&mut stream).await;
    assert!(answered.ends_with("[203.0.113.7]"), "{answered}");
}

#[tokio::test]
async fn a_proxy_that_speaks_for_itself_keeps_its_address() {
    let server = served(listen(true, true)).await;
    let local = b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0";
    let answered = said_to(server.address, &[local, request("").as_bytes()].concat()).await;
    assert!(answered.ends_with("[127.0.0.1]"), "{answered}");
}

#[tokio::test]
async fn an_announced_client_is_a_stranger_whose_headers_are_not_believed() {
    let server = served(listen(true, true)).await;
    let whole = format!("{HEADER}{}", request("X-Forwarded-For: 192.0.2.66\r\n"));
    let answered = said_to(server.address, whole.as_bytes()).await;
    assert!(answered.ends_with("[203.0.113.7]"), "{answered}");
}

#[tokio::test]
async fn a_trusted_proxy_that_announces_nobody_is_closed_without_an_answer() {
    let server = served(listen(true, true)).await;
    for start in ["GET / HTTP/1.1\r\n\r\n", "PROXY TCP4 somebody\r\n", "\r\n\r\n\0\r\nQUIX"] {
        assert_eq!(said_to(server.address, start.as_bytes()).await, "", "{start:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_header_that_does_not_end_is_not_waited_for() {
    let server = served(listen(true, true)).await;
    assert_eq!(said_to(server.address, b"PROXY TCP4 203.0").await, "");
}

#[tokio::test]
async fn a_strangers_header_is_a_bad_request() {
    let server = served(listen(false, true)).await;
    let whole = format!("{HEADER}{}", request(""));
    let answered = said_to(server.address, whole.as_bytes()).await;
    assert!(answered.starts_with("HTTP/1.1 400 "), "{answered}");
    let answered = said_to(server.address, request("").as_bytes()).await;
    assert!(answered.ends_with("[127.0.0.1]"), "a stranger needs none: {answered}");
}

#[tokio::test]
async fn each_request_of_a_proxys_connection_has_its_own_client() {
    let server = served(listen(true, false)).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    for (line, client) in [
        ("X-Forwarded-For: 203.0.113.7\r\n", "[203.0.113.7]"),
        ("Forwarded: for=203.0.113.8\r\n", "[203.0.113.8]"),
        ("", "[127.0.0.1]"),
    ] {
        stream.write_all(request(line).as_bytes()).await.unwrap();
        let answered = answer(&mut stream).await;
        assert!(answered.ends_with(client), "{line:?}: {answered}");
    }
}

#[tokio::test]
async fn tls_begins_where_the_header_ends() {
    let folder = tempfile::TempDir::new().unwrap();
    let directory = folder.path().join("tls");
    let source = CertificateSource::SelfSigned { directory: directory.clone() };
    let made = WallTime::from_unix_micros(1_796_000_000_000_000);
    let store = Arc::new(CertificateStore::open(&source, made).unwrap());
    let tls = TlsAcceptor::from(store.server_config(&["http/1.1"]).unwrap());
    let server = serve_with(listen(true, true), ConnectionLimits::default(), Some(tls)).await;

    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(HEADER.as_bytes()).await.unwrap();
    let mut stream =
        trusting(&directory).connect(ServerName::try_from("localhost").unwrap(), stream).await.unwrap();
    stream.write_all(request("").as_bytes()).await.unwrap();
    let answered = answer(&mut stream).await;
    assert!(answered.ends_with("[203.0.113.7]"), "{answered}");
}

/// A client that believes the certificate in `directory`.
fn trusting(directory: &std::path::Path) -> TlsConnector {
    let files = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut roots = RootCertStore::empty();
    for certificate in files.filter_map(|file| CertificateDer::from_pem_file(file).ok()) {
        roots.add(certificate).unwrap();
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    TlsConnector::from(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
}
