//! Why a mailbox cannot be made, found or changed.

use crate::fault::Fault;
use crate::names::NameError;
use crate::password::PasswordError;
use crate::policy_row::PolicyRowError;
use crate::store::StoreError;

use super::MAX_ADDRESSES;

/// Why a mailbox cannot be made, found or changed.
#[derive(Debug, thiserror::Error)]
pub enum MailboxError {
    /// Nobody has that name, or people of two organisations have it.
    #[error("there is no mailbox \"{name}\", or more than one; name it by its address")]
    Unknown {
        /// The name.
        name: String,
    },
    /// The organisation has the alias already.
    #[error("another mailbox of the organisation has the alias \"{alias}\"; choose another one")]
    AliasTaken {
        /// The alias.
        alias: String,
    },
    /// A mailbox has the address already.
    #[error("a mailbox has the address {address} already; choose another one")]
    AddressTaken {
        /// The address.
        address: String,
    },
    /// The organisation does not accept the domain.
    #[error(
        "{domain} is no accepted domain of the mailbox's organisation; use one of its domains, or make an \
             organisation with that domain"
    )]
    DomainNotAccepted {
        /// The domain.
        domain: String,
    },
    /// The primary address stays.
    #[error(
        "{address} is the mailbox's primary address and cannot be taken away; remove the mailbox instead"
    )]
    PrimaryAddress {
        /// The address.
        address: String,
    },
    /// The mailbox does not have the address.
    #[error(
        "the mailbox {mailbox} does not have the address {address}; show the mailbox to see those it has"
    )]
    NoSuchAddress {
        /// The address.
        address: String,
        /// The mailbox's primary address.
        mailbox: String,
    },
    /// The mailbox has as many addresses as it may.
    #[error("the mailbox {address} has {MAX_ADDRESSES} addresses, as many as it may; take one away first")]
    TooManyAddresses {
        /// The mailbox's primary address.
        address: String,
    },
    /// The policy belongs to another organisation.
    #[error(
        "the policy \"{policy}\" belongs to the organisation \"{owner}\" and not to that of {mailbox}; make a \
             policy of that name there"
    )]
    ForeignPolicy {
        /// The policy.
        policy: String,
        /// The organisation it belongs to.
        owner: String,
        /// The mailbox's primary address.
        mailbox: String,
    },
    /// The policy is not found.
    #[error(transparent)]
    Policy(#[from] PolicyRowError),
    /// A name is not well formed.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The password cannot be set.
    #[error(transparent)]
    Password(#[from] PasswordError),
    /// The directory fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl MailboxError {
    /// Whose fault it is.
    pub fn fault(&self) -> Fault {
        match self {
            Self::Unknown { .. } | Self::NoSuchAddress { .. } => Fault::NotFound,
            Self::AliasTaken { .. }
            | Self::AddressTaken { .. }
            | Self::PrimaryAddress { .. }
            | Self::TooManyAddresses { .. }
            | Self::ForeignPolicy { .. } => Fault::Conflict,
            Self::Policy(error) => error.fault(),
            Self::Password(PasswordError::Failed(_)) | Self::Store(_) => Fault::Directory,
            Self::Password(PasswordError::Empty | PasswordError::TooLong { .. })
            | Self::DomainNotAccepted { .. }
            | Self::Name(_) => Fault::Invalid,
        }
    }
}

impl From<rusqlite::Error> for MailboxError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(StoreError::Sqlite(error))
    }
}
