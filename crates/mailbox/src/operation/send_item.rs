//! `SendItem`: a draft is sent, and kept among what was sent or not at all.

use weir_wire::ews::property::ItemId;
use weir_wire::ews::request::SendItem;
use weir_wire::ews::response::Answer;

use super::create_item::is_mail;
use super::{send, update_item};
use crate::server::{Failure, Outcome, Visit};
use crate::store::{folder, item};

pub(super) fn carry_out(visit: &Visit<'_>, request: &SendItem, id: &ItemId) -> Outcome<Answer> {
    if !request.save_copy && request.folder.is_some() {
        let text = "A folder is named in which no copy is to be saved.";
        return Err(Failure::told("ErrorInvalidSendItemSaveSettings", text));
    }
    let row = item::find(visit, id)?;
    update_item::check_change_key(&row, id)?;
    if !is_mail(row.kind) {
        return Err(Failure::told("ErrorInvalidItemForOperationSendItem", "Only messages can be sent."));
    }
    let mut record = item::record(visit, row)?;
    send::send(visit, &mut record)?;
    if request.save_copy {
        let to = match &request.folder {
            Some(named) => folder::find(visit, named)?.key,
            None => folder::distinguished(visit, "sentitems")?,
        };
        item::update(visit, &mut record)?;
        item::transfer(visit, record.row, to)?;
    } else {
        item::remove(visit, &record.row)?;
    }
    Ok(Answer::Done)
}
