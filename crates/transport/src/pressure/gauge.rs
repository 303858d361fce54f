//! The level of one resource.

use weir_units::Tick;

use super::settings::Marks;

/// How short a resource is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// There is enough.
    #[default]
    Low,
    /// It becomes short.
    Medium,
    /// There is nearly none left.
    High,
}

/// A level that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// What it was.
    pub from: Level,
    /// What it is.
    pub to: Level,
    /// The value that decided it.
    pub value: u64,
}

/// One resource, as it was last seen.
#[derive(Clone, Copy, Debug)]
pub struct Gauge {
    marks: Marks,
    level: Level,
    value: u64,
    /// Since when the value has been where high ends, and where medium ends.
    calm_since: [Option<Tick>; 2],
}

impl Level {
    /// The word for it, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl Gauge {
    /// A resource of which there is enough.
    pub const fn new(marks: Marks) -> Self {
        Self { marks, level: Level::Low, value: 0, calm_since: [None; 2] }
    }

    /// Its level.
    pub const fn level(&self) -> Level {
        self.level
    }

    /// The value that was seen last.
    pub const fn value(&self) -> u64 {
        self.value
    }

    /// Sees `value`, and answers what changed.
    pub fn observe(&mut self, value: u64, now: Tick) -> Option<Change> {
        self.value = value;
        let marks = self.marks;
        let calm = [marks.high_to_medium, marks.medium_to_low];
        for (since, mark) in self.calm_since.iter_mut().zip(calm) {
            *since = if value <= mark { since.or(Some(now)) } else { None };
        }
        let to = self.risen(value).max(self.fallen(now));
        let from = std::mem::replace(&mut self.level, to);
        (from != to).then_some(Change { from, to, value })
    }

    /// The level that the value alone asks for.
    const fn risen(&self, value: u64) -> Level {
        if value > self.marks.medium_to_high {
            Level::High
        } else if value > self.marks.low_to_medium {
            Level::Medium
        } else {
            Level::Low
        }
    }

    /// The level that it has come down to from where it was.
    fn fallen(&self, now: Tick) -> Level {
        let [high_ended, medium_ended] =
            self.calm_since.map(|since| since.is_some_and(|since| now.since(since) >= self.marks.calm));
        match self.level {
            Level::Low => Level::Low,
            Level::Medium | Level::High if medium_ended => Level::Low,
            Level::Medium => Level::Medium,
            Level::High if high_ended => Level::Medium,
            Level::High => Level::High,
        }
    }
}

#[cfg(test)]
mod tests;
