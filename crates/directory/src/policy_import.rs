//! Many policies at once, as a file says that they shall be (T1, T15).
//!
//! An import is one transaction: all of it is done, or nothing. Each policy that is named has exactly the settings that
//! are given, one that cannot be read included; the others stay, unless they shall be pruned. Importing the same again
//! changes nothing, and an import can be rehearsed: then it says what it would do, and nothing is done.

use rusqlite::{Connection, OptionalExtension};
use weir_throttle::Policy;

use crate::fault::Fault;
use crate::guid::Guid;
use crate::names::key;
use crate::organisation::id_of;
use crate::policy_row::{
    PolicyRow, PolicyRowError, all, check_name, insert, one, only_organisation, put_default, remove, store,
};
use crate::store::{Store, StoreError};

/// A policy as it shall be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedPolicy {
    /// Its name.
    pub name: String,
    /// Its organisation; it may be left out where there is one only.
    pub organisation: Option<String>,
    /// Whether it is the organisation's default policy; left out, it stays what it is.
    pub default: Option<bool>,
    /// All of its settings.
    pub policy: Policy,
}

/// An import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyImport {
    /// The policies that are named, each once.
    pub policies: Vec<WantedPolicy>,
    /// Whether the other policies of the organisations that are named are removed; default policies stay.
    pub prune: bool,
    /// Whether nothing is done after all.
    pub rehearse: bool,
}

/// Every policy before and after an import, by organisation and name.
#[derive(Clone, Debug)]
pub struct ImportedPolicies {
    /// What there was.
    pub before: Vec<PolicyRow>,
    /// What there is since.
    pub after: Vec<PolicyRow>,
}

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
pub enum PolicyImportError {
    /// One of the policies cannot be as it shall be.
    #[error("the policy \"{policy}\" cannot be imported: {why}; nothing was imported")]
    Refused {
        /// The policy.
        policy: String,
        /// Why.
        why: PolicyRowError,
    },
    /// A policy that the import does not name cannot be removed.
    #[error("{0}; or name it in the file; nothing was imported")]
    Prune(PolicyRowError),
    /// A policy is named twice.
    #[error("the policy \"{policy}\" is there twice; write it once; nothing was imported")]
    Twice {
        /// The policy.
        policy: String,
    },
    /// An organisation would have no default policy, or two.
    #[error(
        "the policy \"{policy}\" would {} the default policy of \"{organisation}\", and the file says otherwise: of an \
         organisation's policies exactly one is the default; nothing was imported", if *is { "be" } else { "not be" }
    )]
    Default {
        /// The policy.
        policy: String,
        /// Its organisation.
        organisation: String,
        /// Whether it would be the default policy.
        is: bool,
    },
    /// The directory fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl PolicyImportError {
    /// Whose fault it is.
    pub fn fault(&self) -> Fault {
        match self {
            Self::Refused { why, .. } | Self::Prune(why) => why.fault(),
            Self::Twice { .. } | Self::Default { .. } => Fault::Invalid,
            Self::Store(_) => Fault::Directory,
        }
    }
}

impl Store {
    /// Carries out an import, all of it or nothing.
    ///
    /// # Errors
    /// A name is not well formed or given twice, an organisation is unknown or must be named, an organisation would
    /// not have exactly one default policy where the import names it, or what shall be pruned is in use.
    pub fn import_policies(&self, import: &PolicyImport) -> Result<ImportedPolicies, PolicyImportError> {
        let act = |connection: &Connection| {
            let before = all(connection)?;
            carry_out(connection, import, &before)?;
            Ok(ImportedPolicies { before, after: all(connection)? })
        };
        if import.rehearse {
            self.rehearse(|connection| act(connection))
        } else {
            self.write(|connection| act(connection))
        }
    }
}

fn carry_out(
    connection: &Connection,
    import: &PolicyImport,
    before: &[PolicyRow],
) -> Result<(), PolicyImportError> {
    let mut named: Vec<Guid> = Vec::with_capacity(import.policies.len());
    for wanted in &import.policies {
        let refused = |why| PolicyImportError::Refused { policy: wanted.name.clone(), why };
        let guid = put(connection, wanted).map_err(refused)?;
        if named.contains(&guid) {
            return Err(PolicyImportError::Twice { policy: wanted.name.clone() });
        }
        named.push(guid);
    }
    let wanted_defaults = named.iter().zip(&import.policies);
    for (guid, _) in wanted_defaults.clone().filter(|(_, wanted)| wanted.default == Some(true)) {
        put_default(connection, guid)?;
    }
    let mut organisations = Vec::new();
    for (guid, wanted) in wanted_defaults {
        let refused = |why| PolicyImportError::Refused { policy: wanted.name.clone(), why };
        let row = one(connection, guid.text()).map_err(refused)?;
        if wanted.default.is_some_and(|default| default != row.is_default) {
            let (policy, organisation) = (row.policy.name, row.organisation);
            return Err(PolicyImportError::Default { policy, organisation, is: row.is_default });
        }
        organisations.push(row.organisation);
    }
    let others = before.iter().filter(|row| organisations.contains(&row.organisation));
    for other in others.filter(|row| import.prune && !named.contains(&row.policy.guid)) {
        // Whether it is the default policy is no longer what it was before.
        let other = one(connection, other.policy.guid.text()).map_err(PolicyImportError::Prune)?;
        if !other.is_default {
            remove(connection, other).map_err(PolicyImportError::Prune)?;
        }
    }
    Ok(())
}

/// Makes the policy what it shall be, but for the default; says which one it is.
fn put(connection: &Connection, wanted: &WantedPolicy) -> Result<Guid, PolicyRowError> {
    check_name(&wanted.name)?;
    let organisation = match &wanted.organisation {
        Some(organisation) => id_of(connection, organisation)?,
        None => only_organisation(connection)?,
    };
    let known = connection
        .prepare_cached("SELECT guid FROM policy WHERE organisation = ? AND name_key = ?")?
        .query_row((organisation, key(&wanted.name)), |row| Ok(Guid::of_row(row.get_ref(0)?.as_str()?)))
        .optional()?;
    match known {
        None => insert(connection, organisation, &wanted.name, false, &wanted.policy),
        Some(guid) => {
            store(connection, &guid, &wanted.policy)?;
            Ok(guid)
        }
    }
}

#[cfg(test)]
mod tests;
