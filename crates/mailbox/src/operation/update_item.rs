//! `UpdateItem`: changes to an item, and what happens when two change it.
//!
//! A change key that is older than the item tells that somebody changed it meanwhile. `NeverOverwrite` refuses then;
//! `AutoResolve` refuses only where one of the same properties was changed; `AlwaysOverwrite` does not look.

use weir_wire::ews::field::Field;
use weir_wire::ews::property::{ItemId, PropertyPath, Value};
use weir_wire::ews::request::{ConflictResolution, Disposition, ItemChange, Update, UpdateItem};
use weir_wire::ews::response::Answer;

use super::create_item::is_mail;
use super::send;
use crate::mime;
use crate::server::{Failure, Outcome, Visit};
use crate::store::identifier::{self, ChangeNumber};
use crate::store::record::Row;
use crate::store::shape::bare_item;
use crate::store::{column, folder, item, path};

pub(super) fn carry_out(visit: &Visit<'_>, request: &UpdateItem, change: ItemChange) -> Outcome<Answer> {
    let mut row = item::find(visit, &change.item)?;
    let touched: Vec<String> = change.updates.iter().map(|update| touched_name(path_of(update))).collect();
    check_conflict(visit, request.conflict, &row, &change.item, &touched)?;
    if let [Update::Set(PropertyPath::Field(Field::IS_READ), Value::Bool(is_read))] =
        change.updates.as_slice()
    {
        item::set_read(visit, &mut row, *is_read)?;
        item::touch(visit, row.key, &touched, row.change)?;
        return Ok(Answer::Items(vec![bare_item(&row)]));
    }
    let mut record = item::record(visit, row)?;
    for update in change.updates {
        record.apply(update)?;
    }
    if let (Some(start), Some(end)) = (record.row.starts, record.row.ends)
        && end < start
    {
        return Err(Failure::told(
            "ErrorCalendarEndDateIsEarlierThanStartDate",
            "The appointment would end before it starts.",
        ));
    }
    mime::build::refresh(&mut record);
    record.settle();
    match request.disposition {
        Some(disposition @ (Disposition::SendOnly | Disposition::SendAndSaveCopy))
            if is_mail(record.row.kind) =>
        {
            send::send(visit, &mut record)?;
            if disposition == Disposition::SendOnly {
                item::remove(visit, &record.row)?;
                return Ok(Answer::Items(Vec::new()));
            }
            item::update(visit, &mut record)?;
            let sent = folder::distinguished(visit, "sentitems")?;
            Ok(Answer::Items(vec![bare_item(&item::transfer(visit, record.row, sent)?)]))
        }
        Some(Disposition::SaveOnly | Disposition::SendOnly | Disposition::SendAndSaveCopy) | None => {
            item::update(visit, &mut record)?;
            item::touch(visit, record.row.key, &touched, record.row.change)?;
            Ok(Answer::Items(vec![bare_item(&record.row)]))
        }
    }
}

/// Refuses where the client's version of an item, if it names one, is not the current one.
pub(super) fn check_change_key(row: &Row, id: &ItemId) -> Outcome<()> {
    match change_of(id)? {
        Some(change) if change != row.change => {
            Err(Failure::told("ErrorStaleObject", "The item was changed since. Read it again."))
        }
        Some(_) | None => Ok(()),
    }
}

fn check_conflict(
    visit: &Visit<'_>,
    how: ConflictResolution,
    row: &Row,
    id: &ItemId,
    touched: &[String],
) -> Outcome<()> {
    let conflict = match (how, change_of(id)?) {
        (ConflictResolution::AlwaysOverwrite, _) | (ConflictResolution::AutoResolve, None) => false,
        (ConflictResolution::NeverOverwrite, None) => {
            let text = "NeverOverwrite needs the change key of the item.";
            return Err(Failure::told("ErrorChangeKeyRequired", text));
        }
        (ConflictResolution::NeverOverwrite, Some(change)) => change != row.change,
        (ConflictResolution::AutoResolve, Some(change)) => {
            change != row.change && item::was_touched(visit, row.key, touched, change)?
        }
    };
    if conflict {
        let text = "The item was changed by somebody else. Read it again and repeat the change.";
        return Err(Failure::told("ErrorIrresolvableConflict", text));
    }
    Ok(())
}

fn change_of(id: &ItemId) -> Outcome<Option<ChangeNumber>> {
    let Some(key) = id.change_key.as_deref().filter(|key| !key.is_empty()) else { return Ok(None) };
    let change = identifier::read_change_key(key);
    change.map(Some).ok_or_else(|| Failure::told("ErrorInvalidChangeKey", "The change key is malformed."))
}

const fn path_of(update: &Update) -> &PropertyPath {
    match update {
        Update::Set(path, _) | Update::Append(path, _) | Update::Delete(path) => path,
    }
}

/// One name for all names of what a column holds.
fn touched_name(name: &PropertyPath) -> String {
    column::shown(name).map_or_else(|| path::to_text(name), |(column, _)| column.sql().to_owned())
}
