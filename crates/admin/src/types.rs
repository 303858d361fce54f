//! What the API says and is told, in JSON: the types that the server and the typed client share.
//!
//! Fields are in snake case; a policy's settings are named by [`crate::names::snake_case`] of their
//! parameters. A request with a field that does not exist is refused, so that a slip never passes as
//! "unchanged". Durations carry their unit in the field's name. Nothing here holds behaviour.

mod budget;
mod bypass;
mod history;
mod log;
mod mailbox;
mod organisation;
mod origin;
mod overview;
mod policy;
mod queue;
mod session;
mod target;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use crate::journal::timestamp;
pub use budget::{ComponentBudget, OwnerBudgets, PartBudget, PolicyInForce, SubmissionBudget, TopBudget};
pub use bypass::Bypass;
pub use history::{ClientProgram, MinuteView, OwnerHistory, OwnerLog, OwnerLogFilter, ThrottledCall};
pub use log::{AuditFilter, AuditRecord, EventFilter, EventRecord, Excerpt};
pub use mailbox::{MailboxChange, MailboxFilter, MailboxView, NewMailbox, PasswordChange, Repaired};
pub use organisation::{NewOrganisation, OrganisationView};
pub use origin::{OriginCalls, OriginLoad, OwnerCalls};
pub use overview::{Overview, SecondView, Traffic};
pub use policy::{
    ImportedPolicies, NewPolicy, PolicyChange, PolicyDifference, PolicyImport, PolicyView, SettingDifference,
    SettingMap, WantedPolicy,
};
pub use queue::{
    MessageRemoval, MessageSource, MessageView, QueueFilter, QueueMessages, QueueView, RecipientView,
    RemovedMessage,
};
pub use session::{MapiOrigin, MapiSession, MapiSessions, SessionFilter, SessionSort};
pub use target::{ChangedTarget, TargetView, UsedBy};

/// An answer of status 400 or above.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// What went wrong.
    pub error: ErrorDetail,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorDetail {
    /// For programs: `bad_request`, `unauthorised`, `not_found`, `conflict`, `unavailable` …
    pub code: String,
    /// For people: what, why, and what to do, in one line.
    pub message: String,
}

/// What a reload changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reloaded {
    /// A sentence for each thing that could not take effect without a restart.
    pub notes: Vec<String>,
    /// The keys that the file says otherwise than when it was read last.
    #[serde(default)]
    pub changes: Vec<KeyChange>,
}

/// A key of the configuration that changed, each value as one writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyChange {
    /// Section and name: `throttle.max_delay`.
    pub key: String,
    /// What it was.
    pub before: String,
    /// What it is.
    pub after: String,
}

/// A listing, so that an answer is always one object and can grow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing<T> {
    /// The things listed, in a fixed order.
    pub items: Vec<T>,
}

/// A password on its way. It is never shown.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps a password.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The password itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// For a field that may be left out, null or a value: what is there, null included, is `Some`.
fn given<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}
