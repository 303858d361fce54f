use weir_transport::receive::PermissionGroup;

use super::world::{Plan, secret};
use super::*;
use crate::envelope::Envelope;

/// A connector for own servers, of which hub02 and hub04 are known; hub04 is a shadow partner.
fn hubs(plan: &mut Plan) {
    plan.lets(&[PermissionGroup::Servers]);
    plan.servers = vec![("hub02", "10.0.0.2:25"), ("hub04", "10.0.0.4:25")];
    plan.settings.shadow_partners = vec!["hub04".into()];
}

/// All that is offered, besides what everybody is offered.
async fn offered(client: &mut Peer<DuplexStream>, name: &str) -> Vec<String> {
    client.send(format!("EHLO {name}\r\n").as_bytes()).await;
    let mut extra = Vec::new();
    loop {
        let line = client.line().await.unwrap();
        let (front, keyword) = line.split_at(4);
        if ["XSHADOW", "AUTH PLAIN LOGIN", "STARTTLS"].contains(&keyword) {
            extra.push(keyword.to_owned());
        }
        if front == "250 " {
            return extra;
        }
    }
}

#[tokio::test]
async fn a_server_is_known_by_its_address_and_a_partner_hands_over_shadows() {
    let world = World::with(hubs);
    let mut client = world.connect("10.0.0.4");
    client.hear("220 *").await;
    assert_eq!(offered(&mut client, "whatever.example").await, ["XSHADOW"]);
    client
        .play(
            "C: XQDISCARD 10
             S: 503 5.5.1 *
             C: XSHADOW hub02
             S: 550 5.7.1 *
             C: XSHADOW hub04
             S: 250 2.0.0 4f2a90c1
             C: MAIL FROM:<a@example.net> XSHADOW=017 
             C: RCPT TO:<a@elsewhere.example>
             C: DATA
             S: 250 *
             S: 250 *
             S: 354 *
             C:
             C: .
             S: 250 2.6.0 *
             C: XQDISCARD 10
             S: 250-2.0.0 9 1 0
             S: 250 2.0.0 hub04-10",
        )
        .await;
    let kept = world.only().await;
    assert_eq!(kept.envelope.mail.shadow.unwrap().as_str(), "017");
    assert_eq!(kept.envelope.origin.server.as_deref(), Some("hub04"));
    assert!(!kept.text.contains("Date:"), "a relay completes nothing: {}", kept.text);
}

#[tokio::test]
async fn a_partners_message_is_acknowledged_at_once() {
    let world = World::with(|plan| {
        hubs(plan);
        plan.settings.max_acknowledgement_delay = Micros::MINUTE.times(60);
    });
    let mut client = world.connect("10.0.0.4");
    client.hear("220 *").await;
    offered(&mut client, "hub04").await;
    client
        .play(
            "C: XSHADOW hub04
             S: 250 *
             C: MAIL FROM:<> XSHADOW=1
             C: RCPT TO:<john@example.com>
             C: DATA
             S: 250 *
             S: 250 *
             S: 354 *
             C:
             C: .
             S: 250 2.6.0 *",
        )
        .await;
}

#[tokio::test]
async fn strangers_at_a_connector_for_servers_may_do_nothing() {
    let world = World::with(hubs);
    let mut client = world.connect("10.0.0.9");
    client.hear("220 *").await;
    assert!(offered(&mut client, "hub04").await.is_empty());
    client.play("C: XSHADOW hub04\nS: 502 *\nC: MAIL FROM:<>\nS: 530 5.7.1 *").await;
}

#[tokio::test]
async fn of_servers_with_one_address_the_name_decides() {
    let alike = |plan: &mut Plan| {
        hubs(plan);
        plan.servers = vec![("hub02", "127.0.0.1:2602"), ("hub04", "127.0.0.1:2604")];
    };
    let world = World::with(alike);
    let mut client = world.connect("127.0.0.1");
    client.hear("220 *").await;
    assert!(!offered(&mut client, "hub02.example.com").await.contains(&"XSHADOW".to_owned()));
    client.play("C: MAIL FROM:<>\nC: RCPT TO:<a@elsewhere.example>\nS: 250 *\nS: 250 *").await;
    assert!(offered(&mut client, "HUB04").await.contains(&"XSHADOW".to_owned()));

    let mut client = world.connect("127.0.0.1");
    client.hear("220 *").await;
    assert!(offered(&mut client, "somebody").await.contains(&"XSHADOW".to_owned()));
    client
        .play(
            "C: XSHADOW hub02
             S: 550 5.7.1 *
             C: XSHADOW hub04
             S: 250 *
             C: MAIL FROM:<>
             C: RCPT TO:<a@elsewhere.example>
             S: 250 *
             S: 250 *",
        )
        .await;
}

#[tokio::test]
async fn where_a_secret_is_set_an_address_proves_nothing() {
    let world = World::with(|plan| {
        hubs(plan);
        plan.servers = vec![("hub04", "127.0.0.1:25")];
        plan.settings.server_secret = Some(secret());
    });
    let mut client = world.connect("127.0.0.1");
    client.hear("220 *").await;
    assert_eq!(offered(&mut client, "hub04").await, ["AUTH PLAIN LOGIN"]);
    // \0hub04\0wrong, \0hub09\0between us, \0hub04\0between us
    client
        .play(
            "C: MAIL FROM:<>
             S: 530 5.7.1 *
             C: AUTH PLAIN AGh1YjA0AHdyb25n
             S: 535 5.7.8 *
             C: AUTH PLAIN AGh1YjA5AGJldHdlZW4gdXM=
             S: 535 5.7.8 *
             C: AUTH PLAIN AGh1YjA0AGJldHdlZW4gdXM=
             S: 235 *
             C: XSHADOW hub04
             S: 250 2.0.0 4f2a90c1
             C: MAIL FROM:<a@example.net> AUTH=b@example.com
             C: RCPT TO:<a@elsewhere.example>
             C: DATA
             S: 250 *
             S: 250 *
             S: 354 *
             C:
             C: .
             S: 250 *",
        )
        .await;
    let Envelope { mail, origin, .. } = world.only().await.envelope;
    assert_eq!(mail.to_string(), "MAIL FROM:<a@example.net> AUTH=b@example.com");
    assert_eq!((origin.server.as_deref(), origin.owner), (Some("hub04"), None));
}

#[tokio::test]
async fn an_address_that_a_proxy_announced_is_no_servers() {
    let world = World::with(hubs);
    let (ours, theirs) = tokio::io::duplex(1 << 10);
    let client = Client { address: "10.0.0.4".parse().unwrap(), is_proxied: true };
    let place = world.inbound.admit(world.local, client.address).unwrap();
    tokio::spawn(Session::new(ours, Vec::new(), client, place, world.stop.subscribe()).run());
    Peer::new(theirs).play("S: 220 *\nC: HELO hub04\nC: MAIL FROM:<>\nS: 250 *\nS: 530 5.7.1 *").await;
}
