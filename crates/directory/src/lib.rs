//! Organisations, mailboxes, policies and the policy cache.
//!
//! Everything that asks who somebody is, whether a password is his, or which limits hold for him, asks the
//! [`Directory`] – today the `SQLite` [`Store`], behind the same trait later LDAP. A person has many names and is one
//! [`Owner`](weir_units::Owner) (T3). Which policy holds is decided along a chain that cannot fail (T13,
//! [`chain`]), and remembered by the [`PolicyCache`] for as long as T14 allows.
//!
//! | module | idea |
//! |---|---|
//! | [`directory`] | what is asked of any directory |
//! | [`store`] | the directory on `SQLite`: one writer, some readers, a version that only our API moves (T14) |
//! | [`organisation`], [`mailbox`], [`policy_row`] | what an administrator lists, makes and removes (T15) |
//! | [`policy_import`] | many policies at once, all or none |
//! | [`names`] | the ways to spell a person, and what a well-formed name is |
//! | [`password`] | argon2id, the same work for a stranger's name as for a wrong password (T8) |
//! | [`chain`] | assigned policy, default policy, fallback policy (T13) |
//! | [`policy_cache`] | one answer an owner, kept for minutes (T14) |
//!
//! The crate knows nothing of protocols and reads no clock: `now` is an argument wherever time matters. All calls
//! block for as long as `SQLite` takes; asynchronous callers put them on a thread that may block, except
//! [`PolicyCache::lookup`], whose hits touch memory only.

pub mod chain;
pub mod directory;
pub mod fault;
mod guid;
pub mod mailbox;
pub mod names;
pub mod organisation;
pub mod password;
mod person;
pub mod policy_cache;
pub mod policy_import;
pub mod policy_row;
mod resolve;
mod schema;
pub mod store;
mod stored_policy;
#[cfg(test)]
mod testing;

pub use chain::{EffectivePolicy, Reason, Source};
pub use directory::{
    Account, Directory, DirectoryError, Home, Link, PolicyChain, StoredPolicy, Verification,
};
pub use fault::Fault;
pub use guid::Guid;
pub use mailbox::{Mailbox, MailboxError, NewMailbox};
pub use organisation::{NewOrganisation, Organisation, OrganisationError};
pub use password::PasswordCost;
pub use policy_cache::{CacheSettings, CacheState, PolicyCache};
pub use policy_import::{ImportedPolicies, PolicyImport, PolicyImportError, WantedPolicy};
pub use policy_row::{PolicyRow, PolicyRowError};
pub use store::{Store, StoreError};
pub use stored_policy::MAX_SETTINGS_BYTES;
