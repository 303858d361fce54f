//! The fair queue of one origin for several threads.
//!
//! One lock, held for a decision of a few steps and never while anybody is woken: a thread that frees a place takes it
//! again for each call that it lets run. What wakes a call is called outside it, and may come back to the gate: one thread
//! hands places out at a time, and goes on until there is nothing more to hand out, so that nothing is nested.

use weir_units::{Micros, Owner, Tick};

use super::queue::{Arrival, FairQueue, Holding, Ticket};
use super::rules::{FairBounds, LimitRules, Weight};
use crate::sync::{Mutex, MutexGuard};

/// The calls at one origin. `W` is what wakes a call that waits.
#[derive(Debug)]
pub struct FairGate<W>(Mutex<State<W>>);

#[derive(Debug)]
struct State<W> {
    queue: FairQueue<W>,
    /// Whether a thread hands places out.
    hands_out: bool,
}

/// What goes on at an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// How many calls run.
    pub running: u32,
    /// How many may.
    pub places: u32,
    /// How many wait.
    pub waiting: u32,
}

impl<W> FairGate<W> {
    /// An origin whose limit is found so.
    pub fn new(limit: LimitRules, bounds: FairBounds) -> Self {
        Self(Mutex::new(State { queue: FairQueue::new(limit, bounds), hands_out: false }))
    }

    /// A call of the owner arrives; `wake` is called for each call that may run for it.
    pub fn arrive(&self, owner: &Owner, weight: Weight, wake: impl FnMut(W), now: Tick) -> Arrival {
        let arrival = self.lock().queue.arrive(owner, weight);
        if matches!(arrival, Arrival::Wait(_)) {
            self.hand_out(wake, now);
        }
        arrival
    }

    /// A call that must not be refused, and has waited as long as it may, runs beyond the limit (T26).
    pub fn run_anyway(&self, owner: &Owner, weight: Weight) -> Ticket {
        self.lock().queue.run_anyway(owner, weight)
    }

    /// Whether the call runs; where it does not yet, `waiter` wakes it when its turn has come.
    pub fn look(&self, ticket: &Ticket, waiter: impl FnOnce() -> W) -> bool {
        self.lock().queue.look(ticket, waiter)
    }

    /// The call has gone, whether it waited or its turn had come.
    pub fn leave(&self, ticket: Ticket, wake: impl FnMut(W), now: Tick) {
        self.lock().queue.leave(ticket);
        self.hand_out(wake, now);
    }

    /// The call, which ran, has ended and cost so much origin time, whether the origin answered or failed.
    pub fn done(&self, ticket: Ticket, cost: Micros, answered: bool, wake: impl FnMut(W), now: Tick) {
        self.lock().queue.done(ticket, cost, answered, now);
        self.hand_out(wake, now);
    }

    /// The limit is found so from now on; calls that run go on.
    pub fn set_limit(&self, limit: LimitRules, wake: impl FnMut(W), now: Tick) {
        self.lock().queue.set_limit(limit);
        self.hand_out(wake, now);
    }

    /// So many calls may wait from now on, of one owner and in all; those that wait already stay.
    pub fn set_waiting(&self, per_owner: u32, in_all: u32) {
        self.lock().queue.set_waiting(per_owner, in_all);
    }

    /// What the owner has here.
    pub fn of(&self, owner: &Owner) -> Holding {
        self.lock().queue.of(owner)
    }

    /// How many calls run, how many may, and how many wait.
    pub fn load(&self) -> Load {
        let state = self.lock();
        let queue = &state.queue;
        Load { running: queue.running(), places: queue.places(), waiting: queue.waiting() }
    }

    fn hand_out(&self, mut wake: impl FnMut(W), now: Tick) {
        if std::mem::replace(&mut self.lock().hands_out, true) {
            return;
        }
        // Should something that wakes a call panic, the next thread goes on.
        let mut handing = HandingOut(Some(self));
        loop {
            let mut state = self.lock();
            let next = state.queue.next(now);
            state.hands_out = next.is_some();
            drop(state);
            match next {
                Some(Some(waiter)) => wake(waiter),
                Some(None) => {}
                None => break,
            }
        }
        handing.0 = None;
    }

    fn lock(&self) -> MutexGuard<'_, State<W>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// A thread hands places out; should it end early, no other is kept from that.
struct HandingOut<'g, W>(Option<&'g FairGate<W>>);

impl<W> Drop for HandingOut<'_, W> {
    fn drop(&mut self) {
        if let Some(gate) = self.0 {
            gate.lock().hands_out = false;
        }
    }
}
