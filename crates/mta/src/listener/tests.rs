//! Connections over real sockets on this machine.

use std::net::Ipv4Addr;

use tokio::task::JoinHandle;
use weir_units::Micros;
use weir_wire::forwarded::TrustedProxies;

use super::*;
use crate::session::tests::{Peer, Plan, World};

/// A listener that serves, until it is stopped.
struct Serving {
    world: World,
    address: SocketAddr,
    served: JoinHandle<()>,
}

impl Serving {
    async fn start(change: impl FnOnce(&mut Plan)) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let world = World::with(|plan| {
            plan.connector.bindings = vec![address];
            change(plan);
        });
        let served =
            tokio::spawn(serve(listener, world.local, Arc::clone(&world.inbound), world.stop.subscribe()));
        Self { world, address, served }
    }

    async fn connect(&self) -> Peer<TcpStream> {
        Peer::new(TcpStream::connect(self.address).await.unwrap())
    }

    async fn stopped(self) {
        self.world.stop.send_replace(true);
        let served = tokio::time::timeout(Duration::from_secs(20), self.served).await;
        served.expect("the listener ends").unwrap();
    }
}

const MESSAGE: &str = "
    S: 220 *
    C: EHLO pc1
    S: 250-hub01.example.com
    S: 250-SIZE *
    S: 250-PIPELINING
    S: 250-8BITMIME
    S: 250-SMTPUTF8
    S: 250-CHUNKING
    S: 250-ENHANCEDSTATUSCODES
    S: 250 DSN
    C: MAIL FROM:<a@example.net>
    C: RCPT TO:<john@example.com>
    C: DATA
    S: 250 *
    S: 250 *
    S: 354 *
    C: Subject: x
    C:
    C: .
    S: 250 2.6.0 *
";

#[tokio::test]
async fn a_message_comes_in_by_a_socket() {
    let serving = Serving::start(|_| {}).await;
    let mut client = serving.connect().await;
    client.play(MESSAGE).await;
    client.play("C: QUIT\nS: 221 *\nS.").await;
    assert!(serving.world.only().await.text.contains("([127.0.0.1])"));
    serving.stopped().await;
}

#[tokio::test]
async fn whoever_is_too_many_is_told_and_a_place_comes_back() {
    let serving =
        Serving::start(|plan| plan.connector.limits.max_inbound_connection_per_source = Some(1)).await;
    let mut first = serving.connect().await;
    first.hear("220 *").await;
    let mut second = serving.connect().await;
    second
        .play("S: 421 4.3.2 The maximum number of concurrent connections from your address has been reached\nS.")
        .await;
    // The place is back before the client sees the end of its session's last words.
    first.play("C: QUIT\nS: 221 *\nS.").await;
    drop(first);
    let mut admitted = false;
    for _ in 0..200 {
        let mut third = serving.connect().await;
        admitted = third.line().await.unwrap().starts_with("220");
        if admitted {
            break;
        }
    }
    assert!(admitted);
    serving.stopped().await;
}

#[tokio::test]
async fn a_socket_that_is_bound_elsewhere_serves_the_connectors_of_its_binding() {
    for binding in ["127.0.0.1:0", "0.0.0.0:0", "192.0.2.1:25"] {
        let serving = Serving::start(|plan| plan.connector.bindings = vec![binding.parse().unwrap()]).await;
        serving.connect().await.play("S: 220 *\nC: QUIT\nS: 221 *\nS.").await;
        serving.stopped().await;
    }
}

#[tokio::test]
async fn whoever_is_in_no_range_is_told_so() {
    let serving =
        Serving::start(|plan| plan.connector.remote_ranges = vec!["192.0.2.0/24".parse().unwrap()]).await;
    serving.connect().await.play("S: 554 5.7.1 No mail is taken from this address\nS.").await;
    serving.stopped().await;
}

fn proxied(plan: &mut Plan) {
    plan.settings.proxies.proxy_protocol = true;
    plan.settings.proxies.trusted = TrustedProxies::new(vec!["127.0.0.1/32".parse().unwrap()]);
}

#[tokio::test]
async fn behind_a_balancer_the_client_is_whom_it_announces() {
    let serving = Serving::start(proxied).await;
    let mut client = serving.connect().await;
    client.play("C: PROXY TCP4 192.0.2.7 198.51.100.1 50000 25").await;
    client.play(MESSAGE).await;
    assert!(serving.world.only().await.text.contains("([192.0.2.7])"));
    // A second version's health check speaks for itself.
    let mut check = serving.connect().await;
    check.send(b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0").await;
    check.play("S: 220 *\nC: QUIT\nS: 221 *\nS.").await;
    drop(client);
    serving.stopped().await;
}

#[tokio::test]
async fn a_trusted_proxy_is_held_to_no_limit_of_one_source_and_whom_it_announces_is() {
    let limited = |plan: &mut Plan| {
        proxied(plan);
        let limits = &mut plan.connector.limits;
        (limits.max_inbound_connection_per_source, limits.message_rate_limit) = (Some(1), Some(1));
    };
    let serving = Serving::start(|plan| {
        limited(plan);
        plan.settings.proxies.proxy_protocol = false;
    })
    .await;
    let mut many = [serving.connect().await, serving.connect().await];
    for client in &mut many {
        let message = "C: MAIL FROM:<>\nC: RSET\nS: 250 *\nS: 250 *\n".repeat(2);
        client.play(&format!("S: 220 *\nC: HELO a\nS: 250 *\n{message}")).await;
    }
    drop(many);
    serving.stopped().await;

    let serving = Serving::start(limited).await;
    let mut first = serving.connect().await;
    first.play("C: PROXY TCP4 192.0.2.7 198.51.100.1 50000 25\nS: 220 *").await;
    let mut second = serving.connect().await;
    second.play("C: PROXY TCP4 192.0.2.7 198.51.100.1 50001 25\nS: 421 4.3.2 *\nS.").await;
    first.play("C: HELO a\nC: MAIL FROM:<>\nC: RSET\nC: MAIL FROM:<>\nS: 250 *\nS: 250 *\nS: 250 *").await;
    first.play("S: 421 4.4.2 *\nS.").await;
    serving.stopped().await;
}

#[tokio::test]
async fn a_proxy_that_announces_nobody_and_a_client_behind_it_who_speaks_first_are_sent_away() {
    let serving = Serving::start(proxied).await;
    serving.connect().await.play("C: EHLO balancer\nS.").await;
    let mut hasty = serving.connect().await;
    hasty.play("C: PROXY TCP4 192.0.2.7 198.51.100.1 50000 25\nC: EHLO a\nS: 554 5.5.0 *\nS.").await;
    serving.stopped().await;
}

#[tokio::test(start_paused = true)]
async fn a_header_that_does_not_come_is_not_waited_for() {
    let (mut ours, theirs) = tokio::io::duplex(64);
    let begun = Peer::new(theirs);
    let error = announcement::read(&mut ours).await.unwrap_err();
    assert_eq!(error.to_string(), "the PROXY header took longer than 10s");
    drop(begun);
    let error = announcement::read(&mut ours).await.unwrap_err();
    assert_eq!(error.to_string(), "the connection ended before its PROXY header did");
}

#[tokio::test]
async fn a_header_from_anybody_else_is_no_header() {
    let serving = Serving::start(|plan| {
        proxied(plan);
        plan.settings.proxies.trusted = TrustedProxies::new(vec!["192.0.2.1/32".parse().unwrap()]);
    })
    .await;
    let mut client = serving.connect().await;
    client.hear("220 *").await;
    client.play("C: PROXY TCP4 192.0.2.7 198.51.100.1 50000 25\nS: 500 5.5.1 *").await;
    drop(client);
    serving.stopped().await;
}

#[tokio::test]
async fn a_message_that_takes_longer_than_the_drain_is_cut_off() {
    let serving = Serving::start(|plan| plan.settings.drain = Micros::new(100_000)).await;
    let mut client = serving.connect().await;
    client.play(MESSAGE).await;
    client
        .play("C: MAIL FROM:<>\nC: RCPT TO:<john@example.com>\nC: DATA\nS: 250 *\nS: 250 *\nS: 354 *")
        .await;
    serving.world.stop.send_replace(true);
    assert_eq!(client.line().await, None);
    assert_eq!(serving.world.kept().await.len(), 1);
    serving.stopped().await;
}
