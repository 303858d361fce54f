//! The properties of a mailbox: what a logon's handle is asked for.

use rusqlite::params;
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::property::{PropertyTag, PropertyValue, tag};
use weir_wire::mapi::row::Cell;

use super::message::View;
use super::value;
use crate::mapi::id;
use crate::server::Outcome;
use crate::store::distinguished::TOP;
use crate::store::folder;

/// What a mailbox can do: entry identifiers last, messages are found, changed and made, text is Unicode.
const SUPPORTED: i32 = 0x0004_0000 | 0x0001_0000 | 0x0000_0001 | 0x0000_0002 | 0x0000_0008 | 0x0000_0010;
const OBJECT_IS_STORE: i32 = 1;
/// English, and the code page of UTF-8: text is sorted and sent alike for all.
const LANGUAGE: i32 = 0x0409;
const CODE_PAGE: i32 = 65_001;
const BYTES_PER_KIB: usize = 1024;

type Compute = fn(&View<'_>) -> Outcome<PropertyValue>;

const COMPUTED: &[(PropertyTag, Compute)] = &[
    (tag::DISPLAY_NAME, |view| Ok(text(&format!("Mailbox - {}", view.visit.session.mailbox.name)))),
    (tag::MAILBOX_OWNER_NAME, |view| Ok(text(&view.visit.session.mailbox.name))),
    (tag::MAILBOX_OWNER_ENTRY_ID, |view| Ok(person_entry(view))),
    (tag::USER_ENTRY_ID, |view| Ok(person_entry(view))),
    (tag::RECORD_KEY, |view| Ok(PropertyValue::Binary(view.guids.mailbox.to_vec()))),
    (tag::STORE_RECORD_KEY, |view| Ok(PropertyValue::Binary(view.guids.mailbox.to_vec()))),
    (tag::MAPPING_SIGNATURE, |view| Ok(PropertyValue::Binary(view.guids.mailbox.to_vec()))),
    (tag::OBJECT_TYPE, |_| Ok(PropertyValue::Integer32(OBJECT_IS_STORE))),
    (tag::STORE_SUPPORT_MASK, |_| Ok(PropertyValue::Integer32(SUPPORTED))),
    (tag::LOCALE_ID, |_| Ok(PropertyValue::Integer32(LANGUAGE))),
    (tag::SORT_LOCALE_ID, |_| Ok(PropertyValue::Integer32(LANGUAGE))),
    (tag::CODE_PAGE_ID, |_| Ok(PropertyValue::Integer32(CODE_PAGE))),
    (tag::MAX_SUBMIT_MESSAGE_SIZE, |view| {
        let limit = view.visit.settings.max_item_bytes / BYTES_PER_KIB;
        Ok(PropertyValue::Integer32(i32::try_from(limit).unwrap_or(i32::MAX)))
    }),
    (tag::MESSAGE_SIZE, |view| {
        let sql = "SELECT ifnull(sum(size), 0) FROM item WHERE folder IN (SELECT id FROM folder WHERE mailbox = ?1)";
        let mut statement = view.visit.db.prepare_cached(sql)?;
        Ok(PropertyValue::Integer64(statement.query_row(params![view.visit.mailbox.0], |row| row.get(0))?))
    }),
    (IPM_SUBTREE_ENTRY_ID, |view| folder_entry(view, TOP)),
    (IPM_INBOX_ENTRY_ID, |view| folder_entry(view, "inbox")),
    (IPM_OUTBOX_ENTRY_ID, |view| folder_entry(view, "outbox")),
    (IPM_WASTEBASKET_ENTRY_ID, |view| folder_entry(view, "deleteditems")),
    (IPM_SENTMAIL_ENTRY_ID, |view| folder_entry(view, "sentitems")),
];

const IPM_SUBTREE_ENTRY_ID: PropertyTag = PropertyTag(0x35E0_0102);
const IPM_INBOX_ENTRY_ID: PropertyTag = PropertyTag(0x35E1_0102);
const IPM_OUTBOX_ENTRY_ID: PropertyTag = PropertyTag(0x35E2_0102);
const IPM_WASTEBASKET_ENTRY_ID: PropertyTag = PropertyTag(0x35E3_0102);
const IPM_SENTMAIL_ENTRY_ID: PropertyTag = PropertyTag(0x35E4_0102);

/// What the mailbox has under these tags.
pub(in crate::mapi) fn cells(view: &View<'_>, tags: &[PropertyTag]) -> Outcome<Vec<Cell>> {
    let cell = |tag: &PropertyTag| {
        let row = COMPUTED.iter().find(|(known, _)| known.id() == tag.id());
        let value = row.map(|(_, compute)| compute(view)).transpose()?;
        let value = value.and_then(|value| value::in_type(value, tag.kind()));
        Ok(value.map_or(Cell::Error(ErrorCode::NOT_FOUND), Cell::Value))
    };
    tags.iter().map(cell).collect()
}

/// The tags of all properties that a mailbox has.
pub(in crate::mapi) fn tags() -> Vec<PropertyTag> {
    COMPUTED.iter().map(|(tag, _)| *tag).collect()
}

fn text(text: &str) -> PropertyValue {
    PropertyValue::Unicode(text.to_owned())
}

fn folder_entry(view: &View<'_>, name: &str) -> Outcome<PropertyValue> {
    let key = folder::distinguished(view.visit, name)?;
    Ok(PropertyValue::Binary(view.guids.folder_entry(id::folder(key))))
}

/// The entry identifier of the mailbox's owner in the address book: a constant of the address book's, and the
/// distinguished name (MS-OXCDATA, section 2.2.5.2).
fn person_entry(view: &View<'_>) -> PropertyValue {
    PropertyValue::Binary(address_book_entry(&view.visit.session.mailbox.legacy_dn))
}

/// The entry identifier of somebody in the address book.
pub(in crate::mapi) fn address_book_entry(legacy_dn: &str) -> Vec<u8> {
    let mut entry = vec![0; 4];
    entry.extend(ADDRESS_BOOK);
    entry.extend(1_u32.to_le_bytes());
    entry.extend(0_u32.to_le_bytes());
    entry.extend(legacy_dn.bytes());
    entry.push(0);
    entry
}

const ADDRESS_BOOK: [u8; 16] =
    [0xDC, 0xA7, 0x40, 0xC8, 0xC0, 0x42, 0x10, 0x1A, 0xB4, 0xB9, 0x08, 0x00, 0x2B, 0x2F, 0xE1, 0x82];
