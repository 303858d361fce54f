//! `Connect`: who may have a session, and what a client is told at its beginning (MS-OXCMAPIHTTP, section 2.2.4.1).

use weir_wire::mapi::body::{Answer, ConnectRequest, Connected};
use weir_wire::mapi::error_code::ErrorCode;

use super::property::value;
use crate::session::{AddressBook, Person};

/// The longest time between two questions for notifications, in milliseconds.
const POLLS_MAX: u32 = 60_000;
/// How often a client tries again that found the server too busy (R11).
const RETRY_COUNT: u32 = 60;
/// How long it waits before each, in milliseconds (R11).
const RETRY_DELAY: u32 = 1000;
/// The most people that are looked at for one of an address.
const NAMESAKES: usize = 16;

/// The body that answers `Connect`: `Ok` where there may be a session.
pub(super) fn answer(
    people: &dyn AddressBook,
    caller: &Person,
    may_open_others: bool,
    request: &ConnectRequest<'_>,
) -> Result<Vec<u8>, Vec<u8>> {
    let named = str::from_utf8(request.user_dn).unwrap_or_default();
    match find(people, caller, may_open_others, named) {
        Ok(person) => Ok(body(ErrorCode::SUCCESS, Some(&person))),
        Err(code) => Err(body(code, None)),
    }
}

/// The person whose mailbox `caller` asks for by a name, as far as he may open it.
///
/// # Errors
/// Where there is no such person or the mailbox is not for him; whoever may open his own mailbox only is not told
/// whether others are there.
pub(super) fn find(
    people: &dyn AddressBook,
    caller: &Person,
    may_open_others: bool,
    named: &str,
) -> Result<Person, ErrorCode> {
    if caller.is_called(named) {
        return Ok(caller.clone());
    }
    let person = people.local(named);
    if person.as_ref().is_some_and(|person| caller.is_called(&person.address)) {
        return Ok(caller.clone());
    }
    if !may_open_others {
        return Err(ErrorCode::LOGIN_PERM);
    }
    let person = person.ok_or(ErrorCode::UNKNOWN_USER)?;
    let known = people.find(caller, &person.address, NAMESAKES);
    if known.iter().any(|known| known.address == person.address) {
        Ok(person)
    } else {
        Err(ErrorCode::UNKNOWN_USER)
    }
}

fn body(code: ErrorCode, person: Option<&Person>) -> Vec<u8> {
    let name = value::to_utf16(&person.map(|person| person.name.replace('\0', "")).unwrap_or_default());
    let prefix = person.map(|person| dn_prefix(&person.legacy_dn)).unwrap_or_default();
    let connected = Connected {
        error_code: code.0,
        polls_max: POLLS_MAX,
        retry_count: RETRY_COUNT,
        retry_delay: RETRY_DELAY,
        dn_prefix: prefix.as_bytes(),
        display_name: &name,
        auxiliary: &[],
    };
    let mut body = Vec::new();
    Answer::Done(connected).write(&mut body);
    body
}

/// The organisation and the unit of a distinguished name: what the names of all of its people begin with.
pub(super) fn dn_prefix(legacy_dn: &str) -> &str {
    legacy_dn.find("/cn=").and_then(|end| legacy_dn.get(..end)).unwrap_or_default()
}
