//! Sending: a message goes into the inboxes of its recipients.
//!
//! Recipients are looked up in the address book. Whom it does not know gets the message by the way out, where there is
//! one; who cannot be reached from here is named to the sender in a message in his inbox. Copies show nobody who was to
//! get one unseen.

use std::collections::BTreeSet;

use weir_wire::ews::field::Field;
use weir_wire::ews::property::{ItemKind, Mailbox, PropertyPath, Value};
use weir_wire::smtp::Mailbox as Address;

use crate::mime;
use crate::outbound::Outgoing;
use crate::server::{Failure, NewsKind, Outcome, Visit};
use crate::session::{Person, Session};
use crate::store::record::{Content, Place, Record};
use crate::store::{folder, item};

/// Why somebody cannot be reached.
pub(super) const NO_MAILBOX: &str =
    "Nobody has a mailbox under this address here. Check the address and send the message again.";

/// Sends a message: marks it as sent by the opened mailbox's owner and delivers it.
///
/// # Errors
/// A message without recipients or with too many, and one in another's name; then nothing was sent.
pub(crate) fn send(visit: &Visit<'_>, record: &mut Record) -> Outcome<()> {
    let recipients: Vec<Mailbox> = [Field::TO_RECIPIENTS, Field::CC_RECIPIENTS, Field::BCC_RECIPIENTS]
        .into_iter()
        .flat_map(|field| record.people(field).to_vec())
        .collect();
    if recipients.is_empty() {
        return Err(Failure::told("ErrorInvalidRecipients", "The message has no recipients."));
    }
    sign(visit, record)?;
    let (known, unknown) = resolve(visit, &recipients)?;
    let copy = without_unseen(record);
    for person in &known {
        deliver(visit, person, copy.clone())?;
    }
    let unreached = send_out(visit, &copy, unknown)?;
    bounce(visit, record, (&unreached, NO_MAILBOX))
}

/// Has a message go to those of `people` who have an address, where there is a way out. Gives the others.
///
/// # Errors
/// A message that is none, or says that it is another's.
pub(super) fn send_out(visit: &Visit<'_>, record: &Record, people: Vec<String>) -> Outcome<Vec<String>> {
    if !visit.has_way_out() {
        return Ok(people);
    }
    let (mut to, mut others) = (Vec::new(), Vec::new());
    for name in people {
        match name.parse::<Address>() {
            Ok(address) => to.push(address),
            Err(_) => others.push(name),
        }
    }
    if to.is_empty() {
        return Ok(others);
    }
    let message = mime::outgoing::message(record)
        .ok_or_else(|| Failure::told("ErrorMimeContentInvalid", "The MIME content has no header."))?;
    let authors = mime::outgoing::authors(&message);
    if !authors.iter().all(|author| author.as_deref().is_some_and(|address| is_own(visit, address))) {
        return Err(anothers_name());
    }
    visit.send_out(Outgoing { from: visit.session.mailbox.clone(), to, message: message.into() });
    Ok(others)
}

/// Puts an item into the inbox of a person.
pub(crate) fn deliver(visit: &Visit<'_>, person: &Person, mut record: Record) -> Outcome<()> {
    let session = Session::of(person, visit.now());
    let theirs = visit.of(&session)?;
    let inbox = folder::distinguished(&theirs, "inbox")?;
    record.row.place = Place::Live;
    (record.row.is_read, record.row.is_draft, record.row.flag) = (false, false, 0);
    (record.row.created, record.row.received) = (visit.now(), visit.now());
    record.settle();
    item::insert(&theirs, record, inbox, NewsKind::NewMail)?;
    Ok(())
}

/// Those of `people` that have a mailbox here, each once, and the names of the others.
pub(super) fn resolve(visit: &Visit<'_>, people: &[Mailbox]) -> Outcome<(Vec<Person>, Vec<String>)> {
    if people.len() > visit.settings.max_recipients {
        let text = format!("The message has more than {} recipients.", visit.settings.max_recipients);
        return Err(Failure::told("ErrorInvalidRecipients", text));
    }
    let (mut known, mut unknown, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
    for person in people {
        let address = person.address.as_deref().or(person.name.as_deref()).unwrap_or_default();
        match visit.people.local(address) {
            Some(local) => {
                if seen.insert(local.address.to_lowercase()) {
                    known.push(local);
                }
            }
            None => {
                if seen.insert(address.to_lowercase()) {
                    unknown.push(address.to_owned());
                }
            }
        }
    }
    Ok((known, unknown))
}

/// Tells the sender in a message whom something did not reach, and why; nothing where it reached all.
pub(super) fn bounce(visit: &Visit<'_>, about: &Record, (whom, why): (&[String], &str)) -> Outcome<()> {
    if whom.is_empty() {
        return Ok(());
    }
    let own = &visit.session.mailbox;
    let domain = own.address.rsplit_once('@').map_or("localhost", |(_, domain)| domain);
    let subject = about.row.subject.as_deref().unwrap_or_default();
    let mut report = Record::new(visit.mailbox, ItemKind::Message, visit.now());
    report.row.class = String::from("REPORT.IPM.Note.NDR");
    report.row.subject = Some(format!("Undeliverable: {subject}"));
    report.row.sent = Some(visit.now());
    report.row.message_id = Some(message_id(visit)?);
    let system = Mailbox {
        name: Some("Mail Delivery System".to_owned()),
        address: Some(format!("postmaster@{domain}")),
        routing: Some("SMTP".to_owned()),
        kind: None,
    };
    report.put(Field::FROM, Value::Mailbox(system.clone()));
    report.put(Field::SENDER, Value::Mailbox(system));
    report.put(Field::TO_RECIPIENTS, Value::Mailboxes(vec![own.as_mailbox()]));
    let list = whom.join("\r\n  ");
    let body =
        format!("Your message \"{subject}\" could not be delivered to:\r\n\r\n  {list}\r\n\r\n{why}\r\n");
    report.content = Content { html: false, body, mime: None };
    deliver(visit, own, report)
}

/// Marks a message as sent now by the opened mailbox's owner.
fn sign(visit: &Visit<'_>, record: &mut Record) -> Outcome<()> {
    let own = visit.session.mailbox.as_mailbox();
    for field in [Field::FROM, Field::SENDER] {
        match record.people(field).first() {
            Some(person) if !is_own(visit, person.address.as_deref().unwrap_or_default()) => {
                return Err(anothers_name());
            }
            Some(_) => {}
            None => record.put(field, Value::Mailbox(own.clone())),
        }
    }
    let row = &mut record.row;
    (row.is_draft, row.is_read) = (false, true);
    (row.sent, row.received) = (Some(visit.now()), visit.now());
    if row.message_id.is_none() {
        row.message_id = Some(message_id(visit)?);
    }
    record.settle();
    Ok(())
}

/// Whether `address` is the opened mailbox's.
fn is_own(visit: &Visit<'_>, address: &str) -> bool {
    let own = &visit.session.mailbox;
    own.is_called(address) || visit.people.local(address).is_some_and(|known| own.is_called(&known.address))
}

fn anothers_name() -> Failure {
    Failure::told("ErrorSendAsDenied", "You may not send in another's name.")
}

/// An Internet message identifier that nothing else has.
pub(crate) fn message_id(visit: &Visit<'_>) -> Outcome<String> {
    let address = &visit.session.mailbox.address;
    let domain = address.rsplit_once('@').map_or("localhost", |(_, domain)| domain);
    let change = visit.next_change()?;
    Ok(format!("<{:x}.{:x}.{:x}@{domain}>", visit.now().unix_micros(), visit.mailbox.0, change.0))
}

/// The message as its recipients see it.
fn without_unseen(record: &Record) -> Record {
    let mut copy = record.clone();
    copy.rest.remove(&PropertyPath::Field(Field::BCC_RECIPIENTS));
    copy.content.mime = copy.content.mime.as_deref().map(mime::build::without_bcc);
    copy
}
