//! What a logon gives.

use super::super::Malformed;
use super::super::call;
use super::super::codec::{Codec, Plain, Sized, layout};
use super::super::reader::Reader;

/// What is known of a mailbox, or of the public folders, once they are open.
#[derive(Clone, Debug, PartialEq)]
pub struct Logon {
    /// The flags of the call, as far as they concern answers; what it is to goes without saying.
    pub flags: u8,
    /// What it is to.
    pub store: Store,
}

/// What a logon is to.
#[derive(Clone, Debug, PartialEq)]
pub enum Store {
    /// A mailbox.
    Private(Box<PrivateStore>),
    /// The public folders.
    Public(Box<PublicStore>),
}

layout! {
    /// A mailbox.
    pub struct PrivateStore {
        /// Its folders.
        folders: SpecialFolders,
        /// What the user may: [`Self::OWNER`] and others.
        response_flags: u8,
        /// The mailbox.
        mailbox: [u8; 16],
        /// The number of its replica in identifiers.
        replica_id: u16,
        /// Its replica.
        replica: [u8; 16],
        /// When the logon was.
        time: LogonTime,
        /// Nothing that a client needs to know.
        gwart_time: u64,
        /// Always 0.
        store_state: u32,
    }

    /// The public folders.
    pub struct PublicStore {
        /// Its folders: the root, those that are seen and those that are not, and some that servers know.
        folders: [u64; 13],
        /// The number of its replica in identifiers.
        replica_id: u16,
        /// Its replica.
        replica: [u8; 16],
        /// What tells it apart from others for the same user.
        per_user: [u8; 16],
    }

    /// The folders that every mailbox has.
    pub struct SpecialFolders {
        /// The root of all.
        root: u64,
        /// What rules could not do themselves.
        deferred_actions: u64,
        /// What is to be sent.
        spooler_queue: u64,
        /// The top of the folders that a user sees.
        ipm_subtree: u64,
        /// The inbox.
        inbox: u64,
        /// What is about to be sent.
        outbox: u64,
        /// What was sent.
        sent_items: u64,
        /// What was deleted.
        deleted_items: u64,
        /// Views that all clients share.
        common_views: u64,
        /// When the user is free.
        schedule: u64,
        /// Searches.
        finder: u64,
        /// The user's views.
        views: u64,
        /// The user's shortcuts.
        shortcuts: u64,
    }

    /// A time of the calendar, in UTC.
    pub struct LogonTime {
        /// 0 to 59.
        seconds: u8,
        /// 0 to 59.
        minutes: u8,
        /// 0 to 23.
        hour: u8,
        /// 0 is Sunday.
        day_of_week: u8,
        /// 1 to 31.
        day: u8,
        /// 1 to 12.
        month: u8,
        /// The year.
        year: u16,
    }

    /// Where a mailbox is, if it is not here.
    pub struct Redirect {
        /// The flags of the call.
        flags: u8,
        /// The server's distinguished name, with its zero.
        server: Vec<u8> as Sized<u8>,
    }
}

impl PrivateStore {
    /// Always set.
    pub const RESERVED: u8 = 0x01;
    /// The user owns the mailbox.
    pub const OWNER: u8 = 0x02;
    /// The user may send as the mailbox's owner.
    pub const SEND_AS: u8 = 0x04;
    /// The mailbox is set to tell senders that its owner is away.
    pub const OUT_OF_OFFICE: u8 = 0x10;
}

impl Codec<Logon> for Plain {
    fn read(reader: &mut Reader<'_>, what: &'static str) -> Result<Logon, Malformed> {
        let flags = reader.u8(what)?;
        let store = if flags & call::logon::Logon::PRIVATE == 0 {
            Self::read(reader, what).map(Store::Public)
        } else {
            Self::read(reader, what).map(Store::Private)
        };
        Ok(Logon { flags: flags & !call::logon::Logon::PRIVATE, store: store? })
    }

    fn write(value: &Logon, out: &mut Vec<u8>) {
        let flags = value.flags & !call::logon::Logon::PRIVATE;
        match &value.store {
            Store::Private(store) => {
                out.push(flags | call::logon::Logon::PRIVATE);
                Self::write(store, out);
            }
            Store::Public(store) => {
                out.push(flags);
                Self::write(store, out);
            }
        }
    }
}
