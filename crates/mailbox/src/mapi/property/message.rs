//! The properties of messages, in rows of tables and by themselves.
//!
//! Some are computed here, because only MAPI has them: identifiers, the forms of the body, who the sender is in five
//! ways. All others are the store's, found as [`path`] says. A row of a table never has a body, as a find never has (E1).

use weir_wire::ews::field::Field;
use weir_wire::ews::property::{ExtendedName, ExtendedProperty, Mailbox, Properties, PropertyPath};
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::property::name::PropertyName;
use weir_wire::mapi::property::{PropertyTag, PropertyType, PropertyValue, tag};
use weir_wire::mapi::row::Cell;

use super::{names, path, value};
use crate::mapi::id::{self, Guids};
use crate::server::{Outcome, Visit};
use crate::store::record::{Content, Place, Record, Row};
use crate::store::{body, column, item, shape};

/// Where properties are read.
pub(in crate::mapi) struct View<'v> {
    /// The transaction.
    pub(in crate::mapi) visit: &'v Visit<'v>,
    /// The names of the mailbox.
    pub(in crate::mapi) guids: Guids,
}

type Compute = fn(&View<'_>, &Record) -> Option<PropertyValue>;

/// What of a message something is computed from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// Its row.
    Row,
    /// The properties that have no column.
    Rest,
    /// In which form the body is.
    Content,
    /// The body.
    Body,
}

/// A message as far as somebody asked for it.
pub(in crate::mapi) struct Shown {
    /// The message.
    pub(in crate::mapi) record: Record,
    /// Whether it has a body that is longer than was asked for.
    pub(in crate::mapi) body_is_too_long: bool,
}

/// Where the value of a column comes from.
enum Source {
    Computed(Of, Compute),
    Stored(PropertyPath),
    /// The property of that name, of whatever type it is.
    OfAnyType(ExtendedName),
    Nothing,
}

/// Columns, and where their values come from.
pub(in crate::mapi) struct Wanted {
    columns: Vec<(PropertyTag, Source)>,
}

/// The code page of everything that is UTF-8.
const UTF8: i32 = 65_001;
/// A message may be changed, read and deleted.
const ALL_ACCESS: i32 = 1 | 2 | 4;
const OBJECT_IS_MESSAGE: i32 = 5;
const ROW_IS_LEAF: i32 = 1;
const BODY_IS_PLAIN: i32 = 1;
const BODY_IS_HTML: i32 = 3;
const HEADERS: u16 = tag::TRANSPORT_MESSAGE_HEADERS.id();
/// The longest headers that are shown, in bytes; what is longer is cut off.
const MAX_HEADERS: usize = 0x4_0000;

/// What is computed, and from what.
const COMPUTED: &[(PropertyTag, Of, Compute)] = &[
    (tag::MID, Of::Row, |_, record| Some(integer64(id::message(record.row.key)))),
    (tag::FOLDER_ID, Of::Row, |_, record| Some(integer64(id::folder(record.row.folder)))),
    (tag::PARENT_FOLDER_ID, Of::Row, |_, record| Some(integer64(id::folder(record.row.folder)))),
    (tag::INST_ID, Of::Row, |_, record| Some(integer64(id::message(record.row.key)))),
    (tag::INSTANCE_NUM, Of::Row, |_, _| Some(PropertyValue::Integer32(0))),
    (tag::ENTRY_ID, Of::Row, |view, record| Some(entry_id(view, record))),
    (tag::RECORD_KEY, Of::Row, |view, record| Some(entry_id(view, record))),
    (tag::INSTANCE_KEY, Of::Row, |_, record| Some(binary(id::message(record.row.key).to_le_bytes()))),
    (tag::SEARCH_KEY, Of::Row, |view, record| {
        let source = view.guids.source_key(id::message(record.row.key));
        Some(binary(source.get(6..).unwrap_or_default()))
    }),
    (tag::PARENT_ENTRY_ID, Of::Row, |view, record| {
        Some(binary(view.guids.folder_entry(id::folder(record.row.folder))))
    }),
    (tag::SOURCE_KEY, Of::Row, |view, record| {
        Some(binary(view.guids.source_key(id::message(record.row.key))))
    }),
    (tag::PARENT_SOURCE_KEY, Of::Row, |view, record| {
        Some(binary(view.guids.source_key(id::folder(record.row.folder))))
    }),
    (tag::CHANGE_KEY, Of::Row, |view, record| {
        Some(binary(view.guids.source_key(id::change(record.row.change.0))))
    }),
    (tag::CHANGE_NUMBER, Of::Row, |_, record| Some(integer64(id::change(record.row.change.0)))),
    (tag::STORE_RECORD_KEY, Of::Row, |view, _| Some(binary(view.guids.mailbox))),
    (tag::MAPPING_SIGNATURE, Of::Row, |view, _| Some(binary(view.guids.mailbox))),
    (tag::OBJECT_TYPE, Of::Row, |_, _| Some(PropertyValue::Integer32(OBJECT_IS_MESSAGE))),
    (tag::ROW_TYPE, Of::Row, |_, _| Some(PropertyValue::Integer32(ROW_IS_LEAF))),
    (tag::DEPTH, Of::Row, |_, _| Some(PropertyValue::Integer32(0))),
    (tag::ACCESS, Of::Row, |_, _| Some(PropertyValue::Integer32(ALL_ACCESS))),
    (tag::ACCESS_LEVEL, Of::Row, |_, _| Some(PropertyValue::Integer32(1))),
    (tag::ASSOCIATED, Of::Row, |_, record| {
        Some(PropertyValue::Boolean(record.row.place == Place::Associated))
    }),
    (tag::INTERNET_CODEPAGE, Of::Row, |_, _| Some(PropertyValue::Integer32(UTF8))),
    (tag::MESSAGE_CODEPAGE, Of::Row, |_, _| Some(PropertyValue::Integer32(UTF8))),
    (tag::RTF_IN_SYNC, Of::Row, |_, _| Some(PropertyValue::Boolean(false))),
    (tag::SENDER_ADDRESS_TYPE, Of::Rest, |_, record| address_type(record, Field::SENDER)),
    (tag::SENDER_NAME, Of::Rest, |_, record| person_name(record, Field::SENDER)),
    (tag::SENDER_EMAIL_ADDRESS, Of::Rest, |_, record| person_address(record, Field::SENDER)),
    (tag::SENDER_SMTP_ADDRESS, Of::Rest, |_, record| person_address(record, Field::SENDER)),
    (tag::SENT_REPRESENTING_ADDRESS_TYPE, Of::Rest, |_, record| address_type(record, Field::FROM)),
    (tag::SENT_REPRESENTING_NAME, Of::Rest, |_, record| person_name(record, Field::FROM)),
    (tag::SENT_REPRESENTING_EMAIL_ADDRESS, Of::Rest, |_, record| person_address(record, Field::FROM)),
    (tag::SENT_REPRESENTING_SMTP_ADDRESS, Of::Rest, |_, record| person_address(record, Field::FROM)),
    (tag::RECEIVED_BY_NAME, Of::Row, |view, record| {
        (!record.row.is_draft).then(|| PropertyValue::Unicode(view.visit.session.mailbox.name.clone()))
    }),
    (tag::RECEIVED_BY_EMAIL_ADDRESS, Of::Row, |view, record| {
        (!record.row.is_draft).then(|| PropertyValue::Unicode(view.visit.session.mailbox.address.clone()))
    }),
    (tag::BODY, Of::Body, |_, record| {
        Some(PropertyValue::Unicode(body::plain(record.content.html, &record.content.body).into_owned()))
    }),
    (tag::HTML, Of::Body, |_, record| {
        record.content.html.then(|| PropertyValue::Binary(record.content.body.clone().into_bytes()))
    }),
    (tag::NATIVE_BODY, Of::Content, |_, record| {
        Some(PropertyValue::Integer32(if record.content.html { BODY_IS_HTML } else { BODY_IS_PLAIN }))
    }),
];

/// The properties that a message's row has a column for, as lists of properties name them.
const COLUMNS: &[PropertyTag] = &[
    tag::MESSAGE_CLASS,
    tag::SUBJECT,
    tag::CLIENT_SUBMIT_TIME,
    tag::DISPLAY_BCC,
    tag::DISPLAY_CC,
    tag::DISPLAY_TO,
    tag::MESSAGE_DELIVERY_TIME,
    tag::MESSAGE_FLAGS,
    tag::MESSAGE_SIZE,
    tag::HAS_ATTACHMENTS,
    tag::READ,
    tag::INTERNET_MESSAGE_ID,
    tag::FLAG_STATUS,
    tag::CREATION_TIME,
    tag::LAST_MODIFICATION_TIME,
    tag::IMPORTANCE,
    tag::SENSITIVITY,
    tag::NORMALIZED_SUBJECT,
    tag::CONVERSATION_TOPIC,
    tag::MESSAGE_STATUS,
    tag::LAST_MODIFIER_NAME,
    tag::DISPLAY_NAME,
    tag::TRANSPORT_MESSAGE_HEADERS,
    PropertyTag::new(0x0060, PropertyType::TIME),
    PropertyTag::new(0x0061, PropertyType::TIME),
];

impl Wanted {
    /// These columns. In rows of tables what lies in the content is not there.
    pub(in crate::mapi) fn new(visit: &Visit<'_>, tags: &[PropertyTag], in_table: bool) -> Outcome<Self> {
        let source = |tag: &PropertyTag| Ok((*tag, Source::of(visit, *tag, in_table)?));
        Ok(Self { columns: tags.iter().map(source).collect::<Outcome<_>>()? })
    }

    /// The message as far as these columns need it, with a body of at most so many bytes.
    pub(in crate::mapi) fn shown(&self, visit: &Visit<'_>, row: Row, max_body: usize) -> Outcome<Shown> {
        let any = |needs: fn(&Source) -> bool| self.columns.iter().any(|(_, source)| needs(source));
        let key = row.key;
        let rest = if any(Source::needs_rest) { item::rest(visit, key)? } else { Properties::new() };
        let (body, headers) = (any(Source::needs_content), any(Source::needs_headers));
        let (content, body_is_too_long) = if body || headers {
            let headers = if headers { MAX_HEADERS } else { 0 };
            item::content_within(visit, key, if body { max_body } else { 0 }, headers)?
        } else {
            (Content::default(), false)
        };
        Ok(Shown { record: Record { row, rest, content, stale: false }, body_is_too_long })
    }

    /// What the message has in these columns.
    pub(in crate::mapi) fn cells(&self, view: &View<'_>, shown: &Shown) -> Vec<Cell> {
        self.columns.iter().map(|(tag, source)| source.cell(view, shown, *tag)).collect()
    }
}

impl Source {
    fn of(visit: &Visit<'_>, tag: PropertyTag, in_table: bool) -> Outcome<Self> {
        if let Some((_, of, compute)) = COMPUTED.iter().find(|(known, ..)| known.id() == tag.id()) {
            let unseen = in_table && matches!(of, Of::Content | Of::Body);
            return Ok(if unseen { Self::Nothing } else { Self::Computed(*of, *compute) });
        }
        if in_table && tag.id() == HEADERS {
            return Ok(Self::Nothing);
        }
        if tag.kind() == PropertyType::UNSPECIFIED {
            return Self::of_any_type(visit, tag);
        }
        Ok(path::of(visit, tag)?.map_or(Self::Nothing, Self::Stored))
    }

    fn of_any_type(visit: &Visit<'_>, tag: PropertyTag) -> Outcome<Self> {
        let as_text = path::of(visit, tag.with_kind(PropertyType::UNICODE))?;
        Ok(match as_text {
            Some(PropertyPath::Extended(ExtendedProperty { name, kind })) => {
                let path = PropertyPath::Extended(ExtendedProperty { name: name.clone(), kind });
                if column::shown(&path).is_some() { Self::Stored(path) } else { Self::OfAnyType(name) }
            }
            Some(path @ (PropertyPath::Field(_) | PropertyPath::Indexed { .. })) => Self::Stored(path),
            None => Self::Nothing,
        })
    }

    fn needs_rest(&self) -> bool {
        match self {
            Self::Computed(of, _) => *of == Of::Rest,
            Self::OfAnyType(_) => true,
            Self::Stored(path) => column::shown(path).is_none(),
            Self::Nothing => false,
        }
    }

    fn needs_content(&self) -> bool {
        matches!(self, Self::Computed(Of::Content | Of::Body, _))
    }

    fn needs_headers(&self) -> bool {
        match self {
            Self::Stored(PropertyPath::Extended(ExtendedProperty { name, .. })) | Self::OfAnyType(name) => {
                *name == ExtendedName::Tag(HEADERS)
            }
            Self::Stored(PropertyPath::Field(_) | PropertyPath::Indexed { .. })
            | Self::Computed(..)
            | Self::Nothing => false,
        }
    }

    fn cell(&self, view: &View<'_>, shown: &Shown, tag: PropertyTag) -> Cell {
        let record = &shown.record;
        let stored =
            |path: &PropertyPath| value::to_mapi(&shape::property(view.visit, record, path)?, tag.kind());
        let found = match self {
            Self::Computed(Of::Body, compute) if shown.body_is_too_long => {
                let there = compute(view, record).is_some();
                let code = if there { ErrorCode::NOT_ENOUGH_MEMORY } else { ErrorCode::NOT_FOUND };
                return Cell::Error(code);
            }
            Self::Computed(_, compute) => {
                compute(view, record).and_then(|value| value::in_type(value, tag.kind()))
            }
            Self::Stored(path) => stored(path),
            Self::OfAnyType(name) => record
                .rest
                .keys()
                .find(|path| matches!(path, PropertyPath::Extended(property) if property.name == *name))
                .and_then(stored)
                .or_else(|| {
                    let kind = "String".to_owned();
                    stored(&PropertyPath::Extended(ExtendedProperty { name: name.clone(), kind }))
                }),
            Self::Nothing => None,
        };
        found.map_or(Cell::Error(ErrorCode::NOT_FOUND), Cell::Value)
    }
}

/// The tags of all properties that a message has, as far as they have numbers.
pub(in crate::mapi) fn tags(view: &View<'_>, record: &Record) -> Outcome<Vec<PropertyTag>> {
    let computed = COMPUTED.iter().filter(|(_, _, compute)| compute(view, record).is_some());
    let mut tags: Vec<PropertyTag> = computed.map(|(tag, ..)| *tag).collect();
    for tag in COLUMNS {
        if let Some(path) = path::of(view.visit, *tag)?
            && shape::property(view.visit, record, &path).is_some()
        {
            tags.push(*tag);
        }
    }
    for path in record.rest.keys() {
        if let Some(tag) = path::tag(view.visit, path)?
            && !tags.iter().any(|known| known.id() == tag.id())
        {
            tags.push(tag);
        }
    }
    Ok(tags)
}

/// The names of a message's properties that the mailbox has no numbers for.
pub(in crate::mapi) fn unnumbered(visit: &Visit<'_>, record: &Record) -> Outcome<Vec<PropertyName>> {
    let mut found = Vec::new();
    for name in record.rest.keys().filter_map(path::name) {
        if names::id(visit, &name)?.is_none() {
            found.push(name);
        }
    }
    Ok(found)
}

/// Whether a property is computed: nobody sets it.
pub(in crate::mapi) fn is_computed(tag: PropertyTag) -> bool {
    COMPUTED.iter().any(|(known, of, _)| known.id() == tag.id() && !matches!(of, Of::Content | Of::Body))
}

fn entry_id(view: &View<'_>, record: &Record) -> PropertyValue {
    binary(view.guids.message_entry(id::folder(record.row.folder), id::message(record.row.key)))
}

fn integer64(id: u64) -> PropertyValue {
    PropertyValue::Integer64(id.cast_signed())
}

fn binary(bytes: impl AsRef<[u8]>) -> PropertyValue {
    PropertyValue::Binary(bytes.as_ref().to_vec())
}

/// Who sent a message is its author, where nothing else is said.
fn person(record: &Record, field: Field) -> Option<&Mailbox> {
    record.people(field).first().or_else(|| record.people(Field::FROM).first())
}

fn person_name(record: &Record, field: Field) -> Option<PropertyValue> {
    let person = person(record, field)?;
    person.name.clone().or_else(|| person.address.clone()).map(PropertyValue::Unicode)
}

fn person_address(record: &Record, field: Field) -> Option<PropertyValue> {
    person(record, field)?.address.clone().map(PropertyValue::Unicode)
}

fn address_type(record: &Record, field: Field) -> Option<PropertyValue> {
    person(record, field).map(|_| PropertyValue::Unicode("SMTP".to_owned()))
}
