//! One owner stays with one target while it is healthy (H10).
//!
//! Every pair of owner and target has a score that depends on nothing else; the best score among the targets that may
//! be used wins. So no table is kept, every process agrees, and when a target goes only its own owners move, spread
//! over all the others; when it comes back the same owners return, as its share grows. Scores respect weights.

use std::net::{IpAddr, SocketAddr};

use weir_units::Owner;

use crate::slow_start::WHOLE;
use crate::target::Target;

/// The owner's part of the score.
pub(crate) fn owner_key(owner: &Owner) -> u64 {
    fold(owner.name().as_bytes(), SEED)
}

/// The target's part of the score.
fn target_key(address: SocketAddr) -> u64 {
    let ip = match address.ip() {
        IpAddr::V4(ip) => fold(&ip.octets(), SEED),
        IpAddr::V6(ip) => fold(&ip.octets(), SEED),
    };
    fold(&address.port().to_be_bytes(), ip)
}

/// One target's side of every choice by owner, apart from all else that is known of it: a choice reads them all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    key: u64,
    /// Its weight; nothing where all weigh the same.
    weight: Option<u8>,
}

/// How good a pair of owner and target is. The greatest rank wins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Score {
    draw: u64,
    rank: u64,
}

impl Candidate {
    /// The candidates that `targets` are, in their order.
    pub(crate) fn all(targets: &[&Target]) -> Box<[Self]> {
        let equal = targets.windows(2).all(|pair| matches!(pair, [one, other] if one.weight == other.weight));
        let candidate = |target: &&Target| Self {
            key: target_key(target.address),
            weight: (!equal).then_some(target.weight.turns()),
        };
        targets.iter().map(candidate).collect()
    }

    /// The score with this owner, if it is greater than that of the one that leads.
    #[inline]
    pub(crate) fn score_above(self, leading: Option<Score>, owner: u64) -> Option<Score> {
        let draw = folded(owner ^ self.key);
        let rank = match (self.weight, leading) {
            (None, _) => draw,
            (Some(weight), Some(leading)) if !may_be_worth(leading.rank, draw, weight) => return None,
            (Some(weight), _) => worth(draw, weight),
        };
        leading.is_none_or(|leading| rank > leading.rank).then_some(Score { draw, rank })
    }
}

impl Score {
    /// Whether an owner has come back already to a target that has this share of its turns.
    #[inline]
    pub(crate) fn has_returned(self, share: u64) -> bool {
        share >= WHOLE || mix(self.draw) % WHOLE < share
    }
}

/// An exponential draw, the greater the heavier: the chance to be the greatest is the share of the weights. Positive
/// floats are in the order of their bits.
fn worth(draw: u64, weight: u8) -> u64 {
    (f64::from(weight) / -unit(draw).ln()).to_bits()
}

/// Whether [`worth`] may be more than `rank`. Most cannot, which is told without a logarithm: −ln x is never less than
/// 1 − x.
#[inline]
fn may_be_worth(rank: u64, draw: u64, weight: u8) -> bool {
    f64::from(weight) > f64::from_bits(rank) * (1.0 - unit(draw))
}

/// The upper half of the draw, between 0 and 1 and neither.
#[inline]
fn unit(draw: u64) -> f64 {
    let upper = u32::try_from(draw >> 32).unwrap_or(u32::MAX);
    (f64::from(upper) + 0.5) / 4_294_967_296.0
}

/// An odd number without a pattern, so that an empty name is not zero.
const SEED: u64 = 0xcbf2_9ce4_8422_2325;

fn fold(bytes: &[u8], seed: u64) -> u64 {
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    bytes.chunks(8).fold(mix(seed ^ length), |sum, chunk| mix(sum ^ word(chunk)))
}

/// The finaliser of `SplitMix64`: every bit of the input moves every bit of the output.
#[inline]
fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// Both halves of a product, folded: one multiplication, since a choice makes one for each target. Owner and target are
/// mixed well before.
#[inline]
fn folded(value: u64) -> u64 {
    let product = u128::from(value) * u128::from(SEED);
    let halves = [product, product >> 64].map(|half| u64::try_from(half & u128::from(u64::MAX)).unwrap_or(0));
    halves[0] ^ halves[1]
}

#[cfg(test)]
mod tests;
