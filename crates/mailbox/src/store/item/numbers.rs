//! The numbers that stand for kinds and places of items in the store.

use rusqlite::types::{FromSqlError, FromSqlResult, ValueRef};
use weir_wire::ews::property::ItemKind;

use crate::store::record::Place;

pub(crate) const fn kind_number(kind: ItemKind) -> i64 {
    match kind {
        ItemKind::Item => 0,
        ItemKind::Message => 1,
        ItemKind::CalendarItem => 2,
        ItemKind::Contact => 3,
        ItemKind::DistributionList => 4,
        ItemKind::Task => 5,
        ItemKind::PostItem => 6,
        ItemKind::MeetingMessage => 7,
        ItemKind::MeetingRequest => 8,
        ItemKind::MeetingResponse => 9,
        ItemKind::MeetingCancellation => 10,
    }
}

pub(crate) fn kind_from_number(number: ValueRef<'_>) -> FromSqlResult<ItemKind> {
    Ok(match number.as_i64()? {
        0 => ItemKind::Item,
        1 => ItemKind::Message,
        2 => ItemKind::CalendarItem,
        3 => ItemKind::Contact,
        4 => ItemKind::DistributionList,
        5 => ItemKind::Task,
        6 => ItemKind::PostItem,
        7 => ItemKind::MeetingMessage,
        8 => ItemKind::MeetingRequest,
        9 => ItemKind::MeetingResponse,
        10 => ItemKind::MeetingCancellation,
        other => return Err(FromSqlError::OutOfRange(other)),
    })
}

pub(crate) const fn place_number(place: Place) -> i64 {
    match place {
        Place::Live => 0,
        Place::SoftDeleted => 1,
        Place::Associated => 2,
    }
}

pub(crate) fn place_from_number(number: ValueRef<'_>) -> FromSqlResult<Place> {
    Ok(match number.as_i64()? {
        0 => Place::Live,
        1 => Place::SoftDeleted,
        2 => Place::Associated,
        other => return Err(FromSqlError::OutOfRange(other)),
    })
}
