//! What the transport asks of the rest of the server: who has a mailbox, whose password is right, who has sent too much,
//! and where local mail goes.
//!
//! The transport knows neither the directory nor budgets nor the mailbox server; whoever puts the program together
//! answers for them. Every answer may take a while; none may panic.

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use weir_spool::MessageId;
use weir_transport::routing::Lookup;
use weir_units::{Owner, Refusal};
use weir_wire::smtp::{Credentials, Mailbox};

/// An answer that takes a while.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Something that cannot be said at the moment: the directory is unreachable, a store is locked.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unavailable(pub Arc<str>);

/// Who has a mailbox, and where.
pub trait Recipients: Send + Sync {
    /// Where mail to `address` belongs.
    ///
    /// # Errors
    /// It cannot be said at the moment; the sender comes again.
    fn lookup<'a>(&'a self, address: &'a Mailbox) -> Answer<'a, Result<Lookup, Unavailable>>;
}

/// What became of credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Authenticated {
    /// They are this owner's.
    Owner(Owner),
    /// They are nobody's.
    Wrong,
    /// They cannot be verified at the moment; they are not accepted.
    Unverifiable,
}

/// Those who log in to send.
pub trait Submitters: Send + Sync {
    /// Whether passwords can be verified here at all: where they cannot, nobody is asked to log in.
    fn verifies_passwords(&self) -> bool {
        true
    }

    /// Whose `credentials` are, which came from `client`. Guessing is slowed down there.
    fn authenticate<'a>(&'a self, credentials: &'a Credentials, client: IpAddr) -> Answer<'a, Authenticated>;

    /// Charges one more message of `owner` (`MessageRateLimit`, T19).
    ///
    /// # Errors
    /// The refusal, in the words of the budget; nothing was charged.
    fn message(&self, owner: &Owner) -> Result<(), Refusal>;

    /// Charges `count` recipients of `owner` (`RecipientRateLimit`, T19).
    ///
    /// # Errors
    /// The refusal; nothing was charged.
    fn recipients(&self, owner: &Owner, count: u32) -> Result<(), Refusal>;

    /// The owner that `address` names, for those who vouch for their users themselves.
    fn owner<'a>(&'a self, address: &'a str) -> Answer<'a, Option<Owner>>;
}

/// Why a mailbox did not take a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotDelivered {
    /// Whether it may later.
    pub retry: bool,
    /// Why, as the sender reads it.
    pub text: Arc<str>,
}

/// The embedded mailbox server, as far as mail arrives there.
pub trait Mailboxes: Send + Sync {
    /// Puts `message`, all of it with its header, into each recipient's mailbox; an answer for each, in their order. What
    /// a mailbox got under the same `id` before it does not get again.
    fn deliver<'a>(
        &'a self,
        id: MessageId,
        recipients: &'a [Mailbox],
        message: Bytes,
    ) -> Answer<'a, Vec<Result<(), NotDelivered>>>;
}
