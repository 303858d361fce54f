//! Organisations in JSON.

use serde::{Deserialize, Serialize};

/// An organisation as it is listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrganisationView {
    /// Its name.
    pub name: String,
    /// The short name before the backslash, as in `S\john`.
    pub short_name: String,
    /// Its accepted domains.
    pub domains: Vec<String>,
    /// The names of its default policies: one, unless somebody changed the database by hand.
    pub default_policies: Vec<String>,
    /// How many mailboxes it has.
    pub mailboxes: u64,
}

/// An organisation to be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewOrganisation {
    /// Its name.
    pub name: String,
    /// The short name before the backslash, as in `S\john`.
    pub short_name: String,
    /// Its accepted domains, at least one.
    pub domains: Vec<String>,
}
