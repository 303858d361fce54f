//! Recipients of a message: read, and changed before it is saved (MS-OXCMSG).

use weir_wire::ews::property::Mailbox;
use weir_wire::mapi::call::message::{self as asked, ChangedRecipients};
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::property::{PropertyTag, PropertyValue, tag};
use weir_wire::mapi::recipient::{Address, RecipientRow};
use weir_wire::mapi::reply::message::{ListedRecipients, ReadRecipients, RecipientHead};
use weir_wire::mapi::row::Cell;
use weir_wire::mapi::text::Text;

use super::message::with_draft;
use super::{Done, Work};
use crate::mapi::connect;
use crate::mapi::draft::{self, Recipient, RecipientList};
use crate::mapi::property::message::View;
use crate::mapi::property::value;
use crate::store::item;

/// The columns that rows of recipients have behind their own fields.
const COLUMNS: [PropertyTag; 3] = [tag::OBJECT_TYPE, tag::DISPLAY_TYPE, tag::SMTP_ADDRESS];

/// The code page of one-byte texts, of which there are none.
const CODE_PAGE: u16 = 1252;
const OBJECT_IS_PERSON: i32 = 6;
const DISPLAYED_AS_PERSON: i32 = 0;

/// A recipient as a row.
fn row(recipient: &Recipient) -> RecipientRow {
    let Mailbox { name, address, .. } = &recipient.person;
    let address = address.clone().unwrap_or_default();
    let name = name.clone().unwrap_or_else(|| address.clone());
    RecipientRow {
        address: Address::SMTP,
        email_address: Some(Text::Wide(address.clone())),
        display_name: Some(Text::Wide(name)),
        simple_display_name: None,
        transmittable_display_name: None,
        flags: RecipientRow::SAME_NAME,
        cells: vec![
            Cell::Value(PropertyValue::Integer32(OBJECT_IS_PERSON)),
            Cell::Value(PropertyValue::Integer32(DISPLAYED_AS_PERSON)),
            Cell::Value(PropertyValue::Unicode(address)),
        ],
    }
}

/// Puts recipients into rows, or takes those that are there. Others see it once the message is saved.
pub(in crate::mapi) fn modify(work: &mut Work<'_>, from: u8, changed: &ChangedRecipients) -> Done<()> {
    /// What a recipient takes up beside his texts.
    const ROW: usize = 256;
    let columns = &changed.columns;
    let max = work.shared.settings.max_recipients;
    with_draft(work, from, changed.rows.len().saturating_mul(ROW), |view, draft| {
        for row in &changed.rows {
            let list = RecipientList::from_number(row.kind);
            let recipient = row.recipient.as_ref().zip(list);
            let recipient =
                recipient.map(|(row, list)| Recipient { list, person: person(view, row, columns) });
            draft.set_recipient(row.row, recipient);
            if draft.recipients().len() > max {
                return Err(ErrorCode::TOO_MANY_RECIPIENTS);
            }
        }
        Ok(())
    })
}

/// The recipients of a message from a row on, as many as there is room for.
pub(in crate::mapi) fn read(work: &mut Work<'_>, call: &asked::ReadRecipients) -> Done<ReadRecipients> {
    let room = work.room;
    let (logon, message) = work.message(call.input)?;
    let rows: Vec<(u32, Recipient)> = match (&message.draft, message.key) {
        (Some(draft), _) => draft.recipients().iter().map(|(row, one)| (*row, one.clone())).collect(),
        (None, Some(key)) => {
            let recipients = work.read(&logon, |view| {
                let row = item::row(view.visit, key)?.ok_or(ErrorCode::OBJECT_DELETED)?;
                Ok(draft::recipients(&item::without_content(view.visit, row)?))
            });
            (0..).zip(recipients?).collect()
        }
        (None, None) => return Err(ErrorCode::OBJECT_DELETED),
    };
    let rest: Vec<_> = rows.into_iter().filter(|(row, _)| *row >= call.row).collect();
    if rest.is_empty() {
        return Err(ErrorCode::NOT_FOUND);
    }
    let fits = fitting(rest.iter().map(|(_, recipient)| recipient), room);
    if fits == 0 {
        return Err(ErrorCode::BUFFER_TOO_SMALL);
    }
    let rows = rest.iter().take(fits).map(|(number, one)| (*number, head(one), row(one)));
    Ok(ReadRecipients { columns: COLUMNS.to_vec(), rows: rows.collect() })
}

/// The recipients of a message as they are listed when it is opened: as many as there is room for.
pub(super) fn listed(recipients: &[Recipient], room: usize) -> ListedRecipients {
    let fits = fitting(recipients.iter(), room);
    ListedRecipients {
        count: u16::try_from(recipients.len()).unwrap_or(u16::MAX),
        columns: COLUMNS.to_vec(),
        rows: recipients.iter().take(fits).map(|one| (head(one), row(one))).collect(),
    }
}

fn head(recipient: &Recipient) -> RecipientHead {
    RecipientHead { kind: recipient.list.number(), code_page: CODE_PAGE, reserved: 0 }
}

/// How many recipients fit into `room` bytes and one answer.
fn fitting<'r>(recipients: impl Iterator<Item = &'r Recipient>, mut room: usize) -> usize {
    /// What a row has beside its texts.
    const ROW: usize = 64;
    let size = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let fits = recipients.take(usize::from(u8::MAX)).take_while(|recipient| {
        let Mailbox { name, address, .. } = &recipient.person;
        // A letter takes up to two bytes, and the address stands there twice or three times.
        let left = room.checked_sub(ROW + 2 * size(name) + 6 * size(address));
        room = left.unwrap_or(0);
        left.is_some()
    });
    fits.count()
}

/// The person that a row names: by an Internet address, or by a name of our own directory.
fn person(view: &View<'_>, row: &RecipientRow, columns: &[PropertyTag]) -> Mailbox {
    let cell = |tag: PropertyTag| {
        let found = columns.iter().zip(&row.cells).find(|(column, _)| column.id() == tag.id());
        found.and_then(|(_, cell)| text_of(cell))
    };
    let named = row.display_name.as_ref().or(row.transmittable_display_name.as_ref()).map(text);
    let address = match &row.address {
        Address::Directory { prefix_used, name, .. } => directory_name(view, *prefix_used, name),
        Address::Other(_) | Address::Numbered(_) | Address::PersonalList { .. } => {
            row.email_address.as_ref().map(text)
        }
    };
    let address = cell(tag::SMTP_ADDRESS).or(address).or_else(|| cell(tag::EMAIL_ADDRESS));
    let known = address.as_deref().and_then(|address| view.visit.people.local(address));
    match known {
        Some(known) => known.as_mailbox(),
        None => Mailbox {
            name: named.or_else(|| cell(tag::DISPLAY_NAME)).or_else(|| address.clone()),
            address,
            routing: Some("SMTP".to_owned()),
            kind: None,
        },
    }
}

/// A name of the directory, of which a client may leave out what `Connect` said all names begin with.
fn directory_name(view: &View<'_>, prefix_used: u8, name: &[u8]) -> Option<String> {
    let prefix = connect::dn_prefix(&view.visit.session.mailbox.legacy_dn);
    let left_out = prefix.get(..usize::from(prefix_used)).unwrap_or(prefix);
    Some(format!("{left_out}{}", value::from_narrow(name))).filter(|name| !name.is_empty())
}

fn text(text: &Text) -> String {
    match text {
        Text::Narrow(bytes) => value::from_narrow(bytes),
        Text::Wide(text) => text.clone(),
    }
}

fn text_of(cell: &Cell) -> Option<String> {
    match cell {
        Cell::Value(PropertyValue::Unicode(text)) => Some(text.clone()),
        Cell::Value(PropertyValue::String8(bytes)) => Some(value::from_narrow(bytes)),
        Cell::Value(_) | Cell::Absent | Cell::Error(_) => None,
    }
}
