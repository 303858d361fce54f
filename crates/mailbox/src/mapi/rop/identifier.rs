//! Identifiers in their long and their short form (MS-OXCSTOR).

use weir_wire::mapi::call::property as asked;
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::reply::property::{IdFromLongTermId, LongTermIdFromId};

use super::{Done, Work};
use crate::mapi::id;

/// The long form of an identifier of this store's.
pub(in crate::mapi) fn long(work: &mut Work<'_>, call: &asked::LongTermIdFromId) -> Done<LongTermIdFromId> {
    let logon = work.logon(call.input)?;
    id::read(call.id).ok_or(ErrorCode::NOT_FOUND)?;
    Ok(LongTermIdFromId { long_term_id: logon.guids.long_term(call.id) })
}

/// The short form of an identifier of this store's.
pub(in crate::mapi) fn short(work: &mut Work<'_>, call: &asked::IdFromLongTermId) -> Done<IdFromLongTermId> {
    let logon = work.logon(call.input)?;
    let id = logon.guids.read_long_term(&call.long_term_id).ok_or(ErrorCode::NOT_FOUND)?;
    Ok(IdFromLongTermId { id })
}
