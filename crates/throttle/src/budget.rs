//! One owner's running account in one component: who may go, who waits, who is refused (T3, T5–T7, T10, T25, T26).
//!
//! All calls of the owner share it. A call is admitted, runs, is in phases, pauses, and ends; each step is a few
//! atomic operations on one or two cache lines, without a lock and without allocating. Only calls that wait for their
//! turn, or came out of the line, touch the line's lock.
//!
//! Nothing here waits or sleeps: a caller is told when to look again. It wakes the owner's other waiting calls whenever
//! a call ends or is let out of the line; without a wake each looks again after a slice at the latest.

#![allow(
    clippy::inline_always,
    reason = "a call that is handed over in registers lets decisions overlap; through memory they stall on a cold budget"
)]

mod counted;

use std::cell::Cell;
use std::convert::Infallible;

use weir_units::{Micros, Part, Refusal, Tick, TimePart};

use crate::admission::{Admission, Look, OverBudget, Rules};
use crate::call::{Call, State};
use crate::clock::{Clock, Hand};
use crate::evidence::{Outcome, PartSeen, Seen, TimeSeen};
use crate::holdings::{Counts, HANGING, Holdings, LONE, PLACE, WAITING};
use crate::limits::ComponentLimits;
use crate::line::{Line, Ticket, Turn};
use crate::minute::Minute;
use crate::snapshot::{PartState, Snapshot};
use crate::sync::Ordering;

/// One owner's account in one component.
#[derive(Debug)]
#[repr(C)]
pub struct Budget {
    holdings: Holdings,
    minute: Minute,
    line: Line,
}

impl Budget {
    /// A budget of which nothing is used.
    pub fn new() -> Self {
        Self { holdings: Holdings::new(), minute: Minute::new(), line: Line::new() }
    }

    /// Decides at `now` whether one more call may start, and takes its place if it may run or wait.
    ///
    /// Places come first and refuse (T7). Then each time part must have something left of its allowance, and nobody may
    /// be waiting; else the call joins the line, or is refused as `rules` say (T6). A part of which nothing is allowed
    /// refuses at once, since no waiting helps.
    #[inline(always)]
    pub fn admit(&self, limits: &ComponentLimits, rules: &Rules, now: Tick) -> Admission {
        let within = self.minute.within(&limits.time, now);
        if within && let Some(call) = self.start(limits, Queue::Respected, now) {
            return Admission::Run(call);
        }
        self.admit_late(within, limits, *rules, now)
    }

    /// Takes a place at `now` for a call whose request has begun to arrive. Its clock stands until [`Budget::begin`]
    /// judges it, so that a client that sends slowly holds a place but keeps nobody waiting in the line (T7).
    ///
    /// # Errors
    /// Every place is taken.
    pub fn arrive(&self, limits: &ComponentLimits, now: Tick) -> Result<Call, Refusal> {
        let before = Cell::new(0);
        let taken = self.holdings.take(|counts| {
            before.set(counts.places());
            Ok(place(counts, limits)?.plus(lone(counts)))
        })?;
        let mut call = Call::new(State::Paused, hand(taken), 0, now);
        call.places_before = before.get();
        Ok(call)
    }

    /// Decides at `now` whether a call that has arrived may run, as [`Budget::admit`] does for one that has its place
    /// not yet: it runs, joins the line, or is refused.
    ///
    /// # Errors
    /// The call may not run; it holds its place until it is ended.
    pub fn begin(
        &self,
        call: &mut Call,
        limits: &ComponentLimits,
        rules: &Rules,
        now: Tick,
    ) -> Result<Look, Refusal> {
        self.judge(call, limits, rules, now).1
    }

    /// [`Budget::begin`], with what it decided on (T22); nothing for a call that was judged before.
    pub fn judge(
        &self,
        call: &mut Call,
        limits: &ComponentLimits,
        rules: &Rules,
        now: Tick,
    ) -> (Option<Seen>, Result<Look, Refusal>) {
        if call.state != State::Paused {
            return (None, Ok(self.look(call, limits, now)));
        }
        let (time, waiting) = (self.time_seen(limits, now), self.holdings.read().waiting());
        let seen = Seen::Turn { over_budget: rules.over_budget, waiting, time };
        let answer = match seen.outcome() {
            Outcome::Pass => {
                self.run(call, now);
                Ok(Look::Run)
            }
            Outcome::Refuse(_) => Err(time.refusal(limits.component)),
            Outcome::Join(_) | Outcome::Wait(_) => {
                self.join(limits, *rules, Counts::default(), now).map(|(ticket, until)| {
                    call.ticket = ticket;
                    call.state = State::Waiting;
                    Look::Wait(until)
                })
            }
        };
        (Some(seen), answer)
    }

    /// Decides at `now` whether a call that waits may run: it must be its turn, and each time part must have something
    /// left. A call that does not wait may always run.
    pub fn look(&self, call: &mut Call, limits: &ComponentLimits, now: Tick) -> Look {
        if call.state != State::Waiting {
            return Look::Run;
        }
        if let Turn::After(then) = self.line.turn(call.ticket, now) {
            return Look::Wait(then);
        }
        self.look_at_head(call, limits, &self.time_seen(limits, now), now)
    }

    /// [`Budget::look`] for a call that waits, with what it decided on: whether it was its turn, and the time parts (T22).
    pub fn look_closely(
        &self,
        call: &mut Call,
        limits: &ComponentLimits,
        now: Tick,
    ) -> (bool, TimeSeen, Look) {
        let time = self.time_seen(limits, now);
        match self.line.turn(call.ticket, now) {
            Turn::After(then) => (false, time, Look::Wait(then)),
            Turn::Come => (true, time, self.look_at_head(call, limits, &time, now)),
        }
    }

    /// Decides at `now` whether a batch may go on with its next item (T26). If a time part has nothing left, the
    /// batch's clock stands and it joins the line; it is never refused.
    pub fn recheck(&self, call: &mut Call, limits: &ComponentLimits, now: Tick) -> Look {
        match call.state {
            State::Waiting => return self.look(call, limits, now),
            State::Hanging | State::Ended => return Look::Run,
            State::Running | State::Paused => {}
        }
        if self.minute.within(&limits.time, now) {
            return Look::Run;
        }
        if call.state == State::Running {
            self.stand(call, now);
        }
        call.ticket = self.line.join_again(call.ticket);
        self.take(|_| WAITING);
        call.state = State::Waiting;
        Look::Wait(self.clear_at(limits, now))
    }

    /// Stops the clock of a running call: the client sends or reads, or the call is made to wait elsewhere (T4).
    #[inline]
    pub fn pause(&self, call: &mut Call, now: Tick) {
        if call.state != State::Running {
            return;
        }
        self.stand(call, now);
        call.state = State::Paused;
        if call.ticket != 0 {
            self.line.stand(call.ticket, now);
        }
    }

    /// Starts the clock of a paused call again.
    #[inline]
    pub fn resume(&self, call: &mut Call, now: Tick) {
        if call.state != State::Paused {
            return;
        }
        self.run(call, now);
        if call.ticket != 0 {
            self.line.walk(call.ticket, now);
        }
    }

    /// The call is in a phase from `now` on: AD, address book or mailbox RPC (T4). It leaves the phase it was in. CAS is
    /// no phase, since it runs as long as the call does.
    #[inline]
    pub fn enter(&self, call: &mut Call, phase: TimePart, now: Tick) {
        self.leave(call, now);
        if phase == TimePart::Cas {
            return;
        }
        call.phase = Some(phase);
        if call.state == State::Running {
            self.start_phase(call, now);
        }
    }

    /// The call is in no phase from `now` on.
    #[inline]
    pub fn leave(&self, call: &mut Call, now: Tick) {
        if call.state == State::Running {
            self.stop_phase(call, now);
        }
        call.phase = None;
    }

    /// Charges `spent`, which was used up to `now` before the owner was known, to `part` and to CAS (T8). It may lead
    /// into debt; it refuses nobody.
    pub fn charge(&self, part: TimePart, spent: Micros, now: Tick) {
        self.minute.settle(now);
        let began = Tick::new(now.micros().saturating_sub(spent.count()));
        self.minute.clock(TimePart::Cas).start(Hand::Shared, began);
        self.minute.clock(TimePart::Cas).stop(Hand::Shared, now);
        if part != TimePart::Cas {
            self.minute.clock(part).start(Hand::Shared, began);
            self.minute.clock(part).stop(Hand::Shared, now);
        }
    }

    /// A call that has waited as long as it may runs although its owner is over budget: what a batch does that has had
    /// an effect (T26).
    pub fn run_in_debt(&self, call: &mut Call, now: Tick) {
        if call.state == State::Waiting {
            self.line.leave(call.ticket);
            self.run_from_line(call, now);
        }
    }

    /// Ends a call in whatever state it is, and gives back all that it holds. Answers whether other calls of this owner
    /// wait for something that it may have given back, and should be woken.
    #[inline(always)]
    #[must_use = "the calls that wait should be woken"]
    pub fn end(&self, mut call: Call, now: Tick) -> bool {
        if call.state == State::Running {
            self.stand(&mut call, now);
        }
        if call.ticket != 0 {
            self.line.leave(call.ticket);
        }
        let held = held_by(&call);
        let left = self.holdings.give(held);
        call.state = State::Ended;
        held.found() > 0 || left.waiting() > 0
    }

    /// Why a call may not run at `now`, in the words of a time part: the one that takes longest to have something left.
    /// The time until then is what is known: it comes if nothing else is charged, and is at least a millisecond.
    pub fn refusal(&self, limits: &ComponentLimits, now: Tick) -> Refusal {
        self.time_seen(limits, now).refusal(limits.component)
    }

    /// The time parts that `limits` limit, as a decision at `now` sees them (T22).
    pub fn time_seen(&self, limits: &ComponentLimits, now: Tick) -> TimeSeen {
        self.minute.settle(now);
        let view = self.minute.view(now);
        let seen = |part: TimePart| {
            let (used, allowance) = (view.used(part), limits.allowance(part)?);
            let clear = if used < allowance { now } else { self.minute.clear_at(part, allowance, now) };
            let clear = if clear == Tick::NEVER { PartSeen::NEVER } else { clear.since(now) };
            Some(PartSeen { used, allowance, clear })
        };
        TimeSeen(TimePart::ALL.map(seen))
    }

    /// Places taken, for the call that would be the next.
    pub fn places(&self) -> u32 {
        self.holdings.read().places()
    }

    /// What would keep one more call from running at `now`; nothing where it would run. Takes nothing: it is what
    /// observing reports (T20).
    pub fn over(&self, limits: &ComponentLimits, now: Tick) -> Option<Refusal> {
        if let Err(refusal) = place(self.holdings.read(), limits) {
            return Some(refusal);
        }
        (!self.minute.view(now).within(&limits.time)).then(|| self.refusal(limits, now))
    }

    /// The budget at `now`, for the log and for explaining (T17, T21).
    pub fn snapshot(&self, limits: &ComponentLimits, now: Tick) -> Snapshot {
        let (view, counts) = (self.minute.view(now), self.holdings.read());
        Snapshot {
            connections: counts.places(),
            time: TimePart::ALL
                .map(|part| PartState { allowance: limits.allowance(part), used: view.used(part) }),
            find_count: (limits.find_count, counts.found()),
            hash: 0,
            subscriptions: (limits.max_subscriptions, self.minute.subscriptions.load(Ordering::Acquire)),
            waiting: counts.waiting(),
            hanging: counts.hanging(),
        }
    }

    /// Whether nothing is held, nothing waits, and nothing has changed for `idle` and for more than a minute before
    /// `now`: such a budget can be forgotten without anybody noticing.
    pub fn is_idle(&self, idle: Micros, now: Tick) -> bool {
        let subscriptions = self.minute.subscriptions.load(Ordering::Acquire);
        self.minute.is_quiet(idle, now) && self.holdings.read() == Counts::default() && subscriptions == 0
    }

    /// A call that runs from `now` on, unless every place is taken or somebody waits.
    #[inline(always)]
    fn start(&self, limits: &ComponentLimits, queue: Queue, now: Tick) -> Option<Call> {
        let wanted = |counts: Counts| {
            if queue == Queue::Respected && counts.waiting() > 0 {
                return Err(());
            }
            Ok(place(counts, limits).map_err(drop)?.plus(lone(counts)))
        };
        let taken = self.holdings.take(wanted).ok()?;
        let mut call = Call::new(State::Paused, hand(taken), 0, now);
        call.settled = Minute::slice_end(now);
        self.run(&mut call, now);
        Some(call)
    }

    /// What happens to a call that cannot start straight away.
    #[cold]
    #[inline(never)]
    fn admit_late(&self, within: bool, limits: &ComponentLimits, rules: Rules, now: Tick) -> Admission {
        let queue = match rules.over_budget {
            OverBudget::Delay => Queue::Respected,
            OverBudget::Refuse => Queue::PassedBy,
        };
        loop {
            if within && let Some(call) = self.start(limits, queue, now) {
                return Admission::Run(call);
            }
            let counts = self.holdings.read();
            if let Err(refusal) = place(counts, limits) {
                return Admission::Refuse(refusal);
            }
            // Where nothing else is in the way, a place was given back meanwhile: it is there for this call.
            if !within || (queue == Queue::Respected && counts.waiting() > 0) {
                break;
            }
        }
        if rules.over_budget == OverBudget::Refuse || self.clear_at(limits, now) == Tick::NEVER {
            return Admission::Refuse(self.refusal(limits, now));
        }
        match self.join(limits, rules, PLACE, now) {
            Ok((ticket, until)) => {
                Admission::Wait(Call::new(State::Waiting, Hand::Shared, ticket, now), until)
            }
            Err(refusal) => Admission::Refuse(refusal),
        }
    }

    /// Joins the line and takes `wanted`, a place for a call that has none yet; answers when to look again.
    fn join(
        &self,
        limits: &ComponentLimits,
        rules: Rules,
        wanted: Counts,
        now: Tick,
    ) -> Result<(Ticket, Tick), Refusal> {
        let crowded = |waiting: u32| Refusal {
            component: limits.component,
            part: Part::Waiting,
            limit: rules.max_waiting.into(),
            used: waiting.into(),
            retry_after: self.refusal(limits, now).retry_after,
        };
        let wait = |counts: Counts| {
            if wanted == PLACE {
                place(counts, limits)?;
            }
            let room = counts.waiting() < rules.max_waiting;
            if room { Ok(wanted.plus(WAITING)) } else { Err(crowded(counts.waiting())) }
        };
        let ticket = self.line.join(|| self.holdings.take(wait).map(drop))?;
        let until = match self.line.turn(ticket, now) {
            Turn::After(then) => then,
            Turn::Come => self.clear_at(limits, now),
        };
        Ok((ticket, until))
    }

    /// The earliest moment from `now` on at which every time part has something left, if nothing else is charged.
    fn clear_at(&self, limits: &ComponentLimits, now: Tick) -> Tick {
        let limited = TimePart::ALL.into_iter().filter_map(|part| Some((part, limits.allowance(part)?)));
        limited.map(|(part, allowance)| self.minute.clear_at(part, allowance, now)).max().unwrap_or(now)
    }

    /// Takes what `wanted` makes of the counts.
    #[inline]
    fn take(&self, wanted: impl Fn(Counts) -> Counts) -> Counts {
        let Ok(taken) = self.holdings.take(|counts| Ok::<_, Infallible>(wanted(counts)));
        taken
    }

    /// Lets the head of the line run where the time parts have something left.
    fn look_at_head(&self, call: &mut Call, limits: &ComponentLimits, time: &TimeSeen, now: Tick) -> Look {
        if !time.within() {
            return Look::Wait(self.clear_at(limits, now));
        }
        self.line.lead(call.ticket, now);
        self.run_from_line(call, now);
        Look::Run
    }

    fn run_from_line(&self, call: &mut Call, now: Tick) {
        self.holdings.give(WAITING);
        if call.hand == Hand::Shared {
            call.hand = hand(self.take(lone));
        }
        self.run(call, now);
    }

    #[inline]
    fn run(&self, call: &mut Call, now: Tick) {
        self.clock(call, TimePart::Cas, now).start(call.hand, now);
        call.since = now;
        call.state = State::Running;
        self.start_phase(call, now);
    }

    #[inline]
    fn stand(&self, call: &mut Call, now: Tick) {
        self.stop_phase(call, now);
        self.clock(call, TimePart::Cas, now).stop(call.hand, now.max(call.since));
    }

    #[inline]
    fn start_phase(&self, call: &mut Call, now: Tick) {
        if let Some(phase) = call.phase {
            self.clock(call, phase, now).start(call.hand, now);
            call.phase_since = now;
        }
    }

    #[inline]
    fn stop_phase(&self, call: &mut Call, now: Tick) {
        if let Some(phase) = call.phase {
            self.clock(call, phase, now).stop(call.hand, now.max(call.phase_since));
        }
    }

    /// The clock of `part`, ready to be changed at `now`.
    #[inline]
    fn clock(&self, call: &mut Call, part: TimePart, now: Tick) -> &Clock {
        if now >= call.settled {
            call.settled = self.minute.settle(now);
        }
        self.minute.clock(part)
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether a call that could run stands behind those who wait.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Queue {
    Respected,
    PassedBy,
}

/// One more place, unless as many are taken as `limits` allow.
#[inline]
fn place(counts: Counts, limits: &ComponentLimits) -> Result<Counts, Refusal> {
    let limit = limits.places();
    if counts.places() < limit {
        return Ok(PLACE);
    }
    Err(Refusal {
        component: limits.component,
        part: Part::MaxConcurrency,
        limit: limit.into(),
        used: counts.places().into(),
        retry_after: None,
    })
}

/// The lone hand, if no call has it.
#[inline]
fn lone(counts: Counts) -> Counts {
    if counts.is_lone_taken() { Counts::default() } else { LONE }
}

/// The hand that a call has that took `taken`.
#[inline]
fn hand(taken: Counts) -> Hand {
    if taken.is_lone_taken() { Hand::Lone } else { Hand::Shared }
}

/// All that a call holds.
#[inline]
fn held_by(call: &Call) -> Counts {
    let found = Counts::found_items(call.found);
    let lone = match call.hand {
        Hand::Lone => LONE,
        Hand::Shared => Counts::default(),
    };
    let place = match call.state {
        State::Running | State::Paused => PLACE,
        State::Waiting => PLACE.plus(WAITING),
        State::Hanging => HANGING,
        State::Ended => Counts::default(),
    };
    place.plus(lone).plus(found)
}

#[cfg(test)]
mod tests;
