//! `Subscribe`, `GetEvents`, `Unsubscribe`: pull subscriptions.

use std::collections::BTreeSet;

use weir_wire::ews::request::{GetEvents, Subscribe, Unsubscribe};
use weir_wire::ews::response::Answer;

use crate::server::{Failure, NewSubscription, Outcome, Visit};
use crate::store::folder;

pub(super) fn subscribe(visit: &Visit<'_>, request: &Subscribe) -> Outcome<Answer> {
    let folders: Outcome<BTreeSet<_>> =
        request.folders.iter().map(|named| folder::find(visit, named).map(|folder| folder.key)).collect();
    let folders = folders?;
    if folders.is_empty() && !request.all_folders {
        return Err(Failure::told("ErrorInvalidSubscriptionRequest", "A subscription needs folders."));
    }
    let new = NewSubscription {
        mailbox: visit.mailbox,
        folders: (!request.all_folders).then_some(folders),
        events: &request.events,
        watermark: request.watermark.as_deref().filter(|watermark| !watermark.is_empty()),
        timeout_minutes: request.timeout_minutes,
    };
    let (subscription, watermark) = visit.hub.subscribe(new, visit.now())?;
    Ok(Answer::Subscribed { subscription, watermark })
}

pub(super) fn events(visit: &Visit<'_>, request: &GetEvents) -> Outcome<Answer> {
    let events = visit.hub.events(visit.mailbox, &request.subscription, &request.watermark, visit.now())?;
    Ok(Answer::Events(events))
}

pub(super) fn unsubscribe(visit: &Visit<'_>, request: &Unsubscribe) -> Outcome<Answer> {
    visit.hub.unsubscribe(visit.mailbox, &request.subscription, visit.now())?;
    Ok(Answer::Done)
}
