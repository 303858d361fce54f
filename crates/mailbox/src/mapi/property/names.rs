//! Properties that have names: the numbers under which a mailbox knows them.
//!
//! A property set and a number or name within it get a number of the mailbox's own, from 0x8000 on, when somebody first
//! asks, and keep it for ever. The names are those that EWS clients store such properties under, so that both find the
//! same. A mailbox has a bounded number of them.

use rusqlite::{OptionalExtension, params};
use weir_wire::ews::property::ExtendedName;
use weir_wire::mapi::property::name::{Name, PropertyName};

use super::guid;
use crate::server::{Outcome, Visit};

/// The first number.
const FIRST: u16 = 0x8000;
/// The last number: what follows is reserved.
const LAST: u16 = 0xFFFE;
/// The most names that a mailbox has.
pub(in crate::mapi) const MAX_NAMES: u16 = 16_384;
/// The longest name that is stored, in bytes.
const MAX_NAME: usize = 512;

/// The name as EWS has it; none, where it is none.
pub(in crate::mapi) fn to_ews(name: &PropertyName) -> Option<ExtendedName> {
    let set = guid::set_name(name.namespace);
    match &name.name {
        Name::Number(id) => Some(ExtendedName::Numbered { set, id: *id }),
        Name::Text(text) => Some(ExtendedName::Named { set, name: text.clone() }),
        Name::None => None,
    }
}

/// The name that EWS has so; none, where it is a tag, or in a set that is none.
pub(in crate::mapi) fn from_ews(name: &ExtendedName) -> Option<PropertyName> {
    let (set, name) = match name {
        ExtendedName::Tag(_) => return None,
        ExtendedName::Numbered { set, id } => (set, Name::Number(*id)),
        ExtendedName::Named { set, name } => (set, Name::Text(name.clone())),
    };
    Some(PropertyName { namespace: guid::set_guid(set)?, name })
}

/// The name of the property that the mailbox knows under a number.
pub(in crate::mapi) fn name(visit: &Visit<'_>, id: u16) -> Outcome<Option<PropertyName>> {
    let mut statement =
        visit.db.prepare_cached("SELECT name FROM named_property WHERE mailbox = ?1 AND id = ?2")?;
    let stored: Option<String> =
        statement.query_row(params![visit.mailbox.0, id], |row| row.get(0)).optional()?;
    Ok(stored.as_deref().and_then(read))
}

/// The number under which the mailbox knows a property, if it does.
pub(in crate::mapi) fn id(visit: &Visit<'_>, name: &PropertyName) -> Outcome<Option<u16>> {
    let mut statement =
        visit.db.prepare_cached("SELECT id FROM named_property WHERE mailbox = ?1 AND name = ?2")?;
    Ok(statement.query_row(params![visit.mailbox.0, write(name)], |row| row.get(0)).optional()?)
}

/// The number under which the mailbox knows a property from here on; none, where it knows as many as it can.
pub(in crate::mapi) fn make_id(visit: &Visit<'_>, name: &PropertyName) -> Outcome<Option<u16>> {
    if let Some(known) = id(visit, name)? {
        return Ok(Some(known));
    }
    let stored = write(name);
    let last: Option<u16> = visit
        .db
        .prepare_cached("SELECT max(id) FROM named_property WHERE mailbox = ?1")?
        .query_row([visit.mailbox.0], |row| row.get(0))?;
    let next = last.map_or(FIRST, |last| last.saturating_add(1));
    if next > LAST.min(FIRST + MAX_NAMES - 1) || stored.len() > MAX_NAME {
        return Ok(None);
    }
    visit.db.prepare_cached("INSERT INTO named_property VALUES (?1, ?2, ?3)")?.execute(params![
        visit.mailbox.0,
        next,
        stored
    ])?;
    Ok(Some(next))
}

/// The name as the store has it.
fn write(name: &PropertyName) -> String {
    let set = guid::to_text(name.namespace);
    match &name.name {
        Name::Number(id) => format!("{set}\td\t{id}"),
        Name::Text(text) => format!("{set}\tn\t{text}"),
        Name::None => set,
    }
}

fn read(stored: &str) -> Option<PropertyName> {
    let (set, rest) = stored.split_once('\t')?;
    let name = match rest.split_once('\t')? {
        ("d", id) => Name::Number(id.parse().ok()?),
        ("n", text) => Name::Text(text.to_owned()),
        _ => return None,
    };
    Some(PropertyName { namespace: guid::from_text(set)?, name })
}
