//! Invitations: each attendee with a mailbox here gets a meeting request and a tentative appointment, each one elsewhere
//! a message with an iCalendar object. Their answers arrive as messages like any other.

use weir_wire::ews::field::Field;
use weir_wire::ews::property::{ItemId, ItemKind, Mailbox, PropertyPath, Value};

use super::send;
use crate::mime;
use crate::server::{NewsKind, Outcome, Visit};
use crate::session::{Person, Session};
use crate::store::record::Record;
use crate::store::{folder, item};

/// Why a series of meetings does not leave the house.
const NO_SERIES: &str = "Meetings that recur cannot be sent to people who have no mailbox here. Invite them to each \
                         meeting by itself.";

/// What a meeting request shares with the appointment it asks for.
const SHARED: [Field; 9] = [
    Field::UID,
    Field::LOCATION,
    Field::IS_ALL_DAY_EVENT,
    Field::REQUIRED_ATTENDEES,
    Field::OPTIONAL_ATTENDEES,
    Field::RESOURCES,
    Field::RECURRENCE,
    Field::START_TIME_ZONE,
    Field::END_TIME_ZONE,
];

/// Invites the attendees of an appointment of the opened mailbox; `save_copy` keeps the request among what was sent.
///
/// # Errors
/// Too many attendees, or a failing store; then nobody was invited.
pub(super) fn invite(visit: &Visit<'_>, appointment: &Record, save_copy: bool) -> Outcome<()> {
    let attendees: Vec<Mailbox> = [Field::REQUIRED_ATTENDEES, Field::OPTIONAL_ATTENDEES, Field::RESOURCES]
        .into_iter()
        .flat_map(|field| appointment.attendees(field).iter().map(|attendee| attendee.mailbox.clone()))
        .collect();
    let (known, unknown) = send::resolve(visit, &attendees)?;
    let request = request(visit, appointment, &attendees)?;
    for person in known.iter().filter(|person| !visit.session.mailbox.is_called(&person.address)) {
        let mut theirs = request.clone();
        let id = pencil_in(visit, person, appointment)?;
        theirs.put(Field::MEETING_ASSOCIATED_CALENDAR_ITEM_ID, Value::ItemId(id));
        send::deliver(visit, person, theirs)?;
    }
    if save_copy && !attendees.is_empty() {
        let sent = folder::distinguished(visit, "sentitems")?;
        item::insert(visit, request.clone(), sent, NewsKind::Created)?;
    }
    invite_elsewhere(visit, request, unknown)
}

/// Invites those who have no mailbox here, as far as they can be reached; the organizer hears of the others.
fn invite_elsewhere(visit: &Visit<'_>, mut request: Record, people: Vec<String>) -> Outcome<()> {
    if people.is_empty() || !visit.has_way_out() {
        return send::bounce(visit, &request, (&people, send::NO_MAILBOX));
    }
    if request.rest.contains_key(&PropertyPath::Field(Field::RECURRENCE)) {
        return send::bounce(visit, &request, (&people, NO_SERIES));
    }
    request.content.mime = Some(mime::invitation::message(&request, &visit.zone(), visit.now()));
    let unreached = send::send_out(visit, &request, people)?;
    send::bounce(visit, &request, (&unreached, send::NO_MAILBOX))
}

fn request(visit: &Visit<'_>, appointment: &Record, attendees: &[Mailbox]) -> Outcome<Record> {
    let own = visit.session.mailbox.as_mailbox();
    let mut request = Record::new(visit.mailbox, ItemKind::MeetingRequest, visit.now());
    request.row.subject.clone_from(&appointment.row.subject);
    (request.row.starts, request.row.ends) = (appointment.row.starts, appointment.row.ends);
    request.row.sent = Some(visit.now());
    request.row.message_id = Some(send::message_id(visit)?);
    request.content.clone_from(&appointment.content);
    request.content.mime = None;
    for field in SHARED {
        if let Some(value) = appointment.rest.get(&PropertyPath::Field(field)) {
            request.put(field, value.clone());
        }
    }
    for field in [Field::FROM, Field::SENDER, Field::ORGANIZER] {
        request.put(field, Value::Mailbox(own.clone()));
    }
    request.put(Field::TO_RECIPIENTS, Value::Mailboxes(attendees.to_vec()));
    request.put(Field::MEETING_REQUEST_TYPE, Value::Text("NewMeetingRequest".to_owned()));
    request.put(Field::MY_RESPONSE_TYPE, Value::Text("NoResponseReceived".to_owned()));
    request.settle();
    Ok(request)
}

/// Puts a tentative appointment into an attendee's calendar.
fn pencil_in(visit: &Visit<'_>, person: &Person, appointment: &Record) -> Outcome<ItemId> {
    let session = Session::of(person, visit.now());
    let theirs = visit.of(&session)?;
    let calendar = folder::distinguished(&theirs, "calendar")?;
    let mut copy = appointment.clone();
    copy.put(Field::LEGACY_FREE_BUSY_STATUS, Value::Text("Tentative".to_owned()));
    copy.put(Field::MY_RESPONSE_TYPE, Value::Text("NoResponseReceived".to_owned()));
    copy.put(Field::MEETING_REQUEST_WAS_SENT, Value::Bool(false));
    copy.settle();
    Ok(item::insert(&theirs, copy, calendar, NewsKind::Created)?.id())
}
