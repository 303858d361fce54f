//! `CreateItem`: a new item, saved, sent or both.

use weir_units::Micros;
use weir_wire::ews::field::Field;
use weir_wire::ews::property::{Item, ItemKind, Value};
use weir_wire::ews::request::{CreateItem, Disposition, Update};
use weir_wire::ews::response::Answer;

use super::{meeting, send};
use crate::server::{Failure, NewsKind, Outcome, Visit};
use crate::store::identifier::FolderKey;
use crate::store::record::Record;
use crate::store::shape::bare_item;
use crate::store::{folder, item};

/// How long an appointment lasts that does not say.
const USUAL_LENGTH: Micros = Micros::MINUTE.times(30);

pub(super) fn carry_out(visit: &Visit<'_>, create: &CreateItem, new: Item) -> Outcome<Answer> {
    let kind = new.kind;
    let mut record = Record::new(visit.mailbox, kind, visit.now());
    record.row.is_draft = is_mail(kind) && create.disposition == Some(Disposition::SaveOnly);
    for (path, value) in new.properties {
        record.apply(Update::Set(path, value))?;
    }
    record.stale = false;
    match kind {
        ItemKind::CalendarItem => return appointment(visit, create, record),
        ItemKind::Contact | ItemKind::DistributionList => name_contact(&mut record),
        ItemKind::Item
        | ItemKind::Message
        | ItemKind::Task
        | ItemKind::PostItem
        | ItemKind::MeetingMessage
        | ItemKind::MeetingRequest
        | ItemKind::MeetingResponse
        | ItemKind::MeetingCancellation => {}
    }
    record.settle();
    match create.disposition {
        Some(Disposition::SendOnly) if is_mail(kind) => {
            send::send(visit, &mut record)?;
            Ok(Answer::Items(Vec::new()))
        }
        Some(Disposition::SendAndSaveCopy) if is_mail(kind) => {
            let to = place(visit, create, "sentitems")?;
            send::send(visit, &mut record)?;
            save(visit, record, to)
        }
        None if kind == ItemKind::Message => Err(Failure::told(
            "ErrorMessageDispositionRequired",
            "A message needs a MessageDisposition: SaveOnly, SendOnly or SendAndSaveCopy.",
        )),
        Some(Disposition::SaveOnly | Disposition::SendOnly | Disposition::SendAndSaveCopy) | None => {
            let to = place(visit, create, usual_place(kind))?;
            if is_mail(kind) && record.row.message_id.is_none() {
                record.row.message_id = Some(send::message_id(visit)?);
            }
            save(visit, record, to)
        }
    }
}

fn appointment(visit: &Visit<'_>, create: &CreateItem, mut record: Record) -> Outcome<Answer> {
    let Some(invitations) = create.invitations.as_deref() else {
        return Err(Failure::told(
            "ErrorSendMeetingInvitationsRequired",
            "A calendar item needs SendMeetingInvitations: SendToNone, SendOnlyToAll or SendToAllAndSaveCopy.",
        ));
    };
    let start = record.row.starts.unwrap_or(visit.now());
    let end = record.row.ends.unwrap_or(start.plus(USUAL_LENGTH));
    if end < start {
        return Err(Failure::told(
            "ErrorCalendarEndDateIsEarlierThanStartDate",
            "The appointment ends before it starts.",
        ));
    }
    (record.row.starts, record.row.ends) = (Some(start), Some(end));
    record.put(Field::ORGANIZER, Value::Mailbox(visit.session.mailbox.as_mailbox()));
    if record.text(Field::UID).is_none() {
        let uid = send::message_id(visit)?;
        record.put(Field::UID, Value::Text(uid.trim_matches(['<', '>']).to_owned()));
    }
    record.settle();
    let to = place(visit, create, "calendar")?;
    match invitations {
        "SendToNone" => save(visit, record, to),
        "SendOnlyToAll" | "SendToAllAndSaveCopy" => {
            record.put(Field::MEETING_REQUEST_WAS_SENT, Value::Bool(true));
            meeting::invite(visit, &record, invitations == "SendToAllAndSaveCopy")?;
            save(visit, record, to)
        }
        other => {
            let text = format!("There is no SendMeetingInvitations of {other}.");
            Err(Failure::told("ErrorInvalidArgument", text))
        }
    }
}

fn save(visit: &Visit<'_>, record: Record, to: FolderKey) -> Outcome<Answer> {
    Ok(Answer::Items(vec![bare_item(&item::insert(visit, record, to, NewsKind::Created)?)]))
}

fn place(visit: &Visit<'_>, create: &CreateItem, usual: &str) -> Outcome<FolderKey> {
    match &create.folder {
        Some(named) => Ok(folder::find(visit, named)?.key),
        None => folder::distinguished(visit, usual),
    }
}

/// Whether things of a kind are sent.
pub(crate) const fn is_mail(kind: ItemKind) -> bool {
    match kind {
        ItemKind::Message
        | ItemKind::MeetingMessage
        | ItemKind::MeetingRequest
        | ItemKind::MeetingResponse
        | ItemKind::MeetingCancellation => true,
        ItemKind::Item
        | ItemKind::CalendarItem
        | ItemKind::Contact
        | ItemKind::DistributionList
        | ItemKind::Task
        | ItemKind::PostItem => false,
    }
}

/// The folder in which things of a kind are saved where the client names none.
const fn usual_place(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::CalendarItem => "calendar",
        ItemKind::Contact | ItemKind::DistributionList => "contacts",
        ItemKind::Task => "tasks",
        ItemKind::Item
        | ItemKind::Message
        | ItemKind::PostItem
        | ItemKind::MeetingMessage
        | ItemKind::MeetingRequest
        | ItemKind::MeetingResponse
        | ItemKind::MeetingCancellation => "drafts",
    }
}

/// Gives a contact the names that it does not state but that follow from others.
fn name_contact(record: &mut Record) {
    let names = [record.text(Field::CONTACT_GIVEN_NAME), record.text(Field::CONTACT_SURNAME)];
    let full = names.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let filed = match names {
        [Some(given), Some(surname)] => format!("{surname}, {given}"),
        [..] => full.clone(),
    };
    if record.row.display_name.is_none() && !full.is_empty() {
        record.row.display_name = Some(full);
    }
    let filed = if filed.is_empty() { record.row.display_name.clone().unwrap_or_default() } else { filed };
    if record.text(Field::CONTACT_FILE_AS).is_none() && !filed.is_empty() {
        record.put(Field::CONTACT_FILE_AS, Value::Text(filed));
    }
    if record.row.subject.is_none() {
        record.row.subject.clone_from(&record.row.display_name);
    }
}
