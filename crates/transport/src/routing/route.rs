//! The decision as a value, and why there is no way.

use std::fmt;
use std::sync::Arc;

use super::key::NextHopKey;
use super::space::Pattern;
use crate::domain::Domain;

/// What the directory says about a recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// His mailbox is at this server.
    Here,
    /// His mailbox is at the server of that name.
    At(Arc<str>),
    /// His domain is ours, and nobody there has that name.
    NoSuchMailbox,
    /// His domain is not ours.
    NotOurs,
}

/// Somebody a message is for.
#[derive(Clone, Debug)]
pub struct Recipient {
    /// The domain of his address.
    pub domain: Domain,
    /// What the directory says about him.
    pub lookup: Lookup,
}

/// What routing needs to know of a message.
#[derive(Clone, Debug, Default)]
pub struct Message {
    /// Its size in bytes.
    pub size: u64,
    /// The own server that handed it over, if one did.
    pub came_from: Option<Arc<str>>,
}

/// Where a recipient's copy goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// To a next hop.
    Hop(Hop),
    /// Nowhere as things are: it stays in the Unreachable queue until the configuration changes.
    Unreachable(Unreachable),
    /// Nowhere ever: the sender is told.
    Rejected(Rejected),
}

/// A next hop, and how it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Which queue.
    pub key: NextHopKey,
    /// The sites on the way, up to the next stop; none within this site.
    pub way: Vec<Arc<str>>,
    /// Why this one.
    pub why: Why,
}

/// Why a next hop was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The mailbox is at that server.
    Mailbox(Arc<str>),
    /// A send connector was best.
    Connector {
        /// Which.
        name: Arc<str>,
        /// The address space that matched.
        space: Pattern,
        /// The connector's cost and that of the sites before it.
        cost: u32,
    },
}

/// Why there is no way, as an administrator reads it in `queue list`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreachable {
    /// No connector is for that domain.
    #[error("no send connector's address spaces match {domain}; add one that names it, or \"*\"")]
    NoConnector {
        /// The recipient's domain.
        domain: Domain,
    },
    /// Connectors are for it, and none can be used from here.
    #[error(
        "send connector {connector:?} matches {domain}, and it is disabled, kept to another site, or no site link \
         leads to its source servers"
    )]
    NoUsableConnector {
        /// The first that matches.
        connector: Arc<str>,
        /// The recipient's domain.
        domain: Domain,
    },
    /// The directory names a server that the transport does not know.
    #[error("the mailbox is at server {server:?}, which is no [[transport.server]]")]
    UnknownServer {
        /// Which.
        server: Arc<str>,
    },
    /// No links lead to the site.
    #[error("no site link leads to site {site:?}, where the mailbox is")]
    NoWay {
        /// Which.
        site: Arc<str>,
    },
    /// The route leads back to where the message came from.
    #[error(
        "the message came from server {from:?}, and its route leads back there ({key}): the servers disagree about \
         the way"
    )]
    Loop {
        /// Who handed it over.
        from: Arc<str>,
        /// Where it would go.
        key: NextHopKey,
    },
}

/// Why a recipient gets nothing: what the sender reads in the notification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// Nobody has that name here.
    #[error("550 5.1.1 no such recipient here")]
    NoSuchMailbox,
    /// The message is larger than every way takes.
    #[error("552 5.3.4 the message has {size} bytes, and at most {limit} can be sent to {domain}")]
    TooLarge {
        /// Its size.
        size: u64,
        /// The largest that a way takes.
        limit: u64,
        /// The recipient's domain.
        domain: Domain,
    },
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mailbox(server) => write!(f, "the mailbox is at {server}"),
            Self::Connector { name, space, cost } => {
                write!(f, "send connector {name:?}, address space {space}, cost {cost}")
            }
        }
    }
}
