//! Identifiers of folders and messages as MAPI has them (MS-OXCDATA, sections 2.2.1 to 2.2.4).
//!
//! An identifier is eight bytes: which replica it is of, in two, and a counter of six. Here the replica is the store, the
//! same for all mailboxes, and the counter is made of the store's own key, with a bit that tells folders from messages.
//! So identifiers last as long as what they name, and are the same for every session. As with those of EWS, nothing is
//! gained by guessing one: what a session sees is decided by the mailbox it is logged on to.

use rusqlite::Connection;

use crate::server::{Outcome, Visit};
use crate::store::identifier::{FolderKey, ItemKey, MailboxKey};

/// The number of the only replica.
pub(crate) const REPLICA: u16 = 1;

/// The most that a counter says, in six bytes.
const MAX_COUNTER: u64 = (1 << 48) - 1;

/// Where a long identifier comes from, and its counter.
pub(super) type LongTermId = [u8; 24];

/// What an identifier names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// A folder.
    Folder(FolderKey),
    /// A message.
    Message(ItemKey),
}

/// The identifier of a folder.
pub(super) fn folder(key: FolderKey) -> u64 {
    write(key.0, 0)
}

/// The identifier of a message.
pub(super) fn message(key: ItemKey) -> u64 {
    write(key.0, 1)
}

/// An identifier of a change.
pub(super) fn change(number: i64) -> u64 {
    assemble(u64::try_from(number).unwrap_or(0))
}

/// What an identifier names; nothing, where it is none of this store's.
pub(super) fn read(id: u64) -> Option<Named> {
    let counter = counter_of(id);
    if assemble(counter) != id {
        return None;
    }
    let key = i64::try_from(counter >> 1).ok()?;
    Some(if counter & 1 == 0 { Named::Folder(FolderKey(key)) } else { Named::Message(ItemKey(key)) })
}

/// The folder that an identifier names.
pub(super) fn read_folder(id: u64) -> Option<FolderKey> {
    match read(id)? {
        Named::Folder(key) => Some(key),
        Named::Message(_) => None,
    }
}

/// The message that an identifier names.
pub(super) fn read_message(id: u64) -> Option<ItemKey> {
    match read(id)? {
        Named::Message(key) => Some(key),
        Named::Folder(_) => None,
    }
}

fn write(key: i64, kind: u64) -> u64 {
    assemble(u64::try_from(key).unwrap_or(0) << 1 | kind)
}

/// The replica comes first, little-endian; the counter follows with its highest byte first.
fn assemble(counter: u64) -> u64 {
    (counter & MAX_COUNTER).swap_bytes() | u64::from(REPLICA)
}

const fn counter_of(id: u64) -> u64 {
    id.swap_bytes() & MAX_COUNTER
}

/// The names of a store and of a mailbox within longer identifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Guids {
    /// The store's.
    pub(super) store: [u8; 16],
    /// The mailbox's.
    pub(super) mailbox: [u8; 16],
}

impl Guids {
    /// Those of the opened mailbox.
    pub(super) fn of(visit: &Visit<'_>) -> Outcome<Self> {
        let store = store_guid(visit.db)?;
        Ok(Self { store, mailbox: mailbox_guid(store, visit.mailbox) })
    }

    /// The long form of an identifier: the store, the counter, two bytes that mean nothing.
    pub(super) fn long_term(&self, id: u64) -> LongTermId {
        let mut long = [0; 24];
        let counter = counter_bytes(id);
        for (to, from) in long.iter_mut().zip(self.store.iter().chain(&counter)) {
            *to = *from;
        }
        long
    }

    /// The identifier whose long form that is; nothing, where it is another store's.
    pub(super) fn read_long_term(&self, long: &LongTermId) -> Option<u64> {
        let (store, counter) = long.split_at(16);
        let counter = counter.iter().take(6).fold(0, |counter, byte| counter << 8 | u64::from(*byte));
        (*store == self.store).then(|| assemble(counter))
    }

    /// The identifier as synchronisation knows it: the store and the counter.
    pub(super) fn source_key(&self, id: u64) -> Vec<u8> {
        [&self.store[..], &counter_bytes(id)].concat()
    }

    /// A folder's entry identifier.
    pub(super) fn folder_entry(&self, folder: u64) -> Vec<u8> {
        self.entry(1, &[folder])
    }

    /// A message's entry identifier.
    pub(super) fn message_entry(&self, folder: u64, message: u64) -> Vec<u8> {
        self.entry(7, &[folder, message])
    }

    fn entry(&self, kind: u16, ids: &[u64]) -> Vec<u8> {
        let mut entry = vec![0; 4];
        entry.extend(self.mailbox);
        entry.extend(kind.to_le_bytes());
        for id in ids {
            entry.extend(self.long_term(*id));
        }
        entry
    }
}

fn counter_bytes(id: u64) -> [u8; 6] {
    let [_, _, counter @ ..] = id.to_le_bytes();
    counter
}

fn store_guid(db: &Connection) -> Outcome<[u8; 16]> {
    Ok(db.prepare_cached("SELECT guid FROM replica")?.query_row([], |row| row.get(0))?)
}

/// The store's GUID and the mailbox's key, mixed: the same for ever, and another for each mailbox.
fn mailbox_guid(mut guid: [u8; 16], MailboxKey(key): MailboxKey) -> [u8; 16] {
    for (byte, mix) in guid.iter_mut().zip(key.to_le_bytes()) {
        *byte ^= mix;
    }
    guid
}

#[cfg(test)]
mod tests;
