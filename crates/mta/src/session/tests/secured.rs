use std::sync::Arc;

use rustls::pki_types::{PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use weir_transport::receive::PermissionGroup;

use super::*;

/// A submission server with a certificate, and a client's settings that trust it.
fn secured() -> (World, TlsConnector) {
    let rcgen::CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(["hub01.example.com".to_owned()]).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let server = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(cert.der().clone()).unwrap();
    let client = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let server = Arc::new(server);
    let world = World::with(|plan| {
        plan.lets(&[PermissionGroup::Users]);
        plan.tls = Some(Arc::new(move || Arc::clone(&server)));
    });
    (world, TlsConnector::from(Arc::new(client)))
}

const EHLO: &str = "
    C: EHLO pc1
    S: 250-hub01.example.com
    S: 250-SIZE *
    S: 250-PIPELINING
    S: 250-8BITMIME
    S: 250-SMTPUTF8
    S: 250-CHUNKING
    S: 250-ENHANCEDSTATUSCODES
";

async fn start_tls(peer: Peer<DuplexStream>, tls: &TlsConnector) -> Peer<TlsStream<DuplexStream>> {
    let name = ServerName::try_from("hub01.example.com").unwrap();
    let shaken = tokio::time::timeout(AFTER, tls.connect(name, peer.into_stream())).await;
    Peer::new(shaken.unwrap().unwrap())
}

#[tokio::test]
async fn behind_tls_a_password_is_taken_and_what_was_said_before_is_forgotten() {
    let (world, tls) = secured();
    let mut client = world.connect("198.51.100.7");
    client.play(&format!("S: 220 *\n{EHLO}\nS: 250-STARTTLS\nS: 250 DSN")).await;
    client.play("C: AUTH PLAIN AGpvaG4Ac2VjcmV0\nS: 538 5.7.11 *\nC: STARTTLS\nS: 220 2.0.0 *").await;
    let mut client = start_tls(client, &tls).await;
    client
        .play("C: MAIL FROM:<john@example.com>\nS: 503 5.5.1 Bad sequence of commands: send EHLO first")
        .await;
    client.play(&format!("{EHLO}\nS: 250-DSN\nS: 250 AUTH PLAIN LOGIN")).await;
    client
        .play(
            "C: STARTTLS
             S: 503 5.5.1 *
             C: AUTH PLAIN AGpvaG4Ac2VjcmV0
             S: 235 *
             C: MAIL FROM:<john@example.com>
             C: RCPT TO:<a@elsewhere.example>
             C: DATA
             S: 250 *
             S: 250 *
             S: 354 *
             C:
             C: .
             C: QUIT
             S: 250 2.6.0 *
             S: 221 *
             S.",
        )
        .await;
    assert!(world.only().await.text.contains("with ESMTPSA id"));
}

#[tokio::test]
async fn what_is_injected_before_tls_is_never_a_command_behind_it() {
    let (world, tls) = secured();
    // With STARTTLS in one piece: the connection is not believed any more.
    let mut client = world.connect("198.51.100.7");
    client.play(&format!("S: 220 *\n{EHLO}\nS: 250-STARTTLS\nS: 250 DSN")).await;
    client.play("C: STARTTLS\nC: EHLO evil\nC: MAIL FROM:<evil@example.com>\nS: 554 5.5.0 *\nS.").await;
    // Behind it: it is no TLS.
    let mut client = world.connect("198.51.100.7");
    client.play(&format!("S: 220 *\n{EHLO}\nS: 250-STARTTLS\nS: 250 DSN")).await;
    client.play("C: STARTTLS\nS: 220 *\nC: NOOP").await;
    let name = ServerName::try_from("hub01.example.com").unwrap();
    let shaken = tokio::time::timeout(AFTER, tls.connect(name, client.into_stream())).await;
    assert!(shaken.unwrap().is_err());
}

#[tokio::test(start_paused = true)]
async fn a_handshake_that_never_comes_is_not_waited_for_for_ever() {
    let (world, _) = secured();
    let mut client = world.connect("198.51.100.7").patient();
    client.play(&format!("S: 220 *\n{EHLO}\nS: 250-STARTTLS\nS: 250 DSN\nC: STARTTLS\nS: 220 *\nS.")).await;
    assert_eq!(world.inbound.works.clock.tick().micros(), 30_000_000);
}
