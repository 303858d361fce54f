//! Whose call is next: surplus round robin over the owners who wait, on measured cost (T23).
//!
//! Time goes in rounds. In each, every owner may take origin time worth one quantum for each unit of his weight, and the
//! head of his line may run while something is left to him, so that he takes up to a call too much and starts the next
//! round with so much less. A round ends when nobody who waits has anything left, or nobody waits. The quantum is the
//! largest cost of the last minute, and one for the whole round.
//!
//! **Within a round, whoever does not use up his share goes first.** That changes nobody's share, since all have the same
//! to take, and it is what makes a flood delay the flooder alone: people who make some calls now and then wait for the
//! next free place and not for the flooders' quanta. Such are those whose line was empty when their call came, until they
//! have used up what is left to them or have no more to ask; among themselves they take turns call by call. So that an
//! endless stream of ever other owners cannot keep a round from ending, only as many may join one as waited when it began,
//! or [`JOINS_MIN`]; the rest join the next.
//!
//! **Whoever asks for less than his share saves the rest,** up to [`SAVED_SHARES`] shares. Each time a call of his finds his
//! line empty, what he saved fills up what is left of this round, so that two calls one soon after the other both go
//! first, in rounds however short. While calls of his wait he gets a share a round like everybody, and no more, so that
//! over any time in which two owners both wait nothing is different; and who pauses to save never gets more than his share
//! in the long run.
//!
//! A call's cost is known when it has ended, and many may start before. So each is charged what its owner's calls cost
//! in the mean when it starts, and the difference when it ends.
//!
//! Every step serves a call or passes over an owner in debt, who gets a quantum for it. As no charge exceeds the quantum
//! of the next round, there are at most about as many of the latter as there were calls, whoever waits.

use weir_units::{Micros, Owner, Tick};

use super::owners::{Account, Owners, Standing};
use super::quantum::Quantum;
use super::rules::Weight;
use super::slab::{List, Slab};

/// How many owners may join a round that is under way, if fewer waited when it began.
const JOINS_MIN: usize = 64;
/// The least quantum.
const QUANTUM_MIN: Micros = Micros::new(1_000);
/// How many shares an owner can save: enough for as many calls at once as people make, each as dear as any.
const SAVED_SHARES: i64 = 4;
/// The share of the last call in the mean of its owner's.
const LAST: i64 = 8;
/// How many owners without calls are looked at in one step for whether they can be forgotten.
const SWEPT: usize = 2;

/// What can be done with an owner and a list.
type ToList = fn(&mut List, &mut Slab<Account>, usize);

/// The owners, their lists and the round.
#[derive(Debug)]
pub(crate) struct Rounds {
    pub(crate) owners: Owners,
    bound: usize,
    cost_max: Micros,
    /// Those who go first: their line was empty, and something is left to them of this round.
    prompt: List,
    /// The others who wait, by whether their turn is in a round of even number or of odd.
    even: List,
    odd: List,
    /// Those who have no call, and whose share is not whole again.
    idle: List,
    /// How many owners stand in the first three.
    waiting: usize,
    round: u64,
    /// What an owner of weight one may take in this round.
    share: i64,
    joins_left: usize,
    largest: Quantum,
    /// What a call costs in the mean.
    usual: i64,
    /// The most rounds that an owner can have taken ahead.
    ahead_max: i64,
    #[cfg(test)]
    pub(crate) steps: u64,
}

impl Rounds {
    pub(crate) fn new(bound: usize, cost_max: Micros) -> Self {
        let cost_max = cost_max.max(QUANTUM_MIN);
        Self {
            owners: Owners::new(bound),
            bound,
            cost_max,
            prompt: List::EMPTY,
            even: List::EMPTY,
            odd: List::EMPTY,
            idle: List::EMPTY,
            waiting: 0,
            round: 1,
            share: signed(QUANTUM_MIN),
            joins_left: JOINS_MIN,
            largest: Quantum::default(),
            usual: 0,
            ahead_max: 1,
            #[cfg(test)]
            steps: 0,
        }
    }

    /// So many calls may run at once, and owe so much before it is known.
    pub(crate) fn set_places(&mut self, places: u32) {
        self.ahead_max = i64::from(places) + 1;
    }

    /// The number of the owner, unless there are too many.
    #[inline]
    pub(crate) fn admit(&mut self, owner: &Owner, weight: Weight) -> Option<usize> {
        let weight = i64::from(weight.count());
        if let Some(number) = self.owners.find(owner) {
            self.account(number)?.weight = weight;
            return Some(number);
        }
        if self.owners.slab.len() >= self.bound {
            let longest_gone = self.idle.first()?;
            self.forget(longest_gone);
        }
        Some(self.owners.insert(Account::new(owner.clone(), weight, self.usual)))
    }

    #[inline]
    pub(crate) fn account(&mut self, number: usize) -> Option<&mut Account> {
        self.owners.slab.get_mut(number)
    }

    /// A call of the owner joined his line, which was empty.
    pub(crate) fn enlist(&mut self, number: usize) {
        let round = self.round;
        let joins = self.account(number).is_some_and(|account| account.round < round);
        let (left, share, must_wait) = (self.refresh(number), self.share, joins && self.joins_left == 0);
        let Some(account) = self.account(number) else { return };
        if must_wait {
            account.remainder = left.min(0);
        } else {
            let from_saved = (share * account.weight - left).clamp(0, account.saved);
            account.saved -= from_saved;
            account.remainder = left + from_saved;
        }
        let has_left = account.remainder > 0;
        self.joins_left -= usize::from(joins && !must_wait);
        self.stand(number, if has_left { Standing::Prompt } else { self.next_turn() });
    }

    /// The owner whose first call is next to run, if any waits.
    pub(crate) fn pick(&mut self, now: Tick) -> Option<usize> {
        loop {
            #[cfg(test)]
            {
                self.steps += 1;
            }
            match self.prompt.first().or_else(|| self.turn().first()) {
                Some(number) if self.refresh(number) > 0 => return Some(number),
                Some(number) => self.stand(number, self.next_turn()),
                None if self.waiting == 0 => return None,
                None => self.begin_round(now),
            }
        }
    }

    /// Whether the owner goes first, as one does who uses less than his share.
    pub(crate) fn is_prompt(&self, number: usize) -> bool {
        self.owners.slab.get(number).is_some_and(|account| account.standing == Standing::Prompt)
    }

    /// Starts a call of the owner; answers what he was charged for it so far.
    pub(crate) fn start(&mut self, number: usize) -> i64 {
        let left = self.refresh(number);
        let (share, this_turn, next_turn) = (self.share, Standing::of_round(self.round), self.next_turn());
        let Some(account) = self.account(number) else { return 0 };
        let estimate = account.usual.min(share);
        account.running += 1;
        account.remainder = left - estimate;
        let after = match account.waiting {
            0 => Standing::Out,
            _ if account.remainder <= 0 => next_turn,
            _ if account.standing == Standing::Prompt => {
                self.stand(number, Standing::Out);
                Standing::Prompt
            }
            _ => this_turn,
        };
        self.stand(number, after);
        estimate
    }

    /// A call of the owner gave up, whether it waited or never used its place.
    pub(crate) fn give_up(&mut self, number: usize, estimate: Option<i64>) {
        let Some(account) = self.account(number) else { return };
        if let Some(estimate) = estimate {
            account.running -= 1;
            account.remainder += estimate;
        }
        self.settle(number);
    }

    /// A call of the owner, who was charged `estimate` for it, cost so much.
    pub(crate) fn end(&mut self, number: usize, estimate: i64, cost: Micros, now: Tick) {
        let cost = cost.min(self.cost_max);
        self.largest.record(cost, now);
        let cost = signed(cost);
        self.usual += (cost - self.usual) / LAST;
        if let Some(account) = self.account(number) {
            account.usual += (cost - account.usual) / LAST;
            account.running -= 1;
            account.remainder += estimate - cost;
            self.settle(number);
        }
        self.sweep();
    }

    /// Nobody waits: everyone has had his share.
    pub(crate) fn rest(&mut self, now: Tick) {
        if self.waiting == 0 {
            self.begin_round(now);
            self.sweep();
        }
    }

    /// What is left to the owner of this round.
    pub(crate) fn left(&self, account: &Account) -> i64 {
        self.left_and_saved(account).0
    }

    /// The same, and what he has saved.
    fn left_and_saved(&self, account: &Account) -> (i64, i64) {
        let rounds = i64::try_from(self.round - account.round)
            .unwrap_or(i64::MAX)
            .min(self.ahead_max + 1 + SAVED_SHARES);
        if rounds == 0 {
            return (account.remainder, account.saved);
        }
        // A minute after the last dear call the quantum is small, and debts from before would be paid back for ever.
        let most = self.share.max(signed(self.largest.of_all())) * self.ahead_max;
        let share = self.share * account.weight;
        let left = account.remainder.max(-most) + share * rounds;
        // Who does not ask saves the rest; who waits may have been charged more than his calls came to cost.
        if account.standing.waits() {
            return (left, account.saved);
        }
        let saved = account.saved.saturating_add((left - share).max(0));
        (left.min(share), saved.min(share * SAVED_SHARES))
    }

    fn refresh(&mut self, number: usize) -> i64 {
        let Some(account) = self.owners.slab.get(number) else { return 0 };
        let ((left, saved), round) = (self.left_and_saved(account), self.round);
        if let Some(account) = self.account(number) {
            (account.remainder, account.round, account.saved) = (left, round, saved);
        }
        left
    }

    fn begin_round(&mut self, now: Tick) {
        self.round += 1;
        self.share = signed(self.largest.largest(now).clamp(QUANTUM_MIN, self.cost_max));
        self.joins_left = self.waiting.max(JOINS_MIN);
    }

    /// Puts an owner where he belongs after a call of his has ended or gone.
    fn settle(&mut self, number: usize) {
        let (round, next_turn) = (self.round, self.next_turn());
        let Some(account) = self.account(number) else { return };
        let was_charged_too_much =
            account.standing == next_turn && account.round == round && account.remainder > 0;
        if account.has_no_calls() {
            self.stand(number, Standing::Idle);
            if self.may_forget(number) {
                self.forget(number);
            }
        } else if account.waiting == 0 {
            self.stand(number, Standing::Out);
        } else if was_charged_too_much {
            self.stand_first(number, Standing::of_round(round));
        }
    }

    /// Forgets the owners who have been away for longest, if that makes no difference.
    fn sweep(&mut self) {
        for _ in 0..SWEPT {
            match self.idle.first() {
                Some(number) if self.may_forget(number) => self.forget(number),
                Some(_) | None => return,
            }
        }
    }

    /// Whether an owner without calls has his share whole, or nobody waits.
    fn may_forget(&self, number: usize) -> bool {
        let is_whole = |account: &Account| {
            let ((left, saved), share) = (self.left_and_saved(account), self.share * account.weight);
            left >= share && saved >= share * SAVED_SHARES
        };
        self.waiting == 0 || self.owners.slab.get(number).is_some_and(is_whole)
    }

    fn forget(&mut self, number: usize) {
        self.stand(number, Standing::Out);
        self.owners.remove(number);
    }

    /// Moves an owner to the end of another list; in his own he keeps his place.
    fn stand(&mut self, number: usize, standing: Standing) {
        self.move_to(number, standing, List::push_back);
    }

    /// Moves an owner to the beginning of another list, to go on with his turn.
    fn stand_first(&mut self, number: usize, standing: Standing) {
        self.move_to(number, standing, List::push_front);
    }

    fn move_to(&mut self, number: usize, standing: Standing, push: ToList) {
        let Some(account) = self.owners.slab.get_mut(number) else { return };
        let before = std::mem::replace(&mut account.standing, standing);
        if before == standing {
            return;
        }
        self.waiting = self.waiting + usize::from(standing.waits()) - usize::from(before.waits());
        let Self { owners, prompt, even, odd, idle, .. } = self;
        let mut list = |standing, act: ToList| match standing {
            Standing::Out => {}
            Standing::Prompt => act(prompt, &mut owners.slab, number),
            Standing::Even => act(even, &mut owners.slab, number),
            Standing::Odd => act(odd, &mut owners.slab, number),
            Standing::Idle => act(idle, &mut owners.slab, number),
        };
        list(before, List::unlink);
        list(standing, push);
    }

    /// Those whose turn is in this round.
    fn turn(&self) -> &List {
        if Standing::of_round(self.round) == Standing::Even { &self.even } else { &self.odd }
    }

    /// Where those stand whose turn is in the next round.
    const fn next_turn(&self) -> Standing {
        Standing::of_round(self.round + 1)
    }
}

/// Microseconds that may be owed.
fn signed(micros: Micros) -> i64 {
    i64::try_from(micros.count()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
