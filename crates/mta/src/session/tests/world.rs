//! The rest of a server, pretended; the durable queue is real.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use tempfile::TempDir;
use tokio::sync::{Notify, watch};
use weir_clock::Clock;
use weir_spool::{Identity, MessageId, Spool};
use weir_transport::pressure::{Observation, PressureSettings, Pressures};
use weir_transport::queue::QueueSettings;
use weir_transport::receive::{Connectors, PermissionGroup, ReceiveConnector, ReceiveLimits};
use weir_transport::routing::{Lookup, RoutingSettings, Server};
use weir_units::{Component, Micros, Owner, Part, Refusal, WallTime};
use weir_wire::smtp::{Credentials, DiscardNotices, DiscardQuery, Mailbox, Secret, Token};

use crate::envelope::Envelope;
use crate::inbound::{Inbound, Passage, TlsSource, Works};
use crate::intake::{Accepted, Intake, Onward};
use crate::metrics::Metrics;
use crate::organisation::{Answer, Authenticated, Recipients, Submitters, Unavailable};
use crate::settings::{Delivery, DnsSettings, Proxies, SendSettings, Settings};

/// A server as far as a session sees it.
pub(crate) struct World {
    pub(crate) inbound: Arc<Inbound>,
    pub(crate) local: SocketAddr,
    pub(crate) stop: watch::Sender<bool>,
    pub(crate) organisation: Arc<Organisation>,
    spool: Arc<Spool>,
    _folder: TempDir,
}

/// What a world is made of.
pub(crate) struct Plan {
    pub(crate) settings: Settings,
    pub(crate) connector: ReceiveConnector,
    pub(crate) servers: Vec<(&'static str, &'static str)>,
    pub(crate) tls: Option<TlsSource>,
}

/// Everybody else: directory, budgets, queues, shadows.
pub(crate) struct Organisation {
    /// Messages and recipients that budgets have left.
    pub(crate) messages: AtomicU32,
    pub(crate) recipients: AtomicU32,
    pub(crate) went_onward: Notify,
    /// Whether passwords are known elsewhere alone.
    pub(crate) knows_no_passwords: AtomicBool,
    accepted: Mutex<Vec<Accepted>>,
}

/// A message as the durable queue has it.
pub(crate) struct Kept {
    pub(crate) envelope: Envelope,
    pub(crate) text: String,
}

impl World {
    /// A hub with one connector for anybody.
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    /// The same, changed.
    pub(crate) fn with(change: impl FnOnce(&mut Plan)) -> Self {
        let mut plan = Plan { settings: settings(), connector: connector(), servers: Vec::new(), tls: None };
        change(&mut plan);
        let Plan { mut settings, connector, servers, tls } = plan;
        let local = connector.bindings[0];
        settings.receive = Connectors::new(vec![connector], &[]).unwrap();
        let server = |(name, address): (&str, &str)| Server {
            name: name.into(),
            site: None,
            address: address.parse().unwrap(),
        };
        settings.routing.servers = servers.into_iter().map(server).collect();
        let folder = tempfile::tempdir().unwrap();
        let (spool, _) = Spool::open(folder.path(), settings.spool, Identity(7)).unwrap();
        let spool = Arc::new(spool);
        let organisation = Arc::new(Organisation {
            messages: u32::MAX.into(),
            recipients: u32::MAX.into(),
            went_onward: Notify::new(),
            knows_no_passwords: AtomicBool::new(false),
            accepted: Mutex::default(),
        });
        let works = Works {
            clock: Clock::pretended(WallTime::from_unix_micros(1_268_147_712_000_000)),
            intake: Intake::new(Arc::clone(&spool), Arc::clone(&organisation), settings.fresh_bytes),
            recipients: organisation.clone(),
            submitters: organisation.clone(),
            passage: organisation.clone(),
            tls,
            pressures: Arc::new(Mutex::new(Pressures::new(settings.pressure))),
            counted: Arc::new(|| Box::new(())),
            metrics: Metrics::default(),
            settings: Arc::new(settings),
        };
        let (stop, _) = watch::channel(false);
        Self { inbound: Arc::new(Inbound::new(works)), local, stop, organisation, spool, _folder: folder }
    }

    /// What was accepted, in that order.
    pub(crate) fn accepted(&self) -> Vec<Accepted> {
        self.organisation.accepted.lock().unwrap().clone()
    }

    /// What the durable queue has, in the order of its coming.
    pub(crate) async fn kept(&self) -> Vec<Kept> {
        let mut all = Vec::new();
        for id in self.spool.ids_after(None, 100).await.unwrap() {
            let mut stored = self.spool.locate(id).await.unwrap().read().unwrap();
            let envelope = Envelope::from_bytes(&stored.envelope).unwrap();
            let mut body = Vec::new();
            while let Some(piece) = stored.body.next_piece().unwrap() {
                body.extend(piece);
            }
            all.push(Kept { envelope, text: String::from_utf8_lossy(&body).into_owned() });
        }
        all
    }

    /// The one message that the durable queue has.
    pub(crate) async fn only(&self) -> Kept {
        let mut all = self.kept().await;
        assert_eq!(all.len(), 1, "one message is kept");
        all.remove(0)
    }

    /// The durable queue turns out to be so full, in percent of its disk.
    pub(crate) fn disk_is_at(&self, percent: u64) {
        let works = &self.inbound.works;
        let observation = Observation { disk: Some(percent), ..Observation::default() };
        works.pressures.lock().unwrap().observe(&observation, works.clock.tick());
    }
}

impl Plan {
    pub(crate) fn lets(&mut self, groups: &[PermissionGroup]) {
        self.connector.permission_groups = groups.to_vec();
    }
}

fn connector() -> ReceiveConnector {
    ReceiveConnector {
        name: "default".into(),
        bindings: vec!["192.0.2.1:25".parse().unwrap()],
        remote_ranges: vec!["0.0.0.0/0".parse().unwrap(), "::/0".parse().unwrap()],
        permission_groups: vec![PermissionGroup::Anonymous],
        behind_load_balancer: false,
        limits: ReceiveLimits { tarpit_interval: Micros::ZERO, ..ReceiveLimits::default() },
    }
}

fn settings() -> Settings {
    Settings {
        host_name: "hub01.example.com".parse().unwrap(),
        receive: Connectors::new(Vec::new(), &[]).unwrap(),
        proxies: Proxies::default(),
        routing: RoutingSettings { name: "hub01".into(), ..RoutingSettings::default() },
        queue: QueueSettings::default(),
        balance: weir_balance::Settings::hub(),
        resolution: weir_transport::next_hop::ResolutionSettings::default(),
        dns: DnsSettings::default(),
        sending: SendSettings::default(),
        delivery: Delivery::default(),
        pressure: PressureSettings::default(),
        shadow: weir_transport::shadow::ShadowSettings::default(),
        shadow_partners: Vec::new(),
        server_secret: None,
        spool: weir_spool::Limits::default(),
        fresh_bytes: 64 << 10,
        max_acknowledgement_delay: Micros::ZERO,
        postmaster: None,
        poison_threshold: 2,
        connectivity_log: None,
        policy_service: None,
        policy_service_trust_sender: false,
        drain: Micros::SECOND.times(30),
    }
}

impl Onward for Arc<Organisation> {
    fn accept(&self, message: Accepted) {
        self.accepted.lock().unwrap().push(message);
    }
}

impl Recipients for Organisation {
    fn lookup<'a>(&'a self, address: &'a Mailbox) -> Answer<'a, Result<Lookup, Unavailable>> {
        Box::pin(async move {
            match address.key().as_str() {
                "john@example.com" | "jane@example.com" | "postmaster@example.com" => Ok(Lookup::Here),
                "ken@example.com" => Ok(Lookup::At("hub04".into())),
                "unknown@example.com" => Err(Unavailable("the directory is locked".into())),
                "slow@example.com" => std::future::pending().await,
                key if key.ends_with("@example.com") => Ok(Lookup::NoSuchMailbox),
                _ => Ok(Lookup::NotOurs),
            }
        })
    }
}

impl Submitters for Organisation {
    fn verifies_passwords(&self) -> bool {
        !self.knows_no_passwords.load(Ordering::Relaxed)
    }

    fn authenticate<'a>(&'a self, credentials: &'a Credentials, _: IpAddr) -> Answer<'a, Authenticated> {
        let answer = match (credentials.name.as_str(), credentials.password.expose()) {
            ("john", "secret") => Authenticated::Owner(Owner::new("john@example.com")),
            ("jane", "secret") => Authenticated::Unverifiable,
            _ => Authenticated::Wrong,
        };
        Box::pin(std::future::ready(answer))
    }

    fn message(&self, _: &Owner) -> Result<(), Refusal> {
        charge(&self.messages, 1, Part::MessageRate)
    }

    fn recipients(&self, _: &Owner, count: u32) -> Result<(), Refusal> {
        charge(&self.recipients, count, Part::RecipientRate)
    }

    fn owner<'a>(&'a self, address: &'a str) -> Answer<'a, Option<Owner>> {
        let owners = BTreeMap::from([
            ("john@example.com", "john@example.com"),
            ("j.doe@example.com", "john@example.com"),
            ("jane@example.com", "jane@example.com"),
        ]);
        Box::pin(std::future::ready(owners.get(address).map(|owner| Owner::new(owner))))
    }
}

fn charge(left: &AtomicU32, count: u32, part: Part) -> Result<(), Refusal> {
    let charged =
        left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(count)).map(|_| ());
    charged.map_err(|_| Refusal { component: Component::Smtp, part, limit: 1, used: 1, retry_after: None })
}

impl Passage for Organisation {
    fn decided(&self, _: MessageId) -> Answer<'_, ()> {
        Box::pin(self.went_onward.notified())
    }

    fn database(&self) -> Token {
        Token::new("4f2a90c1").unwrap()
    }

    fn discards<'a>(&'a self, holder: &'a Token, query: DiscardQuery) -> Answer<'a, DiscardNotices> {
        let messages = Token::new(&format!("{holder}-{}", query.most)).into_iter().collect();
        Box::pin(std::future::ready(DiscardNotices { cursor: 9, left: 0, messages }))
    }
}

/// What own servers prove themselves with.
pub(crate) fn secret() -> Secret {
    Secret::new("between us".to_owned())
}
