//! The objects that a session has open, each under a handle.
//!
//! An object belongs to the logon under which it was opened, and sees that logon's mailbox and no other. What goes by its
//! handle takes along what cannot be without it: a logon everything that was opened under it. Objects are few and what
//! they hold in memory – messages that are not saved yet, streams, restrictions – is bounded for the session in all.

use std::collections::BTreeMap;
use std::sync::Arc;

use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::rop::NO_HANDLE;

use super::draft::Draft;
use super::filter::Filter;
use super::id::Guids;
use super::stream::Stream;
use super::table::Table;
use crate::session::Person;
use crate::store::identifier::{FolderKey, ItemKey, MailboxKey};

/// A mailbox that a session has opened.
#[derive(Debug)]
pub(super) struct Logon {
    /// The number by which ROPs name it.
    pub(super) id: u8,
    /// Whose mailbox it is.
    pub(super) person: Person,
    /// The mailbox.
    pub(super) mailbox: MailboxKey,
    /// The names of the mailbox.
    pub(super) guids: Guids,
}

/// Something under a handle.
#[derive(Debug)]
pub(super) enum Object {
    /// The mailbox itself.
    Logon,
    /// A folder.
    Folder(FolderKey),
    /// A message.
    Message(Box<Message>),
    /// A table.
    Table(Box<Table>),
    /// A stream of a property.
    Stream(Box<Stream>),
    /// A subscription; what it is about is in the mailroom.
    Subscription,
}

/// A message that is open.
#[derive(Debug)]
pub(super) struct Message {
    /// Its key; none, until it is saved first.
    pub(super) key: Option<ItemKey>,
    /// What was changed and is not saved yet.
    pub(super) draft: Option<Box<Draft>>,
}

/// An object, and the logon under which it was opened.
#[derive(Debug)]
pub(super) struct Entry {
    /// The logon.
    pub(super) logon: Arc<Logon>,
    /// The object.
    pub(super) object: Object,
}

/// All objects of a session.
#[derive(Debug)]
pub(super) struct Objects {
    max: usize,
    max_bytes: usize,
    last: u32,
    by_handle: BTreeMap<u32, Entry>,
}

impl Objects {
    /// At most `max` objects, which hold at most `max_bytes` in memory.
    pub(super) const fn new(max: usize, max_bytes: usize) -> Self {
        Self { max, max_bytes, last: 0, by_handle: BTreeMap::new() }
    }

    /// Puts an object under a handle.
    ///
    /// # Errors
    /// Where there are as many as there may be, or they would hold too much.
    pub(super) fn add(&mut self, logon: Arc<Logon>, object: Object) -> Result<u32, ErrorCode> {
        if self.by_handle.len() >= self.max {
            return Err(ErrorCode::MAX_OBJECTS_EXCEEDED);
        }
        if object.bytes() > self.bytes_left() {
            return Err(ErrorCode::NOT_ENOUGH_MEMORY);
        }
        // A handle that was released is not given again soon: whoever still has it is to be told.
        loop {
            self.last = self.last.wrapping_add(1);
            if self.last != 0 && self.last != NO_HANDLE && !self.by_handle.contains_key(&self.last) {
                break;
            }
        }
        self.by_handle.insert(self.last, Entry { logon, object });
        Ok(self.last)
    }

    /// What is under a handle.
    ///
    /// # Errors
    /// Where nothing is.
    pub(super) fn entry(&mut self, handle: u32) -> Result<&mut Entry, ErrorCode> {
        self.by_handle.get_mut(&handle).ok_or(ErrorCode::NULL_OBJECT)
    }

    /// Takes what is under a handle, with everything that cannot be without it. Gives the handles.
    pub(super) fn remove(&mut self, handle: u32) -> Vec<(u32, Entry)> {
        let Some(entry) = self.by_handle.remove(&handle) else { return Vec::new() };
        let is_logon = matches!(entry.object, Object::Logon);
        let mut gone = if is_logon { self.remove_logon(entry.logon.id) } else { Vec::new() };
        gone.push((handle, entry));
        gone
    }

    /// Takes everything that was opened under a logon. Gives the handles.
    pub(super) fn remove_logon(&mut self, id: u8) -> Vec<(u32, Entry)> {
        self.by_handle.extract_if(.., |_, entry| entry.logon.id == id).collect()
    }

    /// How many bytes objects may hold beyond what they do.
    pub(super) fn bytes_left(&self) -> usize {
        let held = self.by_handle.values().map(|entry| entry.object.bytes()).sum();
        self.max_bytes.saturating_sub(held)
    }

    /// How many objects there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.by_handle.len()
    }
}

impl Object {
    /// The message that it is.
    ///
    /// # Errors
    /// Where it is something else.
    pub(super) fn message(&mut self) -> Result<&mut Message, ErrorCode> {
        let Self::Message(message) = self else { return Err(ErrorCode::NOT_SUPPORTED) };
        Ok(message)
    }

    /// How many bytes it holds that its size does not say.
    fn bytes(&self) -> usize {
        match self {
            Self::Message(message) => message.draft.as_ref().map_or(0, |draft| draft.bytes()),
            Self::Stream(stream) => stream.bytes(),
            Self::Table(table) => table.filter.as_ref().map_or(0, Filter::bytes),
            Self::Logon | Self::Folder(_) | Self::Subscription => 0,
        }
    }
}
