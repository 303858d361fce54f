//! Throttling policies in JSON (T1).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

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
