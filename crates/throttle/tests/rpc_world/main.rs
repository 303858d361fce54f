//! Clients that batch their operations, at an origin whose latency is pinned, on pretended time: the numbers that the
//! documents give (R5–R7, R9, R10, R12), each in worlds of several seeds. In [`crowded`] the origin has workers, and its
//! latency is what they make of it.
#![allow(
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tests"
)]

mod client;
mod crowded;
mod origin;
mod owners;
mod plot;
mod random;
mod world;

use client::{Client, Manners, Pace};
use origin::Origin;
use weir_units::{Micros, Millis, Tick};
use world::{Front, World};

/// Seeds of the worlds; 0 is one without any delay on the way.
const SEEDS: std::ops::Range<u64> = 0..8;

fn second(count: u64) -> Tick {
    Tick::START.plus(Micros::SECOND.times(count))
}

/// A client that makes `batch` operations at a time, 40 a second.
fn forty_a_second(session: usize, batch: u32) -> Client {
    let pace = Pace::Every(Millis::new(u64::from(batch) * 25));
    Client::new(session, batch, pace, Manners::Obeys, 0)
}

#[test]
fn forty_operations_a_second_pass_at_25_ms_and_about_ten_at_100_ms() {
    for batch in [2, 4, 5, 8, 10, 20, 40] {
        let mut world = World::pinned(25);
        let session = world.session();
        let client = world.join(forty_a_second(session, batch));
        world.run(600);
        let seen = world.client(client);
        assert_eq!((seen.rops_in(second(0), second(600)), seen.refusals.len()), (24_000, 0));

        world.pin(100);
        world.run(600);
        let seen = world.client(client);
        for from in 600..=1_140 {
            let minute = seen.rops_in(second(from), second(from + 60));
            assert!((540..=690).contains(&minute), "{minute} in the minute from {from} s, by {batch}");
        }

        world.pin(25);
        world.run(600);
        let seen = world.client(client);
        assert!(seen.refusals_in(second(1_205), second(1_800)) == 0, "faster than the session again");
        assert!(seen.rops_in(second(1_205), second(1_800)) >= 40 * 594);
    }
}

#[test]
fn a_short_spike_passes_as_long_as_its_minute_is_slow_enough() {
    // At 10 ms a minute has room for 6000 operations; a request is judged by what came before it.
    for (requests, refused) in [(61, false), (62, false), (63, true)] {
        let mut world = World::pinned(10);
        let session = world.session();
        world.run(61);
        let client = world.join(Client::new(session, 100, Pace::AtOnce, Manners::Obeys, 0).of(requests));
        world.run(60);
        assert_eq!(!world.client(client).refusals.is_empty(), refused, "{requests} requests of 100");
    }
}

#[test]
fn spikes_that_come_again_and_again_pass_while_the_mean_gap_is_above_the_latency() {
    for seed in SEEDS {
        let mut world = World::pinned(25);
        let clients: Vec<usize> = (0..20)
            .map(|number| {
                let session = world.session();
                world.run(seed % 3);
                // Ten times the pace of the origin for a moment, and 20 operations a second in the mean.
                let pace = Pace::Every(Millis::new(5_000 + number * 100));
                world.join(Client::new(session, 100, pace, Manners::Obeys, seed))
            })
            .collect();
        world.run(1_800);
        assert!(clients.iter().all(|client| world.client(*client).refusals.is_empty()));
    }
}

#[test]
fn one_session_has_one_queue_whatever_mailboxes_it_opens() {
    for seed in SEEDS {
        let mut world = World::pinned(50);
        let (archiver, other) = (world.session(), world.session());
        world.join(Client::new(archiver, 100, Pace::AtOnce, Manners::Obeys, seed));
        let reader = |session| Client::new(session, 1, Pace::Every(Millis::new(3_000)), Manners::Obeys, seed);
        let (second_mailbox, stranger) = (world.join(reader(archiver)), world.join(reader(other)));
        world.run(300);
        assert!(world.client(second_mailbox).refusals.len() > 100, "it waits with its session");
        assert!(world.client(stranger).refusals.is_empty(), "and nobody else does");
        assert_eq!(world.client(stranger).passes.len(), 100);
    }
}

#[test]
fn each_early_retry_is_told_the_rest_and_the_request_passes_at_the_end() {
    for seed in SEEDS {
        let mut world = World::pinned(80);
        let session = world.session();
        let client = world.join(Client::new(session, 25, Pace::AtOnce, Manners::Early, seed));
        world.run(300);
        let seen = world.client(client);
        assert!(seen.refusals.len() > 1_000);
        for pair in seen.refusals.windows(2) {
            let ((before, told), (after, rest)) = (pair[0], pair[1]);
            let (end, waited) = (before.plus(told.micros()), after.since(before));
            // Each answer is rounded up, so that the entry is over within the last millisecond of what was told.
            if after.plus(Micros::new(1_000)) <= end {
                let expected = told.micros().minus(waited).ceil_millis().count();
                assert!((expected - 1..=expected).contains(&rest.count()), "of one entry: {pair:?}");
            }
        }
        // A request of 25 operations owes 2 s. Nothing is lost at the end but the way and the last millisecond.
        for pair in seen.passes.windows(2) {
            let between = pair[1].since(pair[0]);
            let owed = between >= Micros::SECOND.times(2);
            let late = between > Micros::new(2_002_000);
            assert!(!late && (owed || between < Micros::new(81_000)), "{between:?}");
        }
    }
}

#[test]
fn no_request_owes_more_than_30_s_so_that_an_old_client_never_gives_up() {
    for seed in SEEDS {
        for (millis, batch) in [(50, 100), (100, 300), (250, 1_000), (1_999, 20), (5_000, 60_000)] {
            let mut world = World::pinned(millis);
            let (old, young) = (world.session(), world.session());
            let old = world.join(Client::new(old, batch, Pace::AtOnce, Manners::Old, seed));
            let young = world.join(Client::new(young, batch, Pace::AtOnce, Manners::Obeys, seed));
            world.run(1_800);
            let (old, young) = (world.client(old), world.client(young));
            assert!(!old.gave_up && !old.refusals.is_empty(), "{batch} at {millis} ms");
            assert!(old.most_in_a_row <= 31, "{} refusals in a row", old.most_in_a_row);
            let longest = young.passes.windows(2).map(|pair| pair[1].since(pair[0])).max();
            assert!(longest <= Some(Micros::new(30_002_000)).max(Some(Micros::new(millis * 1_001))));
        }
    }
}

#[test]
fn an_old_client_that_is_refused_for_ever_gives_up_after_a_minute() {
    let mut world = World::new(Front::RefusesAll, Origin::Pinned(Micros::ZERO));
    let session = world.session();
    let client = world.join(Client::new(session, 1, Pace::AtOnce, Manners::Old, 0));
    world.run(59);
    assert!(!world.client(client).gave_up);
    world.run(60);
    assert!(world.client(client).gave_up);
    assert_eq!(world.client(client).refusals.len(), 60);
}

#[test]
fn at_20_ms_a_client_that_obeys_shows_about_50_back_offs_a_second_and_an_old_one_at_most_one() {
    for seed in SEEDS {
        for batch in [25, 50, 100, 400] {
            let mut world = World::pinned(20);
            let (young, old) = (world.session(), world.session());
            let young = world.join(Client::new(young, batch, Pace::AtOnce, Manners::Obeys, seed));
            let old = world.join(Client::new(old, batch, Pace::AtOnce, Manners::Old, seed));
            world.run(660);
            let seen = world.client(young).refusals_in(second(60), second(660));
            assert!((45 * 600..=50 * 600).contains(&seen), "{seen} in ten minutes, by {batch}");
            for at in 0..660 {
                assert!(world.client(old).refusals_in(second(at), second(at + 1)) <= 1);
            }
            assert!(world.client(old).refusals_in(second(60), second(660)) > 100, "it is throttled too");
        }
    }
}
