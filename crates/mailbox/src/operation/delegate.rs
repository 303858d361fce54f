//! `GetDelegate`: who may act for a mailbox. Nobody may, besides its owner.

use weir_wire::ews::request::GetDelegate;
use weir_wire::ews::response::Answer;

use crate::server::{Outcome, Visit};
use crate::store::folder;

pub(super) fn carry_out(visit: &Visit<'_>, request: &GetDelegate) -> Outcome<Answer> {
    if let Some(address) = request.mailbox.address.as_deref() {
        folder::check_own(visit, address)?;
    }
    Ok(Answer::Delegates(Vec::new()))
}
