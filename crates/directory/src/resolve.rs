//! The store as a [`Directory`].

use rusqlite::{Connection, OptionalExtension, params};
use weir_units::Owner;

use crate::directory::{
    Account, Directory, DirectoryError, Home, Link, PolicyChain, StoredPolicy, Verification,
};
use crate::guid::Guid;
use crate::names::key;
use crate::person::{Person, accepting};
use crate::policy_row::default_policies;
use crate::store::{Store, StoreError};
use crate::stored_policy::columns;

impl Directory for Store {
    fn resolve(&self, name: &str) -> Result<Option<Account>, DirectoryError> {
        let person = self.read::<_, StoreError>(|connection| Person::named(connection, name))?;
        Ok(person.map(|person| person.account))
    }

    fn verify(&self, name: &str, password: &str) -> Result<Verification, DirectoryError> {
        let person = self.read::<_, StoreError>(|connection| Person::named(connection, name))?;
        let stored = person.as_ref().and_then(|person| person.password.as_deref());
        // Before anything is told apart: a name without account or password costs as much as a wrong password.
        let fits = self.passwords().fits(password, stored);
        Ok(match person {
            Some(person) if person.password.is_none() => Verification::NoPassword,
            Some(person) if fits => Verification::Accepted(person.account),
            Some(_) | None => Verification::Rejected,
        })
    }

    fn people(&self, prefix: &str, asker: &Account, max: usize) -> Result<Vec<Account>, DirectoryError> {
        let prefix = key(prefix.trim());
        if prefix.is_empty() {
            return Ok(Vec::new());
        }
        let max = i64::try_from(max).unwrap_or(i64::MAX);
        let found = self.read::<_, StoreError>(|connection| {
            Person::select(connection, PEOPLE, params![prefix, key(&asker.organisation), max])
        })?;
        Ok(found.into_iter().map(|person| person.account).collect())
    }

    fn policy_of(&self, owner: &Owner) -> Result<PolicyChain, DirectoryError> {
        Ok(self.read::<_, StoreError>(|connection| chain_of(connection, owner))?)
    }

    fn home(&self, name: &str) -> Result<Option<Home>, DirectoryError> {
        Ok(self.read::<_, StoreError>(|connection| home_called(connection, name))?)
    }

    fn version(&self) -> Result<u64, DirectoryError> {
        let number: i64 = self.read::<_, StoreError>(|connection| {
            Ok(connection.prepare_cached("SELECT number FROM version")?.query_row([], |row| row.get(0))?)
        })?;
        Ok(number.unsigned_abs())
    }
}

/// ?1 the prefix, ?2 the organisation, ?3 how many.
const PEOPLE: &str = "
    WHERE organisation.name_key = ?2
      AND (instr(' ' || mailbox.display_key, ' ' || ?1) > 0
           OR substr(mailbox.alias_key, 1, length(?1)) = ?1
           OR EXISTS (SELECT 1 FROM address
                      WHERE address.mailbox = mailbox.id AND substr(address.address_key, 1, length(?1)) = ?1))
    ORDER BY mailbox.display_key, own.address_key LIMIT ?3";

fn chain_of(connection: &Connection, owner: &Owner) -> Result<PolicyChain, StoreError> {
    let domain = owner.name().rsplit_once('@').map_or("", |(_, domain)| domain);
    let Some((home, organisation)) = accepting(connection, domain)? else { return Ok(PolicyChain::Outside) };
    let assigned = match Person::owning(connection, owner)? {
        Some(person) if person.organisation != home => return Ok(PolicyChain::Outside),
        Some(person) => link(connection, person.policy)?,
        None => Link::Default,
    };
    Ok(PolicyChain::Inside { assigned, defaults: default_policies(connection, home)?, organisation })
}

fn home_called(connection: &Connection, name: &str) -> Result<Option<Home>, StoreError> {
    let found = connection
        .prepare_cached(
            "SELECT id, short_name FROM organisation
             WHERE short_key = ?1 OR id = (SELECT organisation FROM accepted_domain WHERE domain = ?1)",
        )?
        .query_row([key(name)], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)))
        .optional()?;
    let Some((id, short_name)) = found else { return Ok(None) };
    let mut domains = connection
        .prepare_cached("SELECT domain FROM accepted_domain WHERE organisation = ? ORDER BY domain")?;
    let domains = domains.query_map([id], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(Some(Home { short_name, domains }))
}

/// What a mailbox's link leads to (T15).
pub(crate) fn link(connection: &Connection, guid: Option<Guid>) -> Result<Link, StoreError> {
    let Some(guid) = guid else { return Ok(Link::Default) };
    let policy = connection
        .prepare_cached(&format!("SELECT {} FROM policy WHERE guid = ?", columns()))?
        .query_row([guid.text()], StoredPolicy::of_row)
        .optional()?;
    if let Some(policy) = policy {
        return Ok(Link::Policy(policy));
    }
    let tombstone = connection
        .prepare_cached("SELECT name FROM tombstone WHERE guid = ?")?
        .query_row([guid.text()], |row| row.get(0))
        .optional()?;
    Ok(tombstone.map_or(Link::Missing { guid }, |tombstone| Link::Deleted { tombstone }))
}

#[cfg(test)]
mod tests;
