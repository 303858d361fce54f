//! An origin of some workers, which may become more or fewer, slower or faster, stand still or fail.

use weir_units::{Micros, Tick};

use crate::random::Random;

/// What an operation takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Law {
    /// Always the mean.
    Fixed,
    /// Distributed exponentially.
    Exponential,
    /// One in twenty takes ten times as long as the others.
    Mixed,
}

/// So many workers, each of which does one call at a time, first come first served.
pub(crate) struct Origin {
    /// When each is free again.
    free: Vec<Tick>,
    pub(crate) mean: Micros,
    law: Law,
    /// By how much each call that runs makes all of them longer, in thousandths.
    pub(crate) crowding: u64,
    pub(crate) stands: Option<(Tick, Tick)>,
    pub(crate) fails: Option<(Tick, Tick)>,
    random: Random,
}

impl Origin {
    pub(crate) fn new(workers: usize, mean: Micros, law: Law, seed: u64) -> Self {
        let (free, random) = (vec![Tick::START; workers], Random::new(seed));
        Self { free, mean, law, crowding: 0, stands: None, fails: None, random }
    }

    /// There are so many workers from now on.
    pub(crate) fn resize(&mut self, workers: usize, now: Tick) {
        self.free.resize(workers, now);
    }

    /// How long a call that costs `times` as much as others takes that comes now, as the last of so many; nothing where it
    /// fails, which it does at once.
    pub(crate) fn take(&mut self, times: u64, running: u32, now: Tick) -> Option<Micros> {
        if self.fails.is_some_and(|(from, until)| (from..until).contains(&now)) {
            return None;
        }
        let crowding = 1_000 + self.crowding * u64::from(running - 1);
        let work = Micros::new(self.work().count() * crowding / 1_000 * times);
        let first = self.free.iter_mut().min().expect("there is a worker");
        let mut begin = now.max(*first);
        let (from, until) = self.stands.unwrap_or((Tick::NEVER, Tick::NEVER));
        if (from..until).contains(&begin) {
            begin = until;
        }
        let mut end = begin.plus(work);
        if begin < from && from < end {
            end = end.plus(until.since(from));
        }
        *first = end;
        Some(end.since(now))
    }

    fn work(&mut self) -> Micros {
        let mean = self.mean;
        match self.law {
            Law::Fixed => mean,
            Law::Exponential => self.random.exponential(mean).max(Micros::new(1)),
            Law::Mixed if self.random.below(Micros::new(20)).count() == 0 => {
                Micros::new(mean.count() * 200 / 29)
            }
            Law::Mixed => Micros::new(mean.count() * 20 / 29),
        }
    }
}
