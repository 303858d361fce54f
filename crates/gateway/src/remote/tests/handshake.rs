//! NTLM and Negotiate: who is accepted on a connection, and that nobody else gets it (T8).

use weir_units::Component;

use super::stage::{Got, Origin, Stage, answer, basic, ews, header_of, message, post, reply, well};
use crate::claim::vectors::{header, kerberos, ntlm_authenticate, ntlm_challenge, ntlm_negotiate};
use crate::remote::scripted::{Scripted, Talk};

/// Says what an origin that speaks NTLM says to each message; without one it goes by whether the connection has an owner
/// already, which is what the tests are about, so it says yes.
fn speak_ntlm(got: &Got) -> Vec<u8> {
    let authorization = header_of(&got.head, "authorization").unwrap_or_default();
    let first = String::from_utf8(header("NTLM", &ntlm_negotiate())).unwrap();
    if authorization == first {
        let challenge = String::from_utf8(header("NTLM", &ntlm_challenge())).unwrap();
        return reply("401 Unauthorized", &format!("WWW-Authenticate: {challenge}\r\n"), "");
    }
    well()
}

fn field(scheme: &str, token: &[u8]) -> String {
    format!("Authorization: {}\r\n", String::from_utf8(header(scheme, token)).unwrap())
}

async fn call(client: &mut Talk, fields: &str) -> u16 {
    client.say(ews("", fields)).await;
    answer(client).await.status
}

/// John or Jane shakes hands on a connection.
async fn shake_hands(client: &mut Talk, user: &str) {
    assert_eq!(call(client, &field("NTLM", &ntlm_negotiate())).await, 401);
    assert_eq!(call(client, &field("NTLM", &ntlm_authenticate("EXAMPLE", user))).await, 200);
}

/// Whether somebody has a budget in EWS.
fn charged(stage: &Stage, owner: &str) -> bool {
    stage.budget(owner, Component::Ews).is_some()
}

#[tokio::test]
async fn all_legs_of_a_handshake_go_by_one_connection_that_nobody_else_gets() {
    let origin = Origin::new(speak_ntlm).await;
    let stage = Stage::before(&origin.scripted).await;
    let mut johns = stage.client().await;
    shake_hands(&mut johns, "johndoe").await;
    assert_eq!(call(&mut johns, "").await, 200);
    let mut others = stage.client().await;
    assert_eq!(call(&mut others, "").await, 200);
    assert_eq!(call(&mut others, &basic("jane.doe@example.com", "secret")).await, 200);
    assert_eq!(call(&mut johns, "").await, 200);
    let connections = origin.connections();
    assert_eq!(connections, [0, 0, 0, 1, 1, 0]);
}

#[tokio::test]
async fn the_owner_is_the_name_of_the_third_message_and_stays_it() {
    let origin = Origin::new(speak_ntlm).await;
    let stage = Stage::before(&origin.scripted).await;
    let mut client = stage.client().await;
    assert_eq!(call(&mut client, &field("NTLM", &ntlm_negotiate())).await, 401);
    assert!(!charged(&stage, "john.doe@example.com"), "the first leg names nobody");
    assert_eq!(call(&mut client, &field("NTLM", &ntlm_authenticate("EXAMPLE", "johndoe"))).await, 200);
    assert!(charged(&stage, "john.doe@example.com"));
    stage.world.hold_john_to(&[("EWSMaxConcurrency", Some(0))]);
    assert_eq!(call(&mut client, "").await, 500, "further requests are his");
    assert_eq!(origin.got().len(), 2);
}

#[tokio::test]
async fn a_refused_request_leaves_the_connection_to_its_owner() {
    let origin = Origin::new(speak_ntlm).await;
    let stage = Stage::before(&origin.scripted).await;
    let mut client = stage.client().await;
    shake_hands(&mut client, "johndoe").await;
    stage.world.hold_john_to(&[("EWSMaxConcurrency", Some(0))]);
    assert_eq!(call(&mut client, "").await, 500);
    stage.world.store.set_mailbox_policy("JohnDoe", None).unwrap();
    stage.world.gateway.policies.invalidate();
    assert_eq!(call(&mut client, "").await, 200);
    assert_eq!(origin.connections(), [0, 0, 0]);
}

#[tokio::test]
async fn another_handshake_begins_on_a_fresh_connection_and_replaces_the_owner() {
    let origin = Origin::new(speak_ntlm).await;
    let stage = Stage::before(&origin.scripted).await;
    let mut client = stage.client().await;
    shake_hands(&mut client, "johndoe").await;
    shake_hands(&mut client, "janedoe").await;
    assert!(charged(&stage, "jane.doe@example.com"));
    stage.world.hold_john_to(&[("EWSMaxConcurrency", Some(0))]);
    assert_eq!(call(&mut client, "").await, 200, "John is replaced");
    assert_eq!(origin.connections(), [0, 0, 1, 1, 1]);
}

#[tokio::test]
async fn whoever_is_accepted_as_himself_cannot_show_a_strangers_name() {
    // This origin looks at no credentials once somebody was accepted on a connection.
    let origin = Origin::new(speak_ntlm).await;
    let stage = Stage::before(&origin.scripted).await;
    let mut client = stage.client().await;
    shake_hands(&mut client, "janedoe").await;
    for stranger in
        [basic("john.doe@example.com", "guessed"), field("NTLM", &ntlm_authenticate("EXAMPLE", "johndoe"))]
    {
        call(&mut client, &stranger).await;
    }
    let connections = origin.connections();
    let got = origin.got();
    for (got, connection) in got.iter().zip(&connections).skip(2) {
        assert_ne!(*connection, 0, "it goes by Jane's connection: {}", got.head);
    }
}

#[tokio::test]
async fn a_connection_that_was_authenticated_on_another_path_stays_its_clients() {
    let origin = Origin::new(speak_ntlm).await;
    let stage = Stage::before(&origin.scripted).await;
    let mut johns = stage.client().await;
    for token in [ntlm_negotiate(), ntlm_authenticate("EXAMPLE", "johndoe")] {
        johns.say(post("/rpc/rpcproxy.dll", "", &field("NTLM", &token))).await;
        answer(&mut johns).await;
    }
    johns.say(post("/rpc/rpcproxy.dll", "", "")).await;
    assert_eq!(answer(&mut johns).await.status, 200);
    let mut others = stage.client().await;
    assert_eq!(call(&mut others, "").await, 200);
    assert_eq!(origin.connections(), [0, 0, 0, 1]);
    assert!(!charged(&stage, "john.doe@example.com"), "nothing is charged there");
    assert_eq!(call(&mut johns, "").await, 200);
    assert!(charged(&stage, "john.doe@example.com"), "an answer of EWS proves who it is");
}

#[tokio::test]
async fn web_mail_is_charged_to_whoever_was_accepted_on_the_connection() {
    let origin = Origin::new(speak_ntlm).await;
    let stage = Stage::before(&origin.scripted).await;
    let mut client = stage.client().await;
    shake_hands(&mut client, "johndoe").await;
    client.say(post("/owa/service.svc", "", "")).await;
    assert_eq!(answer(&mut client).await.status, 200);
    assert!(stage.budget("john.doe@example.com", Component::Owa).is_some());
    stage.world.hold_john_to(&[("OWAMaxConcurrency", Some(0))]);
    client.say(post("/owa/service.svc", "", "")).await;
    let refused = answer(&mut client).await;
    assert_eq!(refused.status, 503);
    assert!(refused.header("retry-after").is_some());
    assert_eq!(call(&mut client, "").await, 200, "EWS has a budget of its own");
    assert_eq!(origin.got().len(), 4);
}

#[tokio::test]
async fn web_mail_that_waits_for_notifications_holds_no_place() {
    const SOCKET: &str = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
    let origin = Scripted::start(|connection, mut talk: Talk| async move {
        while let Some((head, body)) = message(&mut talk).await {
            if head.contains("Upgrade: websocket") || head.contains("upgrade: websocket") {
                talk.say(format!("HTTP/1.1 101 Switching Protocols\r\n{SOCKET}\r\n")).await;
            }
            if head.contains(" /owa/") {
                talk.until_closed().await;
                return;
            }
            talk.say(speak_ntlm(&Got { connection, head, body })).await;
        }
    })
    .await;
    let stage = Stage::before(&origin).await;
    let mut client = stage.client().await;
    shake_hands(&mut client, "johndoe").await;
    client.say(post("/owa/ev.owa2?ns=PendingRequest&ev=PendingNotificationRequest", "", "")).await;
    stage.johns(Component::Owa, |budget| budget.hanging == 1 && budget.connections == 0).await;
    let mut socket = stage.client().await;
    shake_hands(&mut socket, "johndoe").await;
    socket.say(format!("GET /owa/socket HTTP/1.1\r\nHost: m\r\n{SOCKET}\r\n")).await;
    assert!(socket.head().await.unwrap().starts_with("HTTP/1.1 101 "));
    stage.johns(Component::Owa, |budget| budget.hanging == 2 && budget.connections == 0).await;
    drop(socket);
    stage.johns(Component::Owa, |budget| budget.hanging == 1).await;
}

#[tokio::test]
async fn a_kerberos_ticket_makes_the_connection_the_owner() {
    let origin = Origin::new(|_| well()).await;
    let stage = Stage::before(&origin.scripted).await;
    let ticket = field("Negotiate", &kerberos([1, 0], b"ticket"));
    let mut client = stage.client().await;
    for fields in [ticket.as_str(), "", ticket.as_str()] {
        assert_eq!(call(&mut client, fields).await, 200);
    }
    assert_eq!(origin.connections(), [0, 0, 0]);
    let mut owners = Vec::new();
    stage.world.gateway.budgets.for_each(|account| owners.push(account.owner.clone()));
    assert_eq!(owners.len(), 1, "{owners:?}");
    let policy = stage.world.gateway.policies.lookup(&owners[0], stage.world.gateway.clock.tick());
    assert_eq!(policy.name, "FallbackThrottlingPolicy", "nobody can name himself so");
}

#[tokio::test(start_paused = true)]
async fn first_legs_cost_nothing() {
    let origin = Origin::new(speak_ntlm).await;
    let stage = Stage::before(&origin.scripted).await;
    for _ in 0..30 {
        let mut client = stage.client().await;
        assert_eq!(call(&mut client, &field("NTLM", &ntlm_negotiate())).await, 401);
    }
    let before = stage.world.gateway.clock.tick();
    let mut client = stage.client().await;
    shake_hands(&mut client, "johndoe").await;
    assert_eq!(stage.world.gateway.clock.tick(), before, "nobody waits for a turn");
}
