//! The documents' scenario from end to end, without a socket: three equal targets, one of them down (H1–H3, H6, H8,
//! H9).
//!
//! A queue, its levels and the list of unhealthy targets work together as a delivery does: it asks for a connection,
//! picks a target, sends up to twenty messages, and reports. Time is a number that the world moves on.

#![allow(clippy::panic, clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::collections::BTreeMap;
use std::net::SocketAddr;

use proptest::prelude::*;
use weir_balance::{Attempt, Failure, Health, Rotation, Service, Settings, Target};
use weir_transport::next_hop::{Choice, Level, Levels};
use weir_transport::queue::{
    After, Cause, Connections, Deferral, Feedback, NextHopQueue, QueueSettings, QueueState, after_message,
};
use weir_units::{Micros, Tick};

/// How a target behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mood {
    Well,
    Refuses,
    /// No answer to a connect, which ends after [`CONNECT_TIMEOUT`] seconds.
    Swallows,
}

const CONNECT_TIMEOUT: u64 = 30;
const FAR: Tick = Tick::new(u64::MAX / 2);

struct World {
    queue: NextHopQueue<u32>,
    levels: Levels,
    process: Connections,
    settings: QueueSettings,
    moods: Vec<Mood>,
    /// Connects that get no answer, by when they end.
    hanging: Vec<(Tick, usize, Attempt)>,
    connections: BTreeMap<usize, u32>,
    attempts: BTreeMap<usize, u32>,
    delivered: Vec<u32>,
    now: Tick,
}

fn seconds(count: u64) -> Micros {
    Micros::SECOND.times(count)
}

fn address(number: usize) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, u8::try_from(11 + number).unwrap()], 25))
}

impl World {
    fn new(rotation: Rotation, moods: &[Mood]) -> Self {
        let target = |number: usize| Target::new(address(number), &format!("mx{number}.pool.test"));
        let level = Level { preference: 10, targets: (0..moods.len()).map(target).collect() };
        let balance = Settings { rotation, ..Settings::hub() };
        let settings = QueueSettings::default();
        Self {
            queue: NextHopQueue::new(settings, Tick::START),
            levels: Levels::new(&[level], None, balance, &Health::default()).unwrap(),
            process: Connections::new(&settings),
            settings,
            moods: moods.to_vec(),
            hanging: Vec::new(),
            connections: BTreeMap::new(),
            attempts: BTreeMap::new(),
            delivered: Vec::new(),
            now: Tick::START,
        }
    }

    fn add(&mut self, messages: std::ops::Range<u32>) {
        for message in messages {
            self.queue.add(message, FAR, self.now).unwrap();
        }
    }

    /// Opens connections as long as one is wanted and a target may be tried.
    fn go(&mut self) {
        while self.queue.wants_connection(&self.process, self.now) {
            match self.levels.pick(self.now) {
                Choice::NoneUntil(until) => return self.queue.block(until, self.now),
                Choice::Target { level, attempt } => self.connect(level, attempt),
            }
        }
    }

    fn connect(&mut self, level: usize, attempt: Attempt) {
        let number = (0..self.moods.len()).find(|number| address(*number) == attempt.address()).unwrap();
        *self.attempts.entry(number).or_default() += 1;
        assert!(self.process.take(0));
        self.queue.opening();
        match self.moods[number] {
            Mood::Swallows => self.hanging.push((self.now.plus(seconds(CONNECT_TIMEOUT)), level, attempt)),
            Mood::Refuses => self.failed(level, attempt, Failure::Refused),
            Mood::Well => {
                *self.connections.entry(number).or_default() += 1;
                let recovered = self.levels.selector(level).unwrap().connected(attempt, self.now);
                if recovered.is_some() {
                    self.queue.recovered();
                }
                self.queue.connected(self.now);
                self.send();
            }
        }
    }

    /// The old rotation goes on with the next target for the same connection.
    fn failed(&mut self, level: usize, attempt: Attempt, failure: Failure) {
        let selector = self.levels.selector(level).unwrap();
        let failed = selector.failed(attempt, failure, self.now);
        self.queue.not_connected(&failure.to_string().into());
        self.process.give_back();
        if selector.settings().rotation == Rotation::Rtm
            && let Some(next) = selector.pick_again(failed.again, self.now).attempt()
        {
            self.connect(level, next);
        }
    }

    fn send(&mut self) {
        let mut sent = 0;
        while let Some(message) = self.queue.take(self.now) {
            self.delivered.push(message);
            self.queue.learn(Feedback::Delivered);
            self.queue.done(message, self.now);
            sent += 1;
            let ready = self.queue.ready(self.now);
            match after_message(sent, ready, Service::Enabled, &self.settings) {
                After::Send => {}
                After::Close(_) => break,
            }
        }
        self.queue.closed(self.now);
        self.process.give_back();
    }

    /// Moves on to the next moment at which something happens, but not beyond `end`.
    fn pass(&mut self, end: Tick) {
        while self.now < end {
            let hanging = self.hanging.iter().map(|(at, ..)| *at).min().unwrap_or(Tick::NEVER);
            let next = hanging.min(self.queue.next_event(self.now)).min(end);
            assert!(next > self.now, "nothing that is due is left alone");
            self.now = next;
            while let Some(place) = self.hanging.iter().position(|(at, ..)| *at <= next) {
                let (_, level, attempt) = self.hanging.remove(place);
                self.failed(level, attempt, Failure::TimedOut);
            }
            self.go();
        }
    }

    fn split(&self) -> Vec<u32> {
        (0..self.moods.len()).map(|number| self.connections.get(&number).copied().unwrap_or(0)).collect()
    }

    fn attempts(&self, number: usize) -> u32 {
        self.attempts.get(&number).copied().unwrap_or(0)
    }
}

use Mood::{Refuses, Swallows, Well};

#[test]
fn with_one_of_three_down_each_of_the_others_has_half_of_the_connections() {
    let mut world = World::new(Rotation::Healthy, &[Well, Refuses, Well]);
    world.add(0..6000);
    world.go();
    assert_eq!(world.delivered.len(), 6000);
    let split = world.split();
    assert_eq!(split.iter().sum::<u32>(), 300, "20 messages a connection");
    assert!(split[0].abs_diff(split[2]) <= 1, "{split:?}");
    assert_eq!(world.attempts(1), 1, "the dead one was tried once");
}

#[test]
fn the_old_rotation_gives_two_thirds_to_the_target_after_the_dead_one() {
    let mut world = World::new(Rotation::Rtm, &[Well, Refuses, Well]);
    world.add(0..6000);
    world.go();
    let split = world.split();
    assert_eq!(split.iter().sum::<u32>(), 300);
    assert!(split[0].abs_diff(100) <= 1 && split[2].abs_diff(200) <= 1, "{split:?}");
    assert_eq!(world.attempts(1), 100);
}

#[test]
fn a_black_hole_costs_one_connect_timeout_and_no_message_waits_for_it() {
    let mut world = World::new(Rotation::Healthy, &[Well, Swallows, Well]);
    world.add(0..600);
    world.go();
    assert_eq!(world.delivered.len(), 600, "at once");
    world.pass(Tick::START.plus(seconds(59)));
    world.add(600..1200);
    world.go();
    assert_eq!((world.delivered.len(), world.attempts(1)), (1200, 1));
}

#[test]
fn with_all_down_mail_waits_for_each_due_retry_and_goes_when_one_is_back() {
    let mut world = World::new(Rotation::Healthy, &[Refuses]);
    world.add(0..50);
    world.go();
    assert_eq!(world.queue.listing(world.now).state, QueueState::Retry);
    world.pass(Tick::START.plus(Micros::MINUTE.times(20)));
    assert_eq!(world.attempts(0), 1 + 7, "at 0 and after 1 2 3 4 9 14 19 minutes");
    let listing = world.queue.listing(world.now);
    assert_eq!((listing.ready, listing.retry_count), (50, 7));
    assert_eq!(listing.next_retry, Some(Tick::START.plus(Micros::MINUTE.times(24))));
    assert_eq!(listing.last_error.as_deref(), Some("connection refused"));
    world.moods = vec![Well];
    world.pass(Tick::START.plus(Micros::MINUTE.times(24)));
    assert_eq!((world.delivered.len(), world.queue.listing(world.now).state), (50, QueueState::Ready));
}

#[test]
fn mail_deferred_by_a_lost_connection_goes_when_a_target_recovers() {
    let mut world = World::new(Rotation::Healthy, &[Refuses]);
    world.add(0..1);
    let message = world.queue.take(world.now).unwrap();
    let until = world.now.plus(Micros::MINUTE.times(60));
    let deferral = Deferral { until, cause: Cause::Connection, error: "lost".into(), judge_at: FAR };
    world.queue.defer(message, deferral);
    world.add(1..2);
    world.go();
    world.moods = vec![Well];
    world.pass(Tick::START.plus(Micros::MINUTE));
    assert_eq!(world.delivered, [1, 0], "after a minute, not after an hour");
}

proptest! {
    #[test]
    fn whatever_fails_every_message_goes_once_when_all_is_well_again(
        moods in prop::collection::vec(prop::sample::select(vec![Well, Refuses, Swallows]), 1..6),
        changes in prop::collection::vec(
            (0..6_usize, prop::sample::select(vec![Well, Refuses, Swallows]), 1..900_u64),
            0..30,
        ),
    ) {
        let mut world = World::new(Rotation::Healthy, &moods);
        let mut added = 0;
        for (number, mood, wait) in changes {
            world.add(added..added + 35);
            added += 35;
            world.go();
            world.pass(world.now.plus(seconds(wait)));
            let number = number % moods.len();
            world.moods[number] = mood;
        }
        world.moods = vec![Well; moods.len()];
        // Longer than the longest interval and a connect.
        world.pass(world.now.plus(Micros::MINUTE.times(11)));
        let mut delivered = world.delivered.clone();
        delivered.sort_unstable();
        prop_assert_eq!(delivered, (0..added).collect::<Vec<_>>());
        prop_assert_eq!(world.process.open(), 0, "every connection was given back");
        let listing = world.queue.listing(world.now);
        prop_assert_eq!((listing.state, listing.connections), (QueueState::Ready, 0));
    }
}
