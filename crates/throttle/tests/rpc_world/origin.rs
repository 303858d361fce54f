//! What an origin takes over a request: always the same, or as long as its workers need.

use weir_units::{Micros, Tick};

use crate::random::Random;

pub(crate) enum Origin {
    /// Every packet takes so long, whatever is in it.
    Pinned(Micros),
    /// So many workers, each of which does one request at a time, operation by operation, first come first served.
    Workers(Workers),
}

pub(crate) struct Workers {
    /// When each is free again.
    free: Vec<Tick>,
    /// What an operation takes in the mean; it is distributed exponentially.
    pub(crate) each: Micros,
    random: Random,
}

impl Workers {
    pub(crate) fn new(count: usize, each: Micros, seed: u64) -> Self {
        Self { free: vec![Tick::START; count], each, random: Random::new(seed) }
    }

    fn take(&mut self, rops: u32, now: Tick) -> Micros {
        let work = (0..rops).fold(Micros::ZERO, |work, _| work.plus(self.random.exponential(self.each)));
        let Some(first) = self.free.iter_mut().min() else { return work };
        *first = now.max(*first).plus(work);
        first.since(now)
    }
}

impl Origin {
    /// How long it takes until a request that comes at `now` is answered.
    pub(crate) fn take(&mut self, rops: u32, now: Tick) -> Micros {
        match self {
            Self::Pinned(took) => *took,
            Self::Workers(workers) => workers.take(rops, now),
        }
    }
}
