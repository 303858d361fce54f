//! Opening a mailbox, and letting go of what was opened.

use super::super::codec::{Sized, layout};

layout! {
    /// Opens a mailbox or the public folders. Its handle is what all else is opened from.
    pub struct Logon {
        /// Where its handle is to go.
        output: u8,
        /// [`Self::PRIVATE`] and others.
        flags: u8,
        /// How: [`Self::USE_PER_MDB_REPLID_MAPPING`] and others.
        open_flags: u32,
        /// Always 0.
        store_state: u32,
        /// The distinguished name of the mailbox's owner, with its zero.
        essdn: Vec<u8> as Sized<u16>,
    }

    /// Forgets a handle. It has no answer.
    pub struct Release {
        /// The place of the handle.
        input: u8,
    }
}

impl Logon {
    /// To a mailbox, and not to public folders.
    pub const PRIVATE: u8 = 0x01;

    /// The user's own mailbox.
    pub const HOME_LOGON: u32 = 0x0000_0004;
    /// The client knows the numbers of replicas as the mailbox gives them. Servers ask for it.
    pub const USE_PER_MDB_REPLID_MAPPING: u32 = 0x0100_0000;

    /// Whether it is to a mailbox.
    pub const fn is_private(&self) -> bool {
        self.flags & Self::PRIVATE != 0
    }

    /// The distinguished name of the mailbox's owner, without its zero.
    pub fn owner(&self) -> &[u8] {
        self.essdn.split(|byte| *byte == 0).next().unwrap_or_default()
    }
}
