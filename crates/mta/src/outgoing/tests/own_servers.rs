//! Both halves of Mailweir: the sessions of [`crate::session`] as the peer.

use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use weir_transport::queue::Fate::Done;
use weir_transport::receive::PermissionGroup;
use weir_wire::smtp::{Credentials, DiscardQuery, Token};

use super::*;
use crate::session::tests::{Plan, World};
use crate::session::{Client, Session};

/// A hub that knows hub04 at `address`, and keeps to its shadows.
fn partner_of_hub04(plan: &mut Plan, address: &'static str) {
    plan.lets(&[PermissionGroup::Servers]);
    plan.servers = vec![("hub04", address)];
    plan.settings.shadow_partners = vec!["hub04".into()];
}

fn with_certificate(plan: &mut Plan) {
    let made = rcgen::generate_simple_self_signed(["hub01.example.com".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let config = Arc::new(config);
    plan.tls = Some(Arc::new(move || Arc::clone(&config)));
}

/// Hands a message over as hub04, asks which shadows may go, and takes leave.
async fn hand_over(world: &World, from: &str, way: &Way) {
    let (ours, theirs) = pair();
    let client = Client { address: from.parse().unwrap(), is_proxied: false };
    let place = world.inbound.admit(world.local, client.address).unwrap();
    let session = Session::new(theirs, Vec::new(), client, place, world.stop.subscribe()).run();
    let (dialer, callee) = (dialer(), Callee { address: address_of(from), name: "hub01.example.com" });
    let sending = async {
        let mut connection = dialer.greet(Box::new(ours), callee, way, way.tls).await.unwrap();
        assert_eq!(connection.remote(), "hub01.example.com");
        assert_eq!(connection.database(), Token::new("4f2a90c1").as_ref());
        let (content, facts) = content("Subject: grün\r\n\r\n.dot\r\n");
        let (sender, to) = (mail("<a@x.test> SMTPUTF8 XSHADOW=017"), recipients(&["<b@elsewhere.example>"]));
        let sent = connection.send(&sender, &to, content, facts).await;
        assert_eq!(fates(&sent), [(Done, Some(250))], "{sent:?}");
        let notices = connection.discards(DiscardQuery { most: 7, seen: None }).await.unwrap();
        assert_eq!(notices.messages, [Token::new("hub04-7").unwrap()]);
        connection.quit().await;
    };
    tokio::join!(sending, session);
    let kept = world.only().await;
    assert_eq!(kept.envelope.origin.server.as_deref(), Some("hub04"));
    assert_eq!(kept.envelope.mail.shadow, Token::new("017"));
    assert!(kept.envelope.eight_bit && kept.text.ends_with("Subject: grün\r\n\r\n.dot\r\n"));
}

/// An address that is on this host, or not, as the client's is.
fn address_of(client: &str) -> SocketAddr {
    format!("{client}:25").parse().unwrap()
}

fn partner() -> Way {
    Way { shadow_holder: Token::new("hub04"), ..smtp() }
}

fn with_secret(way: Way) -> Way {
    let password = crate::session::tests::secret();
    Way { login: Some(Credentials { acts_for: String::new(), name: "hub04".to_owned(), password }), ..way }
}

#[tokio::test]
async fn a_hub_that_is_known_by_its_address_hands_over_message_and_shadow() {
    let world = World::with(|plan| partner_of_hub04(plan, "10.0.0.4:25"));
    hand_over(&world, "10.0.0.4", &partner()).await;
}

#[tokio::test]
async fn a_hub_proves_itself_by_the_secret_within_a_host() {
    let world = World::with(|plan| {
        partner_of_hub04(plan, "10.0.0.4:25");
        plan.settings.server_secret = Some(crate::session::tests::secret());
    });
    hand_over(&world, "127.0.0.1", &with_secret(partner())).await;
}

#[tokio::test]
async fn a_hub_proves_itself_by_the_secret_over_tls() {
    let world = World::with(|plan| {
        partner_of_hub04(plan, "10.0.0.4:25");
        with_certificate(plan);
        plan.settings.server_secret = Some(crate::session::tests::secret());
    });
    hand_over(&world, "10.9.9.9", &with_secret(partner())).await;
}
