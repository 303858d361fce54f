//! The parameters that a policy may set (T1).
//!
//! One table says everything about each: its name as administrators type it (`EWSFindCountLimit`), the component it
//! belongs to, what it limits, the unit, the allowed range, and whether this build enforces it. The five limits that
//! every component has are spelled out by `PER_COMPONENT`; the others stand alone in `SINGLE`. A parameter that is
//! not enforced is stored and shown all the same, so that a policy can be carried over whole.

pub(crate) mod close;

use std::fmt;

use weir_units::{Component, TimePart};

/// What a parameter limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    MaxConcurrency,
    Time(TimePart),
    MaxSubscriptions,
    FastSearchTimeout,
    FindCount,
    CpuStart,
    MessageRate,
    RecipientRate,
    FairShareWeight,
    ObserveOnly,
    /// A limit that no part of a budget measures.
    Stored,
}

/// What a parameter's number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Things at the same time, or in all.
    Count,
    /// Percent of one minute (T2).
    PercentOfMinute,
    /// Percent of the processor, over all cores (T9).
    PercentOfCpu,
    /// Whole seconds.
    Seconds,
    /// A count in each minute.
    PerMinute,
    /// A count in each 24 hours.
    PerDay,
    /// A count in each month.
    PerMonth,
    /// A relative weight (T23).
    Weight,
    /// 0 for no, 1 for yes.
    Flag,
}

impl Unit {
    /// The unit in words, for listings and error messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::PercentOfMinute => "percent of one minute",
            Self::PercentOfCpu => "percent of the processor",
            Self::Seconds => "seconds",
            Self::PerMinute => "per minute",
            Self::PerDay => "per 24 hours",
            Self::PerMonth => "per month",
            Self::Weight => "weight",
            Self::Flag => "0 or 1",
        }
    }
}

/// The largest number that the documents allow for a limit.
const LARGEST: u32 = 2_147_483_647;

#[derive(Clone, Copy)]
struct Row {
    name: &'static str,
    component: Option<Component>,
    subject: Subject,
    unit: Unit,
    least: u32,
    most: u32,
}

/// The names of the limits that every component has, in the order of `LIMITS`.
const PER_COMPONENT: [(Component, [&str; 5]); 9] = [
    (
        Component::Anonymous,
        [
            "AnonymousMaxConcurrency",
            "AnonymousPercentTimeInAD",
            "AnonymousPercentTimeInCAS",
            "AnonymousPercentTimeInAddressBook",
            "AnonymousPercentTimeInMailboxRPC",
        ],
    ),
    (
        Component::Eas,
        [
            "EASMaxConcurrency",
            "EASPercentTimeInAD",
            "EASPercentTimeInCAS",
            "EASPercentTimeInAddressBook",
            "EASPercentTimeInMailboxRPC",
        ],
    ),
    (
        Component::Ews,
        [
            "EWSMaxConcurrency",
            "EWSPercentTimeInAD",
            "EWSPercentTimeInCAS",
            "EWSPercentTimeInAddressBook",
            "EWSPercentTimeInMailboxRPC",
        ],
    ),
    (
        Component::Owa,
        [
            "OWAMaxConcurrency",
            "OWAPercentTimeInAD",
            "OWAPercentTimeInCAS",
            "OWAPercentTimeInAddressBook",
            "OWAPercentTimeInMailboxRPC",
        ],
    ),
    (
        Component::Imap,
        [
            "IMAPMaxConcurrency",
            "IMAPPercentTimeInAD",
            "IMAPPercentTimeInCAS",
            "IMAPPercentTimeInAddressBook",
            "IMAPPercentTimeInMailboxRPC",
        ],
    ),
    (
        Component::Pop,
        [
            "POPMaxConcurrency",
            "POPPercentTimeInAD",
            "POPPercentTimeInCAS",
            "POPPercentTimeInAddressBook",
            "POPPercentTimeInMailboxRPC",
        ],
    ),
    (
        Component::Rca,
        [
            "RCAMaxConcurrency",
            "RCAPercentTimeInAD",
            "RCAPercentTimeInCAS",
            "RCAPercentTimeInAddressBook",
            "RCAPercentTimeInMailboxRPC",
        ],
    ),
    (
        Component::Cpa,
        [
            "CPAMaxConcurrency",
            "CPAPercentTimeInAD",
            "CPAPercentTimeInCAS",
            "CPAPercentTimeInAddressBook",
            "CPAPercentTimeInMailboxRPC",
        ],
    ),
    (
        Component::PowerShell,
        [
            "PowerShellMaxConcurrency",
            "PowerShellPercentTimeInAD",
            "PowerShellPercentTimeInCAS",
            "PowerShellPercentTimeInAddressBook",
            "PowerShellPercentTimeInMailboxRPC",
        ],
    ),
];

const LIMITS: [(Subject, Unit); 5] = [
    (Subject::MaxConcurrency, Unit::Count),
    (Subject::Time(TimePart::Ad), Unit::PercentOfMinute),
    (Subject::Time(TimePart::Cas), Unit::PercentOfMinute),
    (Subject::Time(TimePart::AddressBook), Unit::PercentOfMinute),
    (Subject::Time(TimePart::MailboxRpc), Unit::PercentOfMinute),
];

const SINGLE: [Row; 18] = [
    single("EWSMaxSubscriptions", Some(Component::Ews), Subject::MaxSubscriptions, Unit::Count),
    single("EWSFastSearchTimeoutInSeconds", Some(Component::Ews), Subject::FastSearchTimeout, Unit::Seconds),
    single("EWSFindCountLimit", Some(Component::Ews), Subject::FindCount, Unit::Count),
    single("EASMaxDevices", Some(Component::Eas), Subject::Stored, Unit::Count),
    single("EASMaxDeviceDeletesPerMonth", Some(Component::Eas), Subject::Stored, Unit::PerMonth),
    single("PowerShellMaxTenantConcurrency", Some(Component::PowerShell), Subject::Stored, Unit::Count),
    single("PowerShellMaxCmdlets", Some(Component::PowerShell), Subject::Stored, Unit::Count),
    single("PowerShellMaxCmdletsTimePeriod", Some(Component::PowerShell), Subject::Stored, Unit::Seconds),
    single("PowerShellMaxCmdletQueueDepth", Some(Component::PowerShell), Subject::Stored, Unit::Count),
    single("PowerShellMaxDestructiveCmdlets", Some(Component::PowerShell), Subject::Stored, Unit::Count),
    single(
        "PowerShellMaxDestructiveCmdletsTimePeriod",
        Some(Component::PowerShell),
        Subject::Stored,
        Unit::Seconds,
    ),
    single("ExchangeMaxCmdlets", Some(Component::PowerShell), Subject::Stored, Unit::Count),
    single("MessageRateLimit", None, Subject::MessageRate, Unit::PerMinute),
    single("RecipientRateLimit", None, Subject::RecipientRate, Unit::PerDay),
    single("ForwardeeLimit", None, Subject::Stored, Unit::Count),
    Row {
        name: "CPUStartPercent",
        component: None,
        subject: Subject::CpuStart,
        unit: Unit::PercentOfCpu,
        least: 0,
        most: 100,
    },
    Row {
        name: "FairShareWeight",
        component: None,
        subject: Subject::FairShareWeight,
        unit: Unit::Weight,
        least: 1,
        most: 1000,
    },
    Row {
        name: "ObserveOnly",
        component: None,
        subject: Subject::ObserveOnly,
        unit: Unit::Flag,
        least: 0,
        most: 1,
    },
];

const fn single(name: &'static str, component: Option<Component>, subject: Subject, unit: Unit) -> Row {
    Row { name, component, subject, unit, least: 0, most: LARGEST }
}

/// One parameter of a policy. Copy it freely; it is an index into the table.
///
/// ```
/// use weir_throttle::Parameter;
/// let parameter = Parameter::from_name("ewsfindcountlimit").unwrap();
/// assert_eq!(parameter.name(), "EWSFindCountLimit");
/// assert!(parameter.enforced());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Parameter(u8);

impl Parameter {
    /// How many parameters there are.
    pub const COUNT: usize = PER_COMPONENT.len() * LIMITS.len() + SINGLE.len();

    /// Every parameter, in the order in which a policy is listed.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        (0..=u8::MAX).take(Self::COUNT).map(Self)
    }

    /// The parameter of that name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|parameter| parameter.name().eq_ignore_ascii_case(name))
    }

    /// The name as the documents spell it: `EWSFindCountLimit`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The component whose calls it limits; nothing where it concerns the owner as a whole.
    pub fn component(self) -> Option<Component> {
        self.row().component
    }

    /// What its number counts.
    pub fn unit(self) -> Unit {
        self.row().unit
    }

    /// The smallest and the largest number allowed.
    pub fn range(self) -> (u32, u32) {
        let row = self.row();
        (row.least, row.most)
    }

    /// Whether this build acts on it; one that it does not act on is stored and shown as "not enforced" (T1).
    pub fn enforced(self) -> bool {
        let row = self.row();
        match row.subject {
            Subject::CpuStart | Subject::ObserveOnly | Subject::MessageRate | Subject::RecipientRate => true,
            Subject::MaxConcurrency
            | Subject::Time(_)
            | Subject::MaxSubscriptions
            | Subject::FastSearchTimeout
            | Subject::FindCount => row.component == Some(Component::Ews),
            Subject::FairShareWeight | Subject::Stored => false,
        }
    }

    /// The parameter that sets `subject` for `component`; nothing where there is none.
    pub(crate) fn of(component: Option<Component>, subject: Subject) -> Option<Self> {
        Self::all().find(|parameter| {
            let row = parameter.row();
            row.component == component && row.subject == subject
        })
    }

    /// Its place in the table.
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }

    fn row(self) -> Row {
        let index = self.index();
        let shared = PER_COMPONENT
            .get(index / LIMITS.len())
            .and_then(|(component, names)| Some((component, names.get(index % LIMITS.len())?)))
            .zip(LIMITS.get(index % LIMITS.len()));
        if let Some(((component, name), (subject, unit))) = shared {
            return single(name, Some(*component), *subject, *unit);
        }
        let single = SINGLE.get(index - PER_COMPONENT.len() * LIMITS.len());
        *single.expect("a parameter is made by `all` alone, below COUNT")
    }
}

impl fmt::Debug for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests;
