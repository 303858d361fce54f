//! The embedded origin: the mailbox server, and the directory as its address book.

use std::sync::Arc;

use weir_directory::{Account, Directory};
use weir_mailbox::{AddressBook, Person};

/// The directory, as the mailbox server asks it.
pub struct DirectoryBook {
    directory: Arc<dyn Directory>,
}

impl DirectoryBook {
    /// The address book that `directory` makes.
    pub fn new(directory: Arc<dyn Directory>) -> Self {
        Self { directory }
    }

    fn account(&self, name: &str) -> Option<Account> {
        self.directory.resolve(name).unwrap_or_else(|error| {
            tracing::error!(%error, "an address could not be looked up");
            None
        })
    }
}

impl AddressBook for DirectoryBook {
    fn find(&self, asker: &Person, prefix: &str, max: usize) -> Vec<Person> {
        let Some(asker) = self.account(&asker.address) else { return Vec::new() };
        match self.directory.people(prefix, &asker, max) {
            Ok(people) => people.iter().map(person).collect(),
            Err(error) => {
                tracing::error!(%error, "people could not be looked up");
                Vec::new()
            }
        }
    }

    fn local(&self, address: &str) -> Option<Person> {
        self.account(address).as_ref().map(person)
    }
}

/// An account as the mailbox server knows people.
pub fn person(account: &Account) -> Person {
    Person {
        address: account.address.clone(),
        alias: account.alias.clone(),
        name: account.display_name.clone(),
        legacy_dn: account.legacy_dn.clone(),
    }
}
