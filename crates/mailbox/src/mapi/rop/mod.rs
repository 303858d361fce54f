//! What each ROP does.
//!
//! A ROP gets its object by a place in the request's table of handles, and works in a transaction on the mailbox that
//! the object's logon opened. What it changes is there, whole, when it answers, and not at all when it fails.

mod answer;
mod folder;
mod identifier;
mod logon;
mod message;
mod names;
mod notify;
mod property;
mod recipient;
mod stream;
mod table;
mod transfer;

use std::sync::Arc;

use rusqlite::Connection;
use weir_units::WallTime;
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::rop::NO_HANDLE;

use super::objects::{Entry, Logon, Message, Object};
use super::property::message::View;
use super::session::{Inner, State};
use super::table::Table;
use crate::server::{Shared, in_transaction};
use crate::session::Session;
use crate::store::identifier::FolderKey;

pub(super) use answer::answer;
pub(super) use notify::told;

/// What a ROP brings.
pub(super) type Done<T> = Result<T, ErrorCode>;

/// A request at work.
pub(super) struct Work<'w> {
    /// What all threads share.
    pub(super) shared: &'w Shared,
    /// The thread's connection.
    pub(super) db: &'w mut Connection,
    /// The session.
    pub(super) session: &'w Inner,
    /// What the session has open.
    pub(super) state: &'w mut State,
    /// The request's table of handles.
    pub(super) handles: Vec<u32>,
    /// When the request came.
    pub(super) now: WallTime,
    /// The room, in bytes, that the answer to the ROP may take.
    pub(super) room: usize,
}

impl Work<'_> {
    /// The handle at a place of the table.
    pub(super) fn handle(&self, place: u8) -> Done<u32> {
        self.handles.get(usize::from(place)).copied().ok_or(ErrorCode::NULL_OBJECT)
    }

    /// The object whose handle stands at a place of the table.
    pub(super) fn entry(&mut self, place: u8) -> Done<&mut Entry> {
        let handle = self.handle(place)?;
        self.state.objects.entry(handle)
    }

    /// The logon of the object at a place, whatever it is.
    pub(super) fn logon(&mut self, place: u8) -> Done<Arc<Logon>> {
        Ok(Arc::clone(&self.entry(place)?.logon))
    }

    /// The folder at a place.
    pub(super) fn folder(&mut self, place: u8) -> Done<(Arc<Logon>, FolderKey)> {
        let entry = self.entry(place)?;
        let Object::Folder(key) = entry.object else { return Err(ErrorCode::NOT_SUPPORTED) };
        Ok((Arc::clone(&entry.logon), key))
    }

    /// The message at a place.
    pub(super) fn message(&mut self, place: u8) -> Done<(Arc<Logon>, &mut Message)> {
        let entry = self.entry(place)?;
        Ok((Arc::clone(&entry.logon), entry.object.message()?))
    }

    /// The table at a place.
    pub(super) fn table(&mut self, place: u8) -> Done<(Arc<Logon>, &mut Table)> {
        let entry = self.entry(place)?;
        let Object::Table(table) = &mut entry.object else { return Err(ErrorCode::NOT_SUPPORTED) };
        Ok((Arc::clone(&entry.logon), table))
    }

    /// Opens an object; its handle stands at a place of the table from here on.
    pub(super) fn open(&mut self, place: u8, logon: Arc<Logon>, object: Object) -> Done<u32> {
        let handle = self.state.objects.add(logon, object)?;
        let place = usize::from(place);
        if self.handles.len() <= place {
            self.handles.resize(place + 1, NO_HANDLE);
        }
        if let Some(slot) = self.handles.get_mut(place) {
            *slot = handle;
        }
        Ok(handle)
    }

    /// Reads the mailbox of a logon.
    pub(super) fn read<T>(&mut self, logon: &Logon, work: impl FnOnce(&View<'_>) -> Done<T>) -> Done<T> {
        self.visit(logon, false, work)
    }

    /// Changes the mailbox of a logon, in one transaction.
    pub(super) fn change<T>(&mut self, logon: &Logon, work: impl FnOnce(&View<'_>) -> Done<T>) -> Done<T> {
        self.visit(logon, true, work)
    }

    fn visit<T>(&mut self, logon: &Logon, write: bool, work: impl FnOnce(&View<'_>) -> Done<T>) -> Done<T> {
        let session = Session::of(&logon.person, self.now);
        in_transaction(self.shared, self.db, &session, write, |visit| {
            work(&View { visit, guids: logon.guids })
        })
    }
}
