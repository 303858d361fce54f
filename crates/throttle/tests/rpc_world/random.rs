//! A small seeded generator, so that a world happens again as it did.

use weir_units::Micros;

pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Less than `bound`.
    pub(crate) fn below(&mut self, bound: Micros) -> Micros {
        Micros::new((self.unit() * bound.count() as f64) as u64)
    }

    /// A time of that mean without a memory, as arrivals and services have it.
    pub(crate) fn exponential(&mut self, mean: Micros) -> Micros {
        Micros::new((-(1.0 - self.unit()).ln() * mean.count() as f64) as u64)
    }

    /// From 0 to 1, which it is not.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}
