//! A message with changes that are not saved yet.
//!
//! It is the whole message, in memory, within what a session may hold. Until it is saved nobody else sees any of it.
//! Recipients are rows with numbers while a message is open, and lists of people once it is saved.

use std::collections::BTreeMap;

use weir_units::WallTime;
use weir_wire::ews::field::{Field, ValueKind};
use weir_wire::ews::property::{Body, ItemKind, Mailbox, PropertyPath, Value};
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::property::{PropertyTag, PropertyValue, tag};

use super::property::{message, path, value};
use crate::mime;
use crate::operation::send;
use crate::server::{NewsKind, Visit};
use crate::store::identifier::{ChangeNumber, FolderKey, MailboxKey};
use crate::store::item;
use crate::store::record::{Place, Record, Row};

/// A message with changes.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    /// The message as it would be saved, but for its recipients.
    record: Record,
    recipients: BTreeMap<u32, Recipient>,
    recipients_changed: bool,
    html_was_set: bool,
    /// The version that was opened.
    base: ChangeNumber,
}

/// Somebody a message is to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Recipient {
    /// In which list.
    pub(super) list: RecipientList,
    /// Who.
    pub(super) person: Mailbox,
}

/// The lists of recipients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecipientList {
    /// Whom it is to.
    To,
    /// Who gets a copy.
    Cc,
    /// Who gets a copy unseen.
    Bcc,
}

impl RecipientList {
    const ALL: [(Self, Field); 3] = [
        (Self::To, Field::TO_RECIPIENTS),
        (Self::Cc, Field::CC_RECIPIENTS),
        (Self::Bcc, Field::BCC_RECIPIENTS),
    ];

    /// The number that MAPI has for it.
    pub(super) const fn number(self) -> u8 {
        match self {
            Self::To => 1,
            Self::Cc => 2,
            Self::Bcc => 3,
        }
    }

    /// The list of that number, whatever flags it has beside.
    pub(super) const fn from_number(number: u8) -> Option<Self> {
        match number & 0x0F {
            1 => Some(Self::To),
            2 => Some(Self::Cc),
            3 => Some(Self::Bcc),
            _ => None,
        }
    }
}

impl Draft {
    /// A message of which nothing is set.
    pub(super) fn new(mailbox: MailboxKey, folder: FolderKey, associated: bool, now: WallTime) -> Self {
        let mut record = Record::new(mailbox, ItemKind::Message, now);
        record.row.folder = folder;
        record.row.is_draft = !associated;
        record.row.place = if associated { Place::Associated } else { Place::Live };
        Self::of(record)
    }

    /// A message that is stored.
    pub(super) fn of(record: Record) -> Self {
        let recipients = recipients(&record);
        let base = record.row.change;
        let recipients = (0..).zip(recipients).collect();
        Self { record, recipients, recipients_changed: false, html_was_set: false, base }
    }

    /// The message as it would be saved.
    pub(super) fn record(&self) -> Record {
        let mut record = self.record.clone();
        put_recipients(&self.recipients, self.recipients_changed, &mut record);
        record.settle();
        record
    }

    /// Its recipients, by row.
    pub(super) const fn recipients(&self) -> &BTreeMap<u32, Recipient> {
        &self.recipients
    }

    /// Puts a recipient into a row, or takes the one that is there.
    pub(super) fn set_recipient(&mut self, row: u32, recipient: Option<Recipient>) {
        match recipient {
            Some(recipient) => drop(self.recipients.insert(row, recipient)),
            None => drop(self.recipients.remove(&row)),
        }
        self.recipients_changed = true;
    }

    /// Sets a property.
    ///
    /// # Errors
    /// One that is computed, and a value that is none for it.
    pub(super) fn set(
        &mut self,
        visit: &Visit<'_>,
        tag: PropertyTag,
        value: &PropertyValue,
    ) -> Result<(), ErrorCode> {
        if message::is_computed(tag) {
            return Err(ErrorCode::COMPUTED_VALUE);
        }
        let stored = value::to_store(value).ok_or(ErrorCode::TYPE_NOT_SUPPORTED)?;
        if tag.id() == tag::HTML.id() {
            return self.set_html(stored);
        }
        if tag.id() == tag::BODY.id() {
            // A client that sends both means the one that says more.
            return if self.html_was_set { Ok(()) } else { self.set_body(false, stored) };
        }
        if tag.id() == tag::NATIVE_BODY.id() {
            return Ok(());
        }
        let path = path::of(visit, tag)?.ok_or(ErrorCode::NOT_FOUND)?;
        if let PropertyPath::Field(field) = &path
            && !fits(field.value(), &stored)
        {
            return Err(ErrorCode::UNEXPECTED_TYPE);
        }
        self.record.set(path, stored)?;
        self.record.stale = true;
        Ok(())
    }

    /// Removes a property.
    ///
    /// # Errors
    /// One that is computed, or that every message has.
    pub(super) fn delete(&mut self, visit: &Visit<'_>, tag: PropertyTag) -> Result<(), ErrorCode> {
        if message::is_computed(tag) {
            return Err(ErrorCode::COMPUTED_VALUE);
        }
        let path = if [tag::BODY, tag::HTML].iter().any(|body| body.id() == tag.id()) {
            PropertyPath::Field(Field::BODY)
        } else {
            path::of(visit, tag)?.ok_or(ErrorCode::NOT_FOUND)?
        };
        self.record.clear(&path)?;
        Ok(())
    }

    /// How many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        self.record.bytes()
    }

    /// Saves it: as a further message of its folder, or over the one that was opened. Gives its row.
    ///
    /// # Errors
    /// Where somebody else saved it meanwhile, unless it is forced, or it cannot be stored.
    pub(super) fn save(&mut self, visit: &Visit<'_>, force: bool) -> Result<Row, ErrorCode> {
        put_recipients(&self.recipients, self.recipients_changed, &mut self.record);
        let folder = self.record.row.folder;
        if self.base == ChangeNumber(0) {
            self.record.row.kind = kind_of(&self.record.row.class);
            if self.record.row.kind != ItemKind::Message {
                self.record.row.is_draft = false;
            } else if self.record.row.message_id.is_none() {
                self.record.row.message_id = Some(send::message_id(visit)?);
            }
            self.record.settle();
            return Ok(item::insert(visit, self.record.clone(), folder, NewsKind::Created)?);
        }
        let stored = item::row(visit, self.record.row.key)?.ok_or(ErrorCode::OBJECT_DELETED)?;
        if stored.change != self.base && !force {
            return Err(ErrorCode::OBJECT_CHANGED);
        }
        mime::build::refresh(&mut self.record);
        self.record.settle();
        item::update(visit, &mut self.record)?;
        Ok(self.record.row.clone())
    }

    fn set_html(&mut self, stored: Value) -> Result<(), ErrorCode> {
        let stored = if let Value::Bytes(bytes) = stored {
            Value::Text(String::from_utf8_lossy(&bytes).into_owned())
        } else {
            stored
        };
        self.set_body(true, stored)?;
        self.html_was_set = true;
        Ok(())
    }

    fn set_body(&mut self, html: bool, stored: Value) -> Result<(), ErrorCode> {
        let Value::Text(text) = stored else { return Err(ErrorCode::UNEXPECTED_TYPE) };
        self.record.set(PropertyPath::Field(Field::BODY), Value::Body(Body { html, text }))?;
        Ok(())
    }
}

/// Makes lists of people of the rows of recipients, where those were changed.
fn put_recipients(rows: &BTreeMap<u32, Recipient>, changed: bool, record: &mut Record) {
    if !changed {
        return;
    }
    for (list, field) in RecipientList::ALL {
        let people = rows.values().filter(|recipient| recipient.list == list);
        let people: Vec<Mailbox> = people.map(|recipient| recipient.person.clone()).collect();
        if people.is_empty() {
            record.rest.remove(&PropertyPath::Field(field));
        } else {
            record.put(field, Value::Mailboxes(people));
        }
    }
    record.stale = true;
}

/// The recipients of a message, in the order of their rows.
pub(super) fn recipients(record: &Record) -> Vec<Recipient> {
    let lists = RecipientList::ALL.iter();
    let people = lists.flat_map(|(list, field)| {
        record.people(*field).iter().map(|person| Recipient { list: *list, person: person.clone() })
    });
    people.collect()
}

/// What kind of item a class means.
fn kind_of(class: &str) -> ItemKind {
    let is = |base: &str| {
        class.get(..base.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(base))
            && class.get(base.len()..).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let kinds = [
        ("IPM.Appointment", ItemKind::CalendarItem),
        ("IPM.Contact", ItemKind::Contact),
        ("IPM.DistList", ItemKind::DistributionList),
        ("IPM.Task", ItemKind::Task),
        ("IPM.Post", ItemKind::PostItem),
    ];
    kinds.into_iter().find(|(base, _)| is(base)).map_or(ItemKind::Message, |(_, kind)| kind)
}

/// Whether a field has values like that.
fn fits(kind: ValueKind, value: &Value) -> bool {
    match kind {
        ValueKind::Text => matches!(value, Value::Text(_)),
        ValueKind::Bool => matches!(value, Value::Bool(_)),
        ValueKind::Integer => matches!(value, Value::Integer(_)),
        ValueKind::Double => matches!(value, Value::Double(_)),
        ValueKind::Time => matches!(value, Value::Time(_)),
        ValueKind::Bytes => matches!(value, Value::Bytes(_)),
        ValueKind::Texts => matches!(value, Value::Texts(_)),
        ValueKind::Body
        | ValueKind::Mailbox
        | ValueKind::Mailboxes
        | ValueKind::Attendees
        | ValueKind::Headers
        | ValueKind::Dictionary
        | ValueKind::ItemId
        | ValueKind::FolderId
        | ValueKind::Xml => false,
    }
}
