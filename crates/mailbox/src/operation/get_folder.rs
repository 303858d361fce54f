//! `GetFolder`: a folder by its identifier.

use weir_wire::ews::property::FolderRef;
use weir_wire::ews::request::Shape;
use weir_wire::ews::response::Answer;

use crate::server::{Outcome, Visit};
use crate::store::folder;
use crate::store::shape::{self, Wanted};

pub(super) fn carry_out(visit: &Visit<'_>, shape: &Shape, named: &FolderRef) -> Outcome<Answer> {
    let stored = folder::find(visit, named)?;
    Ok(Answer::Folders(vec![shape::folder(visit, &stored, &Wanted::whole(shape))?]))
}
