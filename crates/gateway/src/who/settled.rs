//! News of ended verifications for those who wait for their turn.
//!
//! Who waits is woken for his own address, not for everybody's: a few hundred addresses that guess would otherwise wake
//! one another all the time.

use std::hash::BuildHasher;
use std::net::IpAddr;

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use crate::guard::Source;

/// How many groups the addresses fall into.
const GROUPS: usize = 64;

/// Who waits, by address.
#[derive(Debug)]
pub(super) struct Settled {
    groups: [Notify; GROUPS],
    hash: foldhash::fast::RandomState,
}

impl Settled {
    pub(super) fn new() -> Self {
        Self { groups: [const { Notify::const_new() }; GROUPS], hash: foldhash::fast::RandomState::default() }
    }

    /// The next end of a verification of `address`.
    pub(super) fn next(&self, address: IpAddr) -> Notified<'_> {
        self.group(address).notified()
    }

    /// A verification of `address` has ended.
    pub(super) fn tell(&self, address: IpAddr) {
        self.group(address).notify_waiters();
    }

    fn group(&self, address: IpAddr) -> &Notify {
        let hash = self.hash.hash_one(Source::of(address));
        let index = usize::try_from(hash >> 32).unwrap_or(0) % GROUPS;
        self.groups.get(index).expect("a remainder is smaller than the number of groups")
    }
}
