//! Peers with STARTTLS.

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{RootCertStore, ServerConfig};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use weir_balance::Failure;
use weir_transport::queue::Fate::Done;
use weir_transport::queue::Stage;

use super::*;

const OFFER: &str =
    "S: 220 mx.test ESMTP\nC: EHLO hub01.test\nS: 250-mx.test\nS: 250 STARTTLS\nC: STARTTLS\nS: 220 go\n";
const SECURED: &str = "C: EHLO hub01.test\nS: 250-mx.test\nS: 250 PIPELINING\n";
const EXCHANGE: &str =
    "C: MAIL FROM:<a@x.test>\nC: RCPT TO:<b@y.test>\nC: DATA\nS: 250 OK\nS: 250 OK\nS: 354 go on\n";

/// A peer with a certificate for `mx.test`, and who trusts its authority.
async fn peer_of_mx_test() -> (TcpListener, TlsAcceptor, Dialer) {
    let ca_key = KeyPair::generate().unwrap();
    let mut ca_params = CertificateParams::new(Vec::new()).unwrap();
    ca_params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = ca_params.self_signed(&ca_key).unwrap();
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["mx.test".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &Issuer::new(ca_params, ca_key)).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate.der().clone()],
            PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
        )
        .unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(authority.der().clone()).unwrap();
    let dialer = dialer_with(SendSettings::default(), Trust::of(roots).unwrap());
    (TcpListener::bind("127.0.0.1:0").await.unwrap(), TlsAcceptor::from(Arc::new(config)), dialer)
}

/// Plays a script up to STARTTLS, and the rest of it encrypted; nothing where no handshake comes of it.
async fn play_secured<S: AsyncRead + AsyncWrite + Unpin>(stream: S, acceptor: &TlsAcceptor, script: &str) {
    let mut stream = stream;
    play(&mut stream, OFFER).await;
    if let Ok(secured) = acceptor.accept(stream).await {
        play(secured, script).await;
    }
}

async fn open_as(name: &str, tls: TlsPolicy, rest: &str) -> Result<Connection, OpenError> {
    let (listener, acceptor, dialer) = peer_of_mx_test().await;
    let address = listener.local_addr().unwrap();
    let way = Way { tls, ..smtp() };
    let peer = async { play_secured(listener.accept().await.unwrap().0, &acceptor, rest).await };
    tokio::join!(dialer.open(address, name, &way), peer).0
}

#[tokio::test]
async fn a_message_goes_encrypted_to_whoever_offers_it() {
    let (listener, acceptor, dialer) = peer_of_mx_test().await;
    let address = listener.local_addr().unwrap();
    let script = format!("{SECURED}{EXCHANGE}{WRITTEN}S: 250 OK\nC: QUIT\nS: 221 bye\n");
    let peer = async { play_secured(listener.accept().await.unwrap().0, &acceptor, &script).await };
    let sending = async {
        let mut connection = dialer.open(address, "other.test", &smtp()).await.unwrap();
        let (content, facts) = content(MESSAGE);
        let sent = connection.send(&mail("<a@x.test>"), &recipients(&["<b@y.test>"]), content, facts).await;
        connection.quit().await;
        sent
    };
    let (sent, ()) = tokio::join!(sending, peer);
    assert_eq!(fates(&sent), [(Done, Some(250))]);
}

#[tokio::test]
async fn only_where_it_has_to_be_verified_is_a_certificate_read() {
    assert!(open_as("other.test", TlsPolicy::Required, SECURED).await.is_ok());
    for name in ["mx.test", "MX.test.", "mx.test:2525"] {
        assert!(open_as(name, TlsPolicy::Verified, SECURED).await.is_ok(), "{name}");
    }
    for name in ["other.test", "other.test:25", "127.0.0.1:25", "no host's name"] {
        let error = open_as(name, TlsPolicy::Verified, "").await.err().unwrap();
        assert_eq!((error.failure, error.stage), (Failure::Handshake, Stage::StartTls));
        assert!(!error.marks());
    }
}

#[tokio::test]
async fn what_was_offered_in_the_clear_is_forgotten() {
    let connection = open_as("mx.test", TlsPolicy::Opportunistic, SECURED).await.unwrap();
    assert!(connection.offered().has(Extension::Pipelining));
    assert!(!connection.offered().has(Extension::StartTls));
}

#[tokio::test]
async fn a_failed_handshake_is_done_without_once_where_it_may_be() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let broken = format!("{OFFER}S: what is a handshake?\n");
    let plain = "S: 220 mx.test ESMTP\nC: EHLO hub01.test\nS: 250-mx.test\nS: 250 STARTTLS\n";
    let (dialer, way) = (dialer(), smtp());
    let peer = async {
        play(listener.accept().await.unwrap().0, &broken).await;
        play(listener.accept().await.unwrap().0, plain).await;
    };
    let (opened, ()) = tokio::join!(dialer.open(address, "mx.test", &way), peer);
    assert!(opened.is_ok());
    let required = Way { tls: TlsPolicy::Required, ..smtp() };
    let peer = async { play(listener.accept().await.unwrap().0, &broken).await };
    let (opened, ()) = tokio::join!(dialer.open(address, "mx.test", &required), peer);
    assert_eq!(opened.err().unwrap().failure, Failure::Handshake);
}

#[tokio::test(start_paused = true)]
async fn words_that_were_put_behind_starttls_are_not_taken_for_the_peers() {
    let (ours, mut theirs) = pair();
    let injected = async {
        theirs.write_all(b"220 mx.test\r\n").await.unwrap();
        theirs.write_all(b"250-mx.test\r\n250 STARTTLS\r\n").await.unwrap();
        theirs.write_all(b"220 go\r\n250-mx.test\r\n250 AUTH PLAIN\r\n").await.unwrap();
    };
    injected.await;
    let (dialer, way) = (dialer(), Way { tls: TlsPolicy::Required, ..smtp() });
    let callee = Callee { address: address(), name: "mx.test" };
    let error = dialer.greet(Box::new(ours), callee, &way, way.tls).await.err().unwrap();
    assert!(error.text.contains("out of turn"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_message_that_waits_for_room_is_written_to_its_end() {
    let (_, acceptor, dialer) = peer_of_mx_test().await;
    let (ours, theirs) = tokio::io::duplex(1024);
    let body = "x".repeat(900);
    let (text, lines) = (format!("{body}\r\n").repeat(50), format!("C: {body}\n").repeat(50));
    let script = format!("{SECURED}{EXCHANGE}{lines}C: .\nS: 250 OK\n");
    let (callee, way) = (Callee { address: address(), name: "mx.test" }, smtp());
    let sending = async {
        let mut connection = dialer.greet(Box::new(ours), callee, &way, way.tls).await.unwrap();
        let (content, facts) = content(&text);
        connection.send(&mail("<a@x.test>"), &recipients(&["<b@y.test>"]), content, facts).await
    };
    let (sent, ()) = tokio::join!(sending, play_secured(theirs, &acceptor, &script));
    assert_eq!(fates(&sent), [(Done, Some(250))]);
}

#[tokio::test]
async fn a_peer_that_ends_the_connection_right_behind_the_handshake_failed_it() {
    let (listener, acceptor, dialer) = peer_of_mx_test().await;
    let address = listener.local_addr().unwrap();
    let peer = async {
        play_secured(listener.accept().await.unwrap().0, &acceptor, "C: EHLO hub01.test\n").await;
        play(listener.accept().await.unwrap().0, BARE).await;
    };
    let way = smtp();
    let (opened, ()) = tokio::join!(dialer.open(address, "mx.test", &way), peer);
    assert!(opened.is_ok(), "without TLS");
    let refuses = format!("{}S: 550 no\nC: HELO hub01.test\nS: 550 no\n", "C: EHLO hub01.test\n");
    let error = open_as("mx.test", TlsPolicy::Opportunistic, &refuses).await.err().unwrap();
    assert_eq!((error.failure, error.stage), (Failure::Other, Stage::Helo), "a word is a word");
}
