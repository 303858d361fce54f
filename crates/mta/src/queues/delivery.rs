//! One connection, from its target to its end (H1, H4, H6).
//!
//! What it holds – one of the connections of its queue and of the process, and the message that it carries – it gives
//! back on every way out. A message over which the process panics is counted, and set aside when that happens again
//! (H15).

use std::sync::Arc;

use weir_balance::{Again, Rotation, Service, Transition};
use weir_spool::MessageId;
use weir_transport::connectivity::{Description, Direction, Line, Source};
use weir_transport::next_hop::Levels;
use weir_transport::queue::{After, Ending, NextHopQueue, after_message};
use weir_transport::routing::NextHopKey;
use weir_units::Tick;
use weir_wire::smtp::{Credentials, Extension, Mail, Recipient, Token};

use super::Shared;
use super::board::Job;
use super::hop::Chosen;
use super::settle::Verdict;
use super::shadowing::name_of;
use crate::content::Content;
use crate::envelope::Envelope;
use crate::outgoing::{Connection, Facts, OpenError, Protocol, Way};
use crate::settings::TlsPolicy;

/// One of the connections that a queue and the process may have.
pub(super) struct Place {
    shared: Arc<Shared>,
    key: NextHopKey,
    /// Whether the connection is there.
    pub(super) is_open: bool,
    /// What it carries at the moment.
    pub(super) carries: Option<MessageId>,
    /// Why it came to nothing.
    trouble: Option<Arc<str>>,
}

/// What goes over one connection in all.
#[derive(Clone, Copy, Default)]
struct Carried {
    messages: u32,
    bytes: u64,
}

impl Place {
    /// A place of `key`'s queue, which has been taken for a connection that is to be opened.
    pub(super) fn taken(shared: Arc<Shared>, key: NextHopKey) -> Self {
        Self { shared, key, is_open: false, carries: None, trouble: None }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let now = self.shared.now();
        let mut board = self.shared.board();
        if let Some(hop) = board.hops.get_mut(&self.key) {
            if self.is_open {
                hop.queue.closed(now);
            } else {
                let trouble = self.trouble.take().unwrap_or_else(|| "the attempt was given up".into());
                hop.queue.not_connected(&trouble);
            }
        }
        board.give_back_connection(&self.key);
        drop(board);
        // What was cut off by the end of the process is no crash.
        if let Some(id) = self.carries.take().filter(|_| std::thread::panicking()) {
            let (shared, key) = (Arc::clone(&self.shared), self.key.clone());
            tokio::spawn(async move { shared.crashed(id, &key).await });
        }
        self.shared.wake.notify_one();
        self.shared.closed.notify_waiters();
    }
}

impl Shared {
    /// Connects to what was chosen – or to what comes next, where the old rotation says so (H2) –, and sends what waits.
    pub(super) async fn carry(self: Arc<Self>, mut place: Place, chosen: Chosen) {
        let key = place.key.clone();
        let session = self.works.log.session();
        self.log(session, &key, Direction::Connect, Description::Wanted(key.delivery_type().name()));
        let mut chosen = chosen;
        loop {
            let name = chosen.name();
            let way = self.way(&key, &name);
            match self.works.dialer.open(chosen.attempt.address(), &name, &way).await {
                Ok(connection) => {
                    let target = chosen.attempt.address();
                    self.log(
                        session,
                        &key,
                        Direction::Send,
                        Description::Established { target, name: &name },
                    );
                    place.is_open = true;
                    self.connected(&key, chosen, true);
                    let partner = self.server_at(&name).map(ToString::to_string);
                    self.greet(connection.database(), partner.as_deref());
                    return self.serve(place, connection, target, partner, session).await;
                }
                Err(error) => {
                    place.trouble = Some(Arc::clone(&error.text));
                    match self.not_connected(session, &key, chosen, &name, &error) {
                        Some(next) => chosen = next,
                        None => return,
                    }
                }
            }
        }
    }

    /// Sends what waits over a connection, as long as it is this one's turn.
    async fn serve(
        self: Arc<Self>,
        mut place: Place,
        mut connection: Connection,
        target: std::net::SocketAddr,
        partner: Option<String>,
        session: u64,
    ) {
        let key = place.key.clone();
        let mut carried = Carried::default();
        let mut usable = true;
        let _counted = self.works.metrics.connected(key.delivery_type());
        let reason = loop {
            let job = self.board().take(&key, self.now());
            let Some(job) = job else { break "no message is left" };
            place.carries = Some(job.id);
            usable = self.send(&mut connection, job, &key, partner.as_deref(), &mut carried).await;
            place.carries = None;
            if !usable {
                break "the connection cannot be used any more";
            }
            let ready = self.board().ready(&key, self.now());
            let service = self.works.health.service(target).unwrap_or(Service::Enabled);
            match after_message(carried.messages, ready, service, &self.works.settings.queue) {
                After::Send => {}
                After::Close(Ending::Spent) => break "the next target's turn",
                After::Close(Ending::NothingLeft) => break "no message is left",
                After::Close(Ending::OutOfService) => break "the target was taken out of service",
            }
        };
        // The next connection need not wait until this one has said goodbye.
        drop(place);
        if usable {
            self.ask(&mut connection, partner.as_deref()).await;
        }
        connection.quit().await;
        let Carried { messages, bytes } = carried;
        self.log(session, &key, Direction::Disconnect, Description::Closed { messages, bytes, reason });
    }

    /// Sends one message to its recipients here; whether the connection is good for another.
    async fn send(
        self: &Arc<Self>,
        connection: &mut Connection,
        job: Job,
        key: &NextHopKey,
        partner: Option<&str>,
        carried: &mut Carried,
    ) -> bool {
        let Some((envelope, mut content)) = self.load(&job, key).await else { return true };
        let facts = Facts { bytes: envelope.bytes, eight_bit: envelope.eight_bit };
        let reports = connection.offered().has(Extension::Dsn);
        let (mut places, mut verdicts) = (job.recipients.clone(), Vec::new());
        let usable = loop {
            let recipients = named(&envelope, &places);
            let shadow = self.shadow(connection, partner, key, job.id, &places);
            let mail = Mail { shadow: name_of(shadow.as_ref()), ..envelope.mail.clone() };
            let sent = connection.send(&mail, &recipients, content, facts).await;
            carried.bytes = carried.bytes.saturating_add(sent.bytes);
            self.learn(key, &sent.feedback);
            let before = places.len();
            let remote = connection.remote().to_owned();
            let shadow = shadow.and_then(|state| self.keep(state, key, job.id, &places, &sent.outcomes));
            let trouble = sent.unreadable.map(|error| error.to_string().into()).or(sent.broken);
            let mut again = Vec::new();
            for (place, outcome) in places.iter().zip(&sent.outcomes) {
                match Verdict::of(outcome, &remote, reports, shadow.as_ref(), trouble.as_deref()) {
                    Some(verdict) => verdicts.push((*place, verdict)),
                    None => again.push(*place),
                }
            }
            if again.is_empty() {
                break sent.usable;
            }
            let later = Verdict::Deferred { error: "too many recipients at once".into(), by_peer: true };
            if !sent.usable || again.len() == before {
                verdicts.extend(again.into_iter().map(|place| (place, later.clone())));
                break sent.usable;
            }
            places = again;
            let Some((_, more)) = self.load(&job, key).await else {
                verdicts.extend(places.into_iter().map(|place| (place, later.clone())));
                break sent.usable;
            };
            content = more;
        };
        carried.messages = carried.messages.saturating_add(1);
        self.settle(job.id, Some(key), &envelope, verdicts).await;
        usable
    }

    /// The envelope and the bytes of what a connection carries. What cannot be read stays on the disk as it is, and leaves
    /// the queue until the next start.
    pub(super) async fn load(&self, job: &Job, key: &NextHopKey) -> Option<(Arc<Envelope>, Content)> {
        if let Some(fresh) = &job.fresh
            && let Some(content) = &fresh.content
        {
            return Some((Arc::clone(&fresh.envelope), Content::Fresh(Some(content.clone()))));
        }
        let stored = self.read(job.id).await;
        if stored.is_none() {
            self.board().done(job.id, key, self.now());
        }
        stored.map(|stored| (stored.envelope, stored.content))
    }

    /// How a connection to the target called `name` is made.
    pub(super) fn way(&self, key: &NextHopKey, name: &str) -> Way {
        let settings = &self.works.settings;
        let server = self.server_at(name);
        let is_partner = server.is_some_and(|server| settings.shadow_partners.contains(server));
        let login = server.zip(settings.server_secret.as_ref()).map(|(_, secret)| Credentials {
            acts_for: String::new(),
            name: settings.routing.name.to_string(),
            password: secret.clone(),
        });
        let local = *key == NextHopKey::Mailbox;
        Way {
            protocol: if local { Protocol::Lmtp } else { Protocol::Smtp },
            tls: if local { TlsPolicy::Off } else { settings.sending.tls_of(key.connector()) },
            login,
            shadow_holder: Token::new(&settings.routing.name).filter(|_| is_partner),
        }
    }

    /// The own server that the target called `name` is.
    fn server_at(&self, name: &str) -> Option<&Arc<str>> {
        let mut servers = self.works.settings.routing.servers.iter();
        servers.find(|server| server.address.to_string() == name).map(|server| &server.name)
    }

    /// A target took a connection: it is on no list any more, and whatever waits for it goes at once (H6).
    pub(super) fn connected(&self, key: &NextHopKey, chosen: Chosen, useful: bool) {
        let (address, now) = (chosen.attempt.address(), self.now());
        let transition = chosen.levels.selector(chosen.level).and_then(|s| s.connected(chosen.attempt, now));
        let mut board = self.board();
        if useful && let Some(hop) = board.hops.get_mut(key) {
            hop.went_well();
            hop.queue.connected(now);
        }
        if transition.is_some() {
            // What waits for it at any next hop goes at once.
            board.at_target(address, NextHopQueue::recovered);
        }
        drop(board);
        self.tell_transition(transition, &chosen.levels, chosen.level, 0, key);
        self.wake.notify_one();
    }

    /// A target did not take a connection, or could not be used. Where the rotation says so, the next one is tried.
    pub(super) fn not_connected(
        &self,
        session: u64,
        key: &NextHopKey,
        chosen: Chosen,
        name: &str,
        error: &OpenError,
    ) -> Option<Chosen> {
        let (target, now) = (chosen.attempt.address(), self.now());
        self.works.metrics.not_connected();
        let lesson = error.reply.as_ref().and_then(|reply| reply.feedback(error.stage));
        self.learn(key, lesson.as_slice());
        if error.connected {
            self.connected(key, chosen, false);
            self.log(
                session,
                key,
                Direction::Send,
                Description::Failed { target, name, failure: error.failure },
            );
            self.of_no_use(key, false);
            return None;
        }
        let (levels, level) = (Arc::clone(&chosen.levels), chosen.level);
        let selector = levels.selector(level)?;
        let failed = selector.failed(chosen.attempt, error.failure, now);
        if failed.transition.is_none() {
            let description = Description::Failed { target, name, failure: error.failure };
            self.log(session, key, Direction::Send, description);
        }
        self.tell_transition(failed.transition, &levels, level, session, key);
        // Whatever waited to see how it ends looks for another one.
        self.board().at_target(target, |queue| queue.try_at(now));
        if selector.settings().rotation == Rotation::Rtm {
            let next = next_in_turn(&levels, level, failed.again, now);
            if next.is_none() {
                self.of_no_use(key, true);
            }
            return next;
        }
        if !error.marks() {
            self.of_no_use(key, false);
        }
        None
    }

    /// A target took the connection and was of no use, or we could not even try, or the old rotation found none: when all
    /// were so in turn, the queue waits as after a failure.
    fn of_no_use(&self, key: &NextHopKey, all: bool) {
        let now = self.now();
        let mut board = self.board();
        if let Some(hop) = board.hops.get_mut(key) {
            let rounds = hop.was_of_no_use(all);
            if rounds > 0 {
                let schedule = &self.works.settings.balance.schedule;
                hop.queue.block(now.plus(schedule.interval(rounds - 1)), now);
            }
        }
    }

    /// What a connection taught about the next hop.
    fn learn(&self, key: &NextHopKey, feedback: &[weir_transport::queue::Feedback]) {
        if feedback.is_empty() {
            return;
        }
        if let Some(hop) = self.board().hops.get_mut(key) {
            for lesson in feedback {
                hop.queue.learn(*lesson);
            }
        }
    }

    pub(super) fn log(
        &self,
        session: u64,
        key: &NextHopKey,
        direction: Direction,
        description: Description<'_>,
    ) {
        let source = if *key == NextHopKey::Mailbox { Source::MapiDelivery } else { Source::Smtp };
        let destination = key.to_string();
        let destination = destination.as_str();
        self.works.log.write(|now| Line {
            at: now.wall,
            session,
            source,
            destination,
            direction,
            description,
        });
    }

    /// Tells the log and the administrator what changed about a target.
    fn tell_transition(
        &self,
        transition: Option<Transition>,
        levels: &Levels,
        level: usize,
        session: u64,
        key: &NextHopKey,
    ) {
        let Some(transition) = transition else { return };
        let named = |address| {
            let mut targets = levels.selector(level).into_iter().flat_map(weir_balance::Selector::targets);
            targets
                .find(|target| target.address == address)
                .map_or_else(String::new, |target| target.name.to_string())
        };
        let name = named(transition.address());
        let clock = weir_transport::connectivity::Clock { tick: self.now(), wall: self.wall() };
        match transition {
            Transition::BecameUnhealthy(mark) | Transition::StillUnhealthy(mark) => {
                let description = Description::MarkedUnhealthy { mark, name: &name, clock };
                self.log(session, key, Direction::Send, description);
            }
            Transition::HealthyAgain { mark, .. } => {
                let (target, failures) = (mark.address, mark.failures);
                let description = Description::HealthyAgain { target, name: &name, failures };
                self.log(session, key, Direction::Send, description);
            }
            Transition::Proved(_) => {}
        }
        if let Some(event) = super::events::target(&transition, &name, clock) {
            self.works.events.emit(event);
        }
    }
}

/// The target after one that failed, as the old rotation has it (H2): of the next level where this one has no more.
fn next_in_turn(levels: &Arc<Levels>, level: usize, again: Again, now: Tick) -> Option<Chosen> {
    let same = levels.selector(level)?.pick_again(again, now).attempt().map(|attempt| (level, attempt));
    let next = || Some((level + 1, levels.selector(level + 1)?.pick(now).attempt()?));
    let (level, attempt) = same.or_else(next)?;
    Some(Chosen { levels: Arc::clone(levels), level, attempt })
}

/// The recipients at `places`.
fn named(envelope: &Envelope, places: &[u32]) -> Vec<Recipient> {
    places.iter().filter_map(|place| envelope.recipient(*place)).cloned().collect()
}
