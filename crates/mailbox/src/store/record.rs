//! An item in memory: its row, its further properties, its content; and how properties are set on it.
//!
//! Everything that is derived – the recipients as text, the size, whether there are attachments – is computed from
//! what was set, in [`Record::settle`], before an item is stored.

mod set;

pub(crate) use set::FLAG_STATUS;

use weir_units::WallTime;
use weir_wire::ews::field::Field;
use weir_wire::ews::property::{Attendee, ItemId, ItemKind, Mailbox, Properties, PropertyPath, Value};

use super::column::message_flag;
use super::identifier::{self, ChangeNumber, FolderKey, ItemKey, MailboxKey};

/// Where an item is with regard to its folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Place {
    /// It lies in it.
    #[default]
    Live,
    /// It was deleted but is not gone.
    SoftDeleted,
    /// It belongs to the folder itself.
    Associated,
}

/// What the table of items holds of an item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) key: ItemKey,
    pub(crate) mailbox: MailboxKey,
    pub(crate) folder: FolderKey,
    pub(crate) place: Place,
    pub(crate) uid: i64,
    pub(crate) kind: ItemKind,
    pub(crate) class: String,
    pub(crate) created_change: ChangeNumber,
    pub(crate) content_change: ChangeNumber,
    pub(crate) change: ChangeNumber,
    pub(crate) created: WallTime,
    pub(crate) modified: WallTime,
    pub(crate) received: WallTime,
    pub(crate) sent: Option<WallTime>,
    pub(crate) subject: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) display_to: Option<String>,
    pub(crate) display_cc: Option<String>,
    pub(crate) display_bcc: Option<String>,
    pub(crate) recipients_to: Option<String>,
    pub(crate) recipients_cc: Option<String>,
    pub(crate) recipients_bcc: Option<String>,
    pub(crate) size: i64,
    pub(crate) is_read: bool,
    pub(crate) is_draft: bool,
    pub(crate) importance: i64,
    pub(crate) sensitivity: i64,
    pub(crate) has_attachments: bool,
    pub(crate) message_id: Option<String>,
    pub(crate) starts: Option<WallTime>,
    pub(crate) ends: Option<WallTime>,
    pub(crate) flag: i64,
    pub(crate) display_name: Option<String>,
}

/// The body, and the message as it arrived.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Content {
    /// Whether the body is HTML.
    pub(crate) html: bool,
    /// The body.
    pub(crate) body: String,
    /// The message in Internet form, where it came in that form.
    pub(crate) mime: Option<Vec<u8>>,
}

/// An item in memory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    /// What has a column.
    pub(crate) row: Row,
    /// What has none.
    pub(crate) rest: Properties,
    /// What a find never reads.
    pub(crate) content: Content,
    /// Whether something was set that the message in Internet form says otherwise.
    pub(crate) stale: bool,
}

impl Row {
    /// The identifier as answers carry it.
    pub(crate) fn id(&self) -> ItemId {
        identifier::item_id(self.mailbox, self.key, self.change)
    }

    /// Its flags as MAPI has them.
    pub(crate) fn message_flags(&self) -> i64 {
        let bit = |flag: bool, bit: i64| if flag { bit } else { 0 };
        bit(self.is_read, message_flag::READ)
            | bit(self.is_draft, message_flag::UNSENT)
            | bit(self.has_attachments, message_flag::HAS_ATTACHMENTS)
    }
}

impl Record {
    /// An item of that kind with nothing set, made at `now`.
    pub(crate) fn new(mailbox: MailboxKey, kind: ItemKind, now: WallTime) -> Self {
        let row = Row {
            key: ItemKey(0),
            mailbox,
            folder: FolderKey(0),
            place: Place::Live,
            uid: 0,
            kind,
            class: class_of(kind).to_owned(),
            created_change: ChangeNumber(0),
            content_change: ChangeNumber(0),
            change: ChangeNumber(0),
            created: now,
            modified: now,
            received: now,
            sent: None,
            subject: None,
            author: None,
            display_to: None,
            display_cc: None,
            display_bcc: None,
            recipients_to: None,
            recipients_cc: None,
            recipients_bcc: None,
            size: 0,
            is_read: true,
            is_draft: false,
            importance: 1,
            sensitivity: 0,
            has_attachments: false,
            message_id: None,
            starts: None,
            ends: None,
            flag: 0,
            display_name: None,
        };
        Self { row, rest: Properties::new(), content: Content::default(), stale: false }
    }

    /// The people in a field; none where it is not set.
    pub(crate) fn people(&self, field: Field) -> &[Mailbox] {
        match self.rest.get(&PropertyPath::Field(field)) {
            Some(Value::Mailboxes(people)) => people,
            Some(Value::Mailbox(person)) => std::slice::from_ref(person),
            _ => &[],
        }
    }

    /// The attendees in a field; none where it is not set.
    pub(crate) fn attendees(&self, field: Field) -> &[Attendee] {
        match self.rest.get(&PropertyPath::Field(field)) {
            Some(Value::Attendees(people)) => people,
            _ => &[],
        }
    }

    /// The text in a field; none where it is not set.
    pub(crate) fn text(&self, field: Field) -> Option<&str> {
        match self.rest.get(&PropertyPath::Field(field)) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Puts a value into a field that has no column.
    pub(crate) fn put(&mut self, field: Field, value: Value) {
        self.rest.insert(PropertyPath::Field(field), value);
    }

    /// Computes what is derived from what was set.
    pub(crate) fn settle(&mut self) {
        let author = self.people(Field::FROM).first().or_else(|| self.people(Field::ORGANIZER).first());
        let author = author.or_else(|| self.people(Field::SENDER).first()).map(full_text);
        self.row.author = author;
        let [to, cc, bcc] = [
            (Field::TO_RECIPIENTS, Field::REQUIRED_ATTENDEES),
            (Field::CC_RECIPIENTS, Field::OPTIONAL_ATTENDEES),
            (Field::BCC_RECIPIENTS, Field::RESOURCES),
        ]
        .map(|(people, attendees)| {
            let attendees = self.attendees(attendees).iter().map(|attendee| &attendee.mailbox);
            self.people(people).iter().chain(attendees).cloned().collect::<Vec<_>>()
        });
        (self.row.display_to, self.row.recipients_to) = (join(&to, short_text), join(&to, full_text));
        (self.row.display_cc, self.row.recipients_cc) = (join(&cc, short_text), join(&cc, full_text));
        (self.row.display_bcc, self.row.recipients_bcc) = (join(&bcc, short_text), join(&bcc, full_text));
        if let Some(Value::Xml(attachments)) = self.rest.get(&PropertyPath::Field(Field::ATTACHMENTS)) {
            self.row.has_attachments = !attachments.children.is_empty();
        }
        self.row.size = i64::try_from(self.bytes()).unwrap_or(i64::MAX);
    }

    /// How many bytes the item takes.
    pub(crate) fn bytes(&self) -> usize {
        let row = &self.row;
        let texts = [&row.subject, &row.author, &row.recipients_to, &row.recipients_cc, &row.recipients_bcc];
        let texts: usize = texts.into_iter().flatten().map(String::len).sum();
        match &self.content.mime {
            Some(mime) => mime.len(),
            None => texts + self.content.body.len() + self.rest.values().map(value_bytes).sum::<usize>(),
        }
    }
}

/// The class of an item of that kind, where the client states none.
const fn class_of(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Item | ItemKind::Message => "IPM.Note",
        ItemKind::CalendarItem => "IPM.Appointment",
        ItemKind::Contact => "IPM.Contact",
        ItemKind::DistributionList => "IPM.DistList",
        ItemKind::Task => "IPM.Task",
        ItemKind::PostItem => "IPM.Post",
        ItemKind::MeetingMessage => "IPM.Schedule.Meeting",
        ItemKind::MeetingRequest => "IPM.Schedule.Meeting.Request",
        ItemKind::MeetingResponse => "IPM.Schedule.Meeting.Resp.Pos",
        ItemKind::MeetingCancellation => "IPM.Schedule.Meeting.Canceled",
    }
}

fn join(people: &[Mailbox], text: fn(&Mailbox) -> String) -> Option<String> {
    (!people.is_empty()).then(|| people.iter().map(text).collect::<Vec<_>>().join("; "))
}

/// A person as lists of names show them.
fn short_text(person: &Mailbox) -> String {
    person.name.as_ref().or(person.address.as_ref()).cloned().unwrap_or_default()
}

/// A person as searches see them.
fn full_text(person: &Mailbox) -> String {
    match (&person.name, &person.address) {
        (Some(name), Some(address)) if name != address => format!("{name} <{address}>"),
        (_, Some(address)) => address.clone(),
        (name, None) => name.clone().unwrap_or_default(),
    }
}

fn value_bytes(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::Body(body) => body.text.len(),
        Value::Texts(texts) => texts.iter().map(String::len).sum(),
        Value::Pairs(pairs) => pairs.iter().map(|(name, value)| name.len() + value.len()).sum(),
        Value::Xml(element) => element.to_xml().len(),
        Value::Mailboxes(people) => people.iter().map(|person| full_text(person).len()).sum(),
        Value::Attendees(people) => people.iter().map(|person| full_text(&person.mailbox).len()).sum(),
        Value::Mailbox(person) => full_text(person).len(),
        Value::Bool(_)
        | Value::Integer(_)
        | Value::Double(_)
        | Value::Time(_)
        | Value::ItemId(_)
        | Value::FolderId(_) => 8,
    }
}

#[cfg(test)]
mod tests;
