//! Mailboxes in JSON.

use serde::{Deserialize, Serialize};

use super::{Secret, given};

/// A mailbox as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailboxView {
    /// Its identity.
    pub guid: String,
    /// The primary address.
    pub address: String,
    /// The short name, unique within the organisation.
    pub alias: String,
    /// Every address, the primary one first.
    pub addresses: Vec<String>,
    /// The name that people read.
    pub display_name: String,
    /// The organisation.
    pub organisation: String,
    /// The name that MAPI and old address books use.
    pub legacy_dn: String,
    /// Whether a password is kept here.
    pub has_password: bool,
    /// Whether its owner may act as the other people of his organisation (T3).
    pub may_impersonate: bool,
    /// The assigned policy; null means the organisation's default policy. For a policy that was deleted, its
    /// tombstone (`NAME`, a line break, `DEL:guid`), or the bare guid where there is no tombstone.
    pub throttling_policy: Option<String>,
    /// Whether the assigned policy was deleted behind Mailweir's back (T15).
    pub policy_deleted: bool,
}

/// Which mailboxes are asked for; without anything, all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MailboxFilter {
    /// Those whose policy was deleted behind Mailweir's back (T15).
    #[serde(default)]
    pub deleted_policy: bool,
    /// Those that this policy is assigned to; `null` for those that none is.
    pub policy: Option<String>,
}

/// A mailbox to be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewMailbox {
    /// The primary address; its domain names the organisation.
    pub address: String,
    /// The short name; the address's local part where left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// The name that people read; the alias where left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// The password; none for an owner whose password is at a remote origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<Secret>,
}

/// A change to a mailbox. What is not named stays. The fields are carried out in the order in which they
/// stand here; the first that is refused ends the request, and those before it stay done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MailboxChange {
    /// The policy to be assigned; null for the organisation's default policy.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub throttling_policy: Option<Option<String>>,
    /// The name that people read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// The short name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// Whether its owner may act as the other people of his organisation (T3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub may_impersonate: Option<bool>,
    /// Addresses to be taken away; the primary one stays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove_addresses: Vec<String>,
    /// Addresses to be added.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add_addresses: Vec<String>,
}

/// A password to be set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PasswordChange {
    /// The password; null removes it, so that nobody can log in with one.
    pub password: Option<Secret>,
}

/// What a repair did (T15).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repaired {
    /// The addresses of the mailboxes that pointed to a deleted policy and have the default policy since.
    pub mailboxes: Vec<String>,
}
