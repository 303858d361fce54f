//! Organisations: who shares aliases, accepted domains and a default policy.
//!
//! Making an organisation makes its default policy too, with T2's values, named `DefaultThrottlingPolicy_<guid>`.

use rusqlite::{Connection, OptionalExtension, params};
use weir_throttle::Policy;

use crate::fault::Fault;
use crate::names::{NameError, check_domain, check_label, key};
use crate::person::accepting;
use crate::policy_row::insert_default;
use crate::store::{Store, StoreError};

/// The most accepted domains of one organisation.
pub const MAX_DOMAINS: usize = 1000;

/// An organisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Organisation {
    /// Its name, which legacy DNs contain.
    pub name: String,
    /// The `S` of `S\john`.
    pub short_name: String,
    /// The domains that it accepts mail for, in alphabetical order.
    pub domains: Vec<String>,
    /// The names of its default policies: one, unless somebody changed the table by hand.
    pub default_policies: Vec<String>,
    /// How many mailboxes it has.
    pub mailboxes: u64,
}

/// An organisation to be made.
#[derive(Clone, Copy, Debug)]
pub struct NewOrganisation<'a> {
    /// Its name.
    pub name: &'a str,
    /// The `S` of `S\john`.
    pub short_name: &'a str,
    /// The domains that it accepts mail for.
    pub domains: &'a [&'a str],
}

impl Store {
    /// Makes an organisation and its default policy (T2).
    ///
    /// # Errors
    /// A name is not well formed or is taken, or there is no domain.
    pub fn new_organisation(&self, wanted: &NewOrganisation<'_>) -> Result<Organisation, OrganisationError> {
        check_label("organisation's name", wanted.name)?;
        check_label("short name", wanted.short_name)?;
        if wanted.domains.is_empty() || wanted.domains.len() > MAX_DOMAINS {
            return Err(OrganisationError::Domains { count: wanted.domains.len() });
        }
        self.write(|connection| {
            refuse_taken_names(connection, wanted)?;
            connection.execute(
                "INSERT INTO organisation (name, name_key, short_name, short_key) VALUES (?, ?, ?, ?)",
                [wanted.name, &key(wanted.name), wanted.short_name, &key(wanted.short_name)],
            )?;
            let id = connection.last_insert_rowid();
            for domain in wanted.domains {
                accept(connection, id, domain)?;
            }
            insert_default(connection, id, &Policy::fallback())?;
            named(connection, wanted.name)
        })
    }

    /// Every organisation, by name.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn organisations(&self) -> Result<Vec<Organisation>, StoreError> {
        self.read(|connection| {
            let names: Vec<(i64, String)> = connection
                .prepare_cached("SELECT id, name FROM organisation ORDER BY name_key")?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<Result<_, _>>()?;
            names.into_iter().map(|(id, _)| describe(connection, id)).collect()
        })
    }

    /// One organisation.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn organisation(&self, name: &str) -> Result<Organisation, OrganisationError> {
        self.read(|connection| named(connection, name))
    }

    /// Removes an organisation with its domains and policies.
    ///
    /// # Errors
    /// There is none of that name, or it has mailboxes.
    pub fn remove_organisation(&self, name: &str) -> Result<(), OrganisationError> {
        self.write(|connection| {
            let id = id_of(connection, name)?;
            let organisation = describe(connection, id)?;
            if organisation.mailboxes > 0 {
                return Err(OrganisationError::HasMailboxes {
                    name: organisation.name,
                    count: organisation.mailboxes,
                });
            }
            connection.execute("DELETE FROM organisation WHERE id = ?", [id])?;
            Ok(())
        })
    }
}

fn refuse_taken_names(
    connection: &Connection,
    wanted: &NewOrganisation<'_>,
) -> Result<(), OrganisationError> {
    let taken = |column: &str, name: &str| {
        connection
            .query_row(&format!("SELECT 1 FROM organisation WHERE {column} = ?"), [key(name)], |_| Ok(()))
            .optional()
    };
    if taken("name_key", wanted.name)?.is_some() {
        return Err(OrganisationError::NameTaken { name: wanted.name.to_owned() });
    }
    if taken("short_key", wanted.short_name)?.is_some() {
        return Err(OrganisationError::ShortNameTaken { short_name: wanted.short_name.to_owned() });
    }
    Ok(())
}

fn accept(connection: &Connection, organisation: i64, domain: &str) -> Result<(), OrganisationError> {
    check_domain(domain)?;
    match accepting(connection, domain)? {
        // The same domain twice in one list does no harm.
        Some((owner, _)) if owner == organisation => Ok(()),
        Some((_, owner)) => Err(OrganisationError::DomainTaken { domain: domain.to_owned(), owner }),
        None => {
            let row = params![key(domain), organisation];
            connection.execute("INSERT INTO accepted_domain (domain, organisation) VALUES (?, ?)", row)?;
            Ok(())
        }
    }
}

/// The row of the organisation called `name`.
pub(crate) fn id_of(connection: &Connection, name: &str) -> Result<i64, OrganisationError> {
    connection
        .prepare_cached("SELECT id FROM organisation WHERE name_key = ?")?
        .query_row([key(name)], |row| row.get(0))
        .optional()?
        .ok_or_else(|| OrganisationError::Unknown { name: name.to_owned() })
}

fn named(connection: &Connection, name: &str) -> Result<Organisation, OrganisationError> {
    Ok(describe(connection, id_of(connection, name)?)?)
}

fn describe(connection: &Connection, id: i64) -> Result<Organisation, StoreError> {
    let column = |sql: &str| -> rusqlite::Result<Vec<String>> {
        connection.prepare_cached(sql)?.query_map([id], |row| row.get(0))?.collect()
    };
    let (name, short_name, mailboxes) = connection
        .prepare_cached(
            "SELECT name, short_name, (SELECT count(*) FROM mailbox WHERE organisation = organisation.id)
             FROM organisation WHERE id = ?",
        )?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?)))?;
    Ok(Organisation {
        name,
        short_name,
        domains: column("SELECT domain FROM accepted_domain WHERE organisation = ? ORDER BY domain")?,
        default_policies: column(
            "SELECT name FROM policy WHERE organisation = ? AND is_default = 1 ORDER BY name_key",
        )?,
        mailboxes: mailboxes.unsigned_abs(),
    })
}

/// Why an organisation cannot be made, found or removed.
#[derive(Debug, thiserror::Error)]
pub enum OrganisationError {
    /// There is none of that name.
    #[error("there is no organisation \"{name}\"; list the organisations to see their names")]
    Unknown {
        /// The name.
        name: String,
    },
    /// There is one of that name.
    #[error("there is an organisation \"{name}\" already; choose another name")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// Another organisation has the short name.
    #[error("another organisation has the short name \"{short_name}\"; choose another one")]
    ShortNameTaken {
        /// The short name.
        short_name: String,
    },
    /// Another organisation accepts the domain.
    #[error(
        "the domain {domain} belongs to the organisation \"{owner}\"; a domain has one organisation only"
    )]
    DomainTaken {
        /// The domain.
        domain: String,
        /// The organisation that has it.
        owner: String,
    },
    /// There are no domains or too many.
    #[error("an organisation has 1 to {MAX_DOMAINS} accepted domains, not {count}; name at least one")]
    Domains {
        /// How many were given.
        count: usize,
    },
    /// The organisation is in use.
    #[error("{} to the organisation \"{name}\"; remove them first",
            if *count == 1 { "1 mailbox belongs".to_owned() } else { format!("{count} mailboxes belong") })]
    HasMailboxes {
        /// The organisation.
        name: String,
        /// How many mailboxes it has.
        count: u64,
    },
    /// A name is not well formed.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A policy row could not be made.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl OrganisationError {
    /// Whose fault it is.
    pub fn fault(&self) -> Fault {
        match self {
            Self::Unknown { .. } => Fault::NotFound,
            Self::NameTaken { .. } | Self::ShortNameTaken { .. } | Self::DomainTaken { .. } => {
                Fault::Conflict
            }
            Self::HasMailboxes { .. } => Fault::Conflict,
            Self::Domains { .. } | Self::Name(_) => Fault::Invalid,
            Self::Store(_) => Fault::Directory,
        }
    }
}

impl From<rusqlite::Error> for OrganisationError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(StoreError::Sqlite(error))
    }
}

#[cfg(test)]
mod tests;
