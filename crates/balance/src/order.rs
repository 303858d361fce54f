//! The order of a wheel: each member as often as it weighs, evenly spread, the least recently chosen first (H3).
//!
//! A member of weight *w* has *w* places on a wheel, at distances of 1/*w*. Where its first one lies depends on how
//! much of that distance it has waited already: one chosen just now waits nearly all of it, one that waited longer
//! than its distance – because it was away, or was never chosen – is first. With equal weights this is the rotation by
//! the least recent choice, and it goes on without a jump when a member leaves or comes back.

/// Bits of a fraction.
const FRACTION: u32 = 32;
const ONE: u64 = 1 << FRACTION;

/// Stamps say when a member was chosen last: this far apart are two turns. Between them is room for a first connection
/// or a retry of every target.
const STEP: u64 = 1 << 10;

/// The stamp of the turn that comes after `given` turns.
pub(crate) const fn stamp_of_turn(given: u64) -> u64 {
    STEP * (given + 1)
}

/// The first stamp between the last of `given` turns and the next.
pub(crate) const fn stamp_between(given: u64) -> u64 {
    STEP * given + 1
}

/// A member of a wheel to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) member: u16,
    pub(crate) weight: u64,
    /// The stamp of its last choice; zero for never.
    pub(crate) last: u64,
}

/// A place on a wheel: where, how recently its member was chosen, and who that is.
pub(crate) type Place = (u64, u64, u16);

/// Writes the order in which `entries` have their turns after the turn `given` into `places`.
pub(crate) fn arrange(entries: &[Entry], given: u64, places: &mut Vec<Place>) {
    places.clear();
    let divisor = entries.iter().fold(0, |divisor, entry| common_divisor(divisor, entry.weight)).max(1);
    let total: u64 = entries.iter().map(|entry| entry.weight).sum();
    for entry in entries {
        let first = ONE - waited(entry, total, given);
        for turn in 0..entry.weight / divisor {
            let place = ((turn << FRACTION) + first) / entry.weight;
            places.push((place, entry.last, entry.member));
        }
    }
    places.sort_unstable();
}

/// What part of its distance a member has waited.
fn waited(entry: &Entry, total: u64, given: u64) -> u64 {
    if entry.last == 0 || total == 0 {
        return ONE;
    }
    let turns = stamp_of_turn(given).saturating_sub(entry.last).div_ceil(STEP).min(total);
    ((turns * entry.weight) << FRACTION).checked_div(total).unwrap_or(ONE).min(ONE)
}

fn common_divisor(one: u64, other: u64) -> u64 {
    let (mut one, mut other) = (one, other);
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

#[cfg(test)]
mod tests;
