//! The calls at one origin: those that run, and those that wait for one of its places, in a line for each owner (T23).
//!
//! A call arrives and runs, if a place is free, or waits. Whoever frees a place – a call that ended, or one that gave up –
//! asks [`FairQueue::next`] until it answers nothing; so nobody waits while a place is free. What a waiting call leaves
//! with [`FairQueue::look`] is handed out when its turn has come. Which owner's turn it is says [`rounds`](super::rounds);
//! an owner's own calls run in the order in which they came.
//!
//! Everything takes a few steps, however many wait: a call is known by the number of its place, and leaves its line from
//! anywhere. How long a call may wait is for its own [`Patience`](crate::Patience) to say (T6). Calls that hang hold no
//! place, and a batch takes one for each item (T25, T26): they end here and arrive again.

use weir_units::{Micros, Owner, Tick};

use super::limit::{AdaptiveLimit, Kind, Mark};
use super::rounds::Rounds;
use super::rules::{Crowded, FairBounds, LimitRules, Weight};
use super::slab::{Linked, Links, Slab};

/// A call at the queue: to be given back with [`FairQueue::done`] or [`FairQueue::leave`].
#[derive(Debug)]
#[must_use = "a place is held until it is given back"]
pub struct Ticket(usize);

impl Ticket {
    /// The number of its call, for the last time.
    const fn spend(self) -> usize {
        self.0
    }
}

/// The answer to a call that arrives.
#[derive(Debug)]
pub enum Arrival {
    /// It runs.
    Run(Ticket),
    /// It waits.
    Wait(Ticket),
    /// It may not even wait.
    Refuse(Crowded),
}

/// What an owner has at the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holding {
    /// How many of his calls run.
    pub running: u32,
    /// How many wait.
    pub waiting: u32,
    /// How much origin time he has taken beyond his share.
    pub ahead: Micros,
}

/// The calls at one origin. `W` is what wakes a call that waits.
#[derive(Debug)]
pub struct FairQueue<W> {
    bounds: FairBounds,
    limit: AdaptiveLimit,
    running: u32,
    waiting: u32,
    calls: Slab<Call<W>>,
    rounds: Rounds,
}

#[derive(Debug)]
struct Call<W> {
    /// The number of its owner; of nobody where there were too many owners.
    owner: usize,
    state: State<W>,
    links: Links,
}

#[derive(Debug)]
enum State<W> {
    /// It waits, and this wakes it.
    Waits(Option<W>),
    /// It runs, and its owner was charged so much.
    Runs(i64, Mark),
}

impl<W> Linked for Call<W> {
    fn links(&mut self) -> &mut Links {
        &mut self.links
    }
}

/// The owner of a call that is charged to nobody.
const NOBODY: usize = usize::MAX;

impl<W> FairQueue<W> {
    /// An origin whose limit is found so.
    pub fn new(limit: LimitRules, bounds: FairBounds) -> Self {
        let count = |bound: u32| usize::try_from(bound).unwrap_or(usize::MAX);
        let mut queue = Self {
            bounds,
            limit: AdaptiveLimit::new(limit),
            running: 0,
            waiting: 0,
            calls: Slab::with_capacity(count(bounds.in_all)),
            rounds: Rounds::new(count(bounds.owners), bounds.cost_max),
        };
        queue.set_limit(limit);
        queue
    }

    /// A call of the owner arrives.
    pub fn arrive(&mut self, owner: &Owner, weight: Weight) -> Arrival {
        let Some(number) = self.rounds.admit(owner, weight) else {
            return Arrival::Refuse(Crowded::Owners { limit: self.bounds.owners });
        };
        if self.waiting == 0 && self.running < self.places() {
            return Arrival::Run(self.run_new(number));
        }
        if let Err(crowded) = self.may_wait(number) {
            self.rounds.give_up(number, None);
            return Arrival::Refuse(crowded);
        }
        let call = self.calls.insert(Call { owner: number, state: State::Waits(None), links: Links::NONE });
        self.waiting += 1;
        if let Some(account) = self.rounds.account(number) {
            account.line.push_back(&mut self.calls, call);
            account.waiting += 1;
            if account.waiting == 1 {
                self.rounds.enlist(number);
            }
        }
        Arrival::Wait(Ticket(call))
    }

    /// A call that must not be refused, and has waited as long as it may, runs beyond the limit (T26).
    pub fn run_anyway(&mut self, owner: &Owner, weight: Weight) -> Ticket {
        let number = self.rounds.admit(owner, weight).unwrap_or(NOBODY);
        self.run_new(number)
    }

    /// Whether the call runs; where it does not yet, `waiter` wakes it when its turn has come.
    pub fn look(&mut self, ticket: &Ticket, waiter: impl FnOnce() -> W) -> bool {
        match self.calls.get_mut(ticket.0).map(|call| &mut call.state) {
            Some(State::Waits(slot)) => {
                *slot = Some(waiter());
                false
            }
            Some(State::Runs(..)) | None => true,
        }
    }

    /// The call has gone: it waits no longer, and if its turn had come meanwhile, it gives its place back unused.
    pub fn leave(&mut self, ticket: Ticket) {
        let number = ticket.spend();
        let Some(call) = self.calls.get(number) else { return };
        let owner = call.owner;
        let charged = match call.state {
            State::Waits(_) => {
                self.take_out_of_line(owner, number);
                None
            }
            State::Runs(charged, mark) => {
                self.running -= 1;
                self.limit.give_up(mark);
                Some(charged)
            }
        };
        self.calls.remove(number);
        self.rounds.give_up(owner, charged);
    }

    /// The call, which ran, has ended and cost so much origin time, whether the origin answered or failed.
    pub fn done(&mut self, ticket: Ticket, cost: Micros, answered: bool, now: Tick) {
        let number = ticket.spend();
        let Some(call) = self.calls.remove(number) else { return };
        if let State::Runs(charged, mark) = call.state {
            self.running -= 1;
            self.limit.end(mark, cost, answered, now);
            self.rounds.end(call.owner, charged, cost, now);
        }
    }

    /// Lets the next call run if a place is free and one waits: what wakes it, if it has looked, and nothing when there is
    /// no such call. To be asked until then after every call of `arrive`, `leave`, `done` and `set_limit`.
    pub fn next(&mut self, now: Tick) -> Option<Option<W>> {
        self.rounds.set_places(self.places());
        if self.waiting == 0 {
            self.rounds.rest(now);
            return None;
        }
        if self.running >= self.places() {
            return None;
        }
        let number = self.rounds.pick(now)?;
        let call = self.rounds.account(number)?.line.first()?;
        self.take_out_of_line(number, call);
        self.running += 1;
        let kind = if self.rounds.is_prompt(number) { Kind::Light } else { Kind::Heavy };
        let mark = self.limit.start(self.running, kind, now);
        let charged = self.rounds.start(number);
        let state = &mut self.calls.get_mut(call)?.state;
        match std::mem::replace(state, State::Runs(charged, mark)) {
            State::Waits(waiter) => Some(waiter),
            State::Runs(..) => None,
        }
    }

    /// The limit is found so from now on; calls that run go on.
    pub fn set_limit(&mut self, limit: LimitRules) {
        self.limit = AdaptiveLimit::new(limit);
        self.rounds.set_places(self.places());
    }

    /// So many calls may wait from now on, of one owner and in all; those that wait already stay.
    pub const fn set_waiting(&mut self, per_owner: u32, in_all: u32) {
        self.bounds.per_owner = per_owner;
        self.bounds.in_all = in_all;
    }

    /// How many calls may run at once.
    pub const fn places(&self) -> u32 {
        self.limit.places()
    }

    /// How many run.
    pub const fn running(&self) -> u32 {
        self.running
    }

    /// How many wait.
    pub const fn waiting(&self) -> u32 {
        self.waiting
    }

    /// How many owners are known.
    pub const fn owners(&self) -> usize {
        self.rounds.owners.slab.len()
    }

    /// What the owner has here.
    pub fn of(&self, owner: &Owner) -> Holding {
        let account = self.rounds.owners.find(owner).and_then(|number| self.rounds.owners.slab.get(number));
        account.map_or_else(Holding::default, |account| {
            let ahead = u64::try_from(-self.rounds.left(account)).unwrap_or(0);
            Holding { running: account.running, waiting: account.waiting, ahead: Micros::new(ahead) }
        })
    }

    fn run_new(&mut self, owner: usize) -> Ticket {
        self.running += 1;
        let state = State::Runs(self.rounds.start(owner), Mark::default());
        Ticket(self.calls.insert(Call { owner, state, links: Links::NONE }))
    }

    fn may_wait(&mut self, owner: usize) -> Result<(), Crowded> {
        let FairBounds { per_owner, in_all, .. } = self.bounds;
        let his = self.rounds.account(owner).map_or(0, |account| account.waiting);
        if his >= per_owner {
            return Err(Crowded::Owner { limit: per_owner });
        }
        if self.waiting >= in_all { Err(Crowded::All { limit: in_all }) } else { Ok(()) }
    }

    fn take_out_of_line(&mut self, owner: usize, call: usize) {
        self.waiting -= 1;
        if let Some(account) = self.rounds.account(owner) {
            account.line.unlink(&mut self.calls, call);
            account.waiting -= 1;
        }
    }
}

#[cfg(test)]
mod tests;
