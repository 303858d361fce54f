//! Three equal servers, one of them dead (H2–H9): who gets the mail, and how often the dead one is asked.

use std::net::SocketAddr;

use crate::hub::{Hub, Settings};
use crate::peers::sink::Sink;
use crate::peers::source::{Load, Source};
use crate::place::Place;

/// Messages of a connection before the next server has its turn.
const SPENT: usize = 20;

fn targets(place: &Place) -> [SocketAddr; 3] {
    [11, 12, 13].map(|host| place.at(host, 25))
}

/// A hub before three servers; with one connection at a time it can be said whose turn each one is.
fn hub(place: &Place, keys: &str) -> Hub {
    let settings = Settings::new().transport("connectivity_log = true").transport(keys);
    Hub::relay(place, &targets(place), settings)
}

fn send(place: &Place, hub: &Hub, messages: usize) {
    Source::send(place, hub.smtp, Load::of(messages, "r@pool.test"));
}

#[test]
#[ignore = "needs Postfix, which ./check installs"]
fn a_server_that_refuses_is_asked_once_and_the_others_share_its_mail_evenly() {
    let place = Place::new();
    let [first, dead, third] = targets(&place);
    let (first, third) = (Sink::start(&place, first), Sink::start(&place, third));
    let hub = hub(&place, "");
    // Every server proves itself, or does not.
    send(&place, &hub, 60);
    assert!(hub.is_empty());
    let told = hub.connectivity_says(&["MarkedUnhealthy"]);
    let what = format!("Failed connection to {dead} ({}", dead.ip());
    assert!(told.contains(&what) && told.contains("Winsock error 10061; state=MarkedUnhealthy"), "{told}");
    assert!(told.contains("CurrentFailureCount=1; NextRetryTime=20"), "{told}");
    let mark = hub.target_gets(dead, "unhealthy");
    let next = mark["next_retry_ms"].as_u64().unwrap();
    assert!((40_000..=60_000).contains(&next), "{mark}");

    let before = [first.counted(), third.counted()];
    send(&place, &hub, 40 * SPENT);
    assert!(hub.is_empty());
    let sessions =
        [first.counted().sessions - before[0].sessions, third.counted().sessions - before[1].sessions];
    assert!(sessions[0].abs_diff(sessions[1]) <= 1, "{sessions:?}");
    assert_eq!(first.counted().messages + third.counted().messages, 60 + 40 * SPENT);
    assert_eq!(hub.attempts_in_vain(dead), 1);
}

#[test]
#[ignore = "needs Postfix, which ./check installs"]
fn a_server_that_hangs_up_instead_of_greeting_is_asked_once_too() {
    let place = Place::new();
    let [first, dead, third] = targets(&place);
    for how in ["-q", "-Q"] {
        let dying = Sink::start_with(&place, dead, &[how, "connect"]);
        let others = [Sink::start(&place, first), Sink::start(&place, third)];
        let hub = hub(&place, "");
        send(&place, &hub, 300);
        assert!(hub.is_empty());
        assert_eq!(others.iter().map(|sink| sink.counted().messages).sum::<usize>(), 300);
        assert_eq!(dying.counted().sessions, 1, "{how}: {:#?}", hub.connectivity());
    }
}

#[test]
#[ignore = "needs Postfix, which ./check installs"]
fn a_black_hole_costs_one_timeout_and_no_message_waits_for_it() {
    let place = Place::new();
    let [first, dead, third] = targets(&place);
    let mut hole = Sink::black_hole(&place, dead);
    let others = [Sink::start(&place, first), Sink::start(&place, third)];
    let hub = hub(&place, "[transport.sending]\nconnect_timeout = \"2s\"");
    send(&place, &hub, 600);
    let got = || others.iter().map(|sink| sink.counted().messages).sum::<usize>();
    assert!(hub.is_empty());
    assert_eq!(got(), 600);
    hub.connectivity_says(&["Winsock error 10060", "MarkedUnhealthy"]);
    hub.target_gets(dead, "unhealthy");
    send(&place, &hub, 600);
    assert!(hub.is_empty());
    assert_eq!((got(), hub.attempts_in_vain(dead)), (1_200, 1));
    hole.heal();
    hub.server.run(&["target", "retry", &dead.to_string()]);
    send(&place, &hub, 300);
    hub.target_gets(dead, "healthy");
    assert!(hole.waits_for(1) >= 1);
}

#[test]
#[ignore = "needs Postfix, which ./check installs"]
fn mail_that_waits_goes_at_once_when_its_server_is_back() {
    let place = Place::new();
    let hub = hub(&place, "");
    send(&place, &hub, 50);
    for address in targets(&place) {
        hub.target_gets(address, "unhealthy");
    }
    assert_eq!(hub.queued(), 50);
    let back = Sink::start(&place, place.at(12, 25));
    hub.server.run(&["target", "retry", &back.address().to_string()]);
    assert_eq!(back.waits_for(50), 50, "{:#?}", hub.connectivity());
    hub.target_gets(back.address(), "healthy");
    hub.connectivity_says(&[&back.address().to_string(), "state=Healthy"]);
    hub.target_gets(place.at(13, 25), "unhealthy");
}

#[test]
#[ignore = "needs Postfix, which ./check installs"]
fn the_old_rotation_gives_one_of_the_others_twice_as_much() {
    let place = Place::new();
    let [first, dead, third] = targets(&place);
    let (first, third) = (Sink::start(&place, first), Sink::start(&place, third));
    let hub = hub(&place, "rotation = \"rtm\"\nmax_per_domain_outbound_connections = 1");
    send(&place, &hub, 30 * SPENT);
    assert!(hub.is_empty());
    let (few, many) = (
        first.counted().sessions.min(third.counted().sessions),
        first.counted().sessions.max(third.counted().sessions),
    );
    assert!((2 * few).abs_diff(many) <= 3, "{few}:{many}");
    let third_of_all = (few + many) / 3;
    assert!(
        hub.attempts_in_vain(dead).abs_diff(third_of_all) <= 2,
        "{} of {}",
        hub.attempts_in_vain(dead),
        few + many
    );
}
