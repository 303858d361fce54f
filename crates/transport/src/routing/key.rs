//! The name of a next hop: one queue for each.
//!
//! It is what an administrator types to `queue retry`, what a metric is labelled with, and what the durable queue
//! writes down, so that it means the same after a restart. It has the three columns that administrators know – delivery
//! type, next-hop domain, connector – and in one word it is those, where there are any, with slashes between:
//! `DnsConnectorDelivery/pool.test/lab`.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::domain::Domain;

/// One next hop.
///
/// ```
/// use weir_transport::routing::NextHopKey;
/// let key: NextHopKey = "DnsConnectorDelivery/pool.test/lab".parse()?;
/// assert_eq!(key.connector(), Some("lab"));
/// assert_eq!(key.to_string(), "DnsConnectorDelivery/pool.test/lab");
/// # Ok::<(), weir_transport::routing::KeyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NextHopKey {
    /// The mailbox server of this server.
    Mailbox,
    /// Another server of this site, which has the mailbox.
    Server(Arc<str>),
    /// The servers of this site that may use a connector.
    Sources(Arc<str>),
    /// The hubs of another site.
    Site(Arc<str>),
    /// A domain's mail exchangers, by a connector.
    Dns(Domain, Arc<str>),
    /// A connector's smart hosts.
    SmartHosts(Arc<str>),
    /// A partner whose shadows are resubmitted or asked about.
    Shadow(Arc<str>),
    /// Nowhere, until the configuration changes.
    Unreachable,
}

/// How mail goes to a next hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeliveryType {
    /// To mailboxes of this server.
    Mailbox,
    /// To another server of this site.
    WithinSite,
    /// To another site.
    RemoteSite,
    /// To mail exchangers.
    DnsConnector,
    /// To smart hosts.
    SmartHostConnector,
    /// Heartbeats and what goes with them.
    ShadowRedundancy,
    /// Nowhere.
    Unreachable,
}

/// Text that names no next hop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} names no next hop; `mailweir queue list` shows those there are")]
pub struct KeyError {
    /// What was written.
    pub text: String,
}

impl DeliveryType {
    /// Every type.
    pub const ALL: [Self; 7] = [
        Self::Mailbox,
        Self::WithinSite,
        Self::RemoteSite,
        Self::DnsConnector,
        Self::SmartHostConnector,
        Self::ShadowRedundancy,
        Self::Unreachable,
    ];

    /// The word for it, after those that administrators of Exchange know.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mailbox => "MailboxDelivery",
            Self::WithinSite => "SmtpRelayWithinSite",
            Self::RemoteSite => "SmtpRelayToRemoteSite",
            Self::DnsConnector => "DnsConnectorDelivery",
            Self::SmartHostConnector => "SmartHostConnectorDelivery",
            Self::ShadowRedundancy => "ShadowRedundancy",
            Self::Unreachable => "Unreachable",
        }
    }
}

impl NextHopKey {
    /// How mail goes there.
    pub const fn delivery_type(&self) -> DeliveryType {
        match self {
            Self::Mailbox => DeliveryType::Mailbox,
            Self::Server(_) | Self::Sources(_) => DeliveryType::WithinSite,
            Self::Site(_) => DeliveryType::RemoteSite,
            Self::Dns(..) => DeliveryType::DnsConnector,
            Self::SmartHosts(_) => DeliveryType::SmartHostConnector,
            Self::Shadow(_) => DeliveryType::ShadowRedundancy,
            Self::Unreachable => DeliveryType::Unreachable,
        }
    }

    /// The next-hop domain: a domain, a site or a server, where there is one.
    pub fn domain(&self) -> Option<&str> {
        match self {
            Self::Server(name) | Self::Site(name) | Self::Shadow(name) => Some(name),
            Self::Dns(domain, _) => Some(domain.as_str()),
            Self::Mailbox | Self::Sources(_) | Self::SmartHosts(_) | Self::Unreachable => None,
        }
    }

    /// The connector, where there is one.
    pub fn connector(&self) -> Option<&str> {
        match self {
            Self::Sources(connector) | Self::Dns(_, connector) | Self::SmartHosts(connector) => {
                Some(connector)
            }
            Self::Mailbox | Self::Server(_) | Self::Site(_) | Self::Shadow(_) | Self::Unreachable => None,
        }
    }
}

impl fmt::Display for NextHopKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.delivery_type().name())?;
        match self {
            Self::Mailbox | Self::Unreachable => Ok(()),
            Self::Server(name) | Self::Site(name) | Self::Shadow(name) | Self::SmartHosts(name) => {
                write!(f, "/{name}")
            }
            Self::Sources(connector) => write!(f, "//{connector}"),
            Self::Dns(domain, connector) => write!(f, "/{domain}/{connector}"),
        }
    }
}

impl FromStr for NextHopKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let (word, rest) = text.split_once('/').map_or((text, None), |(word, rest)| (word, Some(rest)));
        let delivery =
            DeliveryType::ALL.into_iter().find(|delivery| delivery.name().eq_ignore_ascii_case(word));
        let name = rest.filter(|rest| !rest.is_empty());
        let key = delivery.and_then(|delivery| match delivery {
            DeliveryType::Mailbox => rest.is_none().then_some(Self::Mailbox),
            DeliveryType::Unreachable => rest.is_none().then_some(Self::Unreachable),
            DeliveryType::WithinSite => name.map(|name| match name.strip_prefix('/') {
                Some(connector) => Self::Sources(connector.into()),
                None => Self::Server(name.into()),
            }),
            DeliveryType::RemoteSite => name.map(|name| Self::Site(name.into())),
            DeliveryType::SmartHostConnector => name.map(|name| Self::SmartHosts(name.into())),
            DeliveryType::ShadowRedundancy => name.map(|name| Self::Shadow(name.into())),
            DeliveryType::DnsConnector => {
                let (domain, connector) = name?.split_once('/')?;
                Some(Self::Dns(domain.parse().ok()?, connector.into()))
            }
        });
        key.ok_or_else(|| KeyError { text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests;
