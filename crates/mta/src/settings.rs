//! Every limit and switch of the transport, each with its name.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use weir_transport::connectivity::RotationSettings;
use weir_transport::next_hop::ResolutionSettings;
use weir_transport::pressure::PressureSettings;
use weir_transport::queue::QueueSettings;
use weir_transport::receive::{Connectors, ReceiveConnector};
use weir_transport::routing::RoutingSettings;
use weir_transport::shadow::ShadowSettings;
use weir_transport::{Domain, HostPort};
use weir_units::Micros;
use weir_wire::forwarded::TrustedProxies;
use weir_wire::smtp::{Mailbox, Secret};

/// Everything that the transport goes by.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What it calls itself: in greetings, in `Received` fields, in reports.
    pub host_name: Domain,
    /// Who gets mail for the postmaster, here or of a domain of ours, where nobody has that mailbox (RFC 5321, 4.5.1).
    pub postmaster: Option<Mailbox>,
    /// The ways in, and what makes sense together.
    pub receive: Connectors,
    /// Whether PROXY headers are expected, and from whom.
    pub proxies: Proxies,
    /// Sites, servers, ways out.
    pub routing: RoutingSettings,
    /// Intervals and bounds of queues.
    pub queue: QueueSettings,
    /// Rotation and retry schedule of targets.
    pub balance: weir_balance::Settings,
    /// How names are made targets of.
    pub resolution: ResolutionSettings,
    /// Whom names are asked of.
    pub dns: DnsSettings,
    /// Timeouts and TLS of connections out.
    pub sending: SendSettings,
    /// Where mail for local recipients goes.
    pub delivery: Delivery,
    /// When queue, disk or memory is short.
    pub pressure: PressureSettings,
    /// Intervals and bounds of shadows.
    pub shadow: ShadowSettings,
    /// Servers that shadows are kept with (H12).
    pub shadow_partners: Vec<Arc<str>>,
    /// What own servers prove themselves with; none: by the addresses they come from.
    pub server_secret: Option<Secret>,
    /// Bounds of the durable queue.
    pub spool: weir_spool::Limits,
    /// Bytes of messages that are kept in memory besides, so that the next hop gets them without a disk being read.
    pub fresh_bytes: usize,
    /// The longest time a peer without shadows waits for its last 250 (H12).
    pub max_acknowledgement_delay: Micros,
    /// Crashes of the process over a message after which it is set aside (H15).
    pub poison_threshold: u32,
    /// Where the connectivity log is written, and how much of it is kept; none: it is not (H11).
    pub connectivity_log: Option<(PathBuf, RotationSettings)>,
    /// Where Postfix asks whether an owner may send; none: nowhere.
    pub policy_service: Option<SocketAddr>,
    /// Whether a sender's address is believed there, since that Postfix checks it (T8).
    pub policy_service_trust_sender: bool,
    /// How long running sessions and deliveries may take to end.
    pub drain: Micros,
}

/// Whose word about a client's address is believed.
#[derive(Clone, Debug, Default)]
pub struct Proxies {
    /// Whether a connection of such a proxy begins with a PROXY header.
    pub proxy_protocol: bool,
    /// Which they are.
    pub trusted: TrustedProxies,
}

/// Whom names are asked of.
#[derive(Clone, Debug)]
pub struct DnsSettings {
    /// The name servers; none: those of the system.
    pub servers: Vec<SocketAddr>,
    /// How long one of them may take.
    pub timeout: Micros,
    /// How long a look-up may take in all.
    pub patience: Micros,
    /// How many next hops' answers are remembered.
    pub entries: usize,
}

/// How mail is sent.
#[derive(Clone, Debug)]
pub struct SendSettings {
    /// How long connecting may take.
    pub connect_timeout: Micros,
    /// How long the banner may take.
    pub banner_timeout: Micros,
    /// How long the answer to a command may take.
    pub command_timeout: Micros,
    /// How long one piece of a message may take to be sent.
    pub data_timeout: Micros,
    /// How long the answer to a whole message may take.
    pub message_timeout: Micros,
    /// How long TLS may take to be agreed on.
    pub tls_timeout: Micros,
    /// Connectors that are not [`TlsPolicy::Opportunistic`].
    pub tls: Vec<(Arc<str>, TlsPolicy)>,
}

/// What a connection's encryption has to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TlsPolicy {
    /// None.
    Off,
    /// Encrypted where the peer offers it, whatever its certificate says.
    #[default]
    Opportunistic,
    /// Encrypted, whatever the peer's certificate says.
    Required,
    /// Encrypted, with a certificate of somebody we trust for the target's name.
    Verified,
}

/// Where mail for local recipients goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    /// The embedded mailbox server.
    #[default]
    Embedded,
    /// Servers of LMTP, which take turns.
    Lmtp(Vec<HostPort>),
}

impl Default for DnsSettings {
    fn default() -> Self {
        Self {
            servers: Vec::new(),
            timeout: Micros::SECOND.times(5),
            patience: Micros::MINUTE,
            entries: 10_000,
        }
    }
}

impl Default for SendSettings {
    fn default() -> Self {
        Self {
            connect_timeout: Micros::SECOND.times(30),
            banner_timeout: Micros::SECOND.times(60),
            command_timeout: Micros::MINUTE.times(5),
            data_timeout: Micros::MINUTE.times(3),
            message_timeout: Micros::MINUTE.times(10),
            tls_timeout: Micros::SECOND.times(30),
            tls: Vec::new(),
        }
    }
}

impl SendSettings {
    /// What the encryption of connections by `connector` has to be.
    pub fn tls_of(&self, connector: Option<&str>) -> TlsPolicy {
        let set = self.tls.iter().find(|(name, _)| Some(&**name) == connector);
        set.map(|(_, policy)| *policy).unwrap_or_default()
    }
}

impl Settings {
    /// The settings of a server that is called `host_name` and sends as `routing` says: without a way in, and with every
    /// limit at its default.
    pub fn new(host_name: Domain, routing: RoutingSettings) -> Self {
        Self {
            host_name,
            postmaster: None,
            receive: Connectors::default(),
            proxies: Proxies::default(),
            routing,
            queue: QueueSettings::default(),
            balance: weir_balance::Settings::hub(),
            resolution: ResolutionSettings::default(),
            dns: DnsSettings::default(),
            sending: SendSettings::default(),
            delivery: Delivery::default(),
            pressure: PressureSettings::default(),
            shadow: ShadowSettings::default(),
            shadow_partners: Vec::new(),
            server_secret: None,
            spool: weir_spool::Limits::default(),
            fresh_bytes: 64 << 20,
            max_acknowledgement_delay: Micros::ZERO,
            poison_threshold: 2,
            connectivity_log: None,
            policy_service: None,
            policy_service_trust_sender: false,
            drain: Micros::SECOND.times(30),
        }
    }

    /// The receive connector called `name`.
    pub fn connector(&self, name: &str) -> Option<&ReceiveConnector> {
        self.receive.iter().find(|connector| &*connector.name == name)
    }
}
