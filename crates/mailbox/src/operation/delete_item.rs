//! `DeleteItem`: gone for good, gone from sight, or moved to the deleted items.

use weir_wire::ews::property::ItemId;
use weir_wire::ews::request::DeleteType;
use weir_wire::ews::response::Answer;

use crate::server::{Outcome, Visit};
use crate::store::record::Place;
use crate::store::{folder, item};

pub(super) fn carry_out(visit: &Visit<'_>, how: DeleteType, id: &ItemId) -> Outcome<Answer> {
    let row = item::find(visit, id)?;
    match how {
        DeleteType::HardDelete => item::remove(visit, &row)?,
        DeleteType::SoftDelete if row.place == Place::SoftDeleted => item::remove(visit, &row)?,
        DeleteType::SoftDelete => item::soft_delete(visit, &row)?,
        DeleteType::MoveToDeletedItems => {
            let to = folder::distinguished(visit, "deleteditems")?;
            item::transfer(visit, row, to)?;
        }
    }
    Ok(Answer::Done)
}
