//! Mail from outside, on its way into inboxes.
//!
//! A message is stored as it came, byte for byte, whatever is malformed in it; beside it lies what could be read. Some
//! mailboxes get it in one transaction, all or none; a message that many get, or a long one, takes several, so that
//! others get at the store between them. A meeting request in it is a message like any other: calendars are not read.

use std::hash::{DefaultHasher, Hasher};

use bytes::Bytes;
use rusqlite::Connection;
use weir_units::WallTime;
use weir_wire::ews::property::ItemKind;
use weir_wire::ews::response::ErrorMessage;

use super::visit::told;
use super::{MailboxServer, Outcome, Shared, Visit, in_transaction};
use crate::mime;
use crate::operation::send;
use crate::session::{Person, Session};
use crate::store::delivery;
use crate::store::identifier::MailboxKey;
use crate::store::record::Record;

/// Bytes that one transaction puts into mailboxes, unless one message has more.
const BYTES_AT_ONCE: usize = 16 * 1024 * 1024;
/// Mailboxes that one transaction puts a message into.
const MAILBOXES_AT_ONCE: usize = 64;

/// Why a mailbox did not get a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotDelivered {
    /// Too many others want something of the store.
    #[error("the mailbox store has too much to do at the moment")]
    Busy,
    /// The disk is full.
    #[error("the mailbox store has no room left")]
    Full,
    /// The message is larger than items may be.
    #[error("the message has {bytes} bytes, and an item in a mailbox has {limit} at most")]
    TooLarge {
        /// What it has.
        bytes: usize,
        /// The most.
        limit: usize,
    },
    /// The store failed; the log says why.
    #[error("the mailbox store failed")]
    Failed,
}

impl NotDelivered {
    /// Whether the mailbox may get the message later.
    pub const fn retry(&self) -> bool {
        match self {
            Self::Busy | Self::Full | Self::Failed => true,
            Self::TooLarge { .. } => false,
        }
    }
}

impl MailboxServer {
    /// Puts the Internet message `message` into the inboxes of `to`, unread, as received at `now`; an outcome for each, in
    /// their order. `delivery` names the message: a mailbox that got the same bytes under that name before keeps what it has.
    pub async fn deliver(
        &self,
        to: &[Person],
        message: Bytes,
        delivery: &str,
        now: WallTime,
    ) -> Vec<Result<(), NotDelivered>> {
        let (bytes, limit) = (message.len(), self.shared().settings.max_item_bytes);
        if bytes > limit {
            return vec![Err(NotDelivered::TooLarge { bytes, limit }); to.len()];
        }
        let mut outcomes = Vec::with_capacity(to.len());
        for some in to.chunks(mailboxes_at_once(bytes)) {
            let (people, message, delivery) = (some.to_vec(), message.clone(), delivery.to_owned());
            let done = self.run(move |shared, db| receive(shared, db, &people, &message, (&delivery, now)));
            let outcome = done.await.and_then(|stored| stored).map_err(|told| reason(&told));
            outcomes.extend(some.iter().map(|_| outcome.clone()));
        }
        outcomes
    }
}

/// How many mailboxes a message of `bytes` is put into at once.
fn mailboxes_at_once(bytes: usize) -> usize {
    (BYTES_AT_ONCE / bytes.max(1)).clamp(1, MAILBOXES_AT_ONCE)
}

/// Puts a message into all of these people's inboxes, or into none.
fn receive(
    shared: &Shared,
    db: &mut Connection,
    people: &[Person],
    message: &Bytes,
    (delivery, now): (&str, WallTime),
) -> Result<(), ErrorMessage> {
    let Some(first) = people.first() else { return Ok(()) };
    let mut record = Record::new(MailboxKey(0), ItemKind::Message, now);
    mime::read::apply(&mut record, message.to_vec());
    let name = name_of(delivery, message);
    in_transaction(shared, db, &Session::of(first, now), true, |visit| {
        people.iter().try_for_each(|person| put(visit, person, &record, &name))
    })
    .map_err(told)
}

/// Puts a message into a person's inbox, unless it is there.
fn put(visit: &Visit<'_>, person: &Person, record: &Record, name: &str) -> Outcome<()> {
    let session = Session::of(person, visit.now());
    if delivery::note(&visit.of(&session)?, name, delivery::MAX_REMEMBERED)? {
        send::deliver(visit, person, record.clone())?;
    }
    Ok(())
}

/// What a delivery of `message` is remembered by. Names are given anew where somebody threw the sender's queue away, and a
/// hash that another release computes otherwise costs no more than a message that arrives twice.
fn name_of(delivery: &str, message: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(message);
    format!("{delivery} {:016x}", hasher.finish())
}

/// What the sender is told of a failure.
fn reason(told: &ErrorMessage) -> NotDelivered {
    match told.code {
        "ErrorMailboxStoreUnavailable" => NotDelivered::Busy,
        "ErrorQuotaExceeded" => NotDelivered::Full,
        _ => NotDelivered::Failed,
    }
}

#[cfg(test)]
mod tests;
