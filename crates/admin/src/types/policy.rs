//! Throttling policies in JSON (T1).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::given;

/// Settings by parameter name. Null is "no limit"; a parameter that is absent is left out and inherits.
/// Numbers are wider here than any range, so that one out of its range can be answered with the range.
pub type SettingMap = BTreeMap<String, Option<i64>>;

/// A policy as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyView {
    /// Its name, unique within the organisation.
    pub name: String,
    /// The organisation it belongs to.
    pub organisation: String,
    /// Whether it is the organisation's default policy.
    pub default: bool,
    /// Its own settings.
    pub settings: SettingMap,
    /// What holds for a mailbox that has this policy: every parameter, those left out taken from the default
    /// policy and, where that leaves them out too, from the fallback policy.
    pub effective: SettingMap,
    /// Settings of this policy that this build does not enforce yet.
    pub not_enforced: Vec<String>,
    /// How many mailboxes it is assigned to.
    pub mailboxes: u64,
    /// Why the stored settings cannot be read, where they cannot; the mailboxes then get the next policy
    /// (T13).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

/// A policy to be made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewPolicy {
    /// Its name.
    pub name: String,
    /// The organisation; may be left out where there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organisation: Option<String>,
    /// Its own settings, in either spelling.
    #[serde(default)]
    pub settings: SettingMap,
}

/// A change to a policy. What is not named stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyChange {
    /// Settings to be made, in either spelling.
    #[serde(default)]
    pub settings: SettingMap,
    /// Parameters to be left out from here on, so that they inherit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leave_out: Vec<String>,
}

/// Policies to be imported: all of it is done, or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyImport {
    /// The policies as they shall be, each once.
    pub policies: Vec<WantedPolicy>,
    /// Whether the other policies of their organisations are removed; default policies stay.
    #[serde(default)]
    pub prune: bool,
    /// Whether nothing is done after all, to see what would be.
    #[serde(default)]
    pub dry_run: bool,
}

/// A policy as it shall be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WantedPolicy {
    /// Its name.
    pub name: String,
    /// The organisation; may be left out where there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organisation: Option<String>,
    /// Whether it is the organisation's default policy; absent, it stays what it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<bool>,
    /// All of its own settings, in either spelling.
    #[serde(default)]
    pub settings: SettingMap,
}

/// What an import did, or would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedPolicies {
    /// Whether nothing was done.
    pub dry_run: bool,
    /// What differs, by organisation and name.
    pub differences: Vec<PolicyDifference>,
    /// How many of the policies that were named are as they were.
    pub unchanged: usize,
}

/// What an import does to one policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyDifference {
    /// Its name.
    pub name: String,
    /// Its organisation.
    pub organisation: String,
    /// `added`, `changed` or `removed`.
    pub action: String,
    /// Whether it is the default policy since; absent where it is as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<bool>,
    /// Why its settings could not be read before, where they could not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
    /// The settings that differ.
    pub settings: Vec<SettingDifference>,
}

/// One setting that differs. A side that is null is no limit; one that is absent is left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingDifference {
    /// The parameter, in snake case.
    pub parameter: String,
    /// What the policy said.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub before: Option<Option<i64>>,
    /// What it says since.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub after: Option<Option<i64>>,
}
