//! Marks of each resource, and how strangers are slowed down.

use weir_units::Micros;

/// What may run short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// Messages in the queues.
    QueueLength,
    /// The disk that the queue is on, in percent of what it may use.
    Disk,
    /// Memory, in percent of what there is.
    Memory,
}

/// Where the level of a resource changes: above one of the first two it rises, at one of the last two it falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    /// Above it the level is medium at least.
    pub low_to_medium: u64,
    /// Above it the level is high.
    pub medium_to_high: u64,
    /// At it or below, high ends.
    pub high_to_medium: u64,
    /// At it or below, medium ends.
    pub medium_to_low: u64,
    /// How long the value has to be there before the level falls.
    pub calm: Micros,
}

/// Marks that would let a level rise and fall at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MarksError {
    /// High begins below medium.
    #[error("{resource}: low_to_medium must be below medium_to_high")]
    Order {
        /// Of which resource.
        resource: &'static str,
    },
    /// A level would end above the mark at which it begins.
    #[error("{resource}: {falls} must not be above {rises}")]
    Flicker {
        /// Of which resource.
        resource: &'static str,
        /// The mark at which it ends.
        falls: &'static str,
        /// The mark at which it begins.
        rises: &'static str,
    },
}

/// Back pressure, as it is configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PressureSettings {
    /// Marks of the number of messages.
    pub queue_length: Marks,
    /// Marks of the disk, in percent.
    pub disk: Marks,
    /// Marks of memory, in percent.
    pub memory: Marks,
    /// How long a stranger's command waits when medium begins.
    pub tarpit: Micros,
    /// How much longer it waits after each [`PressureSettings::tarpit_every`].
    pub tarpit_step: Micros,
    /// How long medium lasts before strangers wait longer.
    pub tarpit_every: Micros,
    /// How long it waits at most.
    pub tarpit_max: Micros,
}

impl Default for PressureSettings {
    fn default() -> Self {
        Self {
            queue_length: Marks::new([9_999, 15_000, 10_000, 2_000], Micros::MINUTE.times(10)),
            disk: Marks::new([89, 99, 90, 80], Micros::ZERO),
            memory: Marks::new([88, 94, 88, 84], Micros::ZERO),
            tarpit: Micros::SECOND.times(10),
            tarpit_step: Micros::SECOND.times(5),
            tarpit_every: Micros::SECOND.times(30),
            tarpit_max: Micros::SECOND.times(55),
        }
    }
}

impl Resource {
    /// Every resource.
    pub const ALL: [Self; 3] = [Self::QueueLength, Self::Disk, Self::Memory];

    /// The word for it, as settings spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::QueueLength => "queue_length",
            Self::Disk => "disk",
            Self::Memory => "memory",
        }
    }

    /// What its numbers count.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::QueueLength => "messages",
            Self::Disk | Self::Memory => "%",
        }
    }
}

impl Marks {
    const fn new(
        [low_to_medium, medium_to_high, high_to_medium, medium_to_low]: [u64; 4],
        calm: Micros,
    ) -> Self {
        Self { low_to_medium, medium_to_high, high_to_medium, medium_to_low, calm }
    }

    /// The marks, if a level cannot rise and fall at once.
    ///
    /// # Errors
    /// [`MarksError`] for the first contradiction.
    pub const fn checked(self, resource: Resource) -> Result<Self, MarksError> {
        let resource = resource.name();
        if self.low_to_medium >= self.medium_to_high {
            return Err(MarksError::Order { resource });
        }
        if self.high_to_medium > self.medium_to_high {
            return Err(MarksError::Flicker { resource, falls: "high_to_medium", rises: "medium_to_high" });
        }
        if self.medium_to_low > self.low_to_medium {
            return Err(MarksError::Flicker { resource, falls: "medium_to_low", rises: "low_to_medium" });
        }
        if self.medium_to_low > self.high_to_medium {
            return Err(MarksError::Flicker { resource, falls: "medium_to_low", rises: "high_to_medium" });
        }
        Ok(self)
    }
}

impl PressureSettings {
    /// The marks of `resource`.
    pub const fn marks(&self, resource: Resource) -> Marks {
        match resource {
            Resource::QueueLength => self.queue_length,
            Resource::Disk => self.disk,
            Resource::Memory => self.memory,
        }
    }

    /// The settings, if they make sense.
    ///
    /// # Errors
    /// [`MarksError`] for the first contradiction.
    pub fn checked(self) -> Result<Self, MarksError> {
        for resource in Resource::ALL {
            self.marks(resource).checked(resource)?;
        }
        Ok(self)
    }
}
