//! Random histories, judged by a slow and obvious model of the rules (T5–T7, T10, T25, T26).
//!
//! The model keeps every stretch of time that every call was ever charged, and adds up. It uses the same slices as the
//! budget (T5), so times agree to the rounding of the budget's samples; counts agree exactly.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "tests"
)]

mod reference;

use proptest::collection::vec;
use proptest::prelude::*;
use reference::{ANY_TIME, Answer, Model, Sure};
use weir_throttle::{Admission, Budget, Call, ComponentLimits, Look, Rules, SLICE};
use weir_units::{Component, Micros, Part, Percent, Tick, TimePart};

/// How far the budget's samples may round a sum.
const ROUNDING: u64 = 300;

#[derive(Clone, Debug)]
enum Step {
    Advance(u64),
    Admit,
    Look(usize),
    Recheck(usize),
    Pause(usize),
    Resume(usize),
    Enter(usize, TimePart),
    Leave(usize),
    RunInDebt(usize),
    Hang(usize),
    End(usize),
    ChargeFound(usize, u32),
    TakeFound(usize, u32, u32),
    ReleaseFound(usize, u32),
    Subscribe,
    Unsubscribe(u32),
}

fn step() -> impl Strategy<Value = Step> {
    let call = 0usize..8;
    let phase =
        prop::sample::select(vec![TimePart::Ad, TimePart::AddressBook, TimePart::MailboxRpc, TimePart::Cas]);
    prop_oneof![
        6 => (0u64..3_000_000).prop_map(Step::Advance),
        2 => (0u64..30_000_000).prop_map(Step::Advance),
        1 => prop::sample::select(vec![4_999_999, 5_000_000, 59_999_999, 60_000_000, 65_000_000, 600_000_000,
            3_600_000_000, 90_000_000_000]).prop_map(Step::Advance),
        8 => Just(Step::Admit),
        4 => call.clone().prop_map(Step::Look),
        2 => call.clone().prop_map(Step::Recheck),
        2 => call.clone().prop_map(Step::Pause),
        3 => call.clone().prop_map(Step::Resume),
        4 => (call.clone(), phase).prop_map(|(call, phase)| Step::Enter(call, phase)),
        3 => call.clone().prop_map(Step::Leave),
        1 => call.clone().prop_map(Step::RunInDebt),
        1 => call.clone().prop_map(Step::Hang),
        5 => call.clone().prop_map(Step::End),
        1 => (call.clone(), 0u32..20).prop_map(|(call, n)| Step::ChargeFound(call, n)),
        2 => (call.clone(), 0u32..20, 0u32..2).prop_map(|(call, n, least)| Step::TakeFound(call, n, least)),
        1 => (call, 0u32..20).prop_map(|(call, n)| Step::ReleaseFound(call, n)),
        1 => Just(Step::Subscribe),
        1 => (0u32..3).prop_map(Step::Unsubscribe),
    ]
}

fn limits() -> impl Strategy<Value = ComponentLimits> {
    let allowance = || {
        prop::option::of(
            prop_oneof![1u32..12, 1u32..200].prop_map(|percent| Percent::new(percent).of_minute()),
        )
    };
    let time = [allowance(), allowance(), allowance(), allowance()];
    (prop::option::of(1u32..6), 0u32..3, time, prop::option::of(1u32..40), prop::option::of(0u32..4))
        .prop_map(|(max_concurrency, hanging, time, find_count, max_subscriptions)| ComponentLimits {
            component: Component::Ews,
            max_concurrency,
            hanging,
            time,
            find_count,
            max_subscriptions,
            fast_search: None,
        })
}

/// The budget and the model side by side.
struct Pair {
    budget: Budget,
    model: Model,
    calls: Vec<Option<Call>>,
    limits: ComponentLimits,
    rules: Rules,
    now: Tick,
}

impl Pair {
    fn step(&mut self, step: &Step) {
        match step {
            Step::Advance(micros) => self.now = self.now.plus(Micros::new(*micros)),
            Step::Admit => self.admit(),
            Step::Subscribe => {
                let taken = self.budget.add_subscription(&self.limits).is_ok();
                assert_eq!(taken, self.model.subscribe(&self.limits));
            }
            Step::Unsubscribe(n) => {
                self.budget.remove_subscriptions(*n);
                self.model.unsubscribe(*n);
            }
            Step::End(index) => self.end(*index),
            Step::Look(index)
            | Step::Recheck(index)
            | Step::Pause(index)
            | Step::Resume(index)
            | Step::Enter(index, _)
            | Step::Leave(index)
            | Step::RunInDebt(index)
            | Step::Hang(index)
            | Step::ChargeFound(index, _)
            | Step::TakeFound(index, ..)
            | Step::ReleaseFound(index, _) => {
                if let Some(id) = self.id(*index) {
                    let mut call = self.calls[id].take().unwrap();
                    self.act(step, id, &mut call);
                    self.calls[id] = Some(call);
                }
            }
        }
        self.compare();
    }

    fn act(&mut self, step: &Step, id: usize, call: &mut Call) {
        let (budget, model, limits, now) = (&self.budget, &mut self.model, &self.limits, self.now);
        match step {
            Step::Look(_) => {
                let look = budget.look(call, limits, now);
                model.look(id, look == Look::Run, limits, ROUNDING, now);
            }
            Step::Recheck(_) => {
                let look = budget.recheck(call, limits, now);
                model.recheck(id, look == Look::Run, limits, ROUNDING, now);
            }
            Step::Pause(_) => {
                budget.pause(call, now);
                model.pause(id, now);
            }
            Step::Resume(_) => {
                budget.resume(call, now);
                model.resume(id, now);
            }
            Step::Enter(_, phase) => {
                budget.enter(call, *phase, now);
                model.enter(id, *phase, now);
            }
            Step::Leave(_) => {
                budget.leave(call, now);
                model.leave(id, now);
            }
            Step::RunInDebt(_) => {
                budget.run_in_debt(call, now);
                model.run_in_debt(id, now);
            }
            Step::Hang(_) => {
                let hangs = budget.hang(call, limits, now).is_ok();
                assert_eq!(hangs, model.hang(id, limits, now));
            }
            Step::ChargeFound(_, n) => {
                budget.charge_found(call, *n);
                model.charge_found(id, *n);
            }
            Step::TakeFound(_, n, least) => {
                let taken = budget.take_found(call, limits, *n, *least);
                assert_eq!(taken, model.take_found(id, *n, *least, limits));
            }
            Step::ReleaseFound(_, n) => {
                budget.release_found(call, *n);
                model.release_found(id, *n);
            }
            Step::Advance(_) | Step::Admit | Step::End(_) | Step::Subscribe | Step::Unsubscribe(_) => {}
        }
    }

    fn admit(&mut self) {
        let expected = self.model.admission(&self.limits, self.rules, ROUNDING, self.now);
        let (answer, call) = match self.budget.admit(&self.limits, &self.rules, self.now) {
            Admission::Run(call) => (Answer::Run, Some(call)),
            Admission::Wait(call, _) => (Answer::Wait, Some(call)),
            Admission::Refuse(refusal) => match refusal.part {
                Part::Time(_) => (Answer::Refuse(ANY_TIME), None),
                other => (Answer::Refuse(other), None),
            },
        };
        match expected {
            Sure::Is(expected) => assert_eq!(answer, expected),
            Sure::Either => assert!(!matches!(answer, Answer::Refuse(Part::MaxConcurrency))),
        }
        if let Some(call) = call {
            self.model.enter_call(answer == Answer::Run, self.now);
            self.calls.push(Some(call));
        }
    }

    fn end(&mut self, index: usize) {
        if let Some(id) = self.id(index) {
            let call = self.calls[id].take().unwrap();
            let _ = self.budget.end(call, self.now);
            self.model.end(id, self.now);
        }
    }

    /// The `index`th call that has not ended.
    fn id(&self, index: usize) -> Option<usize> {
        let live: Vec<usize> = (0..self.calls.len()).filter(|id| self.calls[*id].is_some()).collect();
        live.get(index.checked_rem(live.len())?).copied()
    }

    fn compare(&self) {
        let snapshot = self.budget.snapshot(&self.limits, self.now);
        assert_eq!(snapshot.connections, self.model.places());
        assert_eq!(snapshot.hanging, self.model.hanging());
        assert_eq!(snapshot.waiting, self.model.waiting());
        assert_eq!(snapshot.find_count.1, self.model.found());
        assert_eq!(snapshot.subscriptions.1, self.model.subscriptions());
        for part in TimePart::ALL {
            let used = snapshot.time[part.index()].used.count();
            let expected = self.model.used(part, self.now);
            assert!(used.abs_diff(expected) <= ROUNDING, "{part:?}: {used} µs, the model says {expected} µs");
            let exact = self.model.used_exactly(part, self.now);
            let slack = SLICE.count() * self.model.ran_in_last_minute(part, self.now) + ROUNDING;
            assert!(used.abs_diff(exact) <= slack, "{part:?}: {used} µs, the last 60 s hold {exact} µs");
        }
        self.compare_retry();
    }

    /// While nothing runs, the moment that a refusal names is the first at which the owner is not over budget.
    fn compare_retry(&self) {
        let refusal = self.budget.refusal(&self.limits, self.now);
        if self.model.runs() || self.model.within(&self.limits, ROUNDING, self.now) != Sure::Is(false) {
            return;
        }
        let Some(wait) = refusal.retry_after else { panic!("waiting helps, as something is allowed") };
        let then = self.now.plus(wait.micros());
        let slack = 2 * ROUNDING;
        assert_ne!(self.model.within(&self.limits, slack, then), Sure::Is(false), "too early by {refusal:?}");
        if let Some(before) = then.micros().checked_sub(1001 + slack)
            && before > self.now.micros()
        {
            let within = self.model.within(&self.limits, slack, Tick::new(before));
            assert_ne!(within, Sure::Is(true), "too late by {refusal:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn every_history_is_judged_as_the_model_judges_it(
        limits in limits(),
        delay in prop::bool::weighted(0.85),
        max_waiting in 0u32..6,
        start in prop::sample::select(vec![0u64, 7_000_000, 86_400_000_000, 3_000_000_000_000]),
        steps in vec(step(), 1..120),
    ) {
        let over_budget =
            if delay { weir_throttle::OverBudget::Delay } else { weir_throttle::OverBudget::Refuse };
        let mut pair = Pair {
            budget: Budget::new(),
            model: Model::default(),
            calls: Vec::new(),
            limits,
            rules: Rules { over_budget, max_waiting },
            now: Tick::new(start),
        };
        for step in &steps {
            pair.step(step);
        }
        while pair.id(0).is_some() {
            pair.step(&Step::End(0));
        }
        pair.budget.remove_subscriptions(u32::MAX);
        prop_assert!(pair.budget.is_idle(Micros::MINUTE, pair.now.plus(Micros::MINUTE.times(2))));
    }
}
