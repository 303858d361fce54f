//! The line of calls that wait for their owner's budget (T6).
//!
//! First come, first served, one at a time: the head may run once its turn has come and the budget has something left;
//! it is then the *leader*, and the next one's turn comes when the leader has ended or has been charged a slice. So
//! ten calls that wait cannot spend one positive millisecond. While a leader's clock stands it is charged nothing, and
//! the turn stays with it. Newcomers queue behind whoever waits; a call that gives up leaves from any place.
//!
//! The lock is touched only by calls that wait or have waited; all others read how many wait, which the budget counts.

use std::collections::VecDeque;

use weir_units::{Micros, Tick};

use crate::minute::SLICE;
use crate::sync::{Mutex, MutexGuard};

/// A call's place in the line; zero for one that never waited.
pub(crate) type Ticket = u64;

/// The line of one budget.
#[derive(Debug)]
pub(crate) struct Line(Mutex<Option<Box<State>>>);

#[derive(Debug, Default)]
struct State {
    tickets: VecDeque<Ticket>,
    leader: Option<Leader>,
    last: Ticket,
}

/// The call that came out of the line last, while the next one's turn depends on it.
#[derive(Clone, Copy, Debug)]
struct Leader {
    ticket: Ticket,
    charged: Micros,
    /// Since when its clock runs; nothing while it stands.
    since: Option<Tick>,
}

/// What a call that waits is told about its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It is the head, and nobody before it holds the turn.
    Come,
    /// Nothing changes before that moment, as far as is known.
    After(Tick),
}

impl Line {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Puts a call at the end, if `enter`, which runs before, succeeds.
    pub(crate) fn join<E>(&self, enter: impl FnOnce() -> Result<(), E>) -> Result<Ticket, E> {
        self.with(|state| {
            enter()?;
            Ok(state.join())
        })
    }

    /// Puts a call that ran, perhaps as the leader of `ticket`, at the end.
    pub(crate) fn join_again(&self, ticket: Ticket) -> Ticket {
        self.with(|state| {
            state.step_down(ticket);
            state.join()
        })
    }

    /// Whether it is the turn of the call with `ticket`.
    pub(crate) fn turn(&self, ticket: Ticket, now: Tick) -> Turn {
        self.with(|state| state.turn(ticket, now))
    }

    /// Lets the head, the call with `ticket`, run from `now` on.
    pub(crate) fn lead(&self, ticket: Ticket, now: Tick) {
        self.with(|state| {
            state.tickets.retain(|waiting| *waiting != ticket);
            state.leader = Some(Leader { ticket, charged: Micros::ZERO, since: Some(now) });
        });
    }

    /// Takes the call with `ticket` out, whether it waits, leads or neither.
    pub(crate) fn leave(&self, ticket: Ticket) {
        self.with(|state| {
            state.tickets.retain(|waiting| *waiting != ticket);
            state.step_down(ticket);
        });
    }

    /// The clock of the call with `ticket` stands from `now` on.
    pub(crate) fn stand(&self, ticket: Ticket, now: Tick) {
        self.with(|state| {
            if let Some(leader) = state.leader_of(ticket)
                && let Some(since) = leader.since.take()
            {
                leader.charged = leader.charged.plus(now.since(since));
            }
        });
    }

    /// The clock of the call with `ticket` runs from `now` on.
    pub(crate) fn walk(&self, ticket: Ticket, now: Tick) {
        self.with(|state| {
            if let Some(leader) = state.leader_of(ticket) {
                leader.since = leader.since.or(Some(now));
            }
        });
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        let mut guard = self.lock();
        act(guard.get_or_insert_default())
    }

    fn lock(&self) -> MutexGuard<'_, Option<Box<State>>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl State {
    fn join(&mut self) -> Ticket {
        self.last += 1;
        self.tickets.push_back(self.last);
        self.last
    }

    fn turn(&mut self, ticket: Ticket, now: Tick) -> Turn {
        let later = Turn::After(now.plus(SLICE));
        if self.tickets.front() != Some(&ticket) {
            return later;
        }
        let Some(leader) = self.leader else { return Turn::Come };
        let left = SLICE.minus(leader.charged);
        match leader.since {
            None if left > Micros::ZERO => later,
            Some(since) if now.since(since) < left => Turn::After(since.plus(left)),
            None | Some(_) => {
                self.leader = None;
                Turn::Come
            }
        }
    }

    fn leader_of(&mut self, ticket: Ticket) -> Option<&mut Leader> {
        self.leader.as_mut().filter(|leader| leader.ticket == ticket)
    }

    fn step_down(&mut self, ticket: Ticket) {
        if self.leader_of(ticket).is_some() {
            self.leader = None;
        }
    }
}

#[cfg(test)]
mod tests;
