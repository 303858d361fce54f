//! Logging on to mailboxes, and closing what was opened in them.

use weir_wire::mapi::call::logon::{Logon, Release};
use weir_wire::mapi::reply::Success;
use weir_wire::mapi::reply::logon::{SpecialFolders, Store};

use super::batch::Batch;
use super::client::MapiClient;
use super::error::MapiError;
use super::replies;

/// A mailbox that a session has logged on to; it stays so until [`MapiClient::log_off`], or the session's end.
#[derive(Clone, Debug, PartialEq)]
pub struct Mailbox {
    place: u8,
    /// The folders that every mailbox has.
    pub folders: SpecialFolders,
}

impl Mailbox {
    /// The number of the logon, for the ROPs of a batch.
    pub const fn logon(&self) -> u8 {
        // There is one logon at a place, so that it has the place's number.
        self.place
    }

    /// The place of the mailbox's handle, from which everything in it is opened.
    pub const fn place(&self) -> u8 {
        self.place
    }
}

impl MapiClient {
    /// Logs on to the mailbox of that distinguished name, the user's own or one that he may open.
    ///
    /// # Errors
    ///
    /// Why he may not, or cannot.
    pub async fn log_on(&mut self, dn: &str) -> Result<Mailbox, MapiError> {
        let place = self.take_place()?;
        let call = Logon {
            output: place,
            flags: Logon::PRIVATE,
            open_flags: Logon::USE_PER_MDB_REPLID_MAPPING,
            store_state: 0,
            essdn: [dn.as_bytes(), &[0]].concat(),
        };
        let replies = self.execute(Batch::new(place).with(call)).await;
        let mailbox = replies.and_then(|replies| {
            let Success::Logon(logon) = replies::last("open the mailbox", replies)? else {
                return Err(MapiError::Unexpected);
            };
            match logon.store {
                Store::Private(store) => Ok(Mailbox { place, folders: store.folders }),
                Store::Public(_) => Err(MapiError::Unexpected),
            }
        });
        if mailbox.is_err() {
            self.free_place(place);
        }
        mailbox
    }

    /// Logs off from a mailbox; what is open in it is closed.
    ///
    /// # Errors
    ///
    /// See [`MapiClient::execute`].
    pub async fn log_off(&mut self, mailbox: Mailbox) -> Result<(), MapiError> {
        self.close(mailbox.logon(), &[mailbox.place]).await
    }

    /// Releases what is open at these places, and gives them back.
    pub(super) async fn close(&mut self, logon: u8, places: &[u8]) -> Result<(), MapiError> {
        let mut batch = Batch::new(logon);
        for place in places.iter().copied().filter(|place| self.session.is_open(*place)) {
            batch.push(Release { input: place });
        }
        let closed = self.execute(batch).await;
        for place in places {
            self.free_place(*place);
        }
        closed.map(drop)
    }
}
