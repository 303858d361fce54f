//! One question, to one name server after the other.
//!
//! Whoever answered last is asked first. One that is silent, fails, refuses or talks nonsense is followed by the next,
//! twice around, for as long as there is patience; only what a name server says plainly – records, none, no such name –
//! ends it. The names of the system's hosts file count as far as its name servers are used. Nothing is remembered here.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ResolverOpts};
use hickory_resolver::lookup::Lookup;
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::xfer::{DnsHandle, FirstAnswer};
use hickory_resolver::proto::op::{DnsRequestOptions, DnsResponse, Query};
use hickory_resolver::proto::rr::{Name, RData, RecordType};
use hickory_resolver::system_conf::read_system_conf;
use hickory_resolver::{Hosts, NameServerPool, PoolContext, TlsConfig};
use tokio::sync::Semaphore;
use weir_clock::Clock;
use weir_transport::Domain;
use weir_transport::next_hop::{
    AddressAnswer, Addresses, DnsFault, DnsFaultTolerance, Families, Mx, MxAnswer, MxRecords,
    ResolutionSettings,
};
use weir_units::{Micros, Tick};

use super::trail::{Records, Reply, Trail, name_of};
use crate::settings::DnsSettings;

/// The most name servers that are used.
const SERVERS_MAX: usize = 8;
/// How often each of them is asked before nobody knows.
const ROUNDS: usize = 2;
/// Questions that may be open at once.
const QUESTIONS_AT_ONCE: usize = 128;

type NameServer = NameServerPool<TokioRuntimeProvider>;

/// Who is asked.
pub(super) struct NameServers {
    servers: Vec<NameServer>,
    /// The system's hosts file, where its name servers are used.
    hosts: Option<Hosts>,
    /// How long one of them may take.
    timeout: Micros,
    /// Who answered last.
    first: AtomicUsize,
    places: Semaphore,
    clock: Clock,
}

impl NameServers {
    pub(super) fn new(settings: &DnsSettings, clock: Clock) -> Self {
        let of_system = settings.servers.is_empty();
        let addresses = if of_system { system_servers() } else { settings.servers.clone() };
        let servers = addresses.into_iter().take(SERVERS_MAX);
        Self {
            servers: servers.filter_map(|address| name_server(address, settings.timeout.into())).collect(),
            hosts: of_system.then(|| Hosts::from_system().unwrap_or_default()),
            timeout: settings.timeout,
            first: AtomicUsize::new(0),
            places: Semaphore::new(QUESTIONS_AT_ONCE),
            clock,
        }
    }

    /// The mail exchangers of `domain`.
    pub(super) async fn exchangers(&self, domain: &Domain, until: Tick) -> MxAnswer {
        let Some(name) = name_of(domain) else { return MxAnswer::NoSuchDomain };
        match self.ask(&name, RecordType::MX, until).await {
            Ok(Reply::Records(Records { data, ttl })) => {
                MxAnswer::Records(MxRecords { records: data.iter().filter_map(mx).collect(), ttl })
            }
            Ok(Reply::None) => MxAnswer::None,
            Ok(Reply::NoSuchName) => MxAnswer::NoSuchDomain,
            Err(fault) => MxAnswer::Failed(fault),
        }
    }

    /// The addresses of `host`, of the families that are used.
    pub(super) async fn addresses(
        &self,
        host: &Domain,
        settings: &ResolutionSettings,
        until: Tick,
    ) -> AddressAnswer {
        let Some(name) = name_of(host) else { return AddressAnswer::NoSuchDomain };
        let asked = async |family, kind| match settings.families {
            Families::Both => Some(self.ask(&name, kind, until).await),
            only if only == family => Some(self.ask(&name, kind, until).await),
            Families::Ipv4 | Families::Ipv6 => None,
        };
        let (v4, v6) =
            tokio::join!(asked(Families::Ipv4, RecordType::A), asked(Families::Ipv6, RecordType::AAAA));
        together(v4.into_iter().chain(v6), settings.dns_fault_tolerance)
    }

    async fn ask(&self, name: &Name, kind: RecordType, until: Tick) -> Result<Reply, DnsFault> {
        if let Some(reply) = self.known(name, kind) {
            return Ok(reply);
        }
        let (count, first) = (self.servers.len(), self.first.load(Ordering::Relaxed));
        let mut told = DnsFault::TimedOut;
        for turn in 0..count * ROUNDS {
            let place = (first + turn) % count;
            let Some(server) = self.servers.get(place) else { break };
            match self.ask_one(server, name, kind, until).await {
                Ok(reply) => {
                    self.first.store(place, Ordering::Relaxed);
                    return Ok(reply);
                }
                // What a name server said tells more than that another one was silent.
                Err(fault) => told = told.max(fault),
            }
        }
        Err(told)
    }

    /// Follows aliases as far as one name server knows.
    async fn ask_one(
        &self,
        server: &NameServer,
        name: &Name,
        kind: RecordType,
        until: Tick,
    ) -> Result<Reply, DnsFault> {
        let mut trail = Trail::new(name.clone(), kind);
        loop {
            let answer = self.question(server, trail.name(), kind, until).await;
            if let Some(reply) = trail.read(answer)? {
                return Ok(reply);
            }
        }
    }

    async fn question(
        &self,
        server: &NameServer,
        name: &Name,
        kind: RecordType,
        until: Tick,
    ) -> Result<DnsResponse, NetError> {
        let left = Duration::from(until.since(self.clock.tick()));
        let place = tokio::time::timeout(left, self.places.acquire()).await;
        let wait = self.timeout.min(until.since(self.clock.tick()));
        if place.is_err() || wait == Micros::ZERO {
            return Err(NetError::Timeout);
        }
        let query = Query::query(name.clone(), kind);
        let answer = Box::pin(server.lookup(query, DnsRequestOptions::default()).first_answer());
        tokio::time::timeout(wait.into(), answer).await.unwrap_or(Err(NetError::Timeout))
    }

    /// What is known without a name server: the hosts file, and the name that every host gives itself (RFC 6761).
    fn known(&self, name: &Name, kind: RecordType) -> Option<Reply> {
        let in_file = |kind| self.hosts.as_ref()?.lookup_static_host(&Query::query(name.clone(), kind));
        let is_address = matches!(kind, RecordType::A | RecordType::AAAA);
        if is_address && (in_file(RecordType::A).is_some() || in_file(RecordType::AAAA).is_some()) {
            let lines = in_file(kind);
            let addresses = lines.iter().flat_map(Lookup::answers).map(|record| record.data.clone());
            return Some(Reply::known(addresses.collect()));
        }
        let own = [RData::A(Ipv4Addr::LOCALHOST.into()), RData::AAAA(Ipv6Addr::LOCALHOST.into())];
        let wanted = own.into_iter().filter(|address| address.record_type() == kind);
        name.is_localhost().then(|| Reply::known(wanted.collect()))
    }
}

/// What the questions about the addresses of one host come to.
fn together(
    replies: impl Iterator<Item = Result<Reply, DnsFault>>,
    tolerance: DnsFaultTolerance,
) -> AddressAnswer {
    let (mut addresses, mut ttl) = (Vec::new(), Micros::new(u64::MAX));
    let (mut fault, mut is_unknown) = (None, false);
    for reply in replies {
        match reply {
            Ok(Reply::Records(records)) => {
                addresses.extend(records.data.iter().filter_map(RData::ip_addr));
                ttl = ttl.min(records.ttl);
            }
            Ok(Reply::None) => {}
            Ok(Reply::NoSuchName) => is_unknown = true,
            Err(failed) => fault = Some(failed),
        }
    }
    let strict = tolerance == DnsFaultTolerance::Normal;
    match fault {
        Some(fault) if strict || addresses.is_empty() && !is_unknown => AddressAnswer::Failed(fault),
        // Half an answer is used, and soon asked for again.
        Some(_) if !addresses.is_empty() => {
            AddressAnswer::Addresses(Addresses { addresses, ttl: Micros::ZERO })
        }
        None if !addresses.is_empty() => AddressAnswer::Addresses(Addresses { addresses, ttl }),
        Some(_) | None if is_unknown => AddressAnswer::NoSuchDomain,
        Some(_) | None => AddressAnswer::None,
    }
}

/// The name servers that the system is set to; where it is set to none, the one on this machine, as other programs do.
fn system_servers() -> Vec<SocketAddr> {
    match read_system_conf() {
        Ok((config, _)) => {
            config.name_servers().iter().map(|server| SocketAddr::new(server.ip, 53)).collect()
        }
        Err(error) => {
            tracing::warn!(%error, "the system's name servers cannot be read; asking the one on this machine");
            vec![SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 53)]
        }
    }
}

fn name_server(address: SocketAddr, timeout: Duration) -> Option<NameServer> {
    let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(|mut connection| {
        connection.port = address.port();
        connection
    });
    let server = NameServerConfig::new(address.ip(), true, connections.into());
    let mut options = ResolverOpts::default();
    options.timeout = timeout;
    options.num_concurrent_reqs = 1;
    // Without TLS to name servers there is nothing in it that can fail.
    let context = Arc::new(PoolContext::new(options, TlsConfig::new().ok()?));
    Some(NameServerPool::from_config([server], context, TokioRuntimeProvider::default()))
}

fn mx(data: &RData) -> Option<Mx> {
    let RData::MX(mx) = data else { return None };
    Some(Mx { preference: mx.preference, exchange: mx.exchange.to_ascii() })
}
