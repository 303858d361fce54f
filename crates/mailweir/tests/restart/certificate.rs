//! The certificate and connections that stay.

use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::program::{CONFIG, Server, folder};
use crate::wire::get_folder;

type Secured = StreamOwned<ClientConnection, TcpStream>;

#[test]
fn a_swapped_certificate_is_shown_to_the_next_handshake_while_an_open_connection_goes_on() {
    let folder = folder(&format!("{CONFIG}[tls]\ncertificate = \"own.pem\"\nkey = \"own.key\"\n"));
    let before = renew(folder.path());
    let server = Server::start(folder, &["serve", "--demo"]);
    let mut open = connect(&server, &before);
    assert!(get_folder(&mut open).unwrap().starts_with("HTTP/1.1 200 "));

    let after = renew(server.folder());
    let mut between = connect(&server, &before);
    assert!(get_folder(&mut between).unwrap().starts_with("HTTP/1.1 200 "), "files alone change nothing");

    assert_eq!(server.run("reload").good(), "reloaded\n");
    let mut next = connect(&server, &after);
    assert!(get_folder(&mut next).unwrap().starts_with("HTTP/1.1 200 "));
    let refused = get_folder(&mut connect(&server, &before)).unwrap_err();
    assert!(refused.to_string().contains("certificate"), "the old one is not shown any more: {refused}");
    assert!(get_folder(&mut open).unwrap().starts_with("HTTP/1.1 200 "), "the open connection goes on");
}

/// Puts another certificate for `localhost` into the files that the configuration names.
fn renew(folder: &Path) -> CertificateDer<'static> {
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(["localhost".to_owned()]).unwrap().self_signed(&key).unwrap();
    fs::write(folder.join("own.pem"), certificate.pem()).unwrap();
    fs::write(folder.join("own.key"), key.serialize_pem()).unwrap();
    certificate.der().clone()
}

/// A client that trusts this certificate alone; it shakes hands with its first request.
fn connect(server: &Server, trusted: &CertificateDer<'static>) -> Secured {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let client = ClientConnection::new(Arc::new(config), name).unwrap();
    StreamOwned::new(client, TcpStream::connect(server.address("https")).unwrap())
}
