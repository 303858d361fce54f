//! `GetItem`: an item by its identifier (E2).

use weir_wire::ews::property::ItemId;
use weir_wire::ews::request::Shape;
use weir_wire::ews::response::Answer;

use crate::server::{Outcome, Visit};
use crate::store::item;
use crate::store::shape::{self, Wanted};

pub(super) fn carry_out(visit: &Visit<'_>, shape: &Shape, id: &ItemId) -> Outcome<Answer> {
    let row = item::find(visit, id)?;
    Ok(Answer::Items(vec![shape::item(visit, row, &Wanted::whole(shape))?]))
}
