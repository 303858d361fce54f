//! Credentials that were accepted a moment ago (T8).
//!
//! Verifying a password is slow on purpose, so an accepted credential maps further requests to their account without
//! a look at the directory, for five minutes from its acceptance; being used prolongs nothing. The cache holds no
//! credential, only its HMAC under a key that the process makes for itself and forgets with it.
//!
//! After its five minutes a credential is *lapsed* for an hour: it has to be verified again, but it is no guess, so
//! its owner need not queue behind a guesser who shares his address. A changed password or mailbox forgets an owner
//! altogether, also for verifications that began before the change and end after it ([`Generation`]).

use std::collections::VecDeque;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use ring::error::Unspecified;
use ring::hmac;
use ring::rand::SecureRandom;
use weir_units::{Micros, Owner, Tick};

mod aged;
mod basic;

use aged::Aged;
pub use basic::{BasicCredential, CredentialError};

/// Owners whose forgetting is remembered one by one; for older verifications all count as forgotten.
const FORGOTTEN: usize = 256;

/// The limits of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CredentialSettings {
    /// How long an accepted credential needs no verification, from its acceptance.
    pub lifetime: Micros,
    /// How long after its acceptance a credential still counts as lapsed, not as unknown.
    pub lapsed: Micros,
    /// Credentials remembered at the same time, of either kind; the one accepted the longest ago goes first.
    pub entries: usize,
}

impl Default for CredentialSettings {
    fn default() -> Self {
        Self { lifetime: Micros::MINUTE.times(5), lapsed: Micros::MINUTE.times(60), entries: 100_000 }
    }
}

/// What stands for a credential: its HMAC under the process's key. Useless to anybody else.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CredentialKey([u8; 32]);

/// The state of knowledge when a verification began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Generation(u64);

/// The accepted credentials of one process; `V` is whatever the gateway wants to find again.
pub struct CredentialCache<V> {
    key: hmac::Key,
    settings: CredentialSettings,
    state: RwLock<State<V>>,
}

struct State<V> {
    fresh: Aged<CredentialKey, (Owner, V)>,
    lapsed: Aged<CredentialKey, Owner>,
    generation: u64,
    /// Verifications that began before this generation cannot be remembered, whosever they are.
    floor: u64,
    forgotten: VecDeque<(Owner, u64)>,
}

impl<V: Clone> CredentialCache<V> {
    /// An empty cache with a key out of `random`.
    ///
    /// # Errors
    /// Where the system gives no randomness.
    pub fn new(settings: CredentialSettings, random: &dyn SecureRandom) -> Result<Self, Unspecified> {
        let state = State {
            fresh: Aged::new(settings.entries),
            lapsed: Aged::new(settings.entries),
            generation: 0,
            floor: 0,
            forgotten: VecDeque::with_capacity(FORGOTTEN),
        };
        Ok(Self { key: hmac::Key::generate(hmac::HMAC_SHA256, random)?, settings, state: RwLock::new(state) })
    }

    /// What stands for `credential` of this scheme, `basic` for instance.
    pub fn key(&self, scheme: &str, credential: &[u8]) -> CredentialKey {
        let mut context = hmac::Context::with_key(&self.key);
        context.update(scheme.as_bytes());
        context.update(b"\0");
        context.update(credential);
        let tag = context.sign();
        let mut key = [0; 32];
        key.iter_mut().zip(tag.as_ref()).for_each(|(to, from)| *to = *from);
        CredentialKey(key)
    }

    /// The value of a credential whose acceptance is not too long ago at `now`.
    pub fn accepted(&self, key: &CredentialKey, now: Tick) -> Option<V> {
        let state = self.read();
        let ((_, value), accepted_at) = state.fresh.find(key)?;
        (now.since(accepted_at) < self.settings.lifetime).then(|| value.clone())
    }

    /// Whether a credential that is not accepted at `now` was, not long ago: it has to be verified, but is no guess.
    pub fn is_lapsed(&self, key: &CredentialKey, now: Tick) -> bool {
        let state = self.read();
        let fresh = state.fresh.find(key).map(|(_, at)| at);
        let accepted_at = fresh.or_else(|| state.lapsed.find(key).map(|(_, at)| at));
        accepted_at.is_some_and(|at| {
            let age = now.since(at);
            self.settings.lifetime <= age && age < self.settings.lapsed
        })
    }

    /// Marks the beginning of a verification; to be asked for before the directory is.
    pub fn begin(&self) -> Generation {
        Generation(self.read().generation)
    }

    /// Remembers at `now` that the credential was accepted as `owner`'s by a verification that began at `begun`.
    ///
    /// False, and nothing remembered, where the owner was forgotten since.
    pub fn accept(&self, key: CredentialKey, owner: &Owner, value: V, begun: Generation, now: Tick) -> bool {
        let mut state = self.write();
        if !state.may_remember(owner, begun) {
            return false;
        }
        state.lapsed.remove(&key);
        state.fresh.insert(key, (owner.clone(), value), now);
        true
    }

    /// Forgets a credential that was answered with 401.
    pub fn reject(&self, key: &CredentialKey) {
        let mut state = self.write();
        state.fresh.remove(key);
        state.lapsed.remove(key);
    }

    /// Forgets every credential of `owner`, whose password or mailbox has changed.
    pub fn forget(&self, owner: &Owner) {
        let mut state = self.write();
        state.fresh.retain(|(of, _)| of != owner);
        state.lapsed.retain(|of| of != owner);
        state.remember_forgetting(owner);
    }

    /// Forgets every credential, after a change that may concern anybody.
    pub fn forget_all(&self) {
        let mut state = self.write();
        state.fresh.retain(|_| false);
        state.lapsed.retain(|_| false);
        state.generation += 1;
        state.floor = state.generation;
        state.forgotten.clear();
    }

    /// Lets go at `now` of what is too old, above all of the values; to be called now and then.
    pub fn sweep(&self, now: Tick) {
        let mut state = self.write();
        while let Some((key, (owner, _), at)) = state.fresh.pop_older(self.settings.lifetime, now) {
            state.lapsed.insert(key, owner, at);
        }
        while state.lapsed.pop_older(self.settings.lapsed, now).is_some() {}
    }

    /// How many credentials are remembered with their value.
    pub fn len(&self) -> usize {
        self.read().fresh.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn read(&self) -> RwLockReadGuard<'_, State<V>> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State<V>> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<V> State<V> {
    fn may_remember(&self, owner: &Owner, begun: Generation) -> bool {
        let since = self.forgotten.iter().any(|(of, generation)| of == owner && *generation > begun.0);
        begun.0 >= self.floor && !since
    }

    fn remember_forgetting(&mut self, owner: &Owner) {
        self.generation += 1;
        if self.forgotten.len() >= FORGOTTEN
            && let Some((_, generation)) = self.forgotten.pop_front()
        {
            self.floor = generation;
        }
        self.forgotten.push_back((owner.clone(), self.generation));
    }
}

impl<V> std::fmt::Debug for CredentialCache<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CredentialCache").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for CredentialKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CredentialKey")
    }
}

#[cfg(test)]
mod tests;
