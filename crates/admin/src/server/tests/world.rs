//! A server on a free port, a directory in a temporary place, and a gateway that does as it is told.

use std::fs;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use weir_directory::{CacheSettings, PasswordCost, PolicyCache, Store};
use weir_throttle::Snapshot;
use weir_throttle::submissions::Submitted;
use weir_units::{Component, Event, EventSink, Micros, Owner, Tick, WallTime};

use super::super::{AdminSettings, AdminState, serve};
use super::mail::Mail;
use crate::audit::{AUDIT_FILE, AuditLog, AuditSettings};
use crate::client::{Client, Locator};
use crate::gateway::{GatewayView, Spender, TargetChange};
use crate::page::PageSettings;
use crate::token::{TOKEN_FILE, Tokens, publish_address};
use crate::types::{
    KeyChange, MapiOrigin, MapiSession, NewMailbox, NewOrganisation, OriginCalls, OriginLoad, Overview,
    OwnerCalls, OwnerHistory, OwnerLog, Reloaded, SecondView, Secret, TargetView, Traffic, timestamp,
};

/// What the pretended gateway does and was told.
#[derive(Default)]
pub(super) struct Gateway {
    pub(super) forgotten: Mutex<Vec<String>>,
    pub(super) unready: AtomicBool,
    pub(super) bad_configuration: AtomicBool,
    pub(super) now: AtomicU64,
    pub(super) snapshot: Mutex<Option<Snapshot>>,
    pub(super) at_origins: Mutex<Vec<OwnerCalls>>,
    pub(super) history: Mutex<OwnerHistory>,
    pub(super) spenders: Mutex<Vec<Spender>>,
    pub(super) events: Mutex<Vec<Event>>,
    pub(super) targets: Mutex<Vec<TargetView>>,
    pub(super) bypass: AtomicBool,
    pub(super) sessions: Mutex<Vec<MapiSession>>,
    pub(super) mapi_origins: Mutex<Vec<MapiOrigin>>,
}

impl Gateway {
    fn sessions(&self, owner: Option<&Owner>) -> Vec<MapiSession> {
        let sessions = self.sessions.lock().unwrap();
        let is_his = |session: &&MapiSession| owner.is_none_or(|owner| owner.name() == session.owner);
        sessions.iter().filter(is_his).cloned().collect()
    }

    fn close_session(&self, id: u64) -> bool {
        let mut sessions = self.sessions.lock().unwrap();
        let before = sessions.len();
        sessions.retain(|session| session.id != id);
        sessions.len() < before
    }

    fn change_target(&self, address: &str, change: TargetChange) -> Result<TargetView, String> {
        let mut targets = self.targets.lock().unwrap();
        let target = targets.iter_mut().find(|target| target.address == address).unwrap();
        let state = match change {
            TargetChange::Disable => "disabled",
            TargetChange::Drain => "draining",
            TargetChange::Enable => "unproved",
            TargetChange::Retry if target.error.is_none() => {
                return Err(format!("{address} is healthy; there is nothing to retry"));
            }
            TargetChange::Retry => "unhealthy",
        };
        state.clone_into(&mut target.state);
        target.next_retry_ms = target.next_retry_ms.map(|_| 0);
        Ok(target.clone())
    }
}

pub(super) struct World {
    pub(super) data: tempfile::TempDir,
    pub(super) client: Client,
    pub(super) address: SocketAddr,
    pub(super) gateway: Arc<Gateway>,
    pub(super) mail: Arc<Mail>,
    pub(super) state: Arc<AdminState>,
    pub(super) stop: oneshot::Sender<()>,
    pub(super) server: JoinHandle<()>,
}

/// An answer, read to its end.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

impl Answer {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(super) fn message(&self) -> String {
        self.json()["error"]["message"].as_str().unwrap().to_owned()
    }

    pub(super) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap().to_owned()
    }
}

impl World {
    /// A server over an empty directory.
    pub(super) async fn empty() -> Self {
        Self::with(AdminSettings::default()).await
    }

    /// The organisation `example.com` with the mailboxes of John and Jane, made through the API.
    pub(super) async fn example() -> Self {
        let world = Self::empty().await;
        let wanted = NewOrganisation {
            name: "example.com".to_owned(),
            short_name: "EXAMPLE".to_owned(),
            domains: vec!["example.com".to_owned()],
        };
        world.client.new_organisation(&wanted).await.unwrap();
        for (address, alias) in [("john.doe@example.com", "JohnDoe"), ("jane.doe@example.com", "JaneDoe")] {
            let wanted = NewMailbox {
                address: address.to_owned(),
                alias: Some(alias.to_owned()),
                display_name: None,
                password: Some(Secret::new("demo-password")),
            };
            world.client.new_mailbox(&wanted).await.unwrap();
        }
        world
    }

    pub(super) async fn with(settings: AdminSettings) -> Self {
        Self::over(tempfile::tempdir().unwrap(), settings).await
    }

    /// A server where no mail transport runs.
    pub(super) async fn without_mail() -> Self {
        let (gateway, data) = (Arc::new(Gateway::default()), tempfile::tempdir().unwrap());
        let state = state(&data, &gateway, AdminSettings::default());
        Self::start(data, gateway, Arc::default(), state).await
    }

    /// A server over what lies in `data`.
    pub(super) async fn over(data: tempfile::TempDir, settings: AdminSettings) -> Self {
        let (gateway, mail) = (Arc::new(Gateway::default()), Arc::new(Mail::default()));
        let transport = Some(Mail::view(&mail));
        let state = AdminState { transport, ..state(&data, &gateway, settings) };
        Self::start(data, gateway, mail, state).await
    }

    async fn start(
        data: tempfile::TempDir,
        gateway: Arc<Gateway>,
        mail: Arc<Mail>,
        state: AdminState,
    ) -> Self {
        let state = Arc::new(state);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        publish_address(data.path(), address).unwrap();
        let (stop, stopped) = oneshot::channel();
        let server = tokio::spawn(serve(listener, Arc::clone(&state), async {
            stopped.await.ok();
        }));
        let client = Client::new(Locator::find(data.path()).unwrap());
        Self { data, client, address, gateway, mail, state, stop, server }
    }

    pub(super) fn token(&self) -> String {
        fs::read_to_string(self.data.path().join(TOKEN_FILE)).unwrap().trim().to_owned()
    }

    /// One request with the token and a JSON body.
    pub(super) async fn ask(&self, method: &str, path: &str, body: &str) -> Answer {
        let headers = format!("authorization: Bearer {}\r\n", self.token());
        self.ask_with(method, path, &headers, body).await
    }

    /// One request with these headers.
    pub(super) async fn ask_with(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n{body}"
        );
        self.ask_raw(request.as_bytes()).await
    }

    /// These bytes, and whatever comes back until the server hangs up.
    pub(super) async fn ask_raw(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request).await.unwrap();
        let mut bytes = Vec::new();
        // A server that hangs up on what it has not read resets the connection; what it said before counts.
        stream.read_to_end(&mut bytes).await.ok();
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// The audit log so far.
    pub(super) fn audit(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.data.path().join("log").join(AUDIT_FILE)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Somebody changes the database behind Mailweir's back.
    pub(super) fn behind_its_back(&self, sql: &str) {
        let changed = rusqlite::Connection::open(self.state.store.path()).unwrap().execute(sql, []).unwrap();
        assert!(changed > 0, "{sql}");
    }

    /// The find count limit that holds for `owner` at this moment.
    pub(super) fn find_count_limit(&self, owner: &str) -> Option<u32> {
        let now = Tick::new(self.gateway.now.load(Ordering::SeqCst));
        self.state.cache.lookup(&Owner::new(owner), now).limits.component(Component::Ews).find_count
    }

    pub(super) async fn new_policy(&self, name: &str, find_count: i64) {
        let body = json!({"name": name, "settings": {"EWSFindCountLimit": find_count}}).to_string();
        let answer = self.ask("POST", "/api/v1/policies", &body).await;
        assert_eq!(answer.status, 201, "{answer:?}");
    }
}

fn state(data: &tempfile::TempDir, gateway: &Arc<Gateway>, settings: AdminSettings) -> AdminState {
    let path = data.path().join("directory.sqlite3");
    let store = Arc::new(Store::open_with(path, PasswordCost::LEAST).unwrap());
    let cache = PolicyCache::new(store.clone(), CacheSettings::default(), EventSink::none());
    let mut registry = Registry::default();
    let scrapes = Counter::<u64>::default();
    let hearing = Arc::clone(gateway);
    registry.register("mailweir_test_scrapes", "Scrapes", scrapes.clone());
    AdminState {
        store,
        cache: Arc::new(cache),
        gateway: view(gateway, scrapes),
        transport: None,
        registry: Arc::new(registry),
        audit: AuditLog::open(&data.path().join("log"), AuditSettings::default()).unwrap(),
        logs: data.path().join("log"),
        events: EventSink::new(move |event| hearing.events.lock().unwrap().push(event)),
        tokens: Tokens::open(data.path()).unwrap(),
        settings,
        page: PageSettings { failed_login_pause: Duration::ZERO, ..PageSettings::default() },
        changing: Mutex::default(),
    }
}

fn view(gateway: &Arc<Gateway>, scrapes: Counter<u64>) -> GatewayView {
    let [forgetting, readying, reloading, ticking, snapping] = std::array::from_fn(|_| Arc::clone(gateway));
    let [remembering, ranking, sharing] = std::array::from_fn(|_| Arc::clone(gateway));
    let [listing, changing, bypassing, passing] = std::array::from_fn(|_| Arc::clone(gateway));
    let [watching, measuring, closing] = std::array::from_fn(|_| Arc::clone(gateway));
    GatewayView {
        served: vec![Component::Ews],
        snapshot: Arc::new(move |_, _, _| *snapping.snapshot.lock().unwrap()),
        at_origins: Arc::new(move |_| sharing.at_origins.lock().unwrap().clone()),
        submitted: Arc::new(|_, _| Submitted { messages: 3, recipients: 40 }),
        history: Arc::new(move |_| remembering.history.lock().unwrap().clone()),
        owner_log: Arc::new(|owner, from, to| {
            Ok(OwnerLog {
                from: timestamp(from),
                to: timestamp(to),
                requests: 2,
                refused: 1,
                delayed: 0,
                would_refuse: 0,
                would_delay: 0,
                throttled: vec![format!("a line of {owner}")],
                slowest: Vec::new(),
                complete: true,
            })
        }),
        spenders: Arc::new(move |most| ranking.spenders.lock().unwrap().iter().take(most).cloned().collect()),
        overview: Arc::new(overview),
        forget_credentials: Arc::new(move |owner| {
            forgetting.forgotten.lock().unwrap().push(owner.name().to_owned());
        }),
        ready: Arc::new(move || {
            if readying.unready.load(Ordering::SeqCst) {
                Err("the listener https is not bound".to_owned())
            } else {
                Ok(())
            }
        }),
        before_scrape: Arc::new(move || {
            scrapes.inc();
        }),
        reload: Arc::new(move || {
            if reloading.bad_configuration.load(Ordering::SeqCst) {
                Err("mailweir.toml:3: unknown key".to_owned())
            } else {
                Ok(Reloaded {
                    notes: vec!["listen.http takes effect at the next start".to_owned()],
                    changes: vec![KeyChange {
                        key: "throttle.max_delay".to_owned(),
                        before: "\"60s\"".to_owned(),
                        after: "\"30s\"".to_owned(),
                    }],
                })
            }
        }),
        targets: Arc::new(move || listing.targets.lock().unwrap().clone()),
        change_target: Arc::new(move |address, change| changing.change_target(address, change)),
        sessions: Arc::new(move |owner| watching.sessions(owner)),
        mapi_origins: Arc::new(move || measuring.mapi_origins.lock().unwrap().clone()),
        close_session: Arc::new(move |id| closing.close_session(id)),
        bypass: Arc::new(move || bypassing.bypass.load(Ordering::SeqCst)),
        max_delay: Arc::new(|| Micros::MINUTE),
        set_bypass: Arc::new(move |on| passing.bypass.store(on, Ordering::SeqCst)),
        tick: Arc::new(move || Tick::new(ticking.now.load(Ordering::SeqCst))),
        wall: Arc::new(|| WallTime::from_unix_micros(1_268_147_712_000_000)),
    }
}

/// How full the pretended origin is.
pub(super) const ORIGIN_LOAD: OriginLoad = OriginLoad { running: 8, limit: Some(8), waiting: 1_240 };

/// How the pretended gateway goes.
pub(super) fn overview() -> Overview {
    let traffic = Traffic { requests: 90, refused: 6, delayed: 3, ..Traffic::default() };
    let at = "2010-03-09T15:15:12.000000Z".to_owned();
    Overview {
        at: at.clone(),
        enforces: true,
        bypass: false,
        connections: 12,
        cpu_percent: 37.5,
        budgets: 4,
        waiting: 1,
        origins: vec![OriginCalls { origin: "embedded".to_owned(), load: ORIGIN_LOAD }],
        requests_per_second: 1.5,
        last_minute: traffic,
        seconds: vec![SecondView { at, traffic, connections: 12, cpu_percent: 37.5 }],
    }
}

/// What John has at the pretended origin.
pub(super) fn johns_calls() -> OwnerCalls {
    let origin = "embedded".to_owned();
    OwnerCalls { origin, running: 1, waiting: 31, ahead_ms: 340, all: ORIGIN_LOAD }
}

/// A session of John's that does too much.
pub(super) fn mapi_session() -> MapiSession {
    MapiSession {
        id: 7,
        owner: "john.doe@example.com".to_owned(),
        origin: "embedded".to_owned(),
        client: "Outlook/15.0.4420.1017".to_owned(),
        version: Some("15.0.4420.1017".to_owned()),
        process: Some("SearchIndexer.exe".to_owned()),
        machine: Some("DESK-7".to_owned()),
        address: "192.0.2.7".to_owned(),
        since: "2010-03-09T14:00:00.000000Z".to_owned(),
        idle_ms: 40,
        mailboxes: 3,
        rops_last_minute: 2_400,
        mean_gap_us: Some(25_000),
        rops: 51_000,
        backoffs: 31,
        backoff_ms: 3_100,
        owes_ms: 75,
        active: true,
        backed_off: true,
        seen_latency_us: Some(120_400),
        rpc_latency_us: Some(98_000),
    }
}
