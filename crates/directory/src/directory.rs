//! What is asked of a directory, whatever it is made of.
//!
//! A directory says who a name is ([`Directory::resolve`], T3), whether a password is his ([`Directory::verify`],
//! T8), whom a prefix may mean ([`Directory::people`]), and which policies could hold for him
//! ([`Directory::policy_of`], T13). It decides nothing: which of the policies does hold is [`crate::chain`]'s answer.

use std::sync::Arc;

use weir_throttle::Policy;
use weir_units::Owner;

use crate::guid::Guid;

/// A directory. All calls may block on a disk or a network.
pub trait Directory: Send + Sync {
    /// Who `name` is: a primary or further address, an alias (unless two organisations have it), `SHORT\alias`, or
    /// a legacy DN, all without regard to case (T3). Nobody, where no mailbox has that name.
    ///
    /// # Errors
    /// The directory cannot be read.
    fn resolve(&self, name: &str) -> Result<Option<Account>, DirectoryError>;

    /// Whether `password` is the password of the account that `name` means. A name that nobody has costs the same
    /// work as a wrong password, so that time does not tell which names exist (T8).
    ///
    /// # Errors
    /// The directory cannot be read; credentials that cannot be verified are not accepted.
    fn verify(&self, name: &str, password: &str) -> Result<Verification, DirectoryError>;

    /// At most `max` accounts of the asker's organisation whose alias, an address or a word of the display name
    /// begins with `prefix`, by display name. An empty prefix means nobody.
    ///
    /// # Errors
    /// The directory cannot be read.
    fn people(&self, prefix: &str, asker: &Account, max: usize) -> Result<Vec<Account>, DirectoryError>;

    /// The policies that could hold for `owner`, as they are stored (T13).
    ///
    /// # Errors
    /// The directory cannot be read at all; a single policy that cannot be read is part of the answer.
    fn policy_of(&self, owner: &Owner) -> Result<PolicyChain, DirectoryError>;

    /// The organisation that accepts mail for the domain `name`, or whose short name it is, without regard to case.
    ///
    /// # Errors
    /// The directory cannot be read.
    fn home(&self, name: &str) -> Result<Option<Home>, DirectoryError>;

    /// A number that every change through our own interface moves, and no other change does (T14).
    ///
    /// # Errors
    /// The directory cannot be read.
    fn version(&self) -> Result<u64, DirectoryError>;
}

/// One person's account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The one name under which budgets are charged: the primary address in lower case (T3).
    pub owner: Owner,
    /// The mailbox's identity.
    pub guid: Guid,
    /// The primary address, as it was written.
    pub address: String,
    /// The short name, unique within the organisation.
    pub alias: String,
    /// Every address, the primary one first, the others in alphabetical order.
    pub addresses: Vec<String>,
    /// The name that people read.
    pub display_name: String,
    /// The name of the organisation.
    pub organisation: String,
    /// The name that MAPI and old address books use.
    pub legacy_dn: String,
    /// Whether a password can be verified here; false for an owner whose password is at a remote origin.
    pub has_password: bool,
    /// Whether he may act as the other people of his organisation; what he does then is charged to him (T3).
    pub may_impersonate: bool,
}

/// An organisation, as its people's names show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// The `S` of `S\john`.
    pub short_name: String,
    /// The domains that it accepts mail for, in alphabetical order.
    pub domains: Vec<String>,
}

/// What came of a name and a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verification {
    /// They belong together; this is the account.
    Accepted(Account),
    /// They do not, or nobody has that name.
    Rejected,
    /// The account has no password here.
    NoPassword,
}

/// The policies that could hold for one owner, as they are stored.
#[derive(Clone, Debug)]
pub enum PolicyChain {
    /// The owner's domain is no organisation's accepted domain (T13).
    Outside,
    /// The owner belongs to an organisation. Somebody without a mailbox here, whose mail is at a remote origin, belongs
    /// to the one that accepts his domain, and has no policy assigned.
    Inside {
        /// Its name.
        organisation: String,
        /// The policy assigned to the owner.
        assigned: Link,
        /// The organisation's default policies, by name: one, unless somebody changed the table by hand.
        defaults: Vec<StoredPolicy>,
    },
}

/// A mailbox's link to a policy (T15).
#[derive(Clone, Debug)]
pub enum Link {
    /// None was assigned: the default policy is meant.
    Default,
    /// A policy that exists.
    Policy(StoredPolicy),
    /// A policy that was deleted; its tombstone reads `NAME\nDEL:guid`, the middle being a line break.
    Deleted {
        /// The tombstone's text.
        tombstone: String,
    },
    /// A policy that left no trace.
    Missing {
        /// Where the link points.
        guid: Guid,
    },
}

/// A policy as it is stored, which may be unreadable.
#[derive(Clone, Debug)]
pub struct StoredPolicy {
    /// Its identity.
    pub guid: Guid,
    /// Its name.
    pub name: String,
    /// Its settings, or why they cannot be read.
    pub content: Result<Arc<Policy>, String>,
}

/// The directory cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the directory cannot be read: {why}; what was known before stays in force for a while")]
pub struct DirectoryError {
    /// What failed, for the operator.
    pub why: String,
}
