//! A person, as the rows of the store describe him.

use rusqlite::{Connection, OptionalExtension, Row};

use crate::directory::Account;
use crate::guid::Guid;
use crate::names::{Spelling, key, legacy_dn};
use crate::store::StoreError;
use weir_units::Owner;

/// A row of the mailbox table.
pub(crate) struct Person {
    pub(crate) id: i64,
    pub(crate) organisation: i64,
    pub(crate) account: Account,
    pub(crate) password: Option<String>,
    pub(crate) policy: Option<Guid>,
    pub(crate) created: i64,
}

/// What [`Person::of_row`] reads; a condition and an order may follow.
pub(crate) const SELECT_PERSON: &str = "
    SELECT mailbox.id, mailbox.organisation, mailbox.guid, own.address, mailbox.alias, mailbox.display_name,
           organisation.name, mailbox.legacy_name, mailbox.password, mailbox.policy, mailbox.created,
           mailbox.may_impersonate
    FROM mailbox
    JOIN organisation ON organisation.id = mailbox.organisation
    JOIN address AS own ON own.mailbox = mailbox.id AND own.is_primary = 1 ";

impl Person {
    fn of_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let address: String = row.get(3)?;
        let organisation: String = row.get(6)?;
        let legacy_name: String = row.get(7)?;
        let password: Option<String> = row.get(8)?;
        let policy: Option<String> = row.get(9)?;
        Ok(Self {
            id: row.get(0)?,
            organisation: row.get(1)?,
            account: Account {
                owner: Owner::new(&address),
                guid: Guid::of_row(&row.get::<_, String>(2)?),
                addresses: vec![address.clone()],
                address,
                alias: row.get(4)?,
                display_name: row.get(5)?,
                legacy_dn: legacy_dn(&organisation, &legacy_name),
                organisation,
                has_password: password.is_some(),
                may_impersonate: row.get(11)?,
            },
            password,
            policy: policy.as_deref().map(Guid::of_row),
            created: row.get(10)?,
        })
    }

    /// The persons that `condition`, with `values` in it, selects.
    pub(crate) fn select(
        connection: &Connection,
        condition: &str,
        values: impl rusqlite::Params,
    ) -> Result<Vec<Self>, StoreError> {
        let mut statement = connection.prepare_cached(&format!("{SELECT_PERSON} {condition}"))?;
        let mut persons = statement.query_map(values, Self::of_row)?.collect::<Result<Vec<_>, _>>()?;
        let mut further = connection.prepare_cached(
            "SELECT address FROM address WHERE mailbox = ? AND is_primary = 0 ORDER BY address_key",
        )?;
        for person in &mut persons {
            for address in further.query_map([person.id], |row| row.get(0))? {
                person.account.addresses.push(address?);
            }
        }
        Ok(persons)
    }

    /// The one person whom `name` means; nobody, where it means none or several (T3).
    pub(crate) fn named(connection: &Connection, name: &str) -> Result<Option<Self>, StoreError> {
        let Some(spelling) = Spelling::of(name) else { return Ok(None) };
        let found = match spelling {
            Spelling::Address(address) => Self::select(
                connection,
                "WHERE mailbox.id = (SELECT mailbox FROM address WHERE address_key = ?)",
                [address],
            ),
            // Two organisations may have the same alias; it then means nobody, never the wrong person.
            Spelling::Alias(alias) => {
                Self::select(connection, "WHERE mailbox.alias_key = ? LIMIT 2", [alias])
            }
            Spelling::Qualified { short_name, alias } => Self::select(
                connection,
                "WHERE organisation.short_key = ? AND mailbox.alias_key = ?",
                [short_name, alias],
            ),
            Spelling::Legacy { organisation, common_name } => Self::select(
                connection,
                "WHERE organisation.name_key = ? AND mailbox.legacy_key = ?",
                [organisation, common_name],
            ),
        }?;
        let mut found = found.into_iter();
        Ok(found.next().filter(|_| found.next().is_none()))
    }

    /// The person who is `owner`, whose name is a primary address in lower case.
    pub(crate) fn owning(connection: &Connection, owner: &Owner) -> Result<Option<Self>, StoreError> {
        let condition = "WHERE own.address_key = ?";
        Ok(Self::select(connection, condition, [owner.name()])?.into_iter().next())
    }
}

/// The organisation whose accepted domain is `domain`, as (row, name).
pub(crate) fn accepting(connection: &Connection, domain: &str) -> Result<Option<(i64, String)>, StoreError> {
    Ok(connection
        .prepare_cached(
            "SELECT organisation.id, organisation.name FROM accepted_domain
             JOIN organisation ON organisation.id = accepted_domain.organisation WHERE domain = ?",
        )?
        .query_row([key(domain)], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?)
}
