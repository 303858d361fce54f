//! What is offered to whom, and where he may send (H13).
//!
//! | group | who | may send to | is offered |
//! |---|---|---|---|
//! | anonymous | anybody | local recipients | |
//! | users | who logged in as a user | anywhere | AUTH |
//! | servers | who authenticated as an own server | anywhere | AUTH; XSHADOW for partners |
//! | relay | anybody of the range | anywhere | |
//!
//! Behind a load balancer nobody is taken for one of our servers, and none of what servers are offered is offered.

use std::sync::Arc;

use super::settings::{PermissionGroup, ReceiveConnector};
use super::words::Words;

/// Who a client has proved to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Nobody in particular.
    Anonymous,
    /// A user.
    User,
    /// One of the organisation's own servers, by its name.
    Server(Arc<str>),
}

/// How things stand in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Who the client has proved to be.
    pub identity: Identity,
    /// The connection is encrypted, or never leaves this machine: a password may be sent over it.
    pub private: bool,
    /// The connection is encrypted.
    pub encrypted: bool,
}

/// What EHLO offers, of all that depends on the client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// STARTTLS.
    pub starttls: bool,
    /// AUTH.
    pub auth: bool,
    /// XSHADOW.
    pub xshadow: bool,
}

/// Whom a recipient belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// Us.
    Local,
    /// Others.
    Elsewhere,
}

/// What back pressure and tarpit take a client for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// Nobody knows him.
    Stranger,
    /// A user who logged in, or a client of a relay range.
    OwnClient,
    /// One of the organisation's own servers.
    OwnServer,
}

impl Identity {
    /// Whether it is one of the organisation's own servers as far as `connector` believes it.
    fn is_server(&self, connector: &ReceiveConnector) -> bool {
        let believed = connector.lets(PermissionGroup::Servers) && !connector.behind_load_balancer;
        believed && matches!(self, Self::Server(_))
    }

    /// What the client is taken for at `connector`.
    pub fn standing(&self, connector: &ReceiveConnector) -> Standing {
        let user = *self == Self::User && connector.lets(PermissionGroup::Users);
        if self.is_server(connector) {
            Standing::OwnServer
        } else if user || connector.lets(PermissionGroup::Relay) {
            Standing::OwnClient
        } else {
            Standing::Stranger
        }
    }
}

/// What `peer` is offered at `connector`, where `shadow_partners` are those that shadows are kept with, and this server
/// has a certificate if `has_certificate`.
pub fn offer(
    connector: &ReceiveConnector,
    peer: &Peer,
    shadow_partners: &[Arc<str>],
    has_certificate: bool,
) -> Offer {
    let servers = connector.lets(PermissionGroup::Servers) && !connector.behind_load_balancer;
    let anonymous = peer.identity == Identity::Anonymous;
    let partner = match &peer.identity {
        Identity::Server(name) => shadow_partners.contains(name),
        Identity::Anonymous | Identity::User => false,
    };
    Offer {
        starttls: has_certificate && !peer.encrypted,
        auth: anonymous && peer.private && (servers || connector.lets(PermissionGroup::Users)),
        xshadow: partner && peer.identity.is_server(connector),
    }
}

/// Whether a client may send to such a recipient.
///
/// # Errors
/// What he is told: to log in where that would help, and else that he may not.
pub fn may_send(connector: &ReceiveConnector, identity: &Identity, to: To) -> Result<(), Words> {
    let anywhere = match identity.standing(connector) {
        Standing::OwnClient | Standing::OwnServer => true,
        Standing::Stranger => false,
    };
    let local = to == To::Local && connector.lets(PermissionGroup::Anonymous);
    if anywhere || local {
        return Ok(());
    }
    let helps = *identity == Identity::Anonymous
        && (connector.lets(PermissionGroup::Users) || connector.lets(PermissionGroup::Servers));
    // Who may send to local recipients is told that this one is not; who may send nothing is told to log in.
    let words = if helps && !connector.lets(PermissionGroup::Anonymous) {
        Words::AUTHENTICATE
    } else {
        Words::NO_RELAY
    };
    Err(words)
}

#[cfg(test)]
mod tests;
