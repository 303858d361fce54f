//! What all sessions share: connectors with their counts, and whom to ask.
//!
//! A connection belongs to one connector, which is chosen by where it came in and from whom (H13), and holds a place
//! there until its session is over. The rest of the server – directory, budgets, queues – is reached through the traits
//! of [`Works`], so that a session can be tried without it.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use weir_clock::Clock;
use weir_spool::MessageId;
use weir_transport::pressure::{Pressures, Verdict};
use weir_transport::receive::{Admission, ReceiveConnector, Sources, Standing, Words};
use weir_units::Tick;
use weir_wire::smtp::{DiscardNotices, DiscardQuery, Token};

use crate::intake::Intake;
use crate::metrics::{Metrics, Refused};
use crate::organisation::{Answer, Recipients, Submitters};
use crate::settings::Settings;

/// Where the certificate is had from that is in force at the moment.
pub(crate) type TlsSource = Arc<dyn Fn() -> Arc<rustls::ServerConfig> + Send + Sync>;

/// Whoever counts open connections: one is counted until the value is dropped.
pub(crate) type Counted = Arc<dyn Fn() -> Box<dyn Send + Sync> + Send + Sync>;

/// What sessions ask of the queues and of shadow redundancy (H12).
pub(crate) trait Passage: Send + Sync {
    /// Done when that message went onward or was deferred.
    fn decided(&self, id: MessageId) -> Answer<'_, ()>;

    /// Which queue database this is.
    fn database(&self) -> Token;

    /// Which of `holder`'s shadows may go.
    fn discards<'a>(&'a self, holder: &'a Token, query: DiscardQuery) -> Answer<'a, DiscardNotices>;
}

/// What sessions work with.
pub(crate) struct Works {
    pub(crate) settings: Arc<Settings>,
    pub(crate) clock: Clock,
    pub(crate) intake: Intake,
    pub(crate) recipients: Arc<dyn Recipients>,
    pub(crate) submitters: Arc<dyn Submitters>,
    pub(crate) passage: Arc<dyn Passage>,
    pub(crate) tls: Option<TlsSource>,
    pub(crate) pressures: Arc<Mutex<Pressures>>,
    pub(crate) counted: Counted,
    pub(crate) metrics: Metrics,
}

/// The way in.
pub(crate) struct Inbound {
    pub(crate) works: Works,
    doors: BTreeMap<Arc<str>, Arc<Door>>,
    /// The next name that a message gets in its trace.
    names: AtomicU64,
}

/// A connector with what it knows of its clients.
struct Door {
    connector: ReceiveConnector,
    sources: Mutex<Sources>,
}

/// One connection's place at its connector, given back on drop.
pub(crate) struct Place {
    inbound: Arc<Inbound>,
    door: Arc<Door>,
    client: IpAddr,
    /// Whether that is a trusted proxy's address, and whose connection it is nobody knows: he is held to no limit of one.
    is_proxy: bool,
    _counted: Box<dyn Send + Sync>,
}

impl Inbound {
    /// The way in through the connectors of `works`.
    pub(crate) fn new(works: Works) -> Self {
        let door = |connector: &ReceiveConnector| {
            let sources = Mutex::new(Sources::new(connector.limits));
            (connector.name.clone(), Arc::new(Door { connector: connector.clone(), sources }))
        };
        let doors = works.settings.receive.iter().map(door).collect();
        // Later than any name that was given before a restart, unless there were a million a second.
        let names = u64::try_from(works.clock.wall().unix_micros()).unwrap_or(0);
        Self { works, doors, names: AtomicU64::new(names) }
    }

    /// A place for the connection of `client` that reached `local`.
    ///
    /// # Errors
    /// What the client is told instead.
    pub(crate) fn admit(self: &Arc<Self>, local: SocketAddr, client: IpAddr) -> Result<Place, Words> {
        let chosen = self.works.settings.receive.choose(local, client);
        let Some(door) = chosen.and_then(|connector| self.doors.get(&connector.name)) else {
            self.works.metrics.refused(Refused::Address);
            return Err(Words::NOT_FOR_YOU);
        };
        let (is_proxy, now) = (self.works.settings.proxies.trusted.trusts(client), self.works.clock.tick());
        let admission = if is_proxy {
            door.sources().connect_proxy(client, now)
        } else {
            door.sources().connect(client, now)
        };
        match admission {
            Admission::Admitted => {
                let (inbound, door) = (Arc::clone(self), Arc::clone(door));
                Ok(Place { inbound, door, client, is_proxy, _counted: (self.works.counted)() })
            }
            Admission::Refused { words, .. } => {
                let by_rate = words == Words::CONNECTION_RATE;
                self.works.metrics.refused(if by_rate { Refused::Rate } else { Refused::Connections });
                Err(words)
            }
        }
    }

    /// How many connections there can be, of all connectors together.
    pub(crate) fn most_connections(&self) -> usize {
        let most = |door: &Arc<Door>| usize::try_from(door.connector.limits.max_inbound_connection);
        self.doors.values().map(|door| most(door).unwrap_or(usize::MAX)).fold(0, usize::saturating_add)
    }

    /// What becomes of a message of such a client at the moment (H16).
    pub(crate) fn pressure(&self, standing: Standing, now: Tick) -> Verdict {
        self.works.pressures.lock().unwrap_or_else(PoisonError::into_inner).verdict(standing, now)
    }

    /// A name that no other message has in its trace.
    pub(crate) fn name(&self) -> String {
        format!("{:X}", self.names.fetch_add(1, Ordering::Relaxed))
    }
}

impl Door {
    fn sources(&self) -> std::sync::MutexGuard<'_, Sources> {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// What all sessions share.
    pub(crate) fn inbound(&self) -> &Arc<Inbound> {
        &self.inbound
    }

    /// What sessions work with.
    pub(crate) fn works(&self) -> &Works {
        &self.inbound.works
    }

    /// The connector.
    pub(crate) fn connector(&self) -> &ReceiveConnector {
        &self.door.connector
    }

    /// Counts one more message of the client (H13, `MessageRateLimit` of the connector).
    ///
    /// # Errors
    /// What he is told instead.
    pub(crate) fn message(&self, now: Tick) -> Result<(), Words> {
        if self.is_proxy {
            return Ok(());
        }
        match self.door.sources().message(self.client, now) {
            Admission::Admitted => Ok(()),
            Admission::Refused { words, .. } => Err(words),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.door.sources().disconnect(self.client, self.inbound.works.clock.tick());
    }
}
