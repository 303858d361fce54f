//! What comes of a resolution, and in what words.

use weir_balance::Target;
use weir_units::Micros;

use super::answer::DnsFault;
use crate::domain::Domain;

/// What comes of a resolution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// There are targets.
    Targets(Targets),
    /// There are none for now: the mail waits and is resolved again.
    Later(Later),
    /// There are none: the sender is told.
    Never(Never),
}

/// The targets of a next hop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Targets {
    /// In the order in which they are tried: one level after the other.
    pub levels: Vec<Level>,
    /// How long they hold. Nothing where a look-up failed: what is wrong is never remembered.
    pub holds_for: Micros,
}

/// Targets that are as good as one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// Their preference; 0 for smart hosts.
    pub preference: u16,
    /// At least one, each address once, in their order of turns.
    pub targets: Vec<Target>,
}

/// Why there is no target for now. The text is the queue's last error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Later {
    /// The look-up of a domain's mail exchangers failed.
    #[error("mail exchangers of {domain}: {fault}")]
    Exchangers {
        /// The domain.
        domain: Domain,
        /// How it failed.
        fault: DnsFault,
    },
    /// The look-up of a host's addresses failed.
    #[error("addresses of {host}: {fault}")]
    Addresses {
        /// The host.
        host: String,
        /// How it failed.
        fault: DnsFault,
    },
    /// A configured server's name leads nowhere: a mistake in the configuration, so that no sender is bothered.
    #[error("server {server} has no address that can be used; correct it in the configuration")]
    Server {
        /// The first of the list.
        server: String,
    },
    /// It would be a bounce, and the administrator wants to wait.
    #[error("{0} (kept, since DNS failures are to be retried)")]
    Downgraded(Never),
}

/// Why there is no target ever. The text is what the sender reads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Never {
    /// There is no such domain.
    #[error("550 5.1.2 there is no domain {domain}")]
    NoSuchDomain {
        /// Which.
        domain: Domain,
    },
    /// The domain says that it takes no mail (RFC 7505).
    #[error("556 5.1.10 {domain} takes no mail")]
    NullMx {
        /// Which.
        domain: Domain,
    },
    /// The domain has neither mail exchangers nor an address.
    #[error("550 5.4.4 {domain} has neither mail exchangers nor an address")]
    NoAddress {
        /// Which.
        domain: Domain,
    },
    /// The domain has mail exchangers, and none has an address that can be used.
    #[error("550 5.4.4 no mail exchanger of {domain} has an address that can be used")]
    NoUsableExchanger {
        /// Which.
        domain: Domain,
    },
    /// The best mail exchanger that is left is this server, which does not take mail for the domain.
    #[error("554 5.4.6 mail for {domain} loops back to this server")]
    LoopsBack {
        /// Which.
        domain: Domain,
    },
}
