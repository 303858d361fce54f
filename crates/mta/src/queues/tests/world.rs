//! A small organisation: a transport with a real queue on a real disk, people who read what they get, and sinks on
//! loopback that take mail as they are told to.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use weir_balance::{Schedule, Stage};
use weir_clock::Clock;
use weir_spool::{Identity, MessageId, Spool, State};
use weir_transport::queue::QueueSettings;
use weir_transport::routing::{Lookup, NextHopKey, RoutingSettings, SendConnector};
use weir_units::{Event, EventSink, Micros, Owner, Refusal};
use weir_wire::smtp::{
    Code, Command, Credentials, Event as Asked, Extension, Extensions, ForwardPath, Limits, Mail, Mailbox,
    Notify, Recipient, Reply, ReversePath, Server,
};

use crate::envelope::{Envelope, Standing};
use crate::metrics::Metrics;
use crate::organisation::{
    Answer, Authenticated, Mailboxes, NotDelivered, Recipients, Submitters, Unavailable,
};
use crate::server::{Bound, Mta, Parts, SPOOL_FOLDER};
use crate::settings::Settings;

const MILLI: Micros = Micros::new(1_000);

/// How a sink takes mail.
#[derive(Clone, Debug, Default)]
pub(super) struct Manner {
    /// What it says to RCPT of an address; 250 to all others.
    pub(super) recipients: BTreeMap<String, (u16, &'static str)>,
    /// What it says to so many of the next messages, and 250 to all others.
    pub(super) messages: Option<(u32, u16, &'static str)>,
    /// Whether it hangs up behind the end of each message.
    pub(super) drops: bool,
    /// The most recipients of one message.
    pub(super) most_recipients: Option<usize>,
}

/// A server that takes mail and keeps it.
pub(super) struct Sink {
    pub(super) address: SocketAddr,
    state: Arc<Mutex<SinkState>>,
    task: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct SinkState {
    manner: Manner,
    connections: u32,
    got: Vec<Got>,
}

/// A message that arrived.
#[derive(Clone, Debug)]
pub(super) struct Got {
    pub(super) from: String,
    pub(super) to: Vec<String>,
    pub(super) text: String,
}

impl Sink {
    /// A sink that listens at `address`; port 0 for any.
    pub(super) async fn at(address: SocketAddr) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let state: Arc<Mutex<SinkState>> = Arc::default();
        let shared = Arc::clone(&state);
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                shared.lock().unwrap().connections += 1;
                tokio::spawn(converse(socket, Arc::clone(&shared)));
            }
        });
        Self { address, state, task: Some(task) }
    }

    pub(super) async fn new() -> Self {
        Self::at("127.0.0.1:0".parse().unwrap()).await
    }

    pub(super) fn behave(&self, manner: Manner) {
        self.state.lock().unwrap().manner = manner;
    }

    pub(super) fn got(&self) -> Vec<Got> {
        self.state.lock().unwrap().got.clone()
    }

    pub(super) fn connections(&self) -> u32 {
        self.state.lock().unwrap().connections
    }

    /// Listens no more; connections are refused from then on.
    pub(super) async fn stop(&mut self) {
        let task = self.task.take().unwrap();
        task.abort();
        let _ = task.await;
    }
}

async fn converse(mut socket: TcpStream, state: Arc<Mutex<SinkState>>) {
    let keywords = [Extension::Pipelining, Extension::EightBitMime, Extension::SmtpUtf8];
    let offered = Extensions { keywords: keywords.into(), size: Some(0), mechanisms: Vec::new() };
    let mut server = Server::new(Limits::default(), offered.clone());
    let (mut out, mut input) = (Vec::new(), vec![0; 64 << 10]);
    server.answer(&Reply::greeting("sink.test"), &mut out);
    let mut got = Got { from: String::new(), to: Vec::new(), text: String::new() };
    loop {
        if socket.write_all(&out).await.is_err() || server.is_over() {
            return;
        }
        out.clear();
        let Ok(length @ 1..) = socket.read(&mut input).await else { return };
        let mut bytes = &input[..length];
        while let Some(event) = server.next(&mut bytes) {
            let manner = state.lock().unwrap().manner.clone();
            let reply = match event {
                Asked::Command(Command::Hello(..)) => offered.reply("sink.test"),
                Asked::Command(Command::Mail(mail)) => {
                    got = Got {
                        from: mail.from.mailbox().map(ToString::to_string).unwrap_or_default(),
                        to: Vec::new(),
                        text: String::new(),
                    };
                    Reply::ok()
                }
                Asked::Command(Command::Recipient(to)) => recipient(&to, &manner, &mut got),
                Asked::Command(Command::Data) => Reply::start_data(),
                Asked::Command(Command::Quit) => Reply::bye(),
                Asked::Content(content) => {
                    got.text.push_str(&String::from_utf8_lossy(content));
                    continue;
                }
                Asked::End(_) => {
                    let reply = said(&state, &got);
                    if manner.drops {
                        return;
                    }
                    reply
                }
                Asked::Command(_)
                | Asked::Challenge(_)
                | Asked::Credentials(_)
                | Asked::ChunkEnd(_)
                | Asked::Broken(_)
                | Asked::Fault(_) => Reply::ok(),
            };
            server.answer(&reply, &mut out);
        }
    }
}

fn recipient(to: &Recipient, manner: &Manner, got: &mut Got) -> Reply {
    let address = to.to.mailbox().unwrap().to_string();
    if let Some((code, text)) = manner.recipients.get(&address) {
        return Reply::plain(Code::new(*code).unwrap(), text);
    }
    if manner.most_recipients.is_some_and(|most| got.to.len() >= most) {
        return Reply::plain(Code::new(452).unwrap(), "4.5.3 too many recipients");
    }
    got.to.push(address);
    Reply::ok()
}

fn said(state: &Mutex<SinkState>, got: &Got) -> Reply {
    let mut state = state.lock().unwrap();
    if let Some((left, code, text)) = &mut state.manner.messages
        && *left > 0
    {
        *left -= 1;
        return Reply::plain(Code::new(*code).unwrap(), text);
    }
    state.got.push(got.clone());
    Reply::ok()
}

/// People of `example.com`, and what they got.
#[derive(Default)]
pub(super) struct People {
    got: Mutex<Vec<(String, String)>>,
    /// What becomes of mail to an address.
    manner: Mutex<BTreeMap<String, Fault>>,
}

/// What goes wrong with mail to somebody.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fault {
    /// His mailbox refuses.
    Refuses,
    /// Delivering panics.
    Panics,
}

impl People {
    pub(super) fn got(&self, who: &str) -> Vec<String> {
        let got = self.got.lock().unwrap();
        got.iter().filter(|(to, _)| to == who).map(|(_, text)| text.clone()).collect()
    }

    pub(super) fn trouble(&self, who: &str, fault: Option<Fault>) {
        let mut manner = self.manner.lock().unwrap();
        match fault {
            Some(fault) => drop(manner.insert(who.to_owned(), fault)),
            None => drop(manner.remove(who)),
        }
    }
}

impl Recipients for People {
    fn lookup<'a>(&'a self, address: &'a Mailbox) -> Answer<'a, Result<Lookup, Unavailable>> {
        let lookup = match (address.host().to_string().as_str(), address.local()) {
            ("example.com", "nobody") => Lookup::NoSuchMailbox,
            ("example.com", _) => Lookup::Here,
            _ => Lookup::NotOurs,
        };
        Box::pin(async move { Ok(lookup) })
    }
}

impl Mailboxes for People {
    fn deliver<'a>(
        &'a self,
        _: MessageId,
        recipients: &'a [Mailbox],
        message: Bytes,
    ) -> Answer<'a, Vec<Result<(), NotDelivered>>> {
        let text = String::from_utf8_lossy(&message).into_owned();
        let deliver = move |to: &Mailbox| {
            let to = to.to_string();
            let fault = self.manner.lock().unwrap().get(&to).copied();
            match fault {
                Some(Fault::Refuses) => {
                    Err(NotDelivered { retry: false, text: "552 5.2.2 the mailbox is full".into() })
                }
                Some(Fault::Panics) => panic!("as {to} was told to"),
                None => {
                    self.got.lock().unwrap().push((to, text.clone()));
                    Ok(())
                }
            }
        };
        Box::pin(async move { recipients.iter().map(deliver).collect() })
    }
}

/// Nobody logs in.
struct Nobody;

impl Submitters for Nobody {
    fn authenticate<'a>(&'a self, _: &'a Credentials, _: std::net::IpAddr) -> Answer<'a, Authenticated> {
        Box::pin(async { Authenticated::Wrong })
    }

    fn message(&self, _: &Owner) -> Result<(), Refusal> {
        Ok(())
    }

    fn recipients(&self, _: &Owner, _: u32) -> Result<(), Refusal> {
        Ok(())
    }

    fn owner<'a>(&'a self, _: &'a str) -> Answer<'a, Option<Owner>> {
        Box::pin(async { None })
    }
}

/// A transport that runs.
pub(super) struct World {
    pub(super) mta: Arc<Mta>,
    pub(super) people: Arc<People>,
    pub(super) events: Arc<Mutex<Vec<Event>>>,
    stop: watch::Sender<bool>,
    serving: JoinHandle<()>,
    folder: TempDir,
    settings: Settings,
}

/// A transport that does not run.
pub(super) struct Stopped {
    people: Arc<People>,
    folder: TempDir,
    settings: Settings,
}

impl Stopped {
    /// Starts again on the same disk with the settings that `change` makes.
    pub(super) async fn start(self, change: impl FnOnce(&mut Settings)) -> World {
        let Self { people, folder, mut settings } = self;
        change(&mut settings);
        World::on(folder, settings, people).await
    }

    /// Puts a message into the durable queue whose recipients stand so.
    pub(super) async fn place(&self, envelope: &Envelope, standings: &[Standing]) {
        let folder = self.folder.path().join(SPOOL_FOLDER);
        let spool = Spool::open(&folder, self.settings.spool, Identity(0)).unwrap().0;
        let state = |standing: &Standing| State { due: Some(envelope.accepted), bytes: standing.to_bytes() };
        let states = standings.iter().map(state).collect();
        spool.draft().queue(envelope.to_bytes(), states).await.unwrap();
    }

    /// Starts on an empty disk.
    pub(super) async fn start_anew(self) -> World {
        World::on(TempDir::new().unwrap(), self.settings, self.people).await
    }
}

/// Settings with one connector to `sinks`, and intervals as short as they may be.
pub(super) fn settings(sinks: &[SocketAddr]) -> Settings {
    let connector = SendConnector {
        name: "lab".into(),
        address_spaces: vec!["*;1".parse().unwrap()],
        smart_hosts: sinks.iter().map(|sink| sink.to_string().parse().unwrap()).collect(),
        source_servers: Vec::new(),
        enabled: true,
        scoped: false,
        max_message_size: None,
    };
    let stage = Stage::new(Micros::SECOND, 4).unwrap();
    let schedule = Schedule::new(stage, stage, Micros::SECOND).unwrap();
    let routing = RoutingSettings {
        name: "hub01".into(),
        site: None,
        bindings: Vec::new(),
        servers: Vec::new(),
        site_links: Vec::new(),
        hub_sites: Vec::new(),
        send_connectors: vec![connector],
    };
    Settings {
        queue: QueueSettings { message_retry_interval: MILLI.times(60), ..QueueSettings::default() },
        balance: weir_balance::Settings { schedule, ..weir_balance::Settings::hub() },
        drain: Micros::SECOND.times(5),
        ..Settings::new("hub01.example.com".parse().unwrap(), routing)
    }
}

impl World {
    pub(super) async fn new(settings: Settings) -> Self {
        Self::on(TempDir::new().unwrap(), settings, Arc::default()).await
    }

    async fn on(folder: TempDir, settings: Settings, people: Arc<People>) -> Self {
        let events: Arc<Mutex<Vec<Event>>> = Arc::default();
        let heard = Arc::clone(&events);
        let parts = Parts {
            settings: settings.clone(),
            clock: Clock::start(),
            data: PathBuf::from(folder.path()),
            recipients: Arc::<People>::clone(&people),
            submitters: Arc::new(Nobody),
            mailboxes: Some(Arc::<People>::clone(&people)),
            tls: None,
            events: EventSink::new(move |event| heard.lock().unwrap().push(event)),
            metrics: Metrics::default(),
            counted: Arc::new(|| Box::new(())),
        };
        let mta = Mta::open(parts).await.unwrap();
        let bound = bind(&mta).await;
        let (stop, stopping) = watch::channel(false);
        let serving = tokio::spawn(bound.serve(stopping));
        Self { mta, people, events, stop, serving, folder, settings }
    }

    /// Stops, and starts again on the same disk with the settings that `change` makes.
    pub(super) async fn restart(self, change: impl FnOnce(&mut Settings)) -> Self {
        self.stop().await.start(change).await
    }

    /// Stops; nothing has the disk any more.
    pub(super) async fn stop(self) -> Stopped {
        let Self { mta, people, stop, serving, folder, settings, .. } = self;
        stop.send_replace(true);
        serving.await.unwrap();
        let spool = Arc::clone(&mta.spool);
        drop(mta);
        until("everybody lets go of the disk", || Arc::strong_count(&spool) == 1).await;
        Stopped { people, folder, settings }
    }

    /// Hands in a message from John to `to`.
    pub(super) async fn send(&self, to: &[&str]) -> MessageId {
        let from = ReversePath::Mailbox("john@example.com".parse().unwrap());
        let recipients = to.iter().map(|to| {
            let path = ForwardPath::Mailbox(to.parse().unwrap());
            Recipient { notify: Some(Notify::DEFAULT), ..Recipient::new(path) }
        });
        let text = format!("From: john@example.com\r\nSubject: to {}\r\n\r\nHello\r\n", to.join(" "));
        let recipients = recipients.collect();
        self.mta.submit(Mail::new(from), recipients, Bytes::from(text), None).await.unwrap()
    }

    /// How many messages the durable queue holds.
    pub(super) fn held(&self) -> u64 {
        self.mta.spool.usage().messages
    }

    /// The queue of the sinks.
    pub(super) fn lab() -> NextHopKey {
        NextHopKey::SmartHosts("lab".into())
    }
}

/// Binds what listens. A port that was free for a moment may be somebody's way out meanwhile; it is so only briefly.
async fn bind(mta: &Arc<Mta>) -> Bound {
    for _ in 0..1000 {
        match mta.bind(&mut BTreeMap::new()).await {
            Ok(bound) => return bound,
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
    mta.bind(&mut BTreeMap::new()).await.unwrap()
}

/// Waits until `holds`, a minute at most: how fast a busy machine is decides nothing.
pub(super) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let waiting = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_mins(1), waiting).await;
    assert!(waited.is_ok(), "not within a minute: {what}");
}
