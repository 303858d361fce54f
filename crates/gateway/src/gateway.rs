//! The gateway: what all of its requests share, its listeners, and its housekeeping.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use hyper::body::Incoming;
use hyper::{Request, Response, StatusCode};
use ring::rand::SystemRandom;
use tokio::net::TcpListener;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use weir_balance::State;
use weir_directory::{Directory, PolicyCache};
use weir_mailbox::MailboxServer;
use weir_throttle::rpc::{RpcFactor, RpcLatency, RpcSession};
use weir_throttle::{Account, Budgets, ComponentLimits, Limits, Snapshot, Submissions};
use weir_units::{Component, EventSink, Micros, Owner, Part, Tick};

use crate::answers;
use crate::body::{Answer, Room};
use crate::cpu::CpuMeter;
use crate::cpu_source::sample;
use crate::ews::front;
use crate::history::Histories;
use crate::listener::{self, Connection, Gate, Handler};
use crate::mapi;
use crate::mapi::rpc_server::RpcServer;
use crate::mapi::sessions::Sessions;
use crate::metrics::{BudgetState, Connected, Front, Metrics};
use crate::places::Places;
use crate::pulse::Pulse;
use crate::remote::{self, Remotes};
use crate::request_log::{RequestIds, RequestLog};
use crate::settings::{Settings, ThrottleSettings};
use crate::spenders::Ranking;
use crate::subscriptions::Subscriptions;
use crate::tls::{CertificateStore, TlsError};
use crate::warnings::Warner;
use crate::who::Gatekeeper;
use crate::workers::{Threads, Workers};
use weir_clock::Clock;

/// What a gateway is made of.
pub struct Parts {
    /// Its limits and switches.
    pub settings: Settings,
    /// The process's clock.
    pub clock: Clock,
    /// Who has a mailbox here.
    pub directory: Arc<dyn Directory>,
    /// Which policy holds for whom.
    pub policies: Arc<PolicyCache>,
    /// What stands behind it.
    pub origin: Origin,
    /// The certificate for https.
    pub certificate: Option<Arc<CertificateStore>>,
    /// Where each request is written down.
    pub log: RequestLog,
    /// What is counted.
    pub metrics: Metrics,
    /// Where warnings about owners go.
    pub events: EventSink,
}

/// What stands behind a gateway.
pub enum Origin {
    /// The embedded mailbox server.
    Embedded(MailboxServer),
    /// A mail system that exists.
    Remote(Remotes),
}

impl Origin {
    /// How many calls it works on at once, as far as that is known.
    fn threads(&self) -> u32 {
        match self {
            Self::Embedded(mailbox) => u32::try_from(mailbox.threads()).unwrap_or(u32::MAX),
            Self::Remote(_) => u32::MAX,
        }
    }
}

/// A running gateway.
pub struct Gateway {
    settings: ArcSwap<Settings>,
    pub(crate) clock: Clock,
    pub(crate) directory: Arc<dyn Directory>,
    pub(crate) policies: Arc<PolicyCache>,
    pub(crate) budgets: Budgets<Shell>,
    /// What owners have sent.
    pub(crate) submissions: Submissions,
    pub(crate) gatekeeper: Arc<Gatekeeper>,
    pub(crate) origin: Origin,
    /// The embedded origin, as far as MAPI is concerned.
    pub(crate) embedded_rpc: Arc<RpcServer>,
    pub(crate) sessions: Sessions,
    /// How long the embedded origin takes over a step of a call that is none of MAPI's.
    pub(crate) embedded_latency: RpcLatency,
    /// The places at the embedded origin.
    pub(crate) embedded_places: Arc<Places>,
    pub(crate) events: EventSink,
    pub(crate) log: RequestLog,
    pub(crate) metrics: Metrics,
    pub(crate) warner: Warner,
    pub(crate) cpu: CpuMeter,
    pub(crate) room: Room,
    pub(crate) histories: Histories,
    pub(crate) pulse: Pulse,
    pub(crate) ranking: Mutex<Ranking>,
    /// Calls that wait at the moment, of all owners together.
    pub(crate) waiting: AtomicU32,
    certificate: Option<Arc<CertificateStore>>,
    sequence: AtomicU64,
    pub(crate) ids: RequestIds,
    bypass: AtomicBool,
}

/// What the gateway keeps beside each budget.
#[derive(Debug, Default)]
pub struct Shell {
    /// Something was given back or moved on: who waits looks again.
    pub(crate) wake: Notify,
    /// The owner's subscriptions at the origin; most owners have none.
    subscriptions: Mutex<Option<Box<Subscriptions>>>,
    /// How fast the owner's operations come, where anybody looks.
    pace: OnceLock<Box<RpcSession>>,
}

/// A gateway cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// An address cannot be listened on.
    #[error(
        "cannot listen on {address} ({listener}): {source}; choose another address under [listen], or stop what uses it"
    )]
    Bind {
        /// Which listener.
        listener: &'static str,
        /// Which address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// https cannot be served.
    #[error("https cannot be served: {0}")]
    Tls(#[from] TlsError),
    /// The system gives no randomness.
    #[error("the system gives no randomness to protect remembered credentials with")]
    NoRandomness,
    /// There are no threads to serve connections with.
    #[error("cannot start the threads that serve connections: {0}; fewer are asked for by limits.workers")]
    Workers(#[source] std::io::Error),
}

/// A gateway whose listeners are bound, before it serves.
pub struct Bound {
    gateway: Arc<Gateway>,
    listeners: Vec<BoundListener>,
    workers: Workers,
}

struct BoundListener {
    name: &'static str,
    address: SocketAddr,
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
}

impl Gateway {
    /// Puts a gateway together; it serves nobody yet.
    ///
    /// # Errors
    ///
    /// Where the system gives no randomness.
    pub fn new(parts: Parts) -> Result<Arc<Self>, StartError> {
        let Parts { settings, clock, directory, policies, origin, certificate, log, metrics, events } = parts;
        let gatekeeper = Gatekeeper::new(&settings, Arc::clone(&directory), clock, metrics.clone())
            .map_err(|_unspecified| StartError::NoRandomness)?;
        let ids = RequestIds::new(&SystemRandom::new()).map_err(|_unspecified| StartError::NoRandomness)?;
        Ok(Arc::new(Self {
            clock,
            directory,
            policies,
            budgets: Budgets::new(settings.throttle.budgets),
            submissions: Submissions::new(settings.throttle.submitters),
            gatekeeper: Arc::new(gatekeeper),
            embedded_rpc: Arc::new(RpcServer::new("embedded")),
            sessions: Sessions::new(),
            embedded_latency: RpcLatency::new(),
            embedded_places: Arc::new(Places::embedded(origin.threads(), &settings.throttle, clock)),
            origin,
            log,
            metrics,
            warner: Warner::new(events.clone()),
            events,
            cpu: CpuMeter::default(),
            room: Room::new(settings.limits.bodies_bytes),
            histories: Histories::new(settings.history),
            pulse: Pulse::default(),
            ranking: Mutex::default(),
            waiting: AtomicU32::new(0),
            certificate,
            sequence: AtomicU64::new(0),
            ids,
            bypass: AtomicBool::new(false),
            settings: ArcSwap::from_pointee(settings),
        }))
    }

    /// Binds every listener that is switched on.
    ///
    /// # Errors
    ///
    /// The first address that cannot be listened on, or https without a certificate.
    pub async fn bind(self: &Arc<Self>) -> Result<Bound, StartError> {
        self.bind_with(&mut BTreeMap::new()).await
    }

    /// Binds every listener that is switched on, or takes its socket out of `given`, by the listener's name, where it
    /// listens already.
    ///
    /// # Errors
    ///
    /// As [`Gateway::bind`], and a given socket that cannot be used.
    pub async fn bind_with(
        self: &Arc<Self>,
        given: &mut BTreeMap<&'static str, std::net::TcpListener>,
    ) -> Result<Bound, StartError> {
        let settings = self.settings();
        let mut listeners = Vec::new();
        if let Some(address) = settings.listen.http {
            listeners.push(BoundListener::bind("http", address, None, given).await?);
        }
        if let (Some(address), Some(certificate)) = (settings.listen.https, &self.certificate) {
            let tls = TlsAcceptor::from(certificate.server_config(&["http/1.1"])?);
            listeners.push(BoundListener::bind("https", address, Some(tls), given).await?);
        }
        let workers = Workers::start(settings.limits.workers).map_err(StartError::Workers)?;
        Ok(Bound { gateway: Arc::clone(self), listeners, workers })
    }

    /// The settings in force; a request takes them once, when it begins.
    pub(crate) fn settings(&self) -> Arc<Settings> {
        self.settings.load_full()
    }

    /// Puts other settings in force, for requests that begin from now on. Addresses and the sizes of tables stay as
    /// they were at the start.
    pub fn reload(&self, settings: Settings) {
        let before = self.settings.swap(Arc::new(settings));
        self.tell_rpc_off(before.throttle.rpc.factor);
        let now = self.settings();
        self.places().for_each(|places| places.reload(&before.throttle, &now.throttle));
    }

    /// Says that RPC throttling is off, where it was not with the factor of `before` (R8).
    fn tell_rpc_off(&self, before: RpcFactor) {
        let event = self.settings().throttle.rpc.factor.off_event();
        if let Some(event) = event.filter(|_| !before.is_off()) {
            self.events.emit(event);
        }
    }

    /// How long all waits of one request may last together, as things are (T6).
    pub fn max_delay(&self) -> Micros {
        self.settings().throttle.max_delay.into()
    }

    /// Lets everybody pass from the next request on, measured but neither refused, delayed nor rewritten, or no longer
    /// (T20).
    pub fn set_bypass(&self, bypass: bool) {
        self.bypass.store(bypass, Ordering::Relaxed);
    }

    /// Whether everybody passes at the moment.
    pub fn is_bypassed(&self) -> bool {
        self.bypass.load(Ordering::Relaxed)
    }

    /// Whether anybody is held to his budget at the moment.
    pub(crate) fn enforces(&self, settings: &ThrottleSettings) -> bool {
        settings.enforce && !self.is_bypassed()
    }

    /// The remote origins, where there are any.
    pub fn remotes(&self) -> Option<&Remotes> {
        match &self.origin {
            Origin::Embedded(_) => None,
            Origin::Remote(remotes) => Some(remotes),
        }
    }

    /// The places at each origin.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Arc<Places>> {
        let embedded = matches!(self.origin, Origin::Embedded(_)).then_some(&self.embedded_places);
        let remote = self.remotes().map(Remotes::all).into_iter().flatten();
        embedded.into_iter().chain(remote.map(|origin| &origin.places))
    }

    /// Forgets the credentials of `owner`, whose password or mailbox has changed (T8).
    pub fn forget_credentials(&self, owner: &Owner) {
        self.gatekeeper.forget(owner);
    }

    /// The budget of `owner` in the component of `limits` at `now`; nothing where he was not seen lately (T21).
    pub fn snapshot(&self, owner: &Owner, limits: &ComponentLimits, now: Tick) -> Option<Snapshot> {
        Some(self.budgets.peek(owner, limits.component)?.snapshot(limits, now))
    }

    /// Brings the numbers up to date that are not counted as they change: to be called before they are read. `others` is
    /// how many targets of somebody else in this process are in each state; they count with those of the origin.
    pub fn refresh_metrics(&self, others: &[(State, usize)]) {
        let now = self.clock.tick();
        let mut counts = Component::ALL.map(|component| (component, Counts::default()));
        self.budgets.for_each(|account| {
            let counts = counts.iter_mut().find(|(component, _)| *component == account.component);
            let state = self.policies.peek(&account.owner, now);
            if let Some((_, counts)) = counts {
                counts.add(account, state.as_ref().map(|state| &state.policy.limits), now);
            }
        });
        for (component, counts) in counts {
            self.metrics.budgets(component, BudgetState::All, counts.all);
            self.metrics.budgets(component, BudgetState::OverBudget, counts.over);
            self.metrics.budgets(component, BudgetState::AtMaxConcurrency, counts.full);
            self.metrics.budgets(component, BudgetState::Delayed, counts.waiting);
        }
        let (all, over) = self.submissions.census(now);
        self.metrics.budgets(Component::Smtp, BudgetState::All, all);
        self.metrics.budgets(Component::Smtp, BudgetState::OverBudget, over);
        self.refresh_rpc_metrics();
        let is_limited = self.settings().throttle.fair_share.is_some();
        self.places().for_each(|places| {
            self.metrics.origin_load(places.origin(), places.load(), is_limited);
        });
        let own = self.remotes().map(Remotes::target_states);
        self.metrics.targets(own.into_iter().flatten().chain(others.iter().copied()));
        let policies = &self.policies;
        let length = policies.length();
        self.metrics.policy_cache(policies.hits(), policies.misses(), length);
        self.metrics.log_lines_dropped(self.log.dropped());
        self.metrics.cpu_load(self.cpu.busy());
        self.metrics.bypass(self.is_bypassed());
        if let Some(certificate) = &self.certificate {
            self.metrics.certificate_expires(certificate.expires());
        }
    }

    pub(crate) fn next_sequence(&self) -> u64 {
        self.sequence.fetch_add(1, Ordering::Relaxed)
    }

    /// Lets go of what is too old, for ever.
    async fn keep_house(&self) {
        let mut ticks = tokio::time::interval(HOUSEKEEPING);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let now = self.clock.tick();
            // The embedded origin also drops subscriptions whose events nobody fetched, before their time is over.
            let forgotten = match &self.origin {
                Origin::Embedded(mailbox) => mailbox.forgotten_subscriptions(self.clock.wall()),
                Origin::Remote(_) => Vec::new(),
            };
            self.budgets.for_each(|account| {
                account.drop_expired_subscriptions(now);
                for id in &forgotten {
                    account.close_subscription(id);
                }
            });
            self.sessions.sweep(self.settings().mapi.idle, now);
            self.budgets.sweep(now);
            self.submissions.sweep(now);
            self.policies.sweep(now);
            self.gatekeeper.sweep(now);
            self.histories.sweep(self.clock.wall());
            self.close_minute(&self.settings().warnings, now);
        }
    }
}

/// How many budgets are in which state (T18).
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    all: usize,
    over: usize,
    full: usize,
    waiting: usize,
}

impl Counts {
    /// Counts one budget; its limits are nothing where its policy is not in the cache, since then nobody uses it.
    fn add(&mut self, account: &Account<Shell>, limits: Option<&Limits>, now: Tick) {
        self.all += 1;
        let Some(limits) = limits.map(|limits| limits.component(account.component)) else { return };
        match account.budget.over(limits, now).map(|refusal| refusal.part) {
            Some(Part::MaxConcurrency) => self.full += 1,
            Some(_) => self.over += 1,
            None => {}
        }
        if account.budget.snapshot(limits, now).waiting > 0 {
            self.waiting += 1;
        }
    }
}

/// What the gateway adds to an account.
pub(crate) trait ShellAccount {
    /// Gives back the subscriptions that the origin has forgotten by `now` (T7).
    fn drop_expired_subscriptions(&self, now: Tick);

    /// Gives back one subscription that the origin knows no more; one that is not remembered changes nothing.
    fn close_subscription(&self, id: &str);
}

impl ShellAccount for Account<Shell> {
    fn drop_expired_subscriptions(&self, now: Tick) {
        let expired = self.shell.subscriptions().as_mut().map_or(0, |all| all.expired(now));
        if expired > 0 {
            self.budget.remove_subscriptions(u32::try_from(expired).unwrap_or(u32::MAX));
        }
    }

    fn close_subscription(&self, id: &str) {
        if self.shell.subscriptions().as_mut().is_some_and(|all| all.closed(id)) {
            self.budget.remove_subscriptions(1);
        }
    }
}

impl Shell {
    pub(crate) fn pace(&self) -> &RpcSession {
        self.pace.get_or_init(Box::default)
    }

    pub(crate) fn subscriptions(&self) -> MutexGuard<'_, Option<Box<Subscriptions>>> {
        self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BoundListener {
    async fn bind(
        name: &'static str,
        wanted: SocketAddr,
        tls: Option<TlsAcceptor>,
        given: &mut BTreeMap<&'static str, std::net::TcpListener>,
    ) -> Result<Self, StartError> {
        let failed = |source| StartError::Bind { listener: name, address: wanted, source };
        let listener = listener::open(name, wanted, given).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { name, address, listener, tls })
    }
}

impl Bound {
    /// The listeners and their addresses, with the port that the system chose where 0 was asked for.
    pub fn addresses(&self) -> impl Iterator<Item = (&'static str, SocketAddr)> {
        self.listeners.iter().map(|bound| (bound.name, bound.address))
    }

    /// What tells whether the threads that serve connections go round.
    pub fn threads(&self) -> Threads {
        self.workers.threads()
    }

    /// With every connection on the runtime that accepts it, so that a test may pretend the time.
    #[cfg(test)]
    pub(crate) fn on_one_clock(self) -> Self {
        Self { workers: Workers::none(), ..self }
    }

    /// Serves until `stop` turns true; then finishes what runs, at most for the drain time.
    pub async fn serve(self, stop: watch::Receiver<bool>) {
        let gateway = self.gateway;
        let settings = gateway.settings();
        let gate = Gate::new(settings.limits.clone());
        let house = Arc::clone(&gateway);
        let meter = Arc::clone(&gateway);
        let heart = Arc::clone(&gateway);
        let watch = Arc::clone(&gateway);
        gateway.tell_rpc_off(RpcFactor::default());
        let source = settings.throttle.cpu_source;
        let mut services = JoinSet::new();
        services.spawn(async move { house.keep_house().await });
        services.spawn(async move { meter.cpu.keep_looking(|| sample(source), meter.clock).await });
        services.spawn(async move { heart.keep_beating().await });
        services.spawn(async move { watch.watch_rpc().await });
        if let Origin::Remote(remotes) = &gateway.origin {
            for origin in remotes.all() {
                services.spawn(Arc::clone(origin).tend(stop.clone()));
            }
        }
        let workers = Arc::new(self.workers);
        let mut listeners = JoinSet::new();
        for BoundListener { listener, tls, .. } in self.listeners {
            listeners.spawn(listener::serve(
                listener,
                tls,
                Arc::clone(&gate),
                Arc::clone(&gateway),
                Arc::clone(&workers),
                stop.clone(),
            ));
        }
        while listeners.join_next().await.is_some() {}
        services.shutdown().await;
    }
}

impl Handler for Gateway {
    async fn handle(
        self: Arc<Self>,
        request: Request<Incoming>,
        connection: Arc<Connection>,
    ) -> Response<Answer> {
        // Each connection keeps room for what this function holds, also while it idles: so it holds boxes.
        let gateway = Arc::clone(&self);
        let mailbox = match &gateway.origin {
            Origin::Remote(remotes) => {
                return Box::pin(remote::front::answer(self, remotes, request, connection)).await;
            }
            Origin::Embedded(mailbox) => mailbox.clone(),
        };
        if request.uri().path().eq_ignore_ascii_case(front::PATH) {
            Box::pin(front::answer(self, mailbox, request, connection)).await
        } else if mapi::serves(request.uri().path()) {
            Box::pin(mapi::embedded::answer(self, mailbox, request, connection)).await
        } else {
            answers::text(
                StatusCode::NOT_FOUND,
                "Nothing is served here. Exchange Web Services are at /EWS/Exchange.asmx, MAPI at /mapi/emsmdb.\n",
            )
        }
    }

    fn connected(&self) -> Connected {
        self.metrics.connected(match self.origin {
            Origin::Embedded(_) => Front::Ews,
            Origin::Remote(_) => Front::Http,
        })
    }

    fn passes_answers_on(&self) -> bool {
        match self.origin {
            Origin::Embedded(_) => false,
            Origin::Remote(_) => true,
        }
    }

    fn logged(&self, client: IpAddr) -> IpAddr {
        self.log.logged(client)
    }
}

/// How often what is too old is let go.
const HOUSEKEEPING: Duration = Duration::from_secs(10);
