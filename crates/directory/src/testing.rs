//! A store in a temporary directory, filled as the tests need it, and other hands that change its file.

use std::sync::{Arc, Mutex};

use rusqlite::Connection;
use tempfile::TempDir;
use weir_units::{Event, EventSink, WallTime};

use crate::mailbox::{Mailbox, NewMailbox};
use crate::organisation::NewOrganisation;
use crate::password::PasswordCost;
use crate::store::Store;

pub(crate) const MADE_AT: WallTime = WallTime::from_unix_micros(1_267_800_000_000_000);

pub(crate) struct World {
    pub(crate) store: Arc<Store>,
    directory: TempDir,
}

impl World {
    /// An empty store.
    pub(crate) fn empty() -> Self {
        let directory = TempDir::new().unwrap();
        let store =
            Store::open_with(directory.path().join("directory.sqlite3"), PasswordCost::LEAST).unwrap();
        Self { store: Arc::new(store), directory }
    }

    /// The organisation `example.com` (EXAMPLE) with John and Jane Doe, whose password is `secret`.
    pub(crate) fn example() -> Self {
        let world = Self::empty();
        world.organisation("example.com", "EXAMPLE", &["example.com", "example.org"]);
        world.mailbox("John.Doe@example.com", "JohnDoe", "John Doe");
        world.mailbox("jane.doe@example.com", "JaneDoe", "Jane Doe");
        world
    }

    pub(crate) fn organisation(&self, name: &str, short_name: &str, domains: &[&str]) {
        self.store.new_organisation(&NewOrganisation { name, short_name, domains }).unwrap();
    }

    pub(crate) fn mailbox(&self, address: &str, alias: &str, display_name: &str) -> Mailbox {
        let wanted = NewMailbox {
            address,
            alias: Some(alias),
            display_name: Some(display_name),
            password: Some("secret"),
        };
        self.store.new_mailbox(&wanted, MADE_AT).unwrap()
    }

    /// A connection of somebody who does not know of Mailweir's interface.
    pub(crate) fn other_hands(&self) -> Connection {
        Connection::open(self.store.path()).unwrap()
    }

    /// The same file, opened once more.
    pub(crate) fn reopened(self) -> Self {
        let Self { store, directory } = self;
        let path = store.path().to_owned();
        drop(store);
        Self { store: Arc::new(Store::open_with(path, PasswordCost::LEAST).unwrap()), directory }
    }
}

/// A sink, and what it was given so far.
pub(crate) fn recorded_events() -> (EventSink, Arc<Mutex<Vec<Event>>>) {
    let events = Arc::new(Mutex::new(Vec::new()));
    let sink = EventSink::new({
        let events = events.clone();
        move |event| events.lock().unwrap().push(event)
    });
    (sink, events)
}
