//! What owners have submitted: messages of the last minute, recipients of the last 24 hours (T1, T19).
//!
//! `MessageRateLimit` 30 means what it reads as: in no 60 seconds more than 30 messages. Each count is kept in slices – of
//! five seconds for messages, of half an hour for recipients – and one counts until its whole slice is older than the window:
//! a minute to 65 seconds, 24 to 24½ hours. So the limit itself passes, one more is refused, and the moment from which it
//! would pass is known exactly.
//!
//! A submission is charged whole or, where either limit is in the way, not at all. Counts live in memory and begin at nothing
//! with the process. Owners are spread over shards with a lock each; an owner who is known is charged without allocating. The
//! table is bounded: where one too many comes, those who owe nothing make room, then those who owe least, and last of all
//! those who have used up a limit.

use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use weir_units::{Component, Micros, Millis, Owner, Part, Refusal, Tick};

use crate::limits::Limits;

mod window;

use window::Window;

/// How many shards the owners are spread over, where there may be as many owners.
const SHARDS: usize = 64;
/// Of a full shard, one owner in so many makes room where all of them owe something.
const EVICTED_SHARE: usize = 16;

/// A slice of the minute of messages.
pub const MESSAGE_SLICE: Micros = Micros::SECOND.times(5);
/// A slice of the 24 hours of recipients.
pub const RECIPIENT_SLICE: Micros = Micros::MINUTE.times(30);
/// Slices of a minute, and the one that is not over.
const MESSAGE_SLICES: usize = 13;
/// Slices of 24 hours, and the one that is not over.
const RECIPIENT_SLICES: usize = 49;

/// What is submitted at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Submission {
    /// Messages.
    pub messages: u32,
    /// Recipients of them.
    pub recipients: u32,
}

/// How much an owner may submit; a limit that is none is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SubmissionLimits {
    /// Messages in a minute.
    pub messages: Option<u32>,
    /// Recipients in 24 hours.
    pub recipients: Option<u32>,
}

/// What an owner has submitted, as it counts at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Submitted {
    /// Messages of the last minute.
    pub messages: u64,
    /// Recipients of the last 24 hours.
    pub recipients: u64,
}

/// What all owners have submitted lately.
///
/// ```
/// use weir_throttle::submissions::{Submission, SubmissionLimits, Submissions};
/// use weir_units::{Owner, Tick};
/// let (submissions, john) = (Submissions::new(1000), Owner::new("john@example.com"));
/// let limits = SubmissionLimits { messages: Some(1), recipients: None };
/// let message = Submission { messages: 1, recipients: 0 };
/// let charge = |now| submissions.charge(&john, message, limits, now);
/// assert!(charge(Tick::START).is_ok());
/// let refusal = charge(Tick::START).unwrap_err();
/// assert_eq!((refusal.limit, refusal.used), (1, 1));
/// assert!(charge(Tick::START.plus(refusal.retry_after.unwrap().micros())).is_ok());
/// ```
#[derive(Debug)]
pub struct Submissions {
    shards: Box<[Mutex<HashTable<Account>>]>,
    hasher: RandomState,
    /// How many owners one shard holds.
    bound: usize,
}

/// One owner's counts.
#[derive(Debug)]
struct Account {
    owner: Owner,
    messages: Window<MESSAGE_SLICES>,
    recipients: Window<RECIPIENT_SLICES>,
    /// The limits that held when he submitted last.
    limits: SubmissionLimits,
}

impl From<&Limits> for SubmissionLimits {
    fn from(limits: &Limits) -> Self {
        Self { messages: limits.message_rate, recipients: limits.recipient_rate }
    }
}

impl Submissions {
    /// Nobody has submitted anything; of so many owners at most will be remembered what they do, and of one at least.
    pub fn new(owners: usize) -> Self {
        let shards = owners.clamp(1, SHARDS);
        Self {
            shards: (0..shards).map(|_| Mutex::default()).collect(),
            hasher: RandomState::default(),
            bound: (owners / shards).max(1),
        }
    }

    /// Charges `submission` to `owner` at `now`.
    ///
    /// # Errors
    /// The refusal, and nothing is charged: it would be more than `limits` allow. Nothing says when asking again may succeed
    /// where it never will, since the limit is smaller than the submission.
    pub fn charge(
        &self,
        owner: &Owner,
        submission: Submission,
        limits: SubmissionLimits,
        now: Tick,
    ) -> Result<(), Refusal> {
        let hash = self.hasher.hash_one(owner);
        let mut shard = self.shard(hash);
        if let Some(account) = shard.find_mut(hash, |account| account.owner == *owner) {
            account.limits = limits;
            account.refusal(submission, now).map_or(Ok(()), Err)?;
            account.add(submission, now);
            return Ok(());
        }
        let mut account = Account::new(owner.clone(), limits);
        account.refusal(submission, now).map_or(Ok(()), Err)?;
        account.add(submission, now);
        self.insert(&mut shard, hash, account, now);
        Ok(())
    }

    /// Charges `submission` to `owner` at `now` whatever `limits` say; gives the refusal that it would have met (T20).
    pub fn observe(
        &self,
        owner: &Owner,
        submission: Submission,
        limits: SubmissionLimits,
        now: Tick,
    ) -> Option<Refusal> {
        let hash = self.hasher.hash_one(owner);
        let mut shard = self.shard(hash);
        if let Some(account) = shard.find_mut(hash, |account| account.owner == *owner) {
            account.limits = limits;
            let refusal = account.refusal(submission, now);
            account.add(submission, now);
            return refusal;
        }
        let mut account = Account::new(owner.clone(), limits);
        let refusal = account.refusal(submission, now);
        account.add(submission, now);
        self.insert(&mut shard, hash, account, now);
        refusal
    }

    /// What `owner` has submitted, as it counts at `now`; nothing where he is not remembered, who owes nothing.
    pub fn of(&self, owner: &Owner, now: Tick) -> Option<Submitted> {
        let hash = self.hasher.hash_one(owner);
        let shard = self.shard(hash);
        shard.find(hash, |account| account.owner == *owner).map(|account| account.submitted(now))
    }

    /// Forgets owners of whom nothing counts any more at `now`; to be called now and then.
    pub fn sweep(&self, now: Tick) {
        for shard in &self.shards {
            let mut shard = lock(shard);
            shard.retain(|account| !account.owes_nothing(now));
            let left = shard.len();
            if left < shard.capacity() / 4 {
                shard.shrink_to(left, |account| self.hasher.hash_one(&account.owner));
            }
        }
    }

    /// How many owners owe something at `now`, and how many of them have used up a limit.
    pub fn census(&self, now: Tick) -> (usize, usize) {
        let mut census = (0, 0);
        for shard in &self.shards {
            for account in lock(shard).iter().filter(|account| !account.owes_nothing(now)) {
                census = (census.0 + 1, census.1 + usize::from(account.weight(now).0));
            }
        }
        census
    }

    /// How many owners are remembered.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).len()).sum()
    }

    /// Whether nobody is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn insert(&self, shard: &mut HashTable<Account>, hash: u64, account: Account, now: Tick) {
        if shard.len() >= self.bound {
            make_room(shard, now);
        }
        shard.insert_unique(hash, account, |account| self.hasher.hash_one(&account.owner));
    }

    fn shard(&self, hash: u64) -> MutexGuard<'_, HashTable<Account>> {
        // The table inside takes its bits from both ends of the hash; the shard is chosen by some in the middle.
        let index = usize::try_from((hash >> 24) & 0xff_ffff).unwrap_or(0) % self.shards.len();
        lock(self.shards.get(index).expect("a remainder is smaller than the number of shards"))
    }
}

impl Account {
    fn new(owner: Owner, limits: SubmissionLimits) -> Self {
        let (messages, recipients) = (Window::new(MESSAGE_SLICE), Window::new(RECIPIENT_SLICE));
        Self { owner, messages, recipients, limits }
    }

    /// What keeps `submission` from being charged: messages before recipients.
    fn refusal(&self, submission: Submission, now: Tick) -> Option<Refusal> {
        let Submission { messages, recipients } = submission;
        let refusal = |part, limit: Option<u32>, count: u32, (used, free): (u64, Option<Tick>)| {
            let limit = u64::from(limit?);
            let over = count > 0 && used + u64::from(count) > limit;
            let wait = |free: Tick| free.since(now).ceil_millis().max(Millis::new(1));
            over.then(|| Refusal {
                component: Component::Smtp,
                part,
                limit,
                used,
                retry_after: free.map(wait),
            })
        };
        let (message_limit, recipient_limit) = (self.limits.messages, self.limits.recipients);
        let sent = self.messages.look(message_limit, messages, now);
        let addressed = self.recipients.look(recipient_limit, recipients, now);
        refusal(Part::MessageRate, message_limit, messages, sent)
            .or_else(|| refusal(Part::RecipientRate, recipient_limit, recipients, addressed))
    }

    fn add(&mut self, submission: Submission, now: Tick) {
        self.messages.add(submission.messages, now);
        self.recipients.add(submission.recipients, now);
    }

    fn submitted(&self, now: Tick) -> Submitted {
        Submitted { messages: self.messages.used(now), recipients: self.recipients.used(now) }
    }

    fn owes_nothing(&self, now: Tick) -> bool {
        self.submitted(now) == Submitted::default()
    }

    /// What decides who makes room, the least first: whether a limit is used up, then how much counts.
    fn weight(&self, now: Tick) -> (bool, u64) {
        let Submitted { messages, recipients } = self.submitted(now);
        let is_full = |used: u64, limit: Option<u32>| limit.is_some_and(|limit| used >= u64::from(limit));
        let full = is_full(messages, self.limits.messages) || is_full(recipients, self.limits.recipients);
        (full && (messages, recipients) != (0, 0), messages.saturating_add(recipients))
    }
}

/// Forgets who owes nothing at `now`; where all of them owe something, those who owe least, some at a time, so that a shard
/// that stays full seldom looks for them.
fn make_room(shard: &mut HashTable<Account>, now: Tick) {
    let before = shard.len();
    shard.retain(|account| !account.owes_nothing(now));
    if shard.len() < before {
        return;
    }
    let mut weights: Vec<(bool, u64)> = shard.iter().map(|account| account.weight(now)).collect();
    let mut going = weights.len() / EVICTED_SHARE + 1;
    let (_, cut, _) = weights.select_nth_unstable(going - 1);
    let cut = *cut;
    shard.retain(|account| {
        let goes = going > 0 && account.weight(now) <= cut;
        going -= usize::from(goes);
        !goes
    });
}

fn lock<T>(shard: &Mutex<T>) -> MutexGuard<'_, T> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
