//! Asking to be told what happens.

use super::super::Malformed;
use super::super::codec::{Codec, Plain, layout};
use super::super::reader::Reader;

layout! {
    /// Asks to be told of events. What is told then comes with any answer, as
    /// [`Notify`](super::super::reply::notify::Notify).
    pub struct RegisterNotification {
        /// The place of the mailbox's handle.
        input: u8,
        /// Where the handle is to go that says whom events concern.
        output: u8,
        /// Of which: [`Self::NEW_MAIL`] and others.
        kinds: u16,
        /// Of what.
        scope: Scope,
    }
}

impl RegisterNotification {
    /// A message arrived.
    pub const NEW_MAIL: u16 = 0x0002;
    /// Something was made.
    pub const CREATED: u16 = 0x0004;
    /// Something was deleted.
    pub const DELETED: u16 = 0x0008;
    /// Something was changed.
    pub const MODIFIED: u16 = 0x0010;
    /// Something was moved.
    pub const MOVED: u16 = 0x0020;
    /// Something was copied.
    pub const COPIED: u16 = 0x0040;
    /// A search has found all there is.
    pub const SEARCH_COMPLETE: u16 = 0x0080;
}

/// Of what a client wants to hear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Of all that is in the mailbox.
    #[default]
    WholeStore,
    /// Of one folder, or one of its messages.
    Object {
        /// The folder.
        folder: u64,
        /// The message; 0 is the folder itself.
        message: u64,
    },
}

impl Codec<Scope> for Plain {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<Scope, Malformed> {
        if reader.u8(what)? != 0 {
            return Ok(Scope::WholeStore);
        }
        Ok(Scope::Object { folder: reader.u64(what)?, message: reader.u64(what)? })
    }

    fn write(value: &Scope, out: &mut Vec<u8>) {
        match value {
            Scope::WholeStore => out.push(1),
            Scope::Object { folder, message } => {
                out.push(0);
                Self::write(folder, out);
                Self::write(message, out);
            }
        }
    }
}
