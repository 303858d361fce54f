//! The mail that a demonstration begins with: what the documents' own examples ask for (E5).

use weir_units::{Micros, WallTime};
use weir_wire::ews::field::Field;
use weir_wire::ews::property::{Attendee, Body, Item, ItemKind, Mailbox, PropertyPath, Value};
use weir_wire::ews::request::{
    BasePoint, CreateItem, Disposition, FindItem, Request, Shape, Traversal, View,
};
use weir_wire::ews::response::{Answer, ErrorMessage};

use crate::server::MailboxServer;
use crate::session::{Person, Session};

const DRAFTS: u64 = 6;
const MAILS: u64 = 25;
const HOUR: Micros = Micros::MINUTE.times(60);

/// Whose mailboxes a demonstration fills.
#[derive(Clone, Debug)]
pub struct DemoPeople {
    /// Gets six drafts.
    pub john: Person,
    /// Gets 25 mails.
    pub jane: Person,
    /// Gets three appointments.
    pub ken: Person,
}

impl MailboxServer {
    /// Fills the mailboxes of a demonstration, each folder only where it is empty.
    ///
    /// Six drafts "Message1" to "Message6" for John, 25 mails for Jane, three appointments with attendees within the
    /// next three days for Ken.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn seed_demo(&self, people: &DemoPeople, now: WallTime) -> Result<(), ErrorMessage> {
        if self.is_empty(&people.john, "drafts", now).await? {
            let drafts = (1..=DRAFTS).map(draft).collect();
            self.create(&people.john, Some(Disposition::SaveOnly), drafts, now).await?;
        }
        if self.is_empty(&people.jane, "inbox", now).await? {
            let mails = (1..=MAILS).map(|number| mail(people, number, now)).collect();
            self.deliver_many(&people.jane, "inbox", mails, now).await?;
        }
        if self.is_empty(&people.ken, "calendar", now).await? {
            let appointments = (0..3).map(|day| appointment(people, day, now)).collect();
            self.create(&people.ken, None, appointments, now).await?;
        }
        Ok(())
    }

    async fn is_empty(&self, person: &Person, folder: &str, now: WallTime) -> Result<bool, ErrorMessage> {
        let find = FindItem {
            traversal: Traversal::Shallow,
            shape: Shape::id_only(),
            view: View::Indexed { max: Some(1), offset: 0, base: BasePoint::Beginning },
            restriction: None,
            order: Vec::new(),
            query: None,
            parents: vec![weir_wire::ews::property::FolderRef::Distinguished {
                name: folder.to_owned(),
                mailbox: None,
            }],
        };
        let answer = self.execute(&Session::of(person, now), &Request::FindItem(find), 0).await?;
        Ok(matches!(answer, Answer::FoundItems(found) if found.total == 0))
    }

    async fn create(
        &self,
        person: &Person,
        disposition: Option<Disposition>,
        items: Vec<Item>,
        now: WallTime,
    ) -> Result<(), ErrorMessage> {
        let session = Session::of(person, now);
        let invitations = Some("SendToNone".to_owned());
        let request = Request::CreateItem(CreateItem { disposition, invitations, folder: None, items });
        for step in 0..request.steps() {
            self.execute(&session, &request, step).await?;
        }
        Ok(())
    }
}

fn draft(number: u64) -> Item {
    let body = format!("This is draft {number} of {DRAFTS}.");
    item(
        ItemKind::Message,
        vec![
            (Field::SUBJECT, Value::Text(format!("Message{number}"))),
            (Field::BODY, Value::Body(Body { html: false, text: body })),
        ],
    )
}

fn mail(people: &DemoPeople, number: u64, now: WallTime) -> Item {
    let from = if number.is_multiple_of(2) { &people.john } else { &people.ken };
    let age = HOUR.times(MAILS - number).times(4);
    let at = WallTime::from_unix_micros(now.unix_micros().saturating_sub_unsigned(age.count()));
    let text =
        format!("<html><body><p>Hello Jane,</p><p>this is mail number <b>{number}</b>.</p></body></html>");
    item(
        ItemKind::Message,
        vec![
            (Field::SUBJECT, Value::Text(format!("Message {number}"))),
            (Field::BODY, Value::Body(Body { html: true, text })),
            (Field::FROM, Value::Mailbox(from.as_mailbox())),
            (Field::SENDER, Value::Mailbox(from.as_mailbox())),
            (Field::TO_RECIPIENTS, Value::Mailboxes(vec![people.jane.as_mailbox()])),
            (Field::INTERNET_MESSAGE_ID, Value::Text(format!("<demo-{number}@example.com>"))),
            (Field::DATE_TIME_SENT, Value::Time(at)),
            (Field::DATE_TIME_RECEIVED, Value::Time(at)),
        ],
    )
}

fn appointment(people: &DemoPeople, day: u64, now: WallTime) -> Item {
    let start = now.plus(HOUR.times(24 * day + 3));
    let (subject, place, length) = match day {
        0 => ("Budget review", "Room 1", HOUR),
        1 => ("Capacity planning", "Room 2", HOUR.times(2)),
        _ => ("Lunch with the team", "Canteen", HOUR),
    };
    let attendee = |person: &Person| Attendee {
        mailbox: Mailbox { kind: None, ..person.as_mailbox() },
        response: Some("Unknown".to_owned()),
        responded_at: None,
    };
    item(
        ItemKind::CalendarItem,
        vec![
            (Field::SUBJECT, Value::Text(subject.to_owned())),
            (Field::BODY, Value::Body(Body { html: false, text: format!("{subject}, {place}.") })),
            (Field::START, Value::Time(start)),
            (Field::END, Value::Time(start.plus(length))),
            (Field::LOCATION, Value::Text(place.to_owned())),
            (
                Field::REQUIRED_ATTENDEES,
                Value::Attendees(vec![attendee(&people.john), attendee(&people.jane)]),
            ),
        ],
    )
}

fn item(kind: ItemKind, fields: Vec<(Field, Value)>) -> Item {
    let properties = fields.into_iter().map(|(field, value)| (PropertyPath::Field(field), value)).collect();
    Item { kind, properties }
}

#[cfg(test)]
mod tests;
