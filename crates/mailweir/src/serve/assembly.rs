//! The parts of a server, opened in their order and tied together.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use anyhow::{anyhow, bail};
use prometheus_client::registry::Registry;
use tokio::net::TcpListener;
use weir_admin::audit::AuditLog;
use weir_admin::events::EventLog;
use weir_admin::gateway::GatewayView;
use weir_admin::server::AdminState;
use weir_admin::token::Tokens;
use weir_clock::Clock;
use weir_directory::{Directory, PolicyCache, Store};
use weir_gateway::metrics::Metrics;
use weir_gateway::origin::DirectoryBook;
use weir_gateway::remote;
use weir_gateway::request_log::RequestLog;
use weir_gateway::tls::{CertificateSource, CertificateStore};
use weir_gateway::{Gateway, Origin, Parts, StartError};
use weir_mailbox::MailboxServer;
use weir_mta::Mta;
use weir_units::EventSink;

use super::Source;
use super::demo::{self, Demo};
use super::explain;
use super::reload::Reloader;
use super::running::Ready;
use super::sessions;
use super::sockets::Sockets;
use super::targets;
use super::transport::{self, Ties};
use crate::config::{Config, Remotes};

/// The directory's file in the data directory.
const DIRECTORY_FILE: &str = "directory.sqlite3";
/// The folder of all logs in the data directory.
const LOG_FOLDER: &str = "log";

/// Everything that a running server consists of, before it serves.
pub(super) struct Assembly {
    /// The gateway.
    pub(super) gateway: Arc<Gateway>,
    /// The mail transport, where there is anything for it to do.
    pub(super) transport: Option<Arc<Mta>>,
    /// Its listening sockets that are open already.
    mail_sockets: transport::Sockets,
    /// What `--demo` came to.
    pub(super) demo: Demo,
    config: Arc<Config>,
    read_last: Arc<Mutex<Arc<Config>>>,
    source: Source,
    data: PathBuf,
    clock: Clock,
    store: Arc<Store>,
    policies: Arc<PolicyCache>,
    certificate: Option<Arc<CertificateStore>>,
    registry: Arc<Registry>,
    events: EventSink,
    /// Open for as long as the server runs; the sink only feeds it.
    _event_log: EventLog,
}

impl Assembly {
    /// Opens stores, logs and queue in the data directory `data`, and puts gateway and transport together; out of the sockets
    /// that were `given` it takes those for mail.
    pub(super) async fn open(
        config: Config,
        source: Source,
        data: &Path,
        demo: bool,
        given: &mut Sockets,
    ) -> anyhow::Result<Self> {
        if demo && config.remotes().is_some() {
            bail!(
                "--demo fills the embedded mailbox server, and origin.kind is \"remote\"; leave one of them out"
            );
        }
        let clock = Clock::start();
        let mut registry = Registry::default();
        let metrics = Metrics::register(&mut registry);
        let logs = data.join(LOG_FOLDER);
        let counting = metrics.clone();
        let count = Arc::new(move |id| counting.event(id));
        let event_log = EventLog::open(&logs, config.log.events, Arc::new(move || clock.wall()), count)
            .map_err(|error| unwritable("event log", &logs, &error))?;
        let events = event_log.sink();
        let store = Arc::new(Store::open(data.join(DIRECTORY_FILE))?);
        let demo = if demo { demo::fill(&store, clock.wall())? } else { Demo::NotAsked };
        let directory: Arc<dyn Directory> = Arc::<Store>::clone(&store);
        let policies = PolicyCache::new(Arc::clone(&directory), config.policy_cache, events.clone());
        let policies = Arc::new(policies);
        let origin = origin(&config, data, &store, &demo, clock, &events).await?;
        let mailbox = match &origin {
            Origin::Embedded(mailbox) => Some(mailbox.clone()),
            Origin::Remote(_) => None,
        };
        let certificate = certificate(&config, data, clock)?;
        let log = RequestLog::open(&logs, config.log.requests, clock.wall())?;
        let gateway = Gateway::new(Parts {
            settings: config.gateway_settings(),
            clock,
            directory,
            policies: Arc::clone(&policies),
            origin,
            certificate: certificate.clone(),
            log,
            metrics: metrics.clone(),
            events: events.clone(),
        })?;
        let transport = transport::open(Ties {
            config: &config,
            data,
            clock,
            store: &store,
            gateway: &gateway,
            mailbox,
            certificate: certificate.as_ref(),
            counts: metrics,
            registry: &mut registry,
            events: events.clone(),
            given,
        });
        let (transport, mail_sockets) =
            transport.await?.map(|opened| (opened.transport, opened.sockets)).unzip();
        let config = Arc::new(config);
        Ok(Self {
            gateway,
            transport,
            mail_sockets: mail_sockets.unwrap_or_default(),
            demo,
            read_last: Arc::new(Mutex::new(Arc::clone(&config))),
            config,
            source,
            data: data.to_owned(),
            clock,
            store,
            policies,
            certificate,
            registry: Arc::new(registry),
            events,
            _event_log: event_log,
        })
    }

    /// Binds the listeners for mail, where there is a transport.
    pub(super) async fn bind_mail(&mut self) -> anyhow::Result<Option<weir_mta::Bound>> {
        let Some(transport) = &self.transport else { return Ok(None) };
        Ok(Some(transport.bind(&mut self.mail_sockets).await?))
    }

    /// Binds the API's listener, where it is switched on, or takes the socket that was given for it.
    pub(super) async fn bind_admin(&self, given: &mut Sockets) -> anyhow::Result<Option<TcpListener>> {
        let Some(address) = self.config.listen.admin else { return Ok(None) };
        let failed = |source| StartError::Bind { listener: "admin", address, source };
        let listener = match given.remove("admin") {
            None => TcpListener::bind(address).await,
            Some(socket) => socket.set_nonblocking(true).and_then(|()| TcpListener::from_std(socket)),
        };
        Ok(Some(listener.map_err(failed)?))
    }

    /// What the API works on; `ready` answers load balancers.
    pub(super) fn admin_state(&self, ready: Ready) -> anyhow::Result<Arc<AdminState>> {
        let logs = self.data.join(LOG_FOLDER);
        let audit = AuditLog::open(&logs, self.config.log.audit)
            .map_err(|error| unwritable("audit log", &logs, &error))?;
        Ok(Arc::new(AdminState {
            store: Arc::clone(&self.store),
            cache: Arc::clone(&self.policies),
            gateway: self.view(ready),
            transport: self.transport.as_ref().map(|transport| transport::view::of(transport, self.clock)),
            registry: Arc::clone(&self.registry),
            audit,
            logs,
            events: self.events.clone(),
            tokens: Tokens::open(&self.data)?,
            settings: self.config.admin,
            page: self.config.page.clone(),
            changing: Mutex::new(()),
        }))
    }

    /// The directory.
    pub(super) fn store(&self) -> Arc<Store> {
        Arc::clone(&self.store)
    }

    /// What reads the configuration again.
    fn reloader(&self) -> Reloader {
        Reloader {
            started_with: Arc::clone(&self.config),
            read_last: Arc::clone(&self.read_last),
            source: self.source.clone(),
            data: self.data.clone(),
            clock: self.clock,
            gateway: Arc::clone(&self.gateway),
            certificate: self.certificate.clone(),
            events: self.events.clone(),
        }
    }

    /// What the API sees of the gateway.
    fn view(&self, ready: Ready) -> GatewayView {
        let (snapshots, forgetting, scraped) =
            (Arc::clone(&self.gateway), Arc::clone(&self.gateway), Arc::clone(&self.gateway));
        let [remembering, ranking, surveying, sent] = std::array::from_fn(|_| Arc::clone(&self.gateway));
        let [listing, ordering, bypassed, bypassing, delaying] =
            std::array::from_fn(|_| Arc::clone(&self.gateway));
        let [seeing, measuring, closing, sharing] = std::array::from_fn(|_| Arc::clone(&self.gateway));
        let (reloader, clock) = (self.reloader(), self.clock);
        let mail = self.transport.as_ref().map(Arc::downgrade).unwrap_or_default();
        let logs = self.data.join(LOG_FOLDER);
        GatewayView {
            served: targets::components(&self.gateway),
            snapshot: Arc::new(move |owner, limits, now| snapshots.snapshot(owner, limits, now)),
            at_origins: Arc::new(move |owner| explain::at_origins(&sharing, owner)),
            submitted: Arc::new(move |owner, now| sent.submitted(owner, now)),
            history: Arc::new(move |owner| explain::history(&remembering, owner)),
            owner_log: Arc::new(move |owner, from, to| explain::owner_log(&logs, owner, from, to)),
            spenders: Arc::new(move |most| explain::spenders(&ranking, most, clock.tick())),
            overview: Arc::new(move || explain::overview(&surveying, clock.wall())),
            forget_credentials: Arc::new(move |owner| forgetting.forget_credentials(owner)),
            ready,
            before_scrape: Arc::new(move || {
                let transport = mail.upgrade();
                if let Some(transport) = &transport {
                    transport.refresh_metrics();
                }
                let targets = transport.map(|transport| transport.health().count());
                scraped.refresh_metrics(targets.as_ref().map_or(&[], |targets| targets.as_slice()));
            }),
            reload: Arc::new(move || reloader.reload()),
            targets: Arc::new(move || targets::list(&listing, clock.tick())),
            change_target: Arc::new(move |address, change| {
                targets::change(&ordering, address, change, clock.tick())
            }),
            sessions: Arc::new(move |owner| sessions::list(&seeing, owner)),
            mapi_origins: Arc::new(move || sessions::origins(&measuring)),
            close_session: Arc::new(move |id| closing.close_session(id)),
            bypass: Arc::new(move || bypassed.is_bypassed()),
            set_bypass: Arc::new(move |on| bypassing.set_bypass(on)),
            max_delay: Arc::new(move || delaying.max_delay()),
            tick: Arc::new(move || clock.tick()),
            wall: Arc::new(move || clock.wall()),
        }
    }
}

/// The mail system behind the gateway; the embedded one with its mails, where the demo was just made.
async fn origin(
    config: &Config,
    data: &Path,
    store: &Arc<Store>,
    demo: &Demo,
    clock: Clock,
    events: &EventSink,
) -> anyhow::Result<Origin> {
    if let Some(Remotes { usual, others }) = config.remotes() {
        let throttle = config.gateway_settings().throttle;
        return Ok(Origin::Remote(
            remote::Remotes::new(usual, others, &throttle, clock, events.clone()).await?,
        ));
    }
    let directory: Arc<dyn Directory> = Arc::<Store>::clone(store);
    let mailbox = MailboxServer::open(data, config.mailbox.clone(), Arc::new(DirectoryBook::new(directory)))?;
    if matches!(demo, Demo::Accounts(_)) {
        demo::seed(store, &mailbox, clock.wall()).await?;
    }
    Ok(Origin::Embedded(mailbox))
}

/// Why a log cannot be written, and what to do.
fn unwritable(what: &str, folder: &Path, error: &std::io::Error) -> anyhow::Error {
    anyhow!(
        "cannot write the {what} in {}: {error}; make the folder writable for this user",
        folder.display()
    )
}

/// The certificate for https and STARTTLS, where either is switched on.
fn certificate(config: &Config, data: &Path, clock: Clock) -> anyhow::Result<Option<Arc<CertificateStore>>> {
    if config.gateway_settings().listen.https.is_none() && !config.transport.takes_mail() {
        return Ok(None);
    }
    let store = CertificateStore::open(&certificate_source(config, data), clock.wall())?;
    Ok(Some(Arc::new(store)))
}

/// Where the certificate comes from.
pub(super) fn certificate_source(config: &Config, data: &Path) -> CertificateSource {
    match config.tls.files() {
        Some((certificate, key)) => {
            CertificateSource::Files { certificate: certificate.clone(), key: key.clone() }
        }
        None => CertificateSource::SelfSigned { directory: data.join("tls") },
    }
}
