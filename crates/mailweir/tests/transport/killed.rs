//! Killed without a word while mail streams through it (H15): whatever it said 250 to arrives.
//!
//! `MAILWEIR_KILLS` says how often; 5 times otherwise. Each smtp-source has one connection, numbers its recipients, and
//! begins with a message when the one before was acknowledged, so that its count says which ones were. What arrives twice is what the next hop had taken
//! when the note of it was not on disk yet: printed, and held to be rare.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::time::Duration;

use crate::hub::{Hub, PATIENCE, Settings};
use crate::peers::sink::Sink;
use crate::peers::source::{Load, Source};
use crate::place::Place;
use crate::support::eventually;

/// Connections at a time.
const SOURCES: usize = 6;
/// More messages than one of them gets rid of before the end.
const PLENTY: usize = 100_000;
/// The most connections out, and the messages that each may have handed over without its being written down: bounds
/// what one crash may double.
const IN_FLIGHT: usize = 20;

#[test]
#[ignore = "needs Postfix, which ./check installs"]
fn whenever_it_is_killed_what_it_acknowledged_arrives() {
    let rounds: usize = env::var("MAILWEIR_KILLS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(5);
    let place = Place::new();
    let sink = Sink::start(&place, place.at(11, 25));
    let settings = Settings::new().transport(&format!("max_per_domain_outbound_connections = {IN_FLIGHT}"));
    let mut hub = Hub::relay(&place, &[sink.address()], settings);
    let mut acknowledged = BTreeSet::new();
    for round in 0..rounds {
        acknowledged.extend(killed_once(&place, &mut hub, round));
        hub.server.start_again();
    }
    assert!(
        acknowledged.len() > 10 * rounds,
        "it did something before it was killed: {}",
        acknowledged.len()
    );
    eventually(2 * PATIENCE, || (hub.queued() == 0).then_some(()));
    let mut arrived = BTreeMap::<String, usize>::new();
    for recipient in sink.recipients() {
        *arrived.entry(recipient).or_default() += 1;
    }
    let lost: Vec<_> = acknowledged.iter().filter(|recipient| !arrived.contains_key(*recipient)).collect();
    let twice: usize = arrived.values().map(|times| times - 1).sum();
    println!(
        "killed {rounds} times; {} messages acknowledged, {} arrived, {} lost, {twice} arrived again",
        acknowledged.len(),
        arrived.len(),
        lost.len()
    );
    assert!(lost.is_empty(), "{lost:?}\n{:#?}", hub.listing(&["queue", "list"]));
    assert!(twice <= rounds * IN_FLIGHT, "{twice}");
}

/// Lets mail stream, kills the hub after a number of messages that is another one each time, and gives the recipients
/// of those that were acknowledged.
fn killed_once(place: &Place, hub: &mut Hub, round: usize) -> Vec<String> {
    let name = |source: usize| format!("x{round}x{source}@kill.test");
    let names: Vec<String> = (0..SOURCES).map(name).collect();
    let load = |to| Load { messages: PLENTY, sessions: 1, kept: true, to };
    let sources: Vec<Source> = names.iter().map(|to| Source::start(place, hub.smtp, load(to))).collect();
    let enough = 10 + round * 397 % 600;
    let sent = || sources.iter().map(Source::sent).sum::<usize>();
    eventually(Duration::from_secs(10), || (sent() >= enough).then_some(()));
    hub.server.crash();
    let counts = sources.into_iter().map(Source::end).zip(&names);
    counts.flat_map(|(count, name)| (1..count).map(move |number| format!("{number}{name}"))).collect()
}
