//! Every limit and switch of the gateway, each with its name.
//!
//! The configuration file maps to this structure key by key; one request sees one snapshot of it. Nothing here is
//! per owner: what an owner may use stands in his policy.

use std::net::SocketAddr;
use std::time::Duration;

use weir_throttle::fair::LimitRules;
use weir_throttle::rpc::{RpcFactor, RpcRules};
use weir_throttle::warnings::WarningSettings;
use weir_units::{AddressRange, Micros};

use crate::block::BlockList;
use crate::credentials::CredentialSettings;
use crate::guard::GuardSettings;
use crate::history::HistorySettings;
use crate::mapi::SessionSettings;

/// Everything that the gateway can be told.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Where it listens.
    pub listen: Listen,
    /// How much one connection and one request may take.
    pub limits: ConnectionLimits,
    /// How owners are held to their budgets.
    pub throttle: ThrottleSettings,
    /// How accepted credentials are remembered.
    pub credentials: CredentialSettings,
    /// How those who guess passwords are slowed down.
    pub guard: GuardSettings,
    /// How much is remembered of each owner.
    pub history: HistorySettings,
    /// From when on something about a budget is worth an event.
    pub warnings: WarningSettings,
    /// How many MAPI sessions there may be, and how long they live.
    pub mapi: SessionSettings,
    /// Client programs that are kept out.
    pub block: BlockList,
}

/// Addresses to listen on – one that is absent is off – and whose word is taken about who connects.
#[derive(Clone, Debug, Default)]
pub struct Listen {
    /// Plain HTTP.
    pub http: Option<SocketAddr>,
    /// HTTP over TLS.
    pub https: Option<SocketAddr>,
    /// Proxies that are believed about whose connection or request it is.
    pub trusted_proxies: Vec<AddressRange>,
    /// Whether connections from trusted proxies begin with a PROXY header, version 1 or 2.
    pub proxy_protocol: bool,
}

/// How much one connection and one request may take before they are cut off.
#[derive(Clone, Debug)]
pub struct ConnectionLimits {
    /// Threads that serve connections; 0 is one for each processor.
    pub workers: usize,
    /// Connections at the same time, all listeners together; more wait in the kernel's queue.
    pub connections: usize,
    /// Connections at the same time from one address (one /64 of IPv6); trusted proxies may have as many as there are.
    pub connections_per_address: usize,
    /// Bytes of a request's head.
    pub head_bytes: usize,
    /// Header fields of a request.
    pub headers: usize,
    /// How long the TLS handshake may take.
    pub tls_handshake: Duration,
    /// How long a connection that has just been opened may stay silent: the time to first byte, and before that the
    /// time for a whole PROXY header.
    pub first_byte_time: Duration,
    /// How long a connection may take from one answer, or from its opening, until the next request's head is whole.
    pub idle_time: Duration,
    /// Bytes of a request's body.
    pub body_bytes: u64,
    /// How long a body may arrive at any speed …
    pub body_grace: Duration,
    /// … before it has to have brought so many bytes for each second since.
    pub body_rate: u64,
    /// Bytes of all bodies that are held in memory at the same time.
    pub bodies_bytes: u64,
    /// Bytes of a body that are read and thrown away to keep the connection when the request is refused.
    pub discard_bytes: u64,
    /// How long a client may read nothing of an answer.
    pub write_idle_time: Duration,
    /// Elements of a SOAP request.
    pub elements: usize,
    /// How deep the elements of a SOAP request may be nested.
    pub depth: usize,
    /// Items that one request may name.
    pub batch_items: usize,
    /// Bytes of an answer that are gathered into one write before it is sent piece by piece.
    pub answer_bytes: usize,
    /// How long requests may go on once the gateway is told to stop.
    pub drain_time: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            workers: 0,
            connections: 10_000,
            connections_per_address: 1_000,
            head_bytes: 64 << 10,
            headers: 100,
            tls_handshake: Duration::from_secs(10),
            first_byte_time: Duration::from_secs(10),
            idle_time: Duration::from_mins(2),
            body_bytes: 150 << 20,
            body_grace: Duration::from_secs(20),
            body_rate: 1 << 10,
            bodies_bytes: 1 << 30,
            discard_bytes: 1 << 20,
            write_idle_time: Duration::from_mins(1),
            elements: 200_000,
            depth: 64,
            batch_items: 10_000,
            answer_bytes: 64 << 10,
            drain_time: Duration::from_secs(30),
        }
    }
}

/// How owners are held to their budgets.
#[derive(Clone, Debug)]
pub struct ThrottleSettings {
    /// Whether anybody is refused or delayed at all; without it everything is only measured (T20).
    pub enforce: bool,
    /// What happens to a request over its time budget (T6).
    pub over_budget: OverBudget,
    /// How long all waits of one request may last together (T6).
    pub max_delay: Duration,
    /// How long a call may wait for a place before `MaxConcurrency` refuses it (T7).
    pub concurrency_wait: Duration,
    /// Calls of one owner that may wait at the same time.
    pub waiting_per_owner: u32,
    /// Calls that may wait at the same time, of all owners together.
    pub waiting: u32,
    /// Requests a second that are read from a connection whose requests are refused again and again (T7); 0 is as many
    /// as it sends.
    pub refused_per_second: u32,
    /// Budgets that may exist at the same time.
    pub budgets: usize,
    /// Owners at the same time of whom is remembered what they sent (T19).
    pub submitters: usize,
    /// Subscriptions at the origin that are remembered for one owner.
    pub subscriptions_per_owner: usize,
    /// Credentials that may be checked against the directory at the same time.
    pub verifications: usize,
    /// Whose processor time `CPUStartPercent` looks at (T9).
    pub cpu_source: CpuSource,
    /// How many calls may run at an origin at once, of which each owner gets his share (T23); none where nobody waits
    /// for that.
    pub fair_share: Option<LimitRules>,
    /// What MAPI sessions are judged by (R4, R8).
    pub rpc: RpcRules,
    /// What owners are judged by in the same way, on every other front; off as a rule.
    pub http: RpcRules,
}

/// What happens to a request over its time budget (T6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverBudget {
    /// It waits until something is left.
    Delay,
    /// It is refused at once.
    Refuse,
}

/// Whose processor time is looked at (T9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuSource {
    /// This process's.
    Process,
    /// The whole host's.
    Host,
}

impl Default for ThrottleSettings {
    fn default() -> Self {
        Self {
            enforce: true,
            over_budget: OverBudget::Delay,
            max_delay: Duration::from_mins(1),
            concurrency_wait: Duration::ZERO,
            waiting_per_owner: 100,
            waiting: 10_000,
            refused_per_second: 20,
            budgets: 1_000_000,
            submitters: 100_000,
            subscriptions_per_owner: 10_000,
            verifications: 2,
            cpu_source: CpuSource::Process,
            fair_share: Some(LimitRules::default()),
            rpc: RpcRules::default(),
            http: RpcRules { factor: RpcFactor::OFF, floor: Micros::ZERO },
        }
    }
}
