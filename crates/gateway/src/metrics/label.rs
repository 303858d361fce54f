//! The labels of the families, all of them out of small closed sets.

use std::fmt::{self, Write};

use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue, LabelValueEncoder};
use weir_units::{Component, Part};

use crate::block::Protocol;

/// A way in, as the label `front` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Front {
    /// Exchange Web Services.
    Ews,
    /// `ActiveSync`.
    Eas,
    /// Outlook Web App.
    Owa,
    /// MAPI over HTTP.
    Mapi,
    /// HTTP that belongs to no front: health checks, unknown paths, what is no HTTP.
    Http,
    /// SMTP, of which connections alone are counted here.
    Smtp,
}

impl Front {
    /// Every front.
    pub const ALL: [Self; 6] = [Self::Ews, Self::Eas, Self::Owa, Self::Mapi, Self::Http, Self::Smtp];

    /// The name as metrics spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ews => "ews",
            Self::Eas => "eas",
            Self::Owa => "owa",
            Self::Mapi => "mapi",
            Self::Http => "http",
            Self::Smtp => "smtp",
        }
    }
}

/// What the last sweep saw of a budget. One budget may be in several states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BudgetState {
    /// Every budget that exists.
    All,
    /// A time part is used up.
    OverBudget,
    /// As many calls run as `MaxConcurrency` allows.
    AtMaxConcurrency,
    /// At least one call waits.
    Delayed,
}

impl BudgetState {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::All, Self::OverBudget, Self::AtMaxConcurrency, Self::Delayed];

    /// The name as metrics spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::OverBudget => "over_budget",
            Self::AtMaxConcurrency => "at_max_concurrency",
            Self::Delayed => "delayed",
        }
    }
}

/// What came of a credential without a cached verdict (T8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// It is good.
    Accepted,
    /// It is wrong.
    Failed,
    /// Nothing was proved.
    Unknown,
    /// It was refused unchecked, since too many from its address wait.
    Unchecked,
}

impl Check {
    /// The name as metrics spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
            Self::Unchecked => "unchecked",
        }
    }
}

/// A label's value that is known when the program is built or started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Word(pub(super) &'static str);

impl EncodeLabelValue for Word {
    fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> Result<(), fmt::Error> {
        encoder.write_str(self.0)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct PartLabels {
    component: Word,
    part: Word,
}

impl PartLabels {
    pub(super) const fn new(component: Component, part: Part) -> Self {
        Self { component: Word(component.name()), part: Word(part.name()) }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ProtocolLabels {
    protocol: Word,
}

impl ProtocolLabels {
    pub(super) const fn new(protocol: Protocol) -> Self {
        Self { protocol: Word(protocol.name()) }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct FrontLabels {
    pub(super) front: Word,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct OriginLabels {
    pub(super) origin: Word,
}

/// The labels of the calls at one server or set of servers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct CallLabels {
    origin: String,
    state: Word,
}

/// A server of an origin.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ServerLabels {
    origin: String,
}

impl CallLabels {
    pub(super) fn new(origin: &str, state: &'static str) -> Self {
        Self { origin: origin.to_owned(), state: Word(state) }
    }
}

impl ServerLabels {
    pub(super) fn new(origin: &str) -> Self {
        Self { origin: origin.to_owned() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct BudgetLabels {
    pub(super) component: Word,
    pub(super) state: Word,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct TargetLabels {
    pub(super) state: Word,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct EventLabels {
    pub(super) id: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct CheckLabels {
    pub(super) outcome: Word,
}
