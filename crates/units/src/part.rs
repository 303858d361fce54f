//! The parts of a budget: what a policy limits.

use std::fmt;

/// A part of a budget that is measured in time (T4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TimePart {
    /// Our own directory look-ups.
    Ad,
    /// The call's whole time in the gateway; it includes the other three.
    Cas,
    /// Address-book operations.
    AddressBook,
    /// Waiting for the origin.
    MailboxRpc,
}

impl TimePart {
    /// Every time part, in the order of the log (T17).
    pub const ALL: [Self; 4] = [Self::Ad, Self::Cas, Self::AddressBook, Self::MailboxRpc];

    /// The part's place in [`TimePart::ALL`].
    pub const fn index(self) -> usize {
        match self {
            Self::Ad => 0,
            Self::Cas => 1,
            Self::AddressBook => 2,
            Self::MailboxRpc => 3,
        }
    }
}

/// A part of a budget: the thing a refusal, a log field and a metric label all name alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Calls at the same time (T7).
    MaxConcurrency,
    /// Calls that wait for events at the same time (T25).
    HangingConnections,
    /// A share of the last minute (T5).
    Time(TimePart),
    /// Items and folders waiting to be sent (T10).
    FindCount,
    /// Subscriptions that live at the origin (T7).
    MaxSubscriptions,
    /// How long a full-text search may take (T1).
    FastSearchTimeout,
    /// The processor, over all cores (T9).
    Cpu,
    /// Calls that wait for their turn at the same time (T6).
    Waiting,
    /// Messages submitted in a minute (T19).
    MessageRate,
    /// Recipients addressed in 24 hours (T19).
    RecipientRate,
    /// The back-off that is owed by a MAPI session, or an owner, faster than the origin (R7).
    Backoff,
    /// A client program that is kept out (R16).
    BlockList,
    /// A place at the origin, of which each owner gets his share (T23).
    FairShare,
}

impl Part {
    /// Every part.
    pub const ALL: [Self; 16] = [
        Self::MaxConcurrency,
        Self::HangingConnections,
        Self::Time(TimePart::Ad),
        Self::Time(TimePart::Cas),
        Self::Time(TimePart::AddressBook),
        Self::Time(TimePart::MailboxRpc),
        Self::FindCount,
        Self::MaxSubscriptions,
        Self::FastSearchTimeout,
        Self::Cpu,
        Self::Waiting,
        Self::MessageRate,
        Self::RecipientRate,
        Self::Backoff,
        Self::BlockList,
        Self::FairShare,
    ];

    /// The part whose [`Part::name`] is `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.name() == name)
    }

    /// The name as policies spell it, without the component: `MaxConcurrency`, `PercentTimeInCAS`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MaxConcurrency => "MaxConcurrency",
            Self::HangingConnections => "HangingConnections",
            Self::Time(TimePart::Ad) => "PercentTimeInAD",
            Self::Time(TimePart::Cas) => "PercentTimeInCAS",
            Self::Time(TimePart::AddressBook) => "PercentTimeInAddressBook",
            Self::Time(TimePart::MailboxRpc) => "PercentTimeInMailboxRPC",
            Self::FindCount => "FindCountLimit",
            Self::MaxSubscriptions => "MaxSubscriptions",
            Self::FastSearchTimeout => "FastSearchTimeoutInSeconds",
            Self::Cpu => "CPUStartPercent",
            Self::Waiting => "Waiting",
            Self::MessageRate => "MessageRateLimit",
            Self::RecipientRate => "RecipientRateLimit",
            Self::Backoff => "Backoff",
            Self::BlockList => "BlockList",
            Self::FairShare => "FairShare",
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
