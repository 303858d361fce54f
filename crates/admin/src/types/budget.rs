//! An owner's budgets in JSON (T21).

use serde::{Deserialize, Serialize};

use super::history::OwnerHistory;
use super::origin::OwnerCalls;
use super::session::MapiSession;

/// Everything that limits one owner at this moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerBudgets {
    /// The owner's canonical name.
    pub owner: String,
    /// Whether the directory knows this name; somebody outside it has the fallback policy.
    pub in_directory: bool,
    /// The policy that holds, and why.
    pub policy: PolicyInForce,
    /// One for each component that this server serves, used or not.
    pub components: Vec<ComponentBudget>,
    /// What of his calls runs and waits at each origin (T23).
    #[serde(default)]
    pub origins: Vec<OwnerCalls>,
    /// What he has sent.
    #[serde(default)]
    pub submission: SubmissionBudget,
    /// His MAPI sessions, the one with most operations in the last minute first.
    #[serde(default)]
    pub sessions: Vec<MapiSession>,
    /// What is remembered of him.
    #[serde(flatten)]
    pub history: OwnerHistory,
}

/// One of the budgets of which most is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopBudget {
    /// Whose it is.
    pub owner: String,
    /// The policy that holds; null where no call has asked for it lately.
    pub policy: Option<String>,
    /// Whether it only watches (T20).
    pub observe_only: bool,
    /// The part of which the largest share is used; null where nothing is limited.
    pub part: Option<String>,
    /// How much of what that part allows is used, in percent and rounded down; more than 100 in debt.
    pub share_percent: Option<u64>,
    /// The whole budget.
    #[serde(flatten)]
    pub budget: ComponentBudget,
}

/// The policy that holds for an owner, and why (T13, T14).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyInForce {
    /// Its name.
    pub name: String,
    /// Where it came from: `assigned`, `default` or `fallback`.
    pub source: String,
    /// Why the policies before it in the chain were passed over, a sentence each.
    pub reasons: Vec<String>,
    /// Whether it only watches (T20).
    pub observe_only: bool,
    /// Whether it was in the cache before this question.
    pub cached: bool,
    /// How long ago it was loaded, in milliseconds.
    pub age_ms: u64,
    /// In how many milliseconds it is read again at the latest; a change through the API is in force at once.
    pub rereads_in_ms: u64,
}

/// One owner's budget in one component. A limit that is null is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComponentBudget {
    /// The component: `EWS`.
    pub component: String,
    /// Whether the owner was seen here lately.
    pub active: bool,
    /// Calls that hold a place.
    pub running: u32,
    /// How many may.
    pub max_concurrency: Option<u32>,
    /// Calls that wait for their turn.
    pub waiting: u32,
    /// Calls that wait for events.
    pub hanging: u32,
    /// How many may.
    pub max_hanging: Option<u32>,
    /// The time parts, in the order of [`weir_units::TimePart::ALL`].
    pub parts: Vec<PartBudget>,
    /// Items and folders on their way to the owner.
    pub find_count: u32,
    /// How many may be.
    pub find_count_limit: Option<u32>,
    /// Subscriptions that live.
    pub subscriptions: u32,
    /// How many may.
    pub max_subscriptions: Option<u32>,
}

/// What an owner has submitted over SMTP, and how much he may (T19). A limit that is null is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubmissionBudget {
    /// Messages of the last minute.
    pub messages: u64,
    /// How many may be.
    pub message_rate_limit: Option<u32>,
    /// Recipients of the last 24 hours.
    pub recipients: u64,
    /// How many may be.
    pub recipient_rate_limit: Option<u32>,
}

/// One time part: what it allows in a minute, and what of the last minute was used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartBudget {
    /// The part: `PercentTimeInCAS`.
    pub part: String,
    /// What a minute allows, in milliseconds.
    pub allowance_ms: Option<u64>,
    /// What the last minute used, in milliseconds.
    pub used_ms: u64,
    /// What is left, in milliseconds; negative in debt.
    pub remainder_ms: Option<i64>,
    /// The used share of a minute in percent, rounded down.
    pub used_percent: u64,
}
