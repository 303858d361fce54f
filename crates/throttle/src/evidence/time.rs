//! The time parts of a budget at the moment of a decision.

use weir_units::{Component, Micros, Millis, Part, Refusal, TimePart};

use crate::minute::of_part;

/// One time part that is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartSeen {
    /// What was used in the last minute.
    pub used: Micros,
    /// What is allowed in a minute.
    pub allowance: Micros,
    /// How long until something is left, if nothing else is charged: zero where something is, [`Self::NEVER`] where
    /// nothing is allowed at all.
    pub clear: Micros,
}

impl PartSeen {
    /// No wait helps.
    pub const NEVER: Micros = Micros::new(u64::MAX);
}

/// The time parts that are limited, by [`TimePart::index`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeSeen(pub [Option<PartSeen>; 4]);

impl TimeSeen {
    /// Whether each part has something left of its allowance.
    pub fn within(&self) -> bool {
        self.limited().all(|(_, seen)| seen.used < seen.allowance)
    }

    /// Whether nothing is allowed of some part, so that no wait helps.
    pub fn is_hopeless(&self) -> bool {
        self.limited().any(|(_, seen)| seen.allowance == Micros::ZERO)
    }

    /// The part that takes longest to have something left.
    pub fn part(&self) -> TimePart {
        self.longest().map_or(TimePart::Cas, |(part, _)| part)
    }

    /// What is known of one part; nothing where it is not limited.
    pub const fn of(&self, part: TimePart) -> Option<PartSeen> {
        *of_part(&self.0, part)
    }

    /// Why a call of `component` may not run, in the words of [`TimeSeen::part`].
    pub fn refusal(&self, component: Component) -> Refusal {
        let free = PartSeen { used: Micros::ZERO, allowance: Micros::ZERO, clear: Micros::ZERO };
        let (part, seen) = self.longest().unwrap_or((TimePart::Cas, free));
        let wait = seen.clear.ceil_millis().max(Millis::new(1));
        Refusal {
            component,
            part: Part::Time(part),
            limit: seen.allowance.floor_millis().count(),
            used: seen.used.floor_millis().count(),
            retry_after: (seen.clear != PartSeen::NEVER).then_some(wait),
        }
    }

    fn longest(&self) -> Option<(TimePart, PartSeen)> {
        self.limited().max_by_key(|(_, seen)| seen.clear)
    }

    fn limited(&self) -> impl Iterator<Item = (TimePart, PartSeen)> {
        TimePart::ALL.into_iter().zip(self.0).filter_map(|(part, seen)| Some((part, seen?)))
    }
}
