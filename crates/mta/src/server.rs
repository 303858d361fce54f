//! The running transport, put together: what it is made of, its listeners, its housekeeping, its end.
//!
//! The order at the start: the durable queue is opened and its messages are counted, then listeners are bound, then mail
//! is taken and delivered at once, while what was queued before is put back into its queues. At the stop: listeners close,
//! sessions and deliveries end, what became of them is written down.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use ring::rand::{SecureRandom, SystemRandom};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use weir_balance::Health;
use weir_clock::Clock;
use weir_spool::{Identity, MessageId, Spool};
use weir_transport::next_hop::Own;
use weir_transport::pressure::{Level, Pressures, Verdict};
use weir_transport::receive::Standing;
use weir_transport::routing::{Router, RoutingError};
use weir_units::{EventSink, Owner};
use weir_wire::smtp::{Mail, Recipient};

use crate::connectivity_log::ConnectivityLog;
use crate::envelope::{Envelope, Provenance};
use crate::inbound::{self, Counted, Inbound, TlsSource};
use crate::intake::{Intake, IntakeError, IntakeLimits};
use crate::metrics::Metrics;
use crate::organisation::{Mailboxes, Recipients, Submitters};
use crate::outgoing::{Dialer, DialerError};
use crate::queues::{Queues, Works};
use crate::reports::Reporter;
use crate::resolver::Resolver;
use crate::settings::Settings;
use crate::{listener, policy_service, pressure};

/// The durable queue's folder in the data directory.
pub const SPOOL_FOLDER: &str = "spool";

/// What the listener is called at which Postfix asks.
const POLICY_SERVICE: &str = "policy_service";

/// What the transport is made of.
pub struct Parts {
    /// Every limit and switch.
    pub settings: Settings,
    /// The process's clock.
    pub clock: Clock,
    /// The data directory.
    pub data: PathBuf,
    /// Who has a mailbox.
    pub recipients: Arc<dyn Recipients>,
    /// Who logs in to send.
    pub submitters: Arc<dyn Submitters>,
    /// The embedded mailbox server, where it is the origin.
    pub mailboxes: Option<Arc<dyn Mailboxes>>,
    /// The certificate for STARTTLS, as it is at the moment.
    pub tls: Option<TlsSource>,
    /// What an administrator hears.
    pub events: EventSink,
    /// What is counted.
    pub metrics: Metrics,
    /// Counts one open connection until what it answers is dropped.
    pub counted: Counted,
}

/// The transport cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The durable queue cannot be opened.
    #[error("the queue in {folder}: {source}")]
    Spool {
        /// Its folder.
        folder: PathBuf,
        /// Why.
        source: weir_spool::spool::StartError,
    },
    /// The durable queue cannot be read.
    #[error("the queue: {0}")]
    Read(#[from] weir_spool::SpoolError),
    /// Servers and connectors that make no sense together.
    #[error(transparent)]
    Routing(#[from] RoutingError),
    /// TLS cannot be spoken.
    #[error(transparent)]
    Dialer(#[from] DialerError),
    /// The connectivity log cannot be written.
    #[error("the connectivity log: {0}")]
    Log(#[source] io::Error),
    /// An address cannot be listened on.
    #[error("cannot listen on {address} ({what}): {source}; choose another address, or stop what uses it")]
    Bind {
        /// Which listener.
        what: String,
        /// Which address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The system gives no randomness.
    #[error("the system gives no randomness to name the queue by")]
    NoRandomness,
}

/// A transport that runs.
pub struct Mta {
    pub(crate) settings: Arc<Settings>,
    pub(crate) clock: Clock,
    pub(crate) queues: Queues,
    pub(crate) health: Health,
    pub(crate) spool: Arc<Spool>,
    pub(crate) metrics: Metrics,
    intake: Intake,
    inbound: Arc<Inbound>,
    submitters: Arc<dyn Submitters>,
    pressures: Arc<Mutex<Pressures>>,
    events: EventSink,
    /// What the durable queue held at the start.
    held: Mutex<Vec<MessageId>>,
}

/// A transport whose listeners are bound, before it serves.
pub struct Bound {
    mta: Arc<Mta>,
    listeners: Vec<(String, SocketAddr, TcpListener)>,
    /// Where Postfix asks.
    policy_service: Option<(SocketAddr, TcpListener)>,
}

impl Mta {
    /// Opens the durable queue and puts everything together; it serves nobody yet.
    ///
    /// # Errors
    /// [`StartError`], with what to change.
    pub async fn open(parts: Parts) -> Result<Arc<Self>, StartError> {
        let Parts { settings, clock, data, recipients, submitters, mailboxes, tls, events, metrics, counted } =
            parts;
        let settings = Arc::new(settings);
        let spool = Arc::new(open_spool(data.join(SPOOL_FOLDER), settings.spool).await?);
        let health = Health::default();
        let resolver = Resolver::new(&settings.dns, settings.resolution, own(&settings), clock);
        let log = ConnectivityLog::open(settings.connectivity_log.clone(), clock).map_err(StartError::Log)?;
        let queues = Queues::new(Works {
            clock,
            router: Router::new(settings.routing.clone())?,
            health: health.clone(),
            resolver,
            dialer: Dialer::new(settings.host_name.clone(), settings.sending.clone())?,
            log,
            recipients: Arc::clone(&recipients),
            mailboxes,
            events: events.clone(),
            metrics: metrics.clone(),
            spool: Arc::clone(&spool),
            settings: Arc::clone(&settings),
        });
        let intake = Intake::new(Arc::clone(&spool), queues.clone(), settings.fresh_bytes);
        queues.report_by(Reporter::new(
            settings.host_name.clone(),
            intake.clone(),
            Arc::clone(&recipients),
            IntakeLimits::default(),
            clock,
        ));
        let held = Mutex::new(queues.held().await?);
        let pressures = Arc::new(Mutex::new(Pressures::new(settings.pressure)));
        let inbound = Arc::new(Inbound::new(inbound::Works {
            settings: Arc::clone(&settings),
            clock,
            intake: intake.clone(),
            recipients,
            submitters: Arc::clone(&submitters),
            passage: Arc::new(queues.clone()),
            tls,
            pressures: Arc::clone(&pressures),
            counted,
            metrics: metrics.clone(),
        }));
        Ok(Arc::new(Self {
            settings,
            clock,
            queues,
            health,
            spool,
            metrics,
            intake,
            inbound,
            submitters,
            pressures,
            events,
            held,
        }))
    }

    /// Binds every listener, or takes the sockets that were `given`, by their addresses.
    ///
    /// # Errors
    /// [`StartError::Bind`].
    pub async fn bind(
        self: &Arc<Self>,
        given: &mut BTreeMap<SocketAddr, std::net::TcpListener>,
    ) -> Result<Bound, StartError> {
        let mut listeners = Vec::new();
        for address in self.settings.receive.bindings() {
            let what = self.name_of(address);
            let given = given.remove(&address);
            let listener = listen(&what, address, given).await?;
            listeners.push((what, address, listener));
        }
        let policy_service = match self.settings.policy_service {
            None => None,
            Some(address) => Some((address, listen(POLICY_SERVICE, address, given.remove(&address)).await?)),
        };
        Ok(Bound { mta: Arc::clone(self), listeners, policy_service })
    }

    /// Takes a message that was written here, for local and other recipients alike; it is on disk when this returns.
    ///
    /// # Errors
    /// [`IntakeError`]: it was not taken. An address that cannot be looked up at the moment is no reason: it is looked up
    /// again later.
    pub async fn submit(
        &self,
        mail: Mail,
        recipients: Vec<Recipient>,
        message: Bytes,
        owner: Option<Owner>,
    ) -> Result<MessageId, IntakeError> {
        let verdict = self.pressures().verdict(Standing::OwnClient, self.clock.tick());
        if matches!(verdict, Verdict::Refuse(_)) {
            return Err(IntakeError::Pressure);
        }
        let limits = IntakeLimits::default();
        let mut draft = self.intake.begin(limits, |_| String::new());
        draft.write(&message).await?;
        let origin = Provenance { owner: owner.map(|owner| owner.to_string()), ..Provenance::default() };
        let lookups = self.queues.lookups(&recipients).await;
        let now = self.clock.wall();
        let envelope = Envelope { mail, recipients, accepted: now, bytes: 0, eight_bit: false, origin };
        let id = draft.finish(envelope, lookups, now).await?;
        self.metrics.received(None);
        Ok(id)
    }

    /// Lets go of the durable queue, for a successor; what is handed in afterwards is refused. To be called when it no longer
    /// serves.
    pub async fn close(&self) {
        self.spool.close().await;
    }

    /// Whether it can take mail at the moment.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn readiness(&self) -> Result<(), String> {
        if !self.spool.usage().writable {
            return Err("the queue's disk fails".to_owned());
        }
        match self.pressures().level() {
            Level::Low | Level::Medium => Ok(()),
            Level::High => Err("back pressure is high: no mail is taken".to_owned()),
        }
    }

    pub(crate) fn pressures(&self) -> MutexGuard<'_, Pressures> {
        self.pressures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a listener is called: by the receive connector that is bound to it first.
    fn name_of(&self, address: SocketAddr) -> String {
        let mut connectors = self.settings.receive.iter();
        let bound = connectors.find(|connector| connector.bindings.contains(&address));
        match bound.map(|connector| &*connector.name) {
            Some("default") | None => "smtp".to_owned(),
            Some(name) => name.to_owned(),
        }
    }
}

impl Bound {
    /// The listeners' names, and the addresses that they are bound to.
    pub fn addresses(&self) -> impl Iterator<Item = (&str, SocketAddr)> {
        let listeners = self
            .listeners
            .iter()
            .map(|(name, binding, socket)| (name.as_str(), socket.local_addr().unwrap_or(*binding)));
        let policy = self.policy_service.iter();
        listeners
            .chain(policy.map(|(address, socket)| (POLICY_SERVICE, socket.local_addr().unwrap_or(*address))))
    }

    /// Takes and delivers mail until `stop` turns true, and until everything that runs has ended, within the drain time.
    pub async fn serve(self, stop: watch::Receiver<bool>) {
        let Self { mta, listeners, policy_service } = self;
        let (end, ending) = watch::channel(false);
        let mut sessions = JoinSet::new();
        for (_, binding, socket) in listeners {
            sessions.spawn(listener::serve(socket, binding, Arc::clone(&mta.inbound), stop.clone()));
        }
        if let Some((_, socket)) = policy_service {
            let (submitters, trust) = (Arc::clone(&mta.submitters), mta.settings.policy_service_trust_sender);
            sessions.spawn(policy_service::serve(socket, submitters, trust, mta.clock, stop.clone()));
        }
        let mut works = JoinSet::new();
        let (queues, until) = (mta.queues.clone(), ending.clone());
        works.spawn(async move { queues.dispatch(until).await });
        let (queues, until) = (mta.queues.clone(), ending.clone());
        works.spawn(async move { queues.keep_shadows(until).await });
        let held = std::mem::take(&mut *mta.held.lock().unwrap_or_else(PoisonError::into_inner));
        let (queues, until) = (mta.queues.clone(), ending.clone());
        works.spawn(async move { queues.recover(held, until).await });
        let watched = pressure::Watched {
            pressures: Arc::clone(&mta.pressures),
            queues: mta.queues.clone(),
            spool: Arc::clone(&mta.spool),
            events: mta.events.clone(),
            clock: mta.clock,
        };
        works.spawn(watched.watch(ending));
        let mut stop = stop;
        let _ = stop.wait_for(|stop| *stop).await;
        let drain = Duration::from(mta.settings.drain);
        let drained = tokio::time::timeout(drain, async {
            while sessions.join_next().await.is_some() {}
            end.send_replace(true);
            while works.join_next().await.is_some() {}
            mta.queues.quiet().await;
        });
        let drained = drained.await;
        mta.queues.close();
        if drained.is_err() {
            tracing::warn!(
                "sessions or deliveries did not end in time; what is queued is delivered after the next start"
            );
        }
    }
}

async fn open_spool(folder: PathBuf, limits: weir_spool::Limits) -> Result<Spool, StartError> {
    let mut drawn = [0; 8];
    SystemRandom::new().fill(&mut drawn).map_err(|_| StartError::NoRandomness)?;
    let fresh = Identity(u64::from_le_bytes(drawn));
    let at = folder.clone();
    let opened = tokio::task::spawn_blocking(move || Spool::open(&at, limits, fresh)).await;
    let opened = opened.map_err(|_| StartError::NoRandomness)?;
    let (spool, recovery) = opened.map_err(|source| StartError::Spool { folder, source })?;
    tracing::info!(messages = recovery.messages, bytes = recovery.bytes, "the queue is open");
    for damage in &recovery.damage {
        tracing::error!(?damage, "a part of the queue is damaged; what could not be read is kept aside");
    }
    Ok(spool)
}

async fn listen(
    what: &str,
    address: SocketAddr,
    given: Option<std::net::TcpListener>,
) -> Result<TcpListener, StartError> {
    let bound = match given {
        Some(socket) => socket.set_nonblocking(true).and_then(|()| TcpListener::from_std(socket)),
        None => TcpListener::bind(address).await,
    };
    bound.map_err(|source| StartError::Bind { what: what.to_owned(), address, source })
}

/// What this server is called and reached by, so that it does not send mail to itself.
fn own(settings: &Settings) -> Own {
    let reached =
        |address: &SocketAddr| address.port() == settings.resolution.port && !address.ip().is_unspecified();
    let bindings = settings.receive.bindings();
    let addresses = bindings.iter().filter(|address| reached(address)).map(SocketAddr::ip);
    let name = settings.routing.name.parse().ok();
    let names: BTreeSet<_> = name.into_iter().chain([settings.host_name.clone()]).collect();
    Own { names, addresses: addresses.collect() }
}
