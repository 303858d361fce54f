//! Policies as an administrator makes, changes and removes them (T1, T15).
//!
//! A policy is named by its name, by `SHORT\name` where two organisations have the same one, or by its identity. Its
//! settings are stored as JSON text, a map of parameter names that keeps value, null and left out apart. Removing is
//! refused for a default policy and while mailboxes use it; whoever deletes the row by hand leaves a tombstone.

use rusqlite::{Connection, Row, params};
use weir_throttle::{Parameter, Policy, PolicyError, Setting};

use crate::directory::StoredPolicy;
use crate::fault::Fault;
use crate::guid::Guid;
use crate::names::{NameError, check_label, key};
use crate::organisation::{OrganisationError, id_of};
use crate::store::{Store, StoreError, random_guid};
use crate::stored_policy::columns;

/// A policy and what surrounds it.
#[derive(Clone, Debug)]
pub struct PolicyRow {
    /// Identity, name and settings.
    pub policy: StoredPolicy,
    /// The organisation it belongs to.
    pub organisation: String,
    /// Whether it is its organisation's default policy.
    pub is_default: bool,
    /// How many mailboxes it is assigned to; the default policy is used by those without assignment besides.
    pub used_by: u64,
}

impl Store {
    /// Makes a policy. The organisation may be left out where there is one only.
    ///
    /// # Errors
    /// The name is taken or not well formed, or the organisation is unknown or must be named.
    pub fn new_policy(
        &self,
        name: &str,
        organisation: Option<&str>,
        policy: &Policy,
    ) -> Result<PolicyRow, PolicyRowError> {
        check_name(name)?;
        self.write(|connection| {
            let organisation = match organisation {
                Some(organisation) => id_of(connection, organisation)?,
                None => only_organisation(connection)?,
            };
            let guid = insert(connection, organisation, name, false, policy)?;
            one(connection, guid.text())
        })
    }

    /// Changes settings of a policy, all or none; the others stay.
    ///
    /// # Errors
    /// There is no such policy, what is stored cannot be read, or a value is out of its range.
    pub fn set_policy(
        &self,
        name: &str,
        changes: &[(Parameter, Setting)],
    ) -> Result<PolicyRow, PolicyRowError> {
        self.write(|connection| {
            let row = one(connection, name)?;
            let mut policy = match &row.policy.content {
                Ok(policy) => Policy::clone(policy),
                Err(why) => {
                    return Err(PolicyRowError::Unreadable { name: row.policy.name, why: why.clone() });
                }
            };
            for (parameter, setting) in changes {
                policy.set(*parameter, *setting)?;
            }
            store(connection, &row.policy.guid, &policy)?;
            one(connection, row.policy.guid.text())
        })
    }

    /// Replaces all settings of a policy, also of one that cannot be read.
    ///
    /// # Errors
    /// There is no such policy.
    pub fn replace_policy(&self, name: &str, policy: &Policy) -> Result<PolicyRow, PolicyRowError> {
        self.write(|connection| {
            let row = one(connection, name)?;
            store(connection, &row.policy.guid, policy)?;
            one(connection, row.policy.guid.text())
        })
    }

    /// Every policy, by organisation and name.
    ///
    /// # Errors
    /// The directory cannot be read; a policy that cannot be read is listed with the reason.
    pub fn policies(&self) -> Result<Vec<PolicyRow>, StoreError> {
        self.read(|connection| all(connection))
    }

    /// One policy.
    ///
    /// # Errors
    /// There is none of that name, or there are several.
    pub fn policy(&self, name: &str) -> Result<PolicyRow, PolicyRowError> {
        self.read(|connection| one(connection, name))
    }

    /// Removes a policy (T15).
    ///
    /// # Errors
    /// There is no such policy, it is a default policy, or mailboxes use it.
    pub fn remove_policy(&self, name: &str) -> Result<(), PolicyRowError> {
        self.write(|connection| {
            let row = one(connection, name)?;
            remove(connection, row)
        })
    }

    /// Makes a policy the one default policy of its organisation.
    ///
    /// # Errors
    /// There is no such policy.
    pub fn make_default(&self, name: &str) -> Result<PolicyRow, PolicyRowError> {
        self.write(|connection| {
            let row = one(connection, name)?;
            put_default(connection, &row.policy.guid)?;
            one(connection, row.policy.guid.text())
        })
    }
}

/// Every policy, by organisation and name.
pub(crate) fn all(connection: &Connection) -> Result<Vec<PolicyRow>, StoreError> {
    select(connection, "ORDER BY organisation.name_key, policy.name_key", [])
}

/// Removes a policy that is no default policy and that no mailbox uses.
pub(crate) fn remove(connection: &Connection, row: PolicyRow) -> Result<(), PolicyRowError> {
    if row.is_default {
        return Err(PolicyRowError::Default { name: row.policy.name, organisation: row.organisation });
    }
    if row.used_by > 0 {
        return Err(PolicyRowError::Used { name: row.policy.name, count: row.used_by });
    }
    connection.execute("DELETE FROM policy WHERE guid = ?", [row.policy.guid.text()])?;
    Ok(())
}

/// Makes a policy the one default policy of its organisation.
pub(crate) fn put_default(connection: &Connection, guid: &Guid) -> Result<(), StoreError> {
    connection.execute(
        "UPDATE policy SET is_default = (guid = ?1)
         WHERE organisation = (SELECT organisation FROM policy WHERE guid = ?1)",
        [guid.text()],
    )?;
    Ok(())
}

/// That a policy may have this name; `null` is how commands say that a mailbox has no policy.
pub(crate) fn check_name(name: &str) -> Result<(), PolicyRowError> {
    check_label("policy's name", name)?;
    if ["null", "$null"].contains(&key(name).as_str()) {
        return Err(PolicyRowError::Reserved { name: name.to_owned() });
    }
    Ok(())
}

/// The default policies of an organisation, by name.
pub(crate) fn default_policies(
    connection: &Connection,
    organisation: i64,
) -> Result<Vec<StoredPolicy>, StoreError> {
    let condition = "WHERE policy.organisation = ? AND policy.is_default = 1 ORDER BY policy.name_key";
    Ok(select(connection, condition, [organisation])?.into_iter().map(|row| row.policy).collect())
}

/// Makes an organisation's default policy, which is named by its identity.
pub(crate) fn insert_default(
    connection: &Connection,
    organisation: i64,
    policy: &Policy,
) -> Result<(), StoreError> {
    let guid = random_guid(connection)?;
    insert_row(connection, organisation, &guid, &format!("DefaultThrottlingPolicy_{guid}"), true, policy)
}

/// The one policy that `name` means: its name, `SHORT\name`, or its identity with or without `SHORT\`.
pub(crate) fn one(connection: &Connection, name: &str) -> Result<PolicyRow, PolicyRowError> {
    let found = if let Some((short_name, name)) = name.split_once('\\') {
        let condition = "WHERE organisation.short_key = ?1 AND (policy.name_key = ?2 OR policy.guid = ?2)";
        select(connection, condition, [key(short_name), key(name)])
    } else {
        let condition =
            "WHERE policy.name_key = ?1 OR policy.guid = ?1 ORDER BY organisation.name_key LIMIT 2";
        select(connection, condition, [key(name)])
    }?;
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (None, _) => Err(PolicyRowError::Unknown { name: name.to_owned() }),
        (Some(row), None) => Ok(row),
        (Some(first), Some(second)) => Err(PolicyRowError::Ambiguous {
            name: name.to_owned(),
            first: first.organisation,
            second: second.organisation,
        }),
    }
}

fn select(
    connection: &Connection,
    condition: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<PolicyRow>, StoreError> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {}, organisation.name, policy.is_default,
                (SELECT count(*) FROM mailbox WHERE mailbox.policy = policy.guid)
         FROM policy JOIN organisation ON organisation.id = policy.organisation {condition}",
        columns()
    ))?;
    Ok(statement.query_map(values, of_row)?.collect::<Result<_, _>>()?)
}

fn of_row(row: &Row<'_>) -> rusqlite::Result<PolicyRow> {
    Ok(PolicyRow {
        policy: StoredPolicy::of_row(row)?,
        organisation: row.get(3)?,
        is_default: row.get(4)?,
        used_by: row.get::<_, i64>(5)?.unsigned_abs(),
    })
}

pub(crate) fn only_organisation(connection: &Connection) -> Result<i64, PolicyRowError> {
    let ids: Vec<i64> = connection
        .prepare_cached("SELECT id FROM organisation LIMIT 2")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    match ids.as_slice() {
        [only] => Ok(*only),
        _ => Err(PolicyRowError::WhichOrganisation),
    }
}

pub(crate) fn insert(
    connection: &Connection,
    organisation: i64,
    name: &str,
    is_default: bool,
    policy: &Policy,
) -> Result<Guid, PolicyRowError> {
    let taken = connection
        .prepare_cached("SELECT 1 FROM policy WHERE organisation = ? AND name_key = ?")?
        .exists(params![organisation, key(name)])?;
    if taken {
        return Err(PolicyRowError::NameTaken { name: name.to_owned() });
    }
    let guid = random_guid(connection)?;
    insert_row(connection, organisation, &guid, name, is_default, policy)?;
    Ok(guid)
}

fn insert_row(
    connection: &Connection,
    organisation: i64,
    guid: &Guid,
    name: &str,
    is_default: bool,
    policy: &Policy,
) -> Result<(), StoreError> {
    connection.execute(
        "INSERT INTO policy (guid, organisation, name, name_key, is_default, settings) VALUES (?, ?, ?, ?, ?, ?)",
        params![guid.text(), organisation, name, key(name), is_default, text(policy)?],
    )?;
    Ok(())
}

pub(crate) fn store(connection: &Connection, guid: &Guid, policy: &Policy) -> Result<(), StoreError> {
    connection.execute("UPDATE policy SET settings = ? WHERE guid = ?", [&text(policy)?, guid.text()])?;
    Ok(())
}

fn text(policy: &Policy) -> Result<String, StoreError> {
    serde_json::to_string(policy).map_err(|error| StoreError::Policy(error.to_string()))
}

/// Why a policy cannot be made, found, changed or removed.
#[derive(Debug, thiserror::Error)]
pub enum PolicyRowError {
    /// There is none of that name.
    #[error("there is no policy \"{name}\"; list the policies to see their names")]
    Unknown {
        /// The name.
        name: String,
    },
    /// Two organisations have one of that name.
    #[error(
        "the organisations \"{first}\" and \"{second}\" both have a policy \"{name}\"; write the organisation's \
             short name and a backslash before it"
    )]
    Ambiguous {
        /// The name.
        name: String,
        /// An organisation that has it.
        first: String,
        /// Another one.
        second: String,
    },
    /// The organisation has one of that name.
    #[error(
        "there is a policy \"{name}\" in this organisation already; choose another name, or change that one"
    )]
    NameTaken {
        /// The name.
        name: String,
    },
    /// The name means something else.
    #[error("no policy can be called \"{name}\", which means the default policy; choose another name")]
    Reserved {
        /// The name.
        name: String,
    },
    /// It is not clear whose policy it would be.
    #[error("there is not exactly one organisation, so the policy's organisation must be named; name it")]
    WhichOrganisation,
    /// A default policy stays.
    #[error(
        "the policy \"{name}\" is the default policy of the organisation \"{organisation}\" and cannot be removed; \
             make another policy the default first"
    )]
    Default {
        /// The policy.
        name: String,
        /// Its organisation.
        organisation: String,
    },
    /// A policy in use stays.
    #[error("the policy \"{name}\" cannot be removed: {}; `mailweir mailbox list --policy \"{name}\"` lists them: give \
             them another policy first",
            if *count == 1 { "1 mailbox uses it".to_owned() } else { format!("{count} mailboxes use it") })]
    Used {
        /// The policy.
        name: String,
        /// How many mailboxes use it.
        count: u64,
    },
    /// What is stored cannot be read, so that single settings cannot be changed.
    #[error("the policy \"{name}\" cannot be read ({why}); replace it whole by importing it")]
    Unreadable {
        /// The policy.
        name: String,
        /// Why.
        why: String,
    },
    /// A value is refused.
    #[error(transparent)]
    Setting(#[from] PolicyError),
    /// The name is not well formed.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The organisation is not found.
    #[error(transparent)]
    Organisation(#[from] OrganisationError),
    /// The directory fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl PolicyRowError {
    /// Whose fault it is.
    pub fn fault(&self) -> Fault {
        match self {
            Self::Unknown { .. } => Fault::NotFound,
            Self::Ambiguous { .. }
            | Self::NameTaken { .. }
            | Self::Default { .. }
            | Self::Used { .. }
            | Self::Unreadable { .. } => Fault::Conflict,
            Self::Reserved { .. } | Self::WhichOrganisation | Self::Setting(_) | Self::Name(_) => {
                Fault::Invalid
            }
            Self::Organisation(error) => error.fault(),
            Self::Store(_) => Fault::Directory,
        }
    }
}

impl From<rusqlite::Error> for PolicyRowError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(StoreError::Sqlite(error))
    }
}

#[cfg(test)]
mod tests;
