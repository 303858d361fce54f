//! Names of properties, and their numbers (MS-OXCPRPT).
//!
//! One property set has all properties that have numbers of their own; of those a number is its name.

use weir_wire::mapi::call::property::GetPropertyIdsFromNames;
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::property::name::{Name, PropertyName};

use super::{Done, Work};
use crate::mapi::property::message::View;
use crate::mapi::property::names;

/// The most names that one ROP asks for.
const MAX_NAMES: usize = 4096;
/// The first number that a name makes.
const FIRST_NAMED: u16 = 0x8000;
/// The set of the properties that have numbers.
const NUMBERED: [u8; 16] = [0x28, 0x03, 0x02, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0x46];

/// The numbers of properties that have these names; 0 for those that have none and, unless that is asked for, get none.
pub(in crate::mapi) fn ids(work: &mut Work<'_>, call: &GetPropertyIdsFromNames) -> Done<Vec<u16>> {
    let (asked, make) = (&call.names, call.flags & GetPropertyIdsFromNames::CREATE != 0);
    let logon = work.logon(call.input)?;
    if asked.len() > MAX_NAMES {
        return Err(ErrorCode::TOO_BIG);
    }
    let find = |view: &View<'_>, make: bool| {
        asked.iter().map(|name| id(view, name, make)).collect::<Done<Vec<u16>>>()
    };
    let known = work.read(&logon, |view| find(view, false))?;
    if make && known.contains(&0) { work.change(&logon, |view| find(view, true)) } else { Ok(known) }
}

/// The names of properties that have these numbers.
pub(in crate::mapi) fn names(work: &mut Work<'_>, from: u8, ids: &[u16]) -> Done<Vec<PropertyName>> {
    let logon = work.logon(from)?;
    let nameless = || PropertyName { namespace: [0; 16], name: Name::None };
    work.read(&logon, |view| {
        let name = |id: &u16| {
            if *id < FIRST_NAMED {
                return Ok(PropertyName { namespace: NUMBERED, name: Name::Number((*id).into()) });
            }
            Ok(names::name(view.visit, *id)?.unwrap_or_else(nameless))
        };
        ids.iter().map(name).collect()
    })
}

fn id(view: &View<'_>, name: &PropertyName, make: bool) -> Done<u16> {
    if name.namespace == NUMBERED {
        return Ok(match name.name {
            Name::Number(id) => u16::try_from(id).ok().filter(|id| *id < FIRST_NAMED).unwrap_or(0),
            Name::Text(_) | Name::None => 0,
        });
    }
    if name.name == Name::None {
        return Ok(0);
    }
    let id = if make { names::make_id(view.visit, name)? } else { names::id(view.visit, name)? };
    Ok(id.unwrap_or(0))
}
