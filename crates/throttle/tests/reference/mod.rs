//! The model: every call with every stretch of time it was ever charged, and a line that is a list.

use weir_throttle::{ComponentLimits, OverBudget, Rules, SLICE};
use weir_units::{Micros, Part, Tick, TimePart};

/// Stands for whichever time part a refusal names.
pub(crate) const ANY_TIME: Part = Part::Time(TimePart::Cas);

/// What the model expects of an admission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Run,
    Wait,
    Refuse(Part),
}

/// Something the model is sure of, or that hangs on less than the budget's rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sure<T> {
    Is(T),
    Either,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Running,
    Paused,
    Waiting,
    Hanging,
    Ended,
}

/// A stretch of time that a call was charged; open while it runs.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    part: TimePart,
    from: u64,
    to: Option<u64>,
}

impl Stretch {
    /// How much of it lies between `from` and `to`, counting an open one up to `now`.
    fn within(&self, from: u64, to: u64, now: u64) -> u64 {
        self.to.unwrap_or(now).min(to).saturating_sub(self.from.max(from))
    }
}

#[derive(Clone, Debug)]
struct ModelCall {
    state: State,
    phase: Option<TimePart>,
    stretches: Vec<Stretch>,
    found: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Model {
    calls: Vec<ModelCall>,
    line: Vec<usize>,
    /// The call that came out of the line last, and when.
    leader: Option<(usize, u64)>,
    subscriptions: u32,
}

impl Model {
    pub(crate) fn places(&self) -> u32 {
        self.count(|call| matches!(call.state, State::Running | State::Paused | State::Waiting))
    }

    pub(crate) fn hanging(&self) -> u32 {
        self.count(|call| call.state == State::Hanging)
    }

    pub(crate) fn waiting(&self) -> u32 {
        u32::try_from(self.line.len()).unwrap()
    }

    pub(crate) fn found(&self) -> u32 {
        self.calls.iter().map(|call| call.found).sum()
    }

    pub(crate) fn subscriptions(&self) -> u32 {
        self.subscriptions
    }

    pub(crate) fn runs(&self) -> bool {
        self.count(|call| call.state == State::Running) > 0
    }

    /// What `part` used in the last minute, the oldest slice by its share.
    pub(crate) fn used(&self, part: TimePart, now: Tick) -> u64 {
        let (slice, now) = (SLICE.count(), now.micros());
        let border = now / slice * slice;
        let gone = now - border;
        let recent = self.sum(part, (border + slice).saturating_sub(12 * slice), now, now);
        let oldest = match border.checked_sub(12 * slice) {
            Some(from) => self.sum(part, from, from + slice, now),
            None => 0,
        };
        recent + oldest - oldest * gone / slice
    }

    /// What `part` used in the last 60 s.
    pub(crate) fn used_exactly(&self, part: TimePart, now: Tick) -> u64 {
        let now = now.micros();
        self.sum(part, now.saturating_sub(Micros::MINUTE.count()), now, now)
    }

    /// How many calls `part` was charged for in the last minute and a slice.
    pub(crate) fn ran_in_last_minute(&self, part: TimePart, now: Tick) -> u64 {
        let now = now.micros();
        let from = now.saturating_sub(Micros::MINUTE.plus(SLICE).count());
        let ran = |call: &&ModelCall| {
            call.stretches.iter().any(|stretch| stretch.part == part && stretch.within(from, now, now) > 0)
        };
        u64::try_from(self.calls.iter().filter(ran).count()).unwrap()
    }

    pub(crate) fn within(&self, limits: &ComponentLimits, rounding: u64, now: Tick) -> Sure<bool> {
        let mut sure = Sure::Is(true);
        for (part, allowance) in TimePart::ALL.into_iter().zip(limits.time) {
            let Some(allowance) = allowance else { continue };
            let used = self.used(part, now);
            if used >= allowance.count() + rounding {
                return Sure::Is(false);
            }
            if used + rounding >= allowance.count() {
                sure = Sure::Either;
            }
        }
        sure
    }

    pub(crate) fn admission(
        &self,
        limits: &ComponentLimits,
        rules: Rules,
        rounding: u64,
        now: Tick,
    ) -> Sure<Answer> {
        if limits.max_concurrency.is_some_and(|limit| self.places() >= limit) {
            return Sure::Is(Answer::Refuse(Part::MaxConcurrency));
        }
        let within = self.within(limits, rounding, now);
        match rules.over_budget {
            OverBudget::Refuse => match within {
                Sure::Is(true) => Sure::Is(Answer::Run),
                Sure::Is(false) => Sure::Is(Answer::Refuse(ANY_TIME)),
                Sure::Either => Sure::Either,
            },
            OverBudget::Delay => match within {
                Sure::Is(true) if self.line.is_empty() => Sure::Is(Answer::Run),
                Sure::Either if self.line.is_empty() => Sure::Either,
                Sure::Is(_) | Sure::Either if self.waiting() >= rules.max_waiting => {
                    Sure::Is(Answer::Refuse(Part::Waiting))
                }
                Sure::Is(_) | Sure::Either => Sure::Is(Answer::Wait),
            },
        }
    }

    pub(crate) fn enter_call(&mut self, runs: bool, now: Tick) {
        let id = self.calls.len();
        self.calls.push(ModelCall { state: State::Waiting, phase: None, stretches: Vec::new(), found: 0 });
        if runs {
            self.run(id, now);
        } else {
            self.line.push(id);
        }
    }

    pub(crate) fn look(&mut self, id: usize, ran: bool, limits: &ComponentLimits, rounding: u64, now: Tick) {
        if self.calls[id].state != State::Waiting {
            assert!(ran, "a call that does not wait may always run");
            return;
        }
        let turn = self.line.first() == Some(&id) && !self.leader_holds_the_turn(now);
        let expected = if turn { self.within(limits, rounding, now) } else { Sure::Is(false) };
        assert!(expected == Sure::Either || expected == Sure::Is(ran), "call {id} ran: {ran}");
        if ran {
            self.line.retain(|waiting| *waiting != id);
            self.leader = Some((id, now.micros()));
            self.run(id, now);
        }
    }

    pub(crate) fn recheck(
        &mut self,
        id: usize,
        ran: bool,
        limits: &ComponentLimits,
        rounding: u64,
        now: Tick,
    ) {
        match self.calls[id].state {
            State::Waiting => return self.look(id, ran, limits, rounding, now),
            State::Hanging | State::Ended => return,
            State::Running | State::Paused => {}
        }
        let expected = self.within(limits, rounding, now);
        assert!(expected == Sure::Either || expected == Sure::Is(ran), "call {id} went on: {ran}");
        if !ran {
            self.stop(id, now);
            self.calls[id].state = State::Waiting;
            self.step_down(id);
            self.line.push(id);
        }
    }

    pub(crate) fn pause(&mut self, id: usize, now: Tick) {
        if self.calls[id].state == State::Running {
            self.stop(id, now);
            self.calls[id].state = State::Paused;
        }
    }

    pub(crate) fn resume(&mut self, id: usize, now: Tick) {
        if self.calls[id].state == State::Paused {
            self.run(id, now);
        }
    }

    pub(crate) fn enter(&mut self, id: usize, phase: TimePart, now: Tick) {
        self.leave(id, now);
        if phase != TimePart::Cas {
            self.calls[id].phase = Some(phase);
            if self.calls[id].state == State::Running {
                self.open(id, phase, now);
            }
        }
    }

    pub(crate) fn leave(&mut self, id: usize, now: Tick) {
        if let Some(phase) = self.calls[id].phase.take() {
            self.close(id, Some(phase), now);
        }
    }

    pub(crate) fn run_in_debt(&mut self, id: usize, now: Tick) {
        if self.calls[id].state == State::Waiting {
            self.line.retain(|waiting| *waiting != id);
            self.run(id, now);
        }
    }

    pub(crate) fn hang(&mut self, id: usize, limits: &ComponentLimits, now: Tick) -> bool {
        if self.calls[id].state == State::Hanging {
            return true;
        }
        if self.hanging() >= limits.hanging {
            return false;
        }
        self.end(id, now);
        self.calls[id].state = State::Hanging;
        true
    }

    pub(crate) fn end(&mut self, id: usize, now: Tick) {
        self.stop(id, now);
        self.line.retain(|waiting| *waiting != id);
        self.step_down(id);
        let call = &mut self.calls[id];
        (call.state, call.phase, call.found) = (State::Ended, None, 0);
    }

    pub(crate) fn charge_found(&mut self, id: usize, n: u32) {
        self.calls[id].found += n;
    }

    pub(crate) fn take_found(&mut self, id: usize, n: u32, least: u32, limits: &ComponentLimits) -> u32 {
        let left = limits.find_count.map_or(u32::MAX, |limit| limit.saturating_sub(self.found()));
        let taken = n.min(left.max(least));
        self.calls[id].found += taken;
        taken
    }

    pub(crate) fn release_found(&mut self, id: usize, n: u32) {
        let found = &mut self.calls[id].found;
        *found = found.saturating_sub(n);
    }

    pub(crate) fn subscribe(&mut self, limits: &ComponentLimits) -> bool {
        let may = limits.max_subscriptions.is_none_or(|limit| self.subscriptions < limit);
        self.subscriptions += u32::from(may);
        may
    }

    pub(crate) fn unsubscribe(&mut self, n: u32) {
        self.subscriptions = self.subscriptions.saturating_sub(n);
    }

    fn leader_holds_the_turn(&self, now: Tick) -> bool {
        let Some((id, since)) = self.leader else { return false };
        let cas = self.calls[id].stretches.iter().filter(|stretch| stretch.part == TimePart::Cas);
        let now = now.micros();
        cas.map(|stretch| stretch.within(since, now, now)).sum::<u64>() < SLICE.count()
    }

    fn step_down(&mut self, id: usize) {
        if self.leader.is_some_and(|(leader, _)| leader == id) {
            self.leader = None;
        }
    }

    fn run(&mut self, id: usize, now: Tick) {
        self.calls[id].state = State::Running;
        self.open(id, TimePart::Cas, now);
        if let Some(phase) = self.calls[id].phase {
            self.open(id, phase, now);
        }
    }

    fn stop(&mut self, id: usize, now: Tick) {
        self.close(id, None, now);
    }

    fn open(&mut self, id: usize, part: TimePart, now: Tick) {
        self.calls[id].stretches.push(Stretch { part, from: now.micros(), to: None });
    }

    /// Ends the open stretches of `part`, or of all parts.
    fn close(&mut self, id: usize, part: Option<TimePart>, now: Tick) {
        for stretch in &mut self.calls[id].stretches {
            if stretch.to.is_none() && part.is_none_or(|part| part == stretch.part) {
                stretch.to = Some(now.micros());
            }
        }
    }

    fn sum(&self, part: TimePart, from: u64, to: u64, now: u64) -> u64 {
        let stretches = self.calls.iter().flat_map(|call| &call.stretches);
        let of_part = stretches.filter(|stretch| stretch.part == part);
        of_part.map(|stretch| stretch.within(from, to, now)).sum()
    }

    fn count(&self, is: impl Fn(&ModelCall) -> bool) -> u32 {
        u32::try_from(self.calls.iter().filter(|call| is(call)).count()).unwrap()
    }
}
