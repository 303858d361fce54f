//! The operations that look something up: people, time zones, identifiers, delegates.

use super::super::request::{AlternateId, ConvertId, GetDelegate, GetServerTimeZones, ResolveNames};
use super::super::xml::Element;
use super::{RequestError, part, value};

/// `ResolveNames`.
pub(super) fn names(operation: &Element) -> Result<ResolveNames, RequestError> {
    Ok(ResolveNames {
        entry: part::text(operation, "UnresolvedEntry")?.to_owned(),
        full_contact: part::truth(operation, "ReturnFullContactData")?.unwrap_or(false),
    })
}

/// `GetServerTimeZones`.
pub(super) fn time_zones(operation: &Element) -> Result<GetServerTimeZones, RequestError> {
    let ids = operation.child("Ids").map_or(&[][..], |ids| &ids.children);
    Ok(GetServerTimeZones {
        ids: ids.iter().map(|id| id.text.trim().to_owned()).collect(),
        full: part::truth(operation, "ReturnFullTimeZoneData")?.unwrap_or(true),
    })
}

/// `ConvertId`.
pub(super) fn convert(operation: &Element) -> Result<ConvertId, RequestError> {
    let id = |id: &Element| {
        if id.name != "AlternateId" {
            return Err(RequestError::unsupported("SourceIds", id));
        }
        Ok(AlternateId {
            format: part::attribute(id, "Format")?.to_owned(),
            id: part::attribute(id, "Id")?.to_owned(),
            mailbox: part::attribute(id, "Mailbox")?.to_owned(),
            archive: part::truth(id, "IsArchive")?.unwrap_or(false),
        })
    };
    Ok(ConvertId {
        format: part::attribute(operation, "DestinationFormat")?.to_owned(),
        ids: part::list(operation, "SourceIds")?.iter().map(id).collect::<Result<_, _>>()?,
    })
}

/// `GetDelegate`.
pub(super) fn delegate(operation: &Element) -> Result<GetDelegate, RequestError> {
    Ok(GetDelegate {
        mailbox: value::mailbox(part::child(operation, "Mailbox")?),
        permissions: part::truth(operation, "IncludePermissions")?.unwrap_or(false),
    })
}
