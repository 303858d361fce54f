//! The growing share of a target that came back or was enabled.
//!
//! Its share of its own turns grows linearly from a tenth to the whole over a named time. Shares add up in a counter; a
//! turn is taken when the sum passes a whole, so the number of turns taken is exact to one.

use std::sync::atomic::{AtomicU64, Ordering};

use weir_units::{Micros, Tick};

/// Bits of a fraction.
const FRACTION: u32 = 16;

/// The whole share.
pub(crate) const WHOLE: u64 = 1 << FRACTION;

/// What a target starts with: a tenth.
const FIRST: u64 = WHOLE / 10;

/// The share at `now` of a target that came back at `came_back`, which grows for `over`.
pub(crate) fn share(came_back: Tick, over: Micros, now: Tick) -> u64 {
    if came_back == Tick::NEVER {
        return WHOLE;
    }
    let elapsed = now.since(came_back);
    if elapsed >= over {
        return WHOLE;
    }
    elapsed.times(WHOLE).count().checked_div(over.count()).unwrap_or(WHOLE).max(FIRST)
}

/// What has added up.
#[derive(Debug, Default)]
pub(crate) struct Thinning(AtomicU64);

impl Thinning {
    /// Whether a turn that comes at a share of `share` is taken.
    pub(crate) fn takes(&self, share: u64) -> bool {
        if share >= WHOLE {
            return true;
        }
        let before = self.0.fetch_add(share, Ordering::Relaxed);
        before >> FRACTION != before.wrapping_add(share) >> FRACTION
    }
}

#[cfg(test)]
mod tests;
