//! Random histories of one session and its origin, judged by a slow and obvious model of the rules (R2–R4, R7–R10).
//!
//! The model keeps every packet, every request that passed and every entry that is owed, as the rules say it, and looks
//! through all of them each time. It agrees exactly.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::as_conversions, reason = "tests")]

use proptest::collection::vec;
use proptest::prelude::*;
use weir_throttle::rpc::{RpcDecision, RpcFactor, RpcLatency, RpcRules, RpcSession};
use weir_units::{Micros, Millis, Tick};

const SECOND: u64 = 1_000_000;
const SAMPLE: u64 = 20 * SECOND;

#[derive(Clone, Debug)]
enum Step {
    Advance(u64),
    /// Comes when the current entry is over, or so many microseconds before or after.
    Obey(i64),
    Ask(u32),
    Packets(u64, usize),
    Factor(u64),
    Floor(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..3_000_000u64).prop_map(Step::Advance),
        2 => (0..40_000_000u64).prop_map(Step::Advance),
        1 => prop::sample::select(vec![SAMPLE - 1, SAMPLE, 3 * SAMPLE, 4 * SAMPLE, 3_600 * SECOND])
            .prop_map(Step::Advance),
        6 => (-2i64..3).prop_map(Step::Obey),
        12 => prop_oneof![Just(0u32), 1..5u32, 1..2_000u32].prop_map(Step::Ask),
        4 => (prop_oneof![0..200_000u64, 0..6_000_000u64], prop_oneof![1..4usize, 900..2_000usize])
            .prop_map(|(took, times)| Step::Packets(took, times)),
        1 => prop_oneof![Just(0u64), 0..5_001u64].prop_map(Step::Factor),
        1 => (0..200_000u64).prop_map(Step::Floor),
    ]
}

/// The rules, word by word. Times are microseconds.
#[derive(Default)]
struct Model {
    packets: Vec<u64>,
    /// When a request passed, and how many operations it had.
    passed: Vec<(u64, u64)>,
    /// When an entry was inserted, and how long it lasts.
    entries: Vec<(u64, u64)>,
    refused: Vec<u64>,
}

impl Model {
    fn latency(&self) -> u64 {
        let last = &self.packets[self.packets.len().saturating_sub(1024)..];
        last.iter().sum::<u64>().checked_div(last.len() as u64).unwrap_or(0)
    }

    /// Operations in the sample that is so many before the current one.
    fn sample(&self, before: u64, now: u64) -> u64 {
        let of = |at: u64| at / SAMPLE + before == now / SAMPLE;
        self.passed.iter().filter(|(at, _)| of(*at)).map(|(_, rops)| rops).sum()
    }

    /// The sliding minute's operations, in parts of which a sample's length makes one.
    fn minute(&self, now: u64) -> u64 {
        let full = self.sample(0, now) + self.sample(1, now) + self.sample(2, now);
        full * SAMPLE + self.sample(3, now) * (SAMPLE - now % SAMPLE)
    }

    fn outruns(&self, now: u64) -> bool {
        // 60 s ÷ operations < latency
        u128::from(60 * SECOND) * u128::from(SAMPLE)
            < u128::from(self.minute(now)) * u128::from(self.latency())
    }

    fn ask(&mut self, rops: u64, factor: u64, floor: u64, now: u64) -> RpcDecision {
        if factor == 0 {
            self.entries.clear();
        }
        self.entries.retain(|(inserted, duration)| inserted + duration > now);
        if rops == 0 {
            return RpcDecision::Pass;
        }
        if let Some((inserted, duration)) = self.entries.first() {
            let left = (inserted + duration - now).div_ceil(1000);
            self.refused.push(left);
            return RpcDecision::BackOff(Millis::new(left));
        }
        let owes = self.outruns(now) && factor > 0 && self.latency() >= floor;
        self.passed.push((now, rops));
        if !owes {
            return RpcDecision::Pass;
        }
        let duration = (self.latency() * factor / 1000).clamp(1_000, 2_000_000);
        let mut end = now;
        for _ in 0..rops {
            let fits = duration.min(now + 30 * SECOND - end);
            if fits > 0 {
                self.entries.push((end, fits));
            }
            end += fits;
        }
        RpcDecision::PassOwing { debt: Micros::new(end - now) }
    }

    /// What the last 60 s hold, whatever the samples.
    fn exactly(&self, now: u64) -> u64 {
        let young = |at: u64| at + 60 * SECOND > now;
        self.passed.iter().filter(|(at, _)| young(*at)).map(|(_, rops)| rops).sum()
    }
}

#[derive(Default)]
struct Pair {
    session: RpcSession,
    latency: RpcLatency,
    model: Model,
    factor: u64,
    floor: u64,
    now: u64,
}

impl Pair {
    fn step(&mut self, step: &Step) {
        match *step {
            Step::Advance(micros) => self.now += micros,
            Step::Obey(offset) => {
                let current =
                    self.model.entries.iter().find(|(inserted, length)| inserted + length > self.now);
                if let Some((inserted, length)) = current {
                    self.now = self.now.max((inserted + length).checked_add_signed(offset).unwrap());
                }
            }
            Step::Ask(rops) => self.ask(rops),
            Step::Packets(took, times) => {
                for _ in 0..times {
                    self.latency.record(Micros::new(took));
                    self.model.packets.push(took);
                }
            }
            Step::Factor(factor) => self.factor = factor,
            Step::Floor(floor) => self.floor = floor,
        }
        self.compare();
    }

    fn ask(&mut self, rops: u32) {
        let rules = RpcRules { factor: RpcFactor::new(self.factor).unwrap(), floor: Micros::new(self.floor) };
        let seen = self.session.decide(rops, self.latency.mean(), &rules, Tick::new(self.now));
        let expected = self.model.ask(rops.into(), self.factor, self.floor, self.now);
        assert_eq!(seen, expected, "at {} µs", self.now);
        match seen {
            RpcDecision::Pass => {}
            RpcDecision::PassOwing { debt } => assert!(debt <= Micros::SECOND.times(30)),
            RpcDecision::BackOff(left) => assert!((1..=2_000).contains(&left.count())),
        }
    }

    fn compare(&self) {
        let (model, now) = (&self.model, self.now);
        assert_eq!(self.latency.mean().count(), model.latency());
        let state = self.session.state(Tick::new(now));
        assert_eq!(state.last_minute.count(), (model.minute(now) + SAMPLE / 2) / SAMPLE);
        let full = model.sample(0, now) + model.sample(1, now) + model.sample(2, now);
        assert!((full..=full + model.sample(3, now)).contains(&model.exactly(now)), "as exact as a sample");
        assert_eq!(state.rops, model.passed.iter().map(|(_, rops)| rops).sum::<u64>());
        assert_eq!(state.backoffs, model.refused.len() as u64);
        assert_eq!(state.handed_out.count(), model.refused.iter().sum::<u64>());
        let debt = model.entries.last().map_or(0, |(inserted, duration)| inserted + duration);
        assert_eq!(state.debt.count(), debt.saturating_sub(now));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn every_history_of_a_session_is_judged_as_the_model_judges_it(
        start in prop::sample::select(vec![0u64, 7 * SECOND, 86_400 * SECOND, 3_000_000 * SECOND]),
        first in 0..200_000u64,
        steps in vec(step(), 1..150),
    ) {
        let mut pair = Pair { now: start, factor: 1000, ..Pair::default() };
        pair.step(&Step::Packets(first, 1024));
        for step in &steps {
            pair.step(step);
        }
    }
}
