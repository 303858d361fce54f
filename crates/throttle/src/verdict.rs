//! What became of a call, as the request log says it (T17, T20).

/// What became of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It ended before anything was decided: no credential, no known path, no understandable body.
    #[default]
    Unjudged,
    /// It ran at once.
    Run,
    /// It ran after a wait.
    Delay,
    /// It was refused.
    Refuse,
    /// It ran at once and would have had to wait, had budgets been enforced (T20).
    WouldDelay,
    /// It ran at once and would have been refused.
    WouldRefuse,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 6] =
        [Self::Unjudged, Self::Run, Self::Delay, Self::Refuse, Self::WouldDelay, Self::WouldRefuse];

    /// The word in the log.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unjudged => "-",
            Self::Run => "run",
            Self::Delay => "delay",
            Self::Refuse => "refuse",
            Self::WouldDelay => "would-delay",
            Self::WouldRefuse => "would-refuse",
        }
    }

    /// The verdict that the log calls so.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.name() == name)
    }
}
