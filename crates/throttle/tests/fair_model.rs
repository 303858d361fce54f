//! Random histories of the fair queue, judged by a slow and obvious model of its rules (T23).
//!
//! The model keeps owners in lists that it copies and searches. It has no numbers, no links, no bound on owners and no
//! tickets: whatever the queue does to save steps must not show.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::cast_possible_wrap,
    reason = "tests"
)]

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use weir_throttle::fair::{Arrival, FairBounds, FairQueue, LimitRules, Ticket, Weight};
use weir_units::{Micros, Owner, Tick};

#[derive(Clone, Debug)]
enum Step {
    Arrive(u8, u32),
    Anyway(u8),
    /// A running call ends and cost so much.
    Done(usize, u64),
    /// A call, running or not, has gone.
    Leave(usize),
    Places(u32),
    Advance(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => (0_u8..6, 1_u32..4).prop_map(|(owner, weight)| Step::Arrive(owner, weight)),
        1 => (0_u8..6).prop_map(Step::Anyway),
        8 => (0_usize..40, 0_u64..50_000).prop_map(|(call, cost)| Step::Done(call, cost)),
        1 => (0_usize..40, 0_u64..9_000_000).prop_map(|(call, cost)| Step::Done(call, cost)),
        2 => (0_usize..40).prop_map(Step::Leave),
        1 => (1_u32..6).prop_map(Step::Places),
        2 => (0_u64..40_000_000).prop_map(Step::Advance),
    ]
}

const BOUNDS: FairBounds =
    FairBounds { per_owner: 6, in_all: 15, owners: 1_000, cost_max: Micros::new(2_000_000) };
/// As the queue has them.
const QUANTUM_MIN: i64 = 1_000;
const JOINS_MIN: usize = 64;
const SAVED_SHARES: i64 = 4;

#[derive(Clone, Debug, Default)]
struct Account {
    weight: i64,
    /// The numbers of the calls that wait.
    line: Vec<usize>,
    running: usize,
    remainder: i64,
    round: i64,
    saved: i64,
    usual: i64,
}

/// Owners by name; nobody is in two of the lists.
#[derive(Default)]
struct Model {
    places: usize,
    accounts: BTreeMap<u8, Account>,
    prompt: Vec<u8>,
    turn: Vec<u8>,
    next_turn: Vec<u8>,
    idle: Vec<u8>,
    round: i64,
    share: i64,
    joins: usize,
    usual: i64,
    /// When calls ended and what they cost.
    costs: Vec<(u64, i64)>,
    /// The largest of the last minute when a call ended or a round began last: between, the queue looks at no clock.
    largest_seen: i64,
    /// Running calls: whose, and what he was charged.
    running: BTreeMap<usize, (u8, i64)>,
    now: u64,
}

impl Model {
    fn waiting(&self) -> usize {
        self.accounts.values().map(|account| account.line.len()).sum()
    }

    fn largest(&self) -> i64 {
        let first = (self.now / 5_000_000).saturating_sub(12);
        let last_minute = self.costs.iter().filter(|(at, _)| at / 5_000_000 >= first);
        last_minute.map(|(_, cost)| *cost).max().unwrap_or(0)
    }

    fn waits(&self, whose: u8) -> bool {
        [&self.prompt, &self.turn, &self.next_turn].iter().any(|list| list.contains(&whose))
    }

    fn left(&self, whose: u8) -> i64 {
        self.left_and_saved(whose).0
    }

    fn left_and_saved(&self, whose: u8) -> (i64, i64) {
        let account = &self.accounts[&whose];
        let ahead_max = self.places as i64 + 1;
        let rounds = (self.round - account.round).min(ahead_max + 1 + SAVED_SHARES);
        if rounds == 0 {
            return (account.remainder, account.saved);
        }
        let most = self.share.max(self.largest_seen) * ahead_max;
        let share = self.share * account.weight;
        let left = account.remainder.max(-most) + share * rounds;
        if self.waits(whose) {
            return (left, account.saved);
        }
        (left.min(share), account.saved.saturating_add((left - share).max(0)).min(share * SAVED_SHARES))
    }

    fn refresh(&mut self, whose: u8) -> i64 {
        let ((left, saved), round) = (self.left_and_saved(whose), self.round);
        let account = self.accounts.get_mut(&whose).unwrap();
        (account.remainder, account.saved, account.round) = (left, saved, round);
        left
    }

    fn out(&mut self, whose: u8) {
        for list in [&mut self.prompt, &mut self.turn, &mut self.next_turn, &mut self.idle] {
            list.retain(|other| *other != whose);
        }
    }

    fn admit(&mut self, whose: u8, weight: u32) {
        let usual = self.usual;
        let account = self.accounts.entry(whose).or_insert_with(|| Account {
            usual,
            saved: i64::MAX,
            ..Account::default()
        });
        account.weight = i64::from(weight);
    }

    /// What the queue should answer, and what it does; whether the call runs.
    fn arrive(&mut self, call: usize, whose: u8, weight: u32) -> Option<bool> {
        self.admit(whose, weight);
        if self.waiting() == 0 && self.running.len() < self.places {
            self.start(call, whose);
            return Some(true);
        }
        if self.accounts[&whose].line.len() >= 6 || self.waiting() >= 15 {
            self.settle(whose);
            return None;
        }
        self.accounts.get_mut(&whose).unwrap().line.push(call);
        if self.accounts[&whose].line.len() == 1 {
            let joins = self.accounts[&whose].round < self.round;
            let left = self.refresh(whose);
            self.out(whose);
            if joins && self.joins == 0 {
                self.accounts.get_mut(&whose).unwrap().remainder = left.min(0);
                self.next_turn.push(whose);
                return Some(false);
            }
            self.joins -= usize::from(joins);
            let (share, account) = (self.share, self.accounts.get_mut(&whose).unwrap());
            let from_saved = (share * account.weight - left).max(0).min(account.saved);
            account.saved -= from_saved;
            account.remainder = left + from_saved;
            if account.remainder > 0 { self.prompt.push(whose) } else { self.next_turn.push(whose) }
        }
        Some(false)
    }

    fn start(&mut self, call: usize, whose: u8) {
        let (left, share) = (self.refresh(whose), self.share);
        let account = self.accounts.get_mut(&whose).unwrap();
        let charged = account.usual.min(share);
        account.running += 1;
        account.remainder = left - charged;
        let (waits, has_left) = (!account.line.is_empty(), account.remainder > 0);
        self.running.insert(call, (whose, charged));
        if !waits {
            self.out(whose);
        } else if !has_left && !self.next_turn.contains(&whose) {
            self.out(whose);
            self.next_turn.push(whose);
        } else if has_left && self.prompt.contains(&whose) {
            self.out(whose);
            self.prompt.push(whose);
        } else if has_left && !self.turn.contains(&whose) {
            self.out(whose);
            self.turn.push(whose);
        }
    }

    fn leave(&mut self, call: usize) {
        let whose = if let Some((whose, charged)) = self.running.remove(&call) {
            let account = self.accounts.get_mut(&whose).unwrap();
            account.running -= 1;
            account.remainder += charged;
            whose
        } else {
            let his = self.accounts.iter_mut().find(|(_, account)| account.line.contains(&call));
            let (whose, account) = his.unwrap();
            account.line.retain(|other| *other != call);
            *whose
        };
        self.settle(whose);
    }

    fn done(&mut self, call: usize, cost: u64) {
        let cost = cost.min(2_000_000) as i64;
        let (whose, charged) = self.running.remove(&call).unwrap();
        self.costs.push((self.now, cost));
        self.largest_seen = self.largest();
        self.usual += (cost - self.usual) / 8;
        let account = self.accounts.get_mut(&whose).unwrap();
        account.usual += (cost - account.usual) / 8;
        account.running -= 1;
        account.remainder += charged - cost;
        self.settle(whose);
        self.sweep();
    }

    fn settle(&mut self, whose: u8) {
        let account = &self.accounts[&whose];
        if account.line.is_empty() && account.running == 0 {
            if !self.idle.contains(&whose) {
                self.out(whose);
                self.idle.push(whose);
            }
            if self.may_forget(whose) {
                self.forget(whose);
            }
        } else if account.line.is_empty() {
            self.out(whose);
        } else if self.next_turn.contains(&whose) && account.round == self.round && account.remainder > 0 {
            self.out(whose);
            self.turn.insert(0, whose);
        }
    }

    fn may_forget(&self, whose: u8) -> bool {
        let ((left, saved), share) = (self.left_and_saved(whose), self.share * self.accounts[&whose].weight);
        self.waiting() == 0 || (left >= share && saved >= share * SAVED_SHARES)
    }

    fn forget(&mut self, whose: u8) {
        self.out(whose);
        self.accounts.remove(&whose);
    }

    fn sweep(&mut self) {
        for _ in 0..2 {
            match self.idle.first() {
                Some(whose) if self.may_forget(*whose) => self.forget(*whose),
                _ => return,
            }
        }
    }

    fn begin_round(&mut self) {
        self.turn.append(&mut self.next_turn);
        self.round += 1;
        self.largest_seen = self.largest();
        self.share = self.largest_seen.clamp(QUANTUM_MIN, 2_000_000);
        self.joins = self.turn.len().max(JOINS_MIN);
    }

    /// The call that runs next.
    fn next(&mut self) -> Option<usize> {
        if self.waiting() == 0 {
            self.begin_round();
            self.sweep();
            return None;
        }
        if self.running.len() >= self.places {
            return None;
        }
        loop {
            let Some(whose) = self.prompt.first().or(self.turn.first()).copied() else {
                self.begin_round();
                continue;
            };
            if self.refresh(whose) > 0 {
                let call = self.accounts.get_mut(&whose).unwrap().line.remove(0);
                self.start(call, whose);
                return Some(call);
            }
            self.out(whose);
            self.next_turn.push(whose);
        }
    }
}

/// The queue and the model side by side.
struct Pair {
    queue: FairQueue<usize>,
    model: Model,
    tickets: BTreeMap<usize, Ticket>,
    calls: usize,
}

impl Pair {
    fn take(&mut self, step: &Step) {
        let now = Tick::new(self.model.now);
        match *step {
            Step::Arrive(whose, weight) => self.arrive(whose, weight),
            Step::Anyway(whose) => {
                self.model.admit(whose, 1);
                self.model.start(self.calls, whose);
                let ticket = self.queue.run_anyway(&owner(whose), Weight::ONE);
                self.tickets.insert(self.calls, ticket);
                self.calls += 1;
            }
            Step::Done(which, cost) => {
                let Some(call) = self.model.running.keys().nth(which).copied() else { return };
                self.model.done(call, cost);
                self.queue.done(self.tickets.remove(&call).unwrap(), Micros::new(cost), true, now);
            }
            Step::Leave(which) => {
                let Some(call) = self.tickets.keys().nth(which).copied() else { return };
                self.model.leave(call);
                self.queue.leave(self.tickets.remove(&call).unwrap());
            }
            Step::Places(places) => {
                self.model.places = places as usize;
                self.queue.set_limit(LimitRules::fixed(places).unwrap());
            }
            Step::Advance(by) => self.model.now += by,
        }
    }

    fn arrive(&mut self, whose: u8, weight: u32) {
        let runs = self.model.arrive(self.calls, whose, weight);
        let ticket = match self.queue.arrive(&owner(whose), Weight::new(weight)) {
            Arrival::Run(ticket) => {
                assert_eq!(runs, Some(true));
                ticket
            }
            Arrival::Wait(ticket) => {
                assert_eq!(runs, Some(false));
                assert!(!self.queue.look(&ticket, || self.calls));
                ticket
            }
            Arrival::Refuse(_) => return assert_eq!(runs, None),
        };
        self.tickets.insert(self.calls, ticket);
        self.calls += 1;
    }

    fn compare(&mut self) {
        loop {
            let (seen, expected) = (self.queue.next(Tick::new(self.model.now)), self.model.next());
            assert_eq!(seen.map(Option::unwrap), expected);
            if expected.is_none() {
                break;
            }
        }
        let places = self.queue.places() as usize;
        assert!(self.model.waiting() == 0 || self.model.running.len() >= places, "a place is free");
        assert_eq!(self.queue.running() as usize, self.model.running.len());
        assert_eq!(self.queue.waiting() as usize, self.model.waiting());
        assert_eq!(self.queue.owners(), self.model.accounts.len());
        for (whose, account) in &self.model.accounts {
            let seen = self.queue.of(&owner(*whose));
            assert_eq!((seen.running as usize, seen.waiting as usize), (account.running, account.line.len()));
            assert_eq!(seen.ahead.count() as i64, (-self.model.left(*whose)).max(0));
        }
    }
}

fn owner(number: u8) -> Owner {
    Owner::new(&number.to_string())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn every_history_is_judged_as_the_model_judges_it(places in 1_u32..5, steps in vec(step(), 1..300)) {
        let model = Model {
            places: places as usize, round: 1, share: QUANTUM_MIN, joins: JOINS_MIN, ..Model::default()
        };
        let queue = FairQueue::new(LimitRules::fixed(places).unwrap(), BOUNDS);
        let mut pair = Pair { queue, model, tickets: BTreeMap::new(), calls: 0 };
        for step in &steps {
            pair.take(step);
            pair.compare();
        }
    }
}
