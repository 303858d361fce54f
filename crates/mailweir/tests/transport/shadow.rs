//! Hubs that keep shadows for each other (H12): one is killed with mail that it had taken, and its disk is lost.
//!
//! Hub 1 takes mail and hands it to the hubs that have the way out, 2 and 3; it keeps a shadow of each message until it is
//! told that the message went on.

use std::fs::{self, Permissions};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;

use crate::hub::{Hub, PATIENCE, Settings};
use crate::peers::sink::Sink;
use crate::peers::source::{Load, Source};
use crate::place::Place;
use crate::support::eventually;

/// Where clients of hub 1 come in; own servers have the usual port.
const CLIENTS: u16 = 2500;
const SERVERS: u16 = 2525;

/// What all hubs have in common: each other, a secret, short intervals.
fn settings(place: &Place, own: u8, sources: &[u8], out: SocketAddr) -> Settings {
    let secret = place.write("secret", "a secret of the hubs of this test\n");
    fs::set_permissions(&secret, Permissions::from_mode(0o600)).unwrap();
    let partners: Vec<String> =
        (1..=3).filter(|host| *host != own).map(|host| format!("hub{host}")).collect();
    let sources: Vec<String> = sources.iter().map(|host| format!("hub{host}")).collect();
    let mut settings = Settings::new()
        .transport(&format!(
            "name = \"hub{own}\"\nserver_secret_file = \"{}\"\nshadow_partners = {partners:?}\n\
             connectivity_log = true\nqueue_glitch_retry_interval = \"1s\"\nmessage_retry_interval = \"1s\"\n\
             shadow_heartbeat_timeout_interval = \"1s\"\nshadow_heartbeat_retry_count = 3",
            secret.display()
        ))
        .way_in("servers", place.at(own, SERVERS), "servers", "")
        .way_out_with("*.test", &[out], &format!("source_servers = {sources:?}"));
    for host in 1..=3 {
        settings = settings.table(&format!(
            "[[transport.server]]\nname = \"hub{host}\"\naddress = \"{}\"",
            place.at(host, SERVERS)
        ));
    }
    if own == 1 { settings.way_in("clients", place.at(1, CLIENTS), "relay", "") } else { settings }
}

fn send(place: &Place, messages: usize) {
    Source::send(place, place.at(1, CLIENTS), Load::of(messages, "r@pool.test"));
}

/// Waits until that hub has all of it, and the first has none left to send.
fn handed_over(first: &Hub, second: &Hub, messages: u64) {
    let there = eventually(PATIENCE, || (second.queued() == messages && first.sending() == 0).then_some(()));
    let queues = |hub: &Hub| format!("{:#?}", hub.listing(&["queue", "list"]));
    assert!(there.is_some(), "{}\n{}", queues(first), queues(second));
}

#[test]
#[ignore = "needs Postfix, which ./check installs"]
fn a_hub_that_loses_its_disk_gets_its_mail_again() {
    let place = Place::new();
    let out = place.at(11, 25);
    let first = Hub::start(&place, 1, &settings(&place, 1, &[2], out));
    let mut second = Hub::start(&place, 2, &settings(&place, 2, &[2], out));
    send(&place, 40);
    handed_over(&first, &second, 40);
    assert_eq!(first.metric("mailweir_shadows"), 40);
    second.server.crash();
    fs::remove_dir_all(second.server.data().join("spool")).unwrap();
    let sink = Sink::start(&place, out);
    second.server.start_again();
    assert_eq!(sink.waits_for(40), 40, "{:#?}", first.connectivity());
    assert!(first.is_empty() && second.is_empty());
    assert_eq!(sink.counted().messages, 40, "none came twice");
}

#[test]
#[ignore = "needs Postfix, which ./check installs"]
fn a_hub_that_does_not_come_back_has_its_mail_sent_by_another_way() {
    let place = Place::new();
    let out = place.at(11, 25);
    let first = Hub::start(&place, 1, &settings(&place, 1, &[2, 3], out));
    let mut second = Hub::start(&place, 2, &settings(&place, 2, &[2, 3], out));
    send(&place, 40);
    handed_over(&first, &second, 40);
    second.server.crash();
    let sink = Sink::start(&place, out);
    let third = Hub::start(&place, 3, &settings(&place, 3, &[2, 3], out));
    assert_eq!(sink.waits_for(40), 40, "{:#?}", first.connectivity());
    assert!(first.is_empty() && third.is_empty());
}

#[test]
#[ignore = "needs Postfix, which ./check installs"]
fn what_went_on_is_not_sent_again_when_a_hub_is_lost() {
    let place = Place::new();
    let sink = Sink::start(&place, place.at(11, 25));
    let first = Hub::start(&place, 1, &settings(&place, 1, &[2], sink.address()));
    let mut second = Hub::start(&place, 2, &settings(&place, 2, &[2], sink.address()));
    send(&place, 40);
    assert_eq!(sink.waits_for(40), 40);
    let kept = || first.metric("mailweir_shadows");
    assert!(eventually(PATIENCE, || (kept() == 0).then_some(())).is_some(), "{} are kept", kept());
    second.server.crash();
    fs::remove_dir_all(second.server.data().join("spool")).unwrap();
    second.server.start_again();
    send(&place, 1);
    assert_eq!(sink.waits_for(41), 41);
    assert!(first.is_empty() && second.is_empty());
    assert_eq!(sink.counted().messages, 41);
}
