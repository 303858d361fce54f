//! One owner's calls in one component, put through a budget on pretended time.
//!
//! The budget is the gateway's own. Calls arrive when they arrived, whatever became of those before them (open loop), cost
//! what they cost – directory first, then the address book, then the mailbox server, the rest in the gateway – and hold
//! their place for as long as they did. Who waits is looked at when the budget says so and whenever something is given
//! back, as the gateway does.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use weir_throttle::evidence::{Outcome, WAIT_LEAST};
use weir_throttle::{Budget, Call, ComponentLimits, Look, OverBudget, Rules, find};
use weir_units::{Micros, Part, Tick, TimePart};

/// A call that is to be put through.
#[derive(Clone, Copy, Debug)]
pub struct Asking<T> {
    /// What to call it in the outcome.
    pub tag: T,
    /// What it costs, by [`TimePart::index`].
    pub cost: [Micros; 4],
    /// How long it holds its place beyond what it costs: its client sends or reads.
    pub rest: Micros,
    /// How many items and folders its finds bring, and whether the client pages.
    pub found: Option<(u64, bool)>,
    /// Whether it asks for one more subscription, and how many there are.
    pub subscribes: Option<u32>,
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It ran at once.
    Run,
    /// It ran after a wait for a part of the budget.
    Delay(Part, Micros),
    /// It was refused for the sake of a part, after a wait that may be none.
    Refuse(Part, Micros),
}

/// One owner's calls in one component, under way.
#[derive(Debug)]
pub struct Lane<T> {
    budget: Budget,
    max_delay: Micros,
    slots: Vec<Option<Slot<T>>>,
    free: Vec<usize>,
    /// When something happens to the call in which slot; the number tells whether that still holds.
    due: BinaryHeap<Reverse<(Tick, u64, usize)>>,
    numbers: u64,
    line: VecDeque<usize>,
    next_look: Tick,
    fates: Vec<(T, Fate)>,
}

#[derive(Debug)]
struct Slot<T> {
    call: Call,
    asking: Asking<T>,
    limits: ComponentLimits,
    step: Step,
    /// The number of what is due for it.
    number: u64,
    /// Since when it waits, and for what.
    waits: Option<(Tick, Part)>,
}

/// What a call does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// It has waited as long as it may.
    GiveUp,
    /// It enters a phase, or its last part in the gateway alone.
    Work(usize),
    /// It holds its place for a client that reads.
    Rest,
    /// It ends.
    End,
}

/// The order in which a call spends its time.
const PHASES: [TimePart; 3] = [TimePart::Ad, TimePart::AddressBook, TimePart::MailboxRpc];

impl<T: Copy> Lane<T> {
    /// A budget of which nothing is used, whose calls wait at most `max_delay` each.
    pub fn new(max_delay: Micros) -> Self {
        Self {
            budget: Budget::new(),
            max_delay,
            slots: Vec::new(),
            free: Vec::new(),
            due: BinaryHeap::new(),
            numbers: 0,
            line: VecDeque::new(),
            next_look: Tick::NEVER,
            fates: Vec::new(),
        }
    }

    /// Lets happen what happens until `until`.
    pub fn advance(&mut self, until: Tick) {
        loop {
            let due = self.due.peek().map_or(Tick::NEVER, |Reverse((due, ..))| *due);
            if due.min(self.next_look) > until || due.min(self.next_look) == Tick::NEVER {
                return;
            }
            if self.next_look < due {
                let now = std::mem::replace(&mut self.next_look, Tick::NEVER);
                self.look(now);
            } else if let Some(Reverse((now, number, index))) = self.due.pop() {
                self.happen(index, number, now);
            }
        }
    }

    /// Lets everything that is under way come to its end.
    pub fn finish(&mut self) {
        self.advance(Tick::new(u64::MAX - 1));
    }

    /// A call arrives at `now`, which is no earlier than anything that has happened.
    pub fn arrive(
        &mut self,
        asking: Asking<T>,
        limits: &ComponentLimits,
        over_budget: OverBudget,
        now: Tick,
    ) {
        self.advance(now);
        let mut call = match self.budget.arrive(limits, now) {
            Ok(call) => call,
            Err(refusal) => return self.fates.push((asking.tag, Fate::Refuse(refusal.part, Micros::ZERO))),
        };
        let rules = Rules { over_budget, ..Rules::default() };
        let (seen, answer) = self.budget.judge(&mut call, limits, &rules, now);
        match answer {
            Err(refusal) => {
                self.fates.push((asking.tag, Fate::Refuse(refusal.part, Micros::ZERO)));
                self.give_back(call, now);
            }
            Ok(Look::Run) => {
                let index = self.seat(call, asking, limits, None);
                self.start(index, now);
            }
            Ok(Look::Wait(until)) => {
                let why = seen.map(|seen| seen.outcome());
                let why = if let Some(Outcome::Join(part)) = why { part } else { Part::Waiting };
                let index = self.seat(call, asking, limits, Some((now, why)));
                self.line.push_back(index);
                self.next_look = self.next_look.min(until);
                self.schedule(index, Step::GiveUp, now.plus(self.max_delay));
            }
        }
    }

    /// What has become of calls since the last question.
    pub fn fates(&mut self) -> impl Iterator<Item = (T, Fate)> + '_ {
        self.fates.drain(..)
    }

    fn seat(
        &mut self,
        call: Call,
        asking: Asking<T>,
        limits: &ComponentLimits,
        waits: Option<(Tick, Part)>,
    ) -> usize {
        let slot = Slot { call, asking, limits: *limits, step: Step::End, number: 0, waits };
        if let Some(index) = self.free.pop()
            && let Some(place) = self.slots.get_mut(index)
        {
            *place = Some(slot);
            return index;
        }
        self.slots.push(Some(slot));
        self.slots.len() - 1
    }

    fn schedule(&mut self, index: usize, step: Step, at: Tick) {
        self.numbers += 1;
        let number = self.numbers;
        if let Some(slot) = self.slot(index) {
            (slot.step, slot.number) = (step, number);
            self.due.push(Reverse((at, number, index)));
        }
    }

    fn slot(&mut self, index: usize) -> Option<&mut Slot<T>> {
        self.slots.get_mut(index).and_then(Option::as_mut)
    }

    fn happen(&mut self, index: usize, number: u64, now: Tick) {
        let Some(step) = self.slot(index).filter(|slot| slot.number == number).map(|slot| slot.step) else {
            return;
        };
        match step {
            Step::GiveUp => self.give_up(index, now),
            Step::Work(phase) => self.work(index, phase, now),
            Step::Rest => self.rest(index, now),
            Step::End => self.end(index, now),
        }
    }

    /// The head of the line is looked at, and the next as long as they may run.
    fn look(&mut self, now: Tick) {
        while let Some(index) = self.line.front().copied() {
            let Some(slot) = self.slots.get_mut(index).and_then(Option::as_mut) else { return };
            match self.budget.look(&mut slot.call, &slot.limits, now) {
                Look::Wait(until) => {
                    // What is due now has been looked at now.
                    self.next_look = until.max(now.plus(Micros::new(1)));
                    return;
                }
                Look::Run => {
                    self.line.pop_front();
                    self.start(index, now);
                }
            }
        }
        self.next_look = Tick::NEVER;
    }

    /// A call has waited as long as it may: it is looked at once more.
    fn give_up(&mut self, index: usize, now: Tick) {
        self.look(now);
        let Some(place) = self.line.iter().position(|waiting| *waiting == index) else { return };
        self.line.remove(place);
        let Some(slot) = self.leave(index) else { return };
        let part = self.budget.time_seen(&slot.limits, now).part();
        self.fates.push((slot.asking.tag, Fate::Refuse(Part::Time(part), self.max_delay)));
        self.give_back(slot.call, now);
    }

    /// A call begins to run.
    fn start(&mut self, index: usize, now: Tick) {
        let Some(slot) = self.slots.get_mut(index).and_then(Option::as_mut) else { return };
        let waited = slot.waits.map_or(Micros::ZERO, |(since, _)| now.since(since));
        let fate = match gate(&self.budget, slot) {
            Some(part) => Fate::Refuse(part, waited),
            None => match slot.waits {
                Some((_, part)) if waited >= WAIT_LEAST => Fate::Delay(part, waited),
                Some(_) | None => Fate::Run,
            },
        };
        self.fates.push((slot.asking.tag, fate));
        self.work(index, 0, now);
    }

    /// A call goes from one phase to the next that costs something.
    fn work(&mut self, index: usize, phase: usize, now: Tick) {
        let Some(slot) = self.slots.get_mut(index).and_then(Option::as_mut) else { return };
        self.budget.leave(&mut slot.call, now);
        let cost = |part: TimePart| slot.asking.cost.get(part.index()).copied().unwrap_or_default();
        let next = PHASES.iter().enumerate().skip(phase).find(|(_, part)| cost(**part) > Micros::ZERO);
        if let Some((at, part)) = next {
            let spent = cost(*part);
            self.budget.enter(&mut slot.call, *part, now);
            return self.schedule(index, Step::Work(at + 1), now.plus(spent));
        }
        let phases = PHASES.into_iter().fold(Micros::ZERO, |sum, part| sum.plus(cost(part)));
        let alone = cost(TimePart::Cas).minus(phases);
        if alone > Micros::ZERO {
            self.schedule(index, Step::Rest, now.plus(alone));
        } else {
            self.rest(index, now);
        }
    }

    /// A call has done its work and holds its place for its client.
    fn rest(&mut self, index: usize, now: Tick) {
        let Some(slot) = self.slots.get_mut(index).and_then(Option::as_mut) else { return };
        self.budget.pause(&mut slot.call, now);
        let rest = slot.asking.rest;
        if rest > Micros::ZERO {
            self.schedule(index, Step::End, now.plus(rest));
        } else {
            self.end(index, now);
        }
    }

    fn end(&mut self, index: usize, now: Tick) {
        if let Some(slot) = self.leave(index) {
            self.give_back(slot.call, now);
        }
    }

    fn leave(&mut self, index: usize) -> Option<Slot<T>> {
        let slot = self.slots.get_mut(index)?.take()?;
        self.free.push(index);
        Some(slot)
    }

    fn give_back(&mut self, call: Call, now: Tick) {
        if self.budget.end(call, now) && !self.line.is_empty() {
            self.next_look = now;
        }
    }
}

/// What refuses a call that runs: its find, or its subscription.
fn gate<T>(budget: &Budget, slot: &mut Slot<T>) -> Option<Part> {
    let limits = &slot.limits;
    if let (Some(used), Some(limit)) = (slot.asking.subscribes, limits.max_subscriptions)
        && used >= limit
    {
        return Some(Part::MaxSubscriptions);
    }
    let (found, paged) = slot.asking.found?;
    let left = budget.find_left(limits);
    if !paged && find::exceeds(found, left) {
        return Some(Part::FindCount);
    }
    let found = u32::try_from(found).unwrap_or(u32::MAX);
    budget.take_found(&mut slot.call, limits, found, u32::from(paged));
    None
}

impl<T> Drop for Lane<T> {
    fn drop(&mut self) {
        for slot in self.slots.drain(..).flatten() {
            let _nobody_waits = self.budget.end(slot.call, Tick::NEVER);
        }
    }
}

#[cfg(test)]
mod tests;
