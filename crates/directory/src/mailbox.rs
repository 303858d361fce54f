//! Mailboxes as an administrator makes, lists and changes them.
//!
//! A mailbox belongs to the organisation that accepts its primary address's domain, and is named in every way that
//! [`Directory::resolve`](crate::Directory::resolve) understands. It is assigned a policy of its organisation, or
//! none: then the default policy holds. A link to a policy that somebody deleted by hand stays until it is repaired
//! (T15).

use rusqlite::{Connection, params};
use weir_units::WallTime;

use crate::directory::{Account, Link};
use crate::guid::Guid;
use crate::names::{address_parts, check_alias, check_display_name, key};
use crate::person::{Person, accepting};
use crate::policy_row::one;
use crate::resolve::link;
use crate::store::{Store, StoreError, random_guid};

mod error;

pub use error::MailboxError;

/// The most addresses of one mailbox, the primary one included.
pub const MAX_ADDRESSES: usize = 100;

/// A mailbox.
#[derive(Clone, Debug)]
pub struct Mailbox {
    /// Whose it is.
    pub account: Account,
    /// The policy assigned to it.
    pub policy: Link,
    /// When it was made.
    pub created: WallTime,
}

/// A mailbox to be made.
#[derive(Clone, Copy, Default)]
pub struct NewMailbox<'a> {
    /// The primary address, in an accepted domain.
    pub address: &'a str,
    /// The short name; left out, the part before the `@`.
    pub alias: Option<&'a str>,
    /// The name that people read; left out, the alias.
    pub display_name: Option<&'a str>,
    /// The password; none for an owner whose password is at a remote origin.
    pub password: Option<&'a str>,
}

impl std::fmt::Debug for NewMailbox<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The password stays out.
        f.debug_struct("NewMailbox").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Store {
    /// Makes a mailbox at `now`.
    ///
    /// # Errors
    /// The address, alias, display name or password is not well formed, the address or alias is taken, or no
    /// organisation accepts the domain.
    pub fn new_mailbox(&self, wanted: &NewMailbox<'_>, now: WallTime) -> Result<Mailbox, MailboxError> {
        let (local, domain) = address_parts(wanted.address)?;
        let alias = wanted.alias.unwrap_or(local);
        check_alias(alias)?;
        let display_name = wanted.display_name.unwrap_or(alias);
        check_display_name(display_name)?;
        // Hashing takes its time; nobody waits for the writer meanwhile.
        let password = wanted.password.map(|password| self.passwords().hash(password)).transpose()?;
        self.write(|connection| {
            let Some((organisation, _)) = accepting(connection, domain)? else {
                return Err(MailboxError::DomainNotAccepted { domain: domain.to_owned() });
            };
            refuse_taken_alias(connection, organisation, alias, None)?;
            refuse_taken_address(connection, wanted.address)?;
            let guid = random_guid(connection)?;
            let legacy_name = free_legacy_name(connection, organisation, local, &guid)?;
            connection.execute(
                "INSERT INTO mailbox (guid, organisation, alias, alias_key, legacy_name, legacy_key, display_name,
                                      display_key, password, created)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                params![
                    guid.text(),
                    organisation,
                    alias,
                    key(alias),
                    legacy_name,
                    key(&legacy_name),
                    display_name,
                    key(display_name),
                    password,
                    now.unix_micros()
                ],
            )?;
            insert_address(connection, connection.last_insert_rowid(), wanted.address, true)?;
            described(connection, wanted.address)
        })
    }

    /// Every mailbox, by organisation and address.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn mailboxes(&self) -> Result<Vec<Mailbox>, StoreError> {
        self.read(|connection| select(connection, ""))
    }

    /// The mailboxes whose policy was deleted by hand (T15), by organisation and address.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn mailboxes_with_deleted_policy(&self) -> Result<Vec<Mailbox>, StoreError> {
        self.read(|connection| select(connection, WHOSE_POLICY_WAS_DELETED))
    }

    /// One mailbox.
    ///
    /// # Errors
    /// Nobody has that name.
    pub fn mailbox(&self, name: &str) -> Result<Mailbox, MailboxError> {
        self.read(|connection| described(connection, name))
    }

    /// Removes a mailbox and its addresses.
    ///
    /// # Errors
    /// Nobody has that name.
    pub fn remove_mailbox(&self, name: &str) -> Result<(), MailboxError> {
        self.write(|connection| {
            let person = person(connection, name)?;
            connection.execute("DELETE FROM mailbox WHERE id = ?", [person.id])?;
            Ok(forget_tombstones(connection)?)
        })
    }

    /// Assigns a policy of the mailbox's organisation; none: the default policy holds.
    ///
    /// # Errors
    /// Nobody has that name, or the organisation has no such policy.
    pub fn set_mailbox_policy(&self, name: &str, policy: Option<&str>) -> Result<Mailbox, MailboxError> {
        self.change(name, |connection, person| {
            let guid = match policy {
                None => None,
                Some(policy) => Some(policy_within(connection, person, policy)?),
            };
            let link = guid.as_ref().map(Guid::text);
            connection.execute("UPDATE mailbox SET policy = ? WHERE id = ?", params![link, person.id])?;
            Ok(forget_tombstones(connection)?)
        })
    }

    /// Sets a password, or takes it away.
    ///
    /// # Errors
    /// Nobody has that name, or the password is not well formed.
    pub fn set_password(&self, name: &str, password: Option<&str>) -> Result<Mailbox, MailboxError> {
        let hash = password.map(|password| self.passwords().hash(password)).transpose()?;
        self.change(name, |connection, person| {
            connection.execute("UPDATE mailbox SET password = ? WHERE id = ?", params![hash, person.id])?;
            Ok(())
        })
    }

    /// Sets the name that people read.
    ///
    /// # Errors
    /// Nobody has that name, or the display name is not well formed.
    pub fn set_display_name(&self, name: &str, display_name: &str) -> Result<Mailbox, MailboxError> {
        check_display_name(display_name)?;
        self.change(name, |connection, person| {
            connection.execute(
                "UPDATE mailbox SET display_name = ?, display_key = ? WHERE id = ?",
                params![display_name, key(display_name), person.id],
            )?;
            Ok(())
        })
    }

    /// Lets the mailbox's owner act as the other people of his organisation, or no longer (T3).
    ///
    /// # Errors
    /// Nobody has that name.
    pub fn set_impersonation(&self, name: &str, allowed: bool) -> Result<Mailbox, MailboxError> {
        self.change(name, |connection, person| {
            connection.execute(
                "UPDATE mailbox SET may_impersonate = ? WHERE id = ?",
                params![allowed, person.id],
            )?;
            Ok(())
        })
    }

    /// Sets the short name.
    ///
    /// # Errors
    /// Nobody has that name, or the alias is not well formed or taken within the organisation.
    pub fn set_alias(&self, name: &str, alias: &str) -> Result<Mailbox, MailboxError> {
        check_alias(alias)?;
        self.change(name, |connection, person| {
            refuse_taken_alias(connection, person.organisation, alias, Some(person.id))?;
            connection.execute(
                "UPDATE mailbox SET alias = ?, alias_key = ? WHERE id = ?",
                params![alias, key(alias), person.id],
            )?;
            Ok(())
        })
    }

    /// Gives the mailbox one more address.
    ///
    /// # Errors
    /// Nobody has that name, the address is not well formed or taken, its domain is not the organisation's, or the
    /// mailbox has [`MAX_ADDRESSES`] of them.
    pub fn add_address(&self, name: &str, address: &str) -> Result<Mailbox, MailboxError> {
        let (_, domain) = address_parts(address)?;
        self.change(name, |connection, person| {
            let home = accepting(connection, domain)?;
            if home.is_none_or(|(organisation, _)| organisation != person.organisation) {
                return Err(MailboxError::DomainNotAccepted { domain: domain.to_owned() });
            }
            if person.account.addresses.len() >= MAX_ADDRESSES {
                return Err(MailboxError::TooManyAddresses { address: person.account.address.clone() });
            }
            refuse_taken_address(connection, address)?;
            Ok(insert_address(connection, person.id, address, false)?)
        })
    }

    /// Takes one of its further addresses from the mailbox.
    ///
    /// # Errors
    /// Nobody has that name, the mailbox does not have the address, or it is the primary one.
    pub fn remove_address(&self, name: &str, address: &str) -> Result<Mailbox, MailboxError> {
        self.change(name, |connection, person| {
            if key(&person.account.address) == key(address) {
                return Err(MailboxError::PrimaryAddress { address: person.account.address.clone() });
            }
            let removed = connection.execute(
                "DELETE FROM address WHERE address_key = ? AND mailbox = ?",
                params![key(address), person.id],
            )?;
            if removed == 0 {
                let mailbox = person.account.address.clone();
                return Err(MailboxError::NoSuchAddress { address: address.to_owned(), mailbox });
            }
            Ok(())
        })
    }

    /// Resets the mailboxes whose policy was deleted by hand to the default policy (T15), and says which these were.
    ///
    /// # Errors
    /// The directory fails.
    pub fn repair_mailboxes(&self) -> Result<Vec<Mailbox>, StoreError> {
        self.write(|connection| {
            let broken = select(connection, WHOSE_POLICY_WAS_DELETED)?;
            connection
                .execute(&format!("UPDATE mailbox SET policy = NULL {WHOSE_POLICY_WAS_DELETED}"), [])?;
            forget_tombstones(connection)?;
            Ok(broken)
        })
    }

    /// One change to one mailbox, and the mailbox after it.
    fn change(
        &self,
        name: &str,
        act: impl FnOnce(&Connection, &Person) -> Result<(), MailboxError>,
    ) -> Result<Mailbox, MailboxError> {
        self.write(|connection| {
            let person = person(connection, name)?;
            act(connection, &person)?;
            described(connection, &person.account.address)
        })
    }
}

const WHOSE_POLICY_WAS_DELETED: &str = "
    WHERE mailbox.policy IS NOT NULL AND NOT EXISTS (SELECT 1 FROM policy WHERE policy.guid = mailbox.policy)";

fn select(connection: &Connection, condition: &str) -> Result<Vec<Mailbox>, StoreError> {
    let condition = format!("{condition} ORDER BY organisation.name_key, own.address_key");
    let persons = Person::select(connection, &condition, [])?;
    persons.into_iter().map(|person| describe(connection, person)).collect()
}

fn person(connection: &Connection, name: &str) -> Result<Person, MailboxError> {
    Person::named(connection, name)?.ok_or_else(|| MailboxError::Unknown { name: name.to_owned() })
}

fn described(connection: &Connection, name: &str) -> Result<Mailbox, MailboxError> {
    Ok(describe(connection, person(connection, name)?)?)
}

fn describe(connection: &Connection, person: Person) -> Result<Mailbox, StoreError> {
    Ok(Mailbox {
        policy: link(connection, person.policy)?,
        account: person.account,
        created: WallTime::from_unix_micros(person.created),
    })
}

/// The policy of that name that belongs to the person's organisation.
fn policy_within(connection: &Connection, person: &Person, policy: &str) -> Result<Guid, MailboxError> {
    let qualified = if policy.contains('\\') {
        policy.to_owned()
    } else {
        let short_name: String = connection.query_row(
            "SELECT short_name FROM organisation WHERE id = ?",
            [person.organisation],
            |row| row.get(0),
        )?;
        format!("{short_name}\\{policy}")
    };
    let row = one(connection, &qualified)?;
    if row.organisation != person.account.organisation {
        return Err(MailboxError::ForeignPolicy {
            policy: row.policy.name,
            owner: row.organisation,
            mailbox: person.account.address.clone(),
        });
    }
    Ok(row.policy.guid)
}

fn refuse_taken_alias(
    connection: &Connection,
    organisation: i64,
    alias: &str,
    own: Option<i64>,
) -> Result<(), MailboxError> {
    let taken = connection
        .prepare_cached("SELECT 1 FROM mailbox WHERE organisation = ? AND alias_key = ? AND id IS NOT ?")?
        .exists(params![organisation, key(alias), own])?;
    if taken { Err(MailboxError::AliasTaken { alias: alias.to_owned() }) } else { Ok(()) }
}

fn refuse_taken_address(connection: &Connection, address: &str) -> Result<(), MailboxError> {
    let taken =
        connection.prepare_cached("SELECT 1 FROM address WHERE address_key = ?")?.exists([key(address)])?;
    if taken { Err(MailboxError::AddressTaken { address: address.to_owned() }) } else { Ok(()) }
}

fn insert_address(
    connection: &Connection,
    mailbox: i64,
    address: &str,
    is_primary: bool,
) -> Result<(), StoreError> {
    connection.execute(
        "INSERT INTO address (address_key, address, mailbox, is_primary) VALUES (?, ?, ?, ?)",
        params![key(address), address, mailbox, is_primary],
    )?;
    Ok(())
}

/// The part before the `@`, unless a mailbox of another domain of the same organisation has it in its legacy DN.
fn free_legacy_name(
    connection: &Connection,
    organisation: i64,
    local: &str,
    guid: &Guid,
) -> Result<String, StoreError> {
    let taken = connection
        .prepare_cached("SELECT 1 FROM mailbox WHERE organisation = ? AND legacy_key = ?")?
        .exists(params![organisation, key(local)])?;
    Ok(if taken { format!("{local}-{guid}") } else { local.to_owned() })
}

/// A tombstone is of use as long as a mailbox points to it.
fn forget_tombstones(connection: &Connection) -> Result<(), StoreError> {
    connection.execute(
        "DELETE FROM tombstone WHERE NOT EXISTS (SELECT 1 FROM mailbox WHERE mailbox.policy = tombstone.guid)",
        [],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests;
