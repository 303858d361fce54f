//! Properties that nobody sets: they follow from others, or from where an item lies.

use weir_wire::ews::field::Field;
use weir_wire::ews::property::{ItemId, ItemKind, PropertyPath, Value};
use weir_wire::ews::xml::Element;

use crate::server::Visit;
use crate::store::identifier;
use crate::store::record::{FLAG_STATUS, Record};

const CONVERSATION_TAG: u8 = b'Q';
/// The states of an appointment in MAPI: it is a meeting; it was received from somebody else.
const STATE_MEETING: i64 = 1;
const STATE_RECEIVED: i64 = 2;

/// The value of a field that is computed; none where it has none.
pub(super) fn value(visit: &Visit<'_>, record: &Record, field: Field) -> Option<Value> {
    let row = &record.row;
    match field {
        Field::ITEM_ID => Some(Value::ItemId(row.id())),
        Field::PARENT_FOLDER_ID => Some(Value::FolderId(identifier::bare_folder_id(row.mailbox, row.folder))),
        Field::IS_SUBMITTED
        | Field::IS_RESEND
        | Field::IS_UNMODIFIED
        | Field::REMINDER_IS_SET
        | Field::IS_READ_RECEIPT_REQUESTED
        | Field::IS_DELIVERY_RECEIPT_REQUESTED
        | Field::IS_RESPONSE_REQUESTED => Some(Value::Bool(false)),
        Field::IS_FROM_ME => {
            let own = |author: &String| author.contains(visit.session.mailbox.address.as_str());
            Some(Value::Bool(row.author.as_ref().is_some_and(own)))
        }
        Field::CULTURE => Some(Value::Text("en-US".to_owned())),
        Field::EFFECTIVE_RIGHTS => Some(Value::Xml(rights("EffectiveRights", ITEM_RIGHTS))),
        Field::LAST_MODIFIED_NAME => Some(Value::Text(visit.session.mailbox.name.clone())),
        Field::CONVERSATION_TOPIC => Some(Value::Text(topic(record).to_owned())),
        Field::CONVERSATION_ID => {
            let id = identifier::write_numbers(CONVERSATION_TAG, &[topic_number(topic(record))]);
            Some(Value::ItemId(ItemId { id, change_key: None }))
        }
        Field::FLAG => {
            let status = usize::try_from(row.flag).ok().and_then(|flag| FLAG_STATUS.get(flag))?;
            Some(Value::Xml(
                Element::types("Flag").with_child(Element::types("FlagStatus").with_text(*status)),
            ))
        }
        Field::RECEIVED_BY | Field::RECEIVED_REPRESENTING if !row.is_draft => {
            Some(Value::Mailbox(visit.session.mailbox.as_mailbox()))
        }
        field => match row.kind {
            ItemKind::CalendarItem | ItemKind::MeetingRequest => calendar(visit, record, field),
            ItemKind::Task => task(record, field),
            ItemKind::Contact => contact(record, field),
            ItemKind::Item
            | ItemKind::Message
            | ItemKind::DistributionList
            | ItemKind::PostItem
            | ItemKind::MeetingMessage
            | ItemKind::MeetingResponse
            | ItemKind::MeetingCancellation => None,
        },
    }
}

/// The value of a MAPI property that is computed; none where it has none.
pub(super) fn tag_value(visit: &Visit<'_>, record: &Record, tag: u16) -> Option<Value> {
    let row = &record.row;
    match tag {
        0x0ff9 | 0x0fff => Some(Value::Bytes(row.id().id.into_bytes())),
        0x0e17 => Some(Value::Integer(0)),
        0x0e1d | 0x0070 => Some(Value::Text(topic(record).to_owned())),
        0x10f3 => Some(Value::Text(format!("{}.EML", row.uid))),
        0x0c1f | 0x0065 => {
            record.people(Field::FROM).first().and_then(|person| person.address.clone()).map(Value::Text)
        }
        0x0c1a | 0x0042 => {
            record.people(Field::FROM).first().and_then(|person| person.name.clone()).map(Value::Text)
        }
        0x1042 => record.text(Field::IN_REPLY_TO).map(|text| Value::Text(text.to_owned())),
        0x1039 => record.text(Field::REFERENCES).map(|text| Value::Text(text.to_owned())),
        0x3ffa => Some(Value::Text(visit.session.mailbox.name.clone())),
        _ => None,
    }
}

fn calendar(visit: &Visit<'_>, record: &Record, field: Field) -> Option<Value> {
    let row = &record.row;
    let attendees = [Field::REQUIRED_ATTENDEES, Field::OPTIONAL_ATTENDEES, Field::RESOURCES];
    let is_meeting = attendees.into_iter().any(|attendees| !record.attendees(attendees).is_empty());
    let is_recurring = record.rest.contains_key(&PropertyPath::Field(Field::RECURRENCE));
    Some(match field {
        Field::IS_ALL_DAY_EVENT | Field::IS_CANCELLED | Field::MEETING_REQUEST_WAS_SENT => Value::Bool(false),
        Field::CALENDAR_IS_RESPONSE_REQUESTED => Value::Bool(true),
        Field::LEGACY_FREE_BUSY_STATUS => Value::Text("Busy".to_owned()),
        Field::IS_MEETING => Value::Bool(is_meeting),
        Field::IS_RECURRING => Value::Bool(is_recurring),
        Field::CALENDAR_ITEM_TYPE => {
            Value::Text(if is_recurring { "RecurringMaster" } else { "Single" }.to_owned())
        }
        Field::MY_RESPONSE_TYPE => Value::Text(if is_meeting { "Organizer" } else { "Unknown" }.to_owned()),
        Field::ORGANIZER => Value::Mailbox(visit.session.mailbox.as_mailbox()),
        Field::DURATION => Value::Text(duration(row.ends?.unix_seconds() - row.starts?.unix_seconds())),
        Field::APPOINTMENT_SEQUENCE_NUMBER => Value::Integer(0),
        Field::APPOINTMENT_STATE => {
            let received = row.kind == ItemKind::MeetingRequest;
            Value::Integer(
                if is_meeting { STATE_MEETING } else { 0 } | if received { STATE_RECEIVED } else { 0 },
            )
        }
        Field::DATE_TIME_STAMP => Value::Time(row.modified),
        _ => return None,
    })
}

fn task(record: &Record, field: Field) -> Option<Value> {
    Some(match field {
        Field::TASK_STATUS => Value::Text("NotStarted".to_owned()),
        Field::TASK_PERCENT_COMPLETE => Value::Double(0.0),
        Field::TASK_IS_COMPLETE => Value::Bool(record.text(Field::TASK_STATUS) == Some("Completed")),
        Field::TASK_IS_RECURRING => {
            Value::Bool(record.rest.contains_key(&PropertyPath::Field(Field::TASK_RECURRENCE)))
        }
        Field::TASK_IS_TEAM_TASK => Value::Bool(false),
        Field::TASK_CHANGE_COUNT => Value::Integer(1),
        _ => return None,
    })
}

fn contact(record: &Record, field: Field) -> Option<Value> {
    match field {
        Field::CONTACT_SOURCE => Some(Value::Text("Store".to_owned())),
        Field::CONTACT_HAS_PICTURE => Some(Value::Bool(false)),
        Field::CONTACT_COMPLETE_NAME => {
            let parts = [
                ("FirstName", record.text(Field::CONTACT_GIVEN_NAME)),
                ("MiddleName", record.text(Field::CONTACT_MIDDLE_NAME)),
                ("LastName", record.text(Field::CONTACT_SURNAME)),
                ("Suffix", record.text(Field::CONTACT_GENERATION)),
                ("Initials", record.text(Field::CONTACT_INITIALS)),
                ("FullName", record.row.display_name.as_deref()),
                ("Nickname", record.text(Field::CONTACT_NICKNAME)),
            ];
            let mut name = Element::types("CompleteName");
            for (part, text) in parts {
                if let Some(text) = text {
                    name = name.with_child(Element::types(part).with_text(text));
                }
            }
            (!name.children.is_empty()).then_some(Value::Xml(name))
        }
        _ => None,
    }
}

const ITEM_RIGHTS: &[(&str, bool)] = &[
    ("CreateAssociated", false),
    ("CreateContents", false),
    ("CreateHierarchy", false),
    ("Delete", true),
    ("Modify", true),
    ("Read", true),
    ("ViewPrivateItems", true),
];

/// What the opened mailbox's owner may do with something.
pub(super) fn rights(name: &str, rights: &[(&str, bool)]) -> Element {
    rights.iter().fold(Element::types(name), |element, (right, allowed)| {
        element.with_child(Element::types(*right).with_text(if *allowed { "true" } else { "false" }))
    })
}

/// The subject without what replies and forwards put before it.
pub(crate) fn topic(record: &Record) -> &str {
    let mut topic = record.row.subject.as_deref().unwrap_or_default().trim_start();
    while let Some((before, after)) = topic.split_once(':') {
        if !["re", "fw", "fwd"].iter().any(|prefix| before.eq_ignore_ascii_case(prefix)) {
            break;
        }
        topic = after.trim_start();
    }
    topic
}

/// A number for a topic, the same for the same topic in any case (FNV-1a).
fn topic_number(topic: &str) -> i64 {
    let hash = topic.to_lowercase().bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    i64::from_be_bytes(hash.to_be_bytes())
}

/// A duration in seconds as XML Schema writes it.
fn duration(seconds: i64) -> String {
    let minutes = seconds.max(0) / 60;
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("PT{minutes}M"),
        (hours, 0) => format!("PT{hours}H"),
        (hours, minutes) => format!("PT{hours}H{minutes}M"),
    }
}
