//! A target as one selector sees it: its shared record, and what belongs to this next hop alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use weir_units::{Micros, Tick};

use crate::health::{Health, TableFull};
use crate::record::Record;
use crate::slow_start::{Thinning, share};
use crate::target::Target;

#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) target: Target,
    pub(crate) record: Arc<Record>,
    /// Whether it has slots on the wheel.
    listed: AtomicBool,
    /// The stamp of its last choice for a first connection or a retry.
    claimed: AtomicU64,
    thinning: Thinning,
}

impl Member {
    pub(crate) fn new(target: Target, health: &Health) -> Result<Self, TableFull> {
        let record = health.record(&target)?;
        Ok(Self {
            target,
            record,
            listed: AtomicBool::new(false),
            claimed: AtomicU64::new(0),
            thinning: Thinning::default(),
        })
    }

    /// What part of its turns it takes at `now`.
    #[inline]
    pub(crate) fn share(&self, slow_start: Micros, now: Tick) -> u64 {
        share(self.record.came_back(), slow_start, now)
    }

    /// Whether it takes the turn that it has at `now`.
    #[inline]
    pub(crate) fn takes(&self, slow_start: Micros, now: Tick) -> bool {
        self.thinning.takes(self.share(slow_start, now))
    }

    pub(crate) fn is_listed(&self) -> bool {
        self.listed.load(Ordering::Relaxed)
    }

    pub(crate) fn list(&self, listed: bool) {
        self.listed.store(listed, Ordering::Relaxed);
    }

    pub(crate) fn claimed(&self) -> u64 {
        self.claimed.load(Ordering::Relaxed)
    }

    pub(crate) fn note_claim(&self, stamp: u64) {
        self.claimed.fetch_max(stamp, Ordering::Relaxed);
    }
}
