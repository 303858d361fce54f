//! Ways to find how many calls may run at once: ours, fixed ones, and the published families, as their documentation
//! describes them, to be measured beside.

use weir_throttle::fair::{AdaptiveLimit, Kind, LimitRules, Mark};
use weir_units::{Micros, Tick};

pub(crate) enum Limiter {
    Ours(Box<AdaptiveLimit>),
    Fixed(u32),
    /// More by one for each limit's worth of answers within 100 ms, and a tenth less for one that took longer.
    Aimd(f64),
    Vegas(Vegas),
    Gradient(Gradient),
}

/// Keeps between three and six logarithms of the limit in the queue that the least time seen implies.
pub(crate) struct Vegas {
    limit: f64,
    least: f64,
    /// Answers until the least time is forgotten.
    probe: u32,
}

/// Follows the ratio of a long mean of times to the present, with the root of the limit as a queue.
pub(crate) struct Gradient {
    limit: f64,
    long: f64,
    answers: u32,
}

pub(crate) const INITIAL: u32 = 16;
const MAX: f64 = 1_000.0;

impl Limiter {
    pub(crate) fn ours() -> Self {
        Self::Ours(Box::new(AdaptiveLimit::new(LimitRules::default())))
    }

    pub(crate) fn all() -> [(&'static str, Self); 4] {
        let limit = f64::from(INITIAL);
        [
            ("ours", Self::ours()),
            ("AIMD", Self::Aimd(limit)),
            ("Vegas", Self::Vegas(Vegas { limit, least: f64::MAX, probe: 500 })),
            ("gradient", Self::Gradient(Gradient { limit, long: 0.0, answers: 0 })),
        ]
    }

    pub(crate) fn places(&self) -> u32 {
        match self {
            Self::Ours(limit) => limit.places(),
            Self::Fixed(places) => *places,
            Self::Aimd(limit) => limit.clamp(1.0, MAX) as u32,
            Self::Vegas(vegas) => vegas.limit.clamp(1.0, MAX) as u32,
            Self::Gradient(gradient) => gradient.limit.clamp(1.0, MAX) as u32,
        }
    }

    pub(crate) fn start(&mut self, running: u32, now: Tick) -> Mark {
        if let Self::Ours(limit) = self { limit.start(running, Kind::Heavy, now) } else { Mark::default() }
    }

    pub(crate) fn end(&mut self, mark: Mark, took: Micros, answered: bool, now: Tick) {
        let time = took.count().max(1) as f64;
        match self {
            Self::Ours(limit) => limit.end(mark, took, answered, now),
            Self::Fixed(_) => {}
            Self::Aimd(limit) if time > 100_000.0 => *limit = (*limit * 0.9).max(1.0),
            Self::Aimd(limit) => *limit = (*limit + 1.0 / *limit).min(MAX),
            Self::Vegas(vegas) => vegas.end(time),
            Self::Gradient(gradient) => gradient.end(time),
        }
    }
}

impl Vegas {
    fn end(&mut self, time: f64) {
        self.probe -= 1;
        if self.probe == 0 {
            self.probe = (30.0 * self.limit) as u32 + 1;
            self.least = time;
            return;
        }
        self.least = self.least.min(time);
        let (queue, step) = (self.limit * (1.0 - self.least / time), self.limit.log10().max(1.0));
        if queue <= 3.0 * step {
            self.limit = (self.limit + step / self.limit).min(MAX);
        } else if queue >= 6.0 * step {
            self.limit = (self.limit - step / self.limit).max(1.0);
        }
    }
}

impl Gradient {
    fn end(&mut self, time: f64) {
        self.answers += 1;
        let weight = 1.0 / f64::from(self.answers.min(600));
        self.long += (time - self.long) * weight;
        if self.long > 2.0 * time {
            self.long *= 0.95;
        }
        let gradient = (1.5 * self.long / time).clamp(0.5, 1.0);
        let wanted = self.limit * gradient + self.limit.sqrt();
        self.limit = (self.limit * 0.8 + wanted * 0.2).clamp(1.0, MAX);
    }
}
