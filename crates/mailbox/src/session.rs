//! Whose mailbox is opened, how, and who else has one.

use std::time::Duration;

use weir_units::WallTime;
use weir_wire::ews::property::Mailbox;
use weir_wire::ews::request::Version;

/// Somebody with a mailbox on this server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Person {
    /// The primary SMTP address; compared without case, it names the mailbox.
    pub address: String,
    /// The alias, unique within the organisation.
    pub alias: String,
    /// The name to show.
    pub name: String,
    /// The legacy distinguished name, as `/o=example.com/ou=…/cn=Recipients/cn=john.doe`.
    pub legacy_dn: String,
}

/// What one request brings along: the opened mailbox and the circumstances under which it is read.
#[derive(Clone, Debug)]
pub struct Session {
    /// Whose mailbox is opened: the caller's, or the impersonated person's.
    pub mailbox: Person,
    /// The protocol version the client speaks.
    pub version: Version,
    /// The Windows name of the time zone in which times without an offset are meant.
    pub time_zone: Option<String>,
    /// How long a full-text search may run (T1's `FastSearchTimeoutInSeconds`); without end where absent.
    pub search_limit: Option<Duration>,
    /// The time at which the request is carried out.
    pub now: WallTime,
}

/// Who has a mailbox on this server. Called on the mailbox server's own threads; it may block.
pub trait AddressBook: Send + Sync {
    /// At most `max` people that `asker` may know of – those of his organisation – whose name, alias or address
    /// begins with `prefix`, without case.
    fn find(&self, asker: &Person, prefix: &str, max: usize) -> Vec<Person>;

    /// The person that an address, an alias address or a legacy distinguished name belongs to.
    fn local(&self, address: &str) -> Option<Person>;
}

impl Person {
    /// The person as messages name them.
    pub fn as_mailbox(&self) -> Mailbox {
        Mailbox {
            name: Some(self.name.clone()),
            address: Some(self.address.clone()),
            routing: Some("SMTP".into()),
            kind: Some("Mailbox".into()),
        }
    }

    /// Whether `address` is this person's primary address, alias or legacy distinguished name.
    pub fn is_called(&self, address: &str) -> bool {
        let same = |own: &str| !own.is_empty() && own.to_lowercase() == address.to_lowercase();
        same(&self.address) || same(&self.alias) || same(&self.legacy_dn)
    }
}
