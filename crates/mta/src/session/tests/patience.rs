use weir_transport::receive::PermissionGroup;

use super::*;

/// Seconds since a world began.
fn seconds(world: &World) -> u64 {
    world.inbound.works.clock.tick().micros() / 1_000_000
}

/// Seconds for which the connection still stands, while nothing is done.
async fn until_the_end(world: &World, client: &mut Peer<DuplexStream>, last: &str) -> u64 {
    client.play(&format!("S: {last}\nS.")).await;
    seconds(world)
}

#[tokio::test(start_paused = true)]
async fn a_silent_client_is_told_after_a_while() {
    let world = World::new();
    let mut client = world.connect("198.51.100.7").patient();
    client.hear("220 *").await;
    let lasted =
        until_the_end(&world, &mut client, "421 4.4.1 Connection timed out, no command received").await;
    assert_eq!(lasted, 300);
}

#[tokio::test(start_paused = true)]
async fn bytes_that_become_no_command_are_silence() {
    let world = World::new();
    let mut client = world.connect("198.51.100.7").patient();
    client.hear("220 *").await;
    for _ in 0..4 {
        client.send(b"N").await;
        tokio::time::advance(Duration::from_mins(1)).await;
    }
    assert_eq!(until_the_end(&world, &mut client, "421 4.4.1 Connection timed out, *").await, 300);
}

#[tokio::test(start_paused = true)]
async fn a_byte_a_minute_is_no_message() {
    let world = World::new();
    let mut client = world.connect("198.51.100.7").patient();
    client
        .play("S: 220 *\nC: HELO a\nC: MAIL FROM:<>\nC: RCPT TO:<john@example.com>\nC: DATA\nS: 250 *")
        .await;
    client.play("S: 250 *\nS: 250 *\nS: 354 *").await;
    for _ in 0..4 {
        client.send(b"x").await;
        tokio::time::advance(Duration::from_mins(1)).await;
    }
    assert_eq!(until_the_end(&world, &mut client, "421 4.4.1 Connection timed out, *").await, 300);
}

#[tokio::test(start_paused = true)]
async fn a_session_ends_however_busy_it_is() {
    let world = World::new();
    let mut client = world.connect("198.51.100.7").patient();
    client.hear("220 *").await;
    for _ in 0..9 {
        client.play("C: NOOP\nS: 250 *").await;
        tokio::time::advance(Duration::from_mins(1)).await;
    }
    assert_eq!(until_the_end(&world, &mut client, "421 4.4.1 Connection timed out").await, 600);
}

#[tokio::test(start_paused = true)]
async fn a_strangers_refusals_take_their_time_and_hold_nothing_else_up() {
    let world = World::with(|plan| plan.connector.limits.tarpit_interval = Micros::SECOND.times(5));
    let mut client = world.connect("198.51.100.7").patient();
    client.hear("220 *").await;
    client.send(b"HELO a\r\nMAIL FROM:<>\r\nRCPT TO:<x@example.com>\r\nRCPT TO:<john@example.com>\r\n").await;
    client.play("S: 250 *\nS: 250 *").await;
    assert_eq!(seconds(&world), 0);
    client.play("S: 550 *\nS: 250 *").await;
    assert_eq!(seconds(&world), 5);

    let known = World::with(|plan| {
        plan.lets(&[PermissionGroup::Relay]);
        plan.connector.limits.tarpit_interval = Micros::SECOND.times(5);
    });
    let mut client = known.connect("198.51.100.7").patient();
    client.play("S: 220 *\nC: HELO a\nC: MAIL FROM:<>\nC: RCPT TO:<x@example.com>\nS: 250 *").await;
    client.play("S: 250 *\nS: 550 *").await;
    assert_eq!(seconds(&known), 0);
}

#[tokio::test(start_paused = true)]
async fn refusals_that_add_up_end_with_the_session() {
    let world = World::with(|plan| plan.connector.limits.tarpit_interval = Micros::MINUTE.times(4));
    let mut client = world.connect("198.51.100.7").patient();
    client.play("S: 220 *\nC: HELO a\nC: MAIL FROM:<>\nS: 250 *\nS: 250 *").await;
    client.send(&b"RCPT TO:<x@example.com>\r\n".repeat(20)).await;
    client.play("S: 550 *\nS: 550 *\nS: 550 *\nS: 421 4.4.1 Connection timed out\nS.").await;
    assert_eq!(seconds(&world), 720);
}

#[tokio::test(start_paused = true)]
async fn whoever_would_say_stop_and_has_gone_stops_sessions() {
    let mut world = World::new();
    let mut client = world.connect("198.51.100.7").patient();
    client.hear("220 *").await;
    world.stop = tokio::sync::watch::channel(false).0;
    client.play("S: 421 4.3.2 *\nS.").await;
}

#[tokio::test(start_paused = true)]
async fn a_stop_waits_for_no_tarpit() {
    let world = World::with(|plan| plan.connector.limits.tarpit_interval = Micros::SECOND.times(5));
    let mut client = world.connect("198.51.100.7").patient();
    client.play("S: 220 *\nC: HELO a\nS: 250 *\nC: FOO").await;
    tokio::time::advance(Duration::from_secs(1)).await;
    world.stop.send_replace(true);
    client.play("S: 500 *\nS: 421 4.3.2 *\nS.").await;
    assert!(seconds(&world) < 5);
}

#[tokio::test(start_paused = true)]
async fn when_disk_becomes_short_strangers_wait_and_own_clients_do_not() {
    let world = World::new();
    world.disk_is_at(95);
    let mut client = world.connect("198.51.100.7").patient();
    client.play("S: 220 *\nC: HELO a\nC: MAIL FROM:<>\nS: 250 *\nS: 250 *").await;
    assert_eq!(seconds(&world), 10);

    let world = World::with(|plan| plan.lets(&[PermissionGroup::Relay]));
    world.disk_is_at(95);
    let mut client = world.connect("198.51.100.7").patient();
    client.play("S: 220 *\nC: HELO a\nC: MAIL FROM:<>\nS: 250 *\nS: 250 *").await;
    assert_eq!(seconds(&world), 0);
}

#[tokio::test(start_paused = true)]
async fn a_look_up_that_never_ends_defers_its_recipient_and_nobody_else() {
    let world = World::new();
    let mut slow = world.connect("198.51.100.7").patient();
    let mut other = world.connect("198.51.100.8").patient();
    slow.play("S: 220 *\nC: HELO a\nC: MAIL FROM:<>\nC: RCPT TO:<slow@example.com>\nC: NOOP").await;
    other.play("S: 220 *\nC: HELO a\nC: MAIL FROM:<>\nC: RCPT TO:<john@example.com>\nS: 250 *").await;
    other.play("S: 250 *\nS: 250 *").await;
    assert_eq!(seconds(&world), 0);
    slow.play("S: 250 *\nS: 250 *\nS: 451 4.3.0 *\nS: 250 *").await;
    assert_eq!(seconds(&world), 30);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_nothing_is_cut_off() {
    let world = World::new();
    let (ours, theirs) = tokio::io::duplex(1 << 10);
    let client = Client { address: "198.51.100.7".parse().unwrap(), is_proxied: false };
    let place = world.inbound.admit(world.local, client.address).unwrap();
    let session = tokio::spawn(Session::new(ours, Vec::new(), client, place, world.stop.subscribe()).run());
    let mut deaf = Peer::new(theirs).patient();
    deaf.hear("220 *").await;
    deaf.send(&b"HELP\r\n".repeat(170)).await;
    tokio::time::timeout(AFTER, session).await.expect("the session ends").unwrap();
    assert_eq!(seconds(&world), 300);
}

#[tokio::test(start_paused = true)]
async fn a_greeting_may_wait_for_those_who_do_not() {
    let world = World::with(|plan| plan.connector.limits.greeting_delay = Micros::SECOND.times(2));
    let mut polite = world.connect("198.51.100.7").patient();
    let mut hasty = world.connect("198.51.100.7").patient();
    for _ in 0..3 {
        // Both sessions begin.
        tokio::task::yield_now().await;
    }
    tokio::time::advance(Duration::from_secs(1)).await;
    hasty.play("C: HELO a\nS: 554 5.5.0 *\nS.").await;
    polite.hear("220 *").await;
    assert_eq!(seconds(&world), 2);
}

#[tokio::test]
async fn a_stop_ends_sessions_after_the_command_under_way() {
    let world = World::new();
    let mut idle = world.connect("198.51.100.7");
    let mut busy = world.connect("198.51.100.8");
    idle.hear("220 *").await;
    busy.play("S: 220 *\nC: HELO a\nC: MAIL FROM:<>\nC: RCPT TO:<john@example.com>\nC: DATA\nS: 250 *").await;
    busy.play("S: 250 *\nS: 250 *\nS: 354 *\nC: Subject: x").await;
    world.stop.send_replace(true);
    idle.play("S: 421 4.3.2 Service not available, closing transmission channel: the server stops\nS.").await;
    let mut late = world.connect("198.51.100.9");
    late.play("S: 220 *\nS: 421 4.3.2 *\nS.").await;
    busy.play("C:\nC: .\nS: 250 2.6.0 *\nS: 421 4.3.2 *\nS.").await;
    assert_eq!(world.kept().await.len(), 1);
}
