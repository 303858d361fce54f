//! `ConvertId`: an identifier in another format.

use weir_wire::ews::request::AlternateId;
use weir_wire::ews::response::Answer;

use crate::server::{Failure, Outcome, Visit};
use crate::store::identifier::{self, Format};

pub(super) fn carry_out(visit: &Visit<'_>, to: &str, from: &AlternateId) -> Outcome<Answer> {
    let (Some(to_format), Some(from_format)) = (Format::from_name(to), Format::from_name(&from.format))
    else {
        return Err(Failure::told("ErrorInvalidArgument", "There is no such format of identifiers."));
    };
    let Some(named) = identifier::read(from_format, &from.id) else {
        return Err(Failure::told("ErrorInvalidIdMalformed", "The identifier is malformed."));
    };
    Ok(Answer::Converted(AlternateId {
        format: to.to_owned(),
        id: identifier::write(to_format, named),
        mailbox: visit.session.mailbox.address.clone(),
        archive: from.archive,
    }))
}
