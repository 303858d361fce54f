//! Shadow redundancy in the queues: what is kept, who is asked about it, and what is sent again (H12).
//!
//! Every session with a partner tells which queue database it has, and asks at its end what went onward. Where no session
//! comes by, a heartbeat asks; it goes to the partner whatever its health (H7). What the partner lost, or what it was
//! silent about for too long, is routed anew, as after a start.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::JoinSet;
use weir_balance::Target;
use weir_spool::{Change, MessageId, State};
use weir_transport::next_hop::{Level, Levels, Resolution, Targets};
use weir_transport::queue::{Fate, Outcome};
use weir_transport::routing::{NextHopKey, Router};
use weir_transport::shadow::ShadowId;
use weir_units::Micros;
use weir_wire::smtp::Token;

use super::hop::Chosen;
use super::recovery::Stored;
use super::settle::{Keeping, Verdict};
use super::{Queues, Shared, events};
use crate::envelope::{Envelope, ShadowState, Standing};
use crate::outgoing::Connection;
use crate::shadow::{Asking, Copy, Handle, InVain};

/// How often shadows and notices that are too old are let go.
const TIDY: Micros = Micros::MINUTE;
/// Questions of one session at most; what is left is for the next.
const QUESTIONS: u32 = 100;

/// What a heartbeat came to.
enum Beat {
    /// The partner answered.
    Answered,
    /// It did not.
    InVain,
    /// It was not asked, for reasons that say nothing about it.
    NotSent,
}

impl Queues {
    /// Asks partners that are silent, and lets go what is too old, until `stop` turns true.
    pub(crate) async fn keep_shadows(&self, mut stop: watch::Receiver<bool>) {
        let shared = &self.shared;
        let mut beats = JoinSet::new();
        let mut tidy_at = shared.now().plus(TIDY);
        loop {
            let next = shared.shadows.next_heartbeat().min(tidy_at);
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => return,
                () = shared.shadows.sooner() => {}
                () = shared.works.clock.sleep_until(next) => {}
            }
            while beats.try_join_next().is_some() {}
            for partner in shared.shadows.due() {
                beats.spawn(Arc::clone(shared).heartbeat(partner));
            }
            if tidy_at <= shared.now() {
                shared.shadows.tidy().await;
                tidy_at = shared.now().plus(TIDY);
            }
        }
    }
}

impl Shared {
    /// What we keep of a message that goes to a partner now, for the recipients at `places`. Its name is given once: not
    /// after a restart, and not with another queue database either.
    pub(super) fn shadow(
        &self,
        connection: &Connection,
        partner: Option<&str>,
        key: &NextHopKey,
        id: MessageId,
        places: &[u32],
    ) -> Option<ShadowState> {
        let (database, partner) = connection.database().zip(partner)?;
        let (first, since) = (places.first()?, self.wall().unix_micros());
        Some(ShadowState {
            partner: partner.to_string(),
            shadow: format!("{id}.{first}.{since:x}"),
            database: database.to_string(),
            since,
            next_hop: key.to_string(),
        })
    }

    /// Keeps the copy that a partner took for those of `places` whom it took it for.
    pub(super) fn keep(
        &self,
        state: ShadowState,
        key: &NextHopKey,
        id: MessageId,
        places: &[u32],
        outcomes: &[Outcome],
    ) -> Option<Keeping> {
        let taken = places.iter().zip(outcomes).filter(|(_, outcome)| outcome.fate == Fate::Done);
        let places: Vec<u32> = taken.map(|(place, _)| *place).collect();
        if places.is_empty() {
            return None;
        }
        let handle = self.shadows.hold(&state, Copy { id, places, next_hop: key.clone() })?;
        Some(Keeping { handle, state: Arc::new(state) })
    }

    /// The states of these copies are on disk.
    pub(super) async fn kept(self: &Arc<Self>, handles: Vec<Handle>) {
        if !handles.is_empty() {
            let again = self.shadows.written(handles).await;
            self.send_again(again).await;
        }
    }

    /// A session with a partner begins, which has that queue database: what it lost with another one is sent again. Whether
    /// it can be asked.
    pub(super) fn greet(self: &Arc<Self>, database: Option<&Token>, partner: Option<&str>) -> bool {
        let Some((database, partner)) = database.zip(partner) else { return false };
        let (Ok(partner), Ok(database)) = (partner.parse(), database.as_str().parse()) else { return false };
        let lost = self.shadows.contact(&partner, &database);
        if !lost.is_empty() {
            self.works.events.emit(events::partner_lost(&partner, lost.len()));
            let shared = Arc::clone(self);
            // The session need not wait for all of them.
            tokio::spawn(async move { shared.send_again(lost).await });
        }
        true
    }

    /// Asks a partner at the end of a session which shadows may go.
    pub(super) async fn ask(&self, connection: &mut Connection, partner: Option<&str>) {
        let partner = connection.database().and(partner).and_then(|partner| partner.parse().ok());
        if let Some(asking) = partner.and_then(|partner: ShadowId| self.shadows.ask(&partner)) {
            question(connection, &asking).await;
        }
    }

    async fn heartbeat(self: Arc<Self>, partner: ShadowId) {
        // Where somebody asks already, be it the heartbeat before, that one will tell.
        let Some(asking) = self.shadows.ask(&partner) else { return };
        match self.beat(&partner, &asking).await {
            Beat::Answered | Beat::NotSent => {}
            Beat::InVain => self.in_vain(&partner).await,
        }
    }

    /// Connects to a partner, whatever its health, and asks.
    async fn beat(self: &Arc<Self>, partner: &ShadowId, asking: &Asking<'_>) -> Beat {
        let works = &self.works;
        let key = NextHopKey::Shadow(partner.as_str().into());
        let resolution = works.resolver.levels(&key, &works.router, &works.settings.delivery).await;
        let targets = match resolution {
            Resolution::Targets(targets) => targets,
            Resolution::Later(_) | Resolution::Never(_) => return Beat::InVain,
        };
        let levels = Levels::new(&targets.levels, None, works.settings.balance, &works.health);
        let Ok(levels) = levels.map(Arc::new) else { return Beat::InVain };
        let mut came_to = Beat::NotSent;
        for (level, target) in all(&targets) {
            let selector = levels.selector(level);
            let Some(attempt) = selector.and_then(|s| s.heartbeat(target.address)) else { continue };
            let chosen = Chosen { levels: Arc::clone(&levels), level, attempt };
            let name = target.name.to_string();
            match works.dialer.open(target.address, &name, &self.way(&key, &name)).await {
                Ok(mut connection) => {
                    self.connected(&key, chosen, true);
                    let answers = self.greet(connection.database(), Some(partner.as_str()));
                    if answers {
                        question(&mut connection, asking).await;
                    }
                    connection.quit().await;
                    return if answers { Beat::Answered } else { Beat::InVain };
                }
                Err(error) => {
                    if error.connected || error.marks() {
                        came_to = Beat::InVain;
                    }
                    // Where the old rotation has another target, its turn comes in this very loop.
                    drop(self.not_connected(works.log.session(), &key, chosen, &name, &error));
                }
            }
        }
        came_to
    }

    async fn in_vain(self: &Arc<Self>, partner: &ShadowId) {
        let router = &self.works.router;
        let other_way = |key: &NextHopKey| has_other_target(router, key, partner.as_str());
        match self.shadows.in_vain(partner, other_way) {
            InVain::Wait => {}
            InVain::NoOtherWay(failures) => {
                if failures == self.works.settings.shadow.shadow_heartbeat_retry_count {
                    self.works.events.emit(events::no_other_way(partner));
                }
            }
            InVain::TakeOver(copies) => {
                self.works.events.emit(events::taken_over(partner, copies.len()));
                self.works.metrics.taken_over(u64::try_from(copies.len()).unwrap_or(u64::MAX));
                self.send_again(copies).await;
            }
        }
    }

    /// Routes copies anew that a partner has lost, or is lost with.
    async fn send_again(self: &Arc<Self>, copies: Vec<Copy>) {
        for copy in copies {
            let Ok(place) = Arc::clone(&self.writes).acquire_owned().await else { return };
            let shared = Arc::clone(self);
            tokio::spawn(async move {
                shared.resubmit(copy).await;
                drop(place);
            });
        }
    }

    async fn resubmit(self: &Arc<Self>, copy: Copy) {
        let Some(stored) = self.read(copy.id).await else { return };
        let is_kept = |place: &u32| stored.shadow(*place).is_some();
        let places: Vec<u32> = copy.places.into_iter().filter(is_kept).collect();
        let due = Some(self.wall());
        let waits =
            |recipient| Change { recipient, state: State { due, bytes: Standing::fresh().to_bytes() } };
        self.write(copy.id, places.iter().copied().map(waits).collect()).await;
        self.route_stored(stored, places).await;
    }

    /// What the durable queue holds of shadow redundancy in a message: copies that partners have, and a promise that could
    /// be kept before the start.
    pub(super) async fn recover_shadows(&self, stored: &Stored, waits: bool) {
        let mut copies: BTreeMap<&str, (&ShadowState, Vec<u32>)> = BTreeMap::new();
        for place in (0..).take(stored.standings.len()) {
            if let Some(state) = stored.shadow(place) {
                copies.entry(&state.shadow).or_insert((state, Vec::new())).1.push(place);
            }
        }
        for (state, places) in copies.into_values() {
            let next_hop = state.next_hop.parse().unwrap_or(NextHopKey::Unreachable);
            let copy = Copy { id: stored.id, places, next_hop };
            if self.works.settings.shadow_partners.iter().any(|partner| **partner == *state.partner) {
                self.shadows.recovered(state, copy).await;
            } else {
                // The administrator took it off the list: it is trusted with what it took.
                self.shadows.let_go(copy).await;
            }
        }
        if !waits {
            self.onward(&stored.envelope).await;
        }
    }

    /// All of a message went onward or was reported: who keeps a shadow of it may forget it.
    pub(super) async fn onward(&self, envelope: &Envelope) {
        if let (Some(holder), Some(shadow)) = (&envelope.origin.server, &envelope.mail.shadow) {
            self.shadows.onward(holder, shadow).await;
        }
    }
}

/// Asks until nothing is left to be told, or to be acknowledged.
async fn question(connection: &mut Connection, asking: &Asking<'_>) {
    for _ in 0..QUESTIONS {
        match connection.discards(asking.query()).await {
            Ok(notices) => {
                if !asking.answered(&notices).await {
                    return;
                }
            }
            Err(error) => return tracing::warn!(%error, "a shadow partner does not say what went onward"),
        }
    }
}

/// The copies that verdicts keep.
pub(super) fn handles(verdicts: &[(u32, Verdict)]) -> Vec<Handle> {
    let mut handles: Vec<Handle> = verdicts.iter().filter_map(|(_, verdict)| verdict.keeping()).collect();
    handles.sort_unstable();
    handles.dedup();
    handles
}

/// The name under which a copy is kept, as it is told to the partner.
pub(super) fn name_of(state: Option<&ShadowState>) -> Option<Token> {
    Token::new(&state?.shadow)
}

/// The targets with the level that each is of.
fn all(targets: &Targets) -> Vec<(usize, Target)> {
    let of_level = |(number, level): (usize, &Level)| -> Vec<(usize, Target)> {
        level.targets.iter().map(|target| (number, target.clone())).collect()
    };
    targets.levels.iter().enumerate().flat_map(of_level).collect()
}

/// Whether what went to `partner` by `key` could go to somebody else.
fn has_other_target(router: &Router, key: &NextHopKey, partner: &str) -> bool {
    match key {
        // A server that is not known any more has no mail either; what went there is shown among what has no way.
        NextHopKey::Server(_) | NextHopKey::Shadow(_) => router.settings().other(partner).is_none(),
        NextHopKey::Sources(_) | NextHopKey::Site(_) => {
            router.levels_of(key).iter().flatten().any(|server| *server.name != *partner)
        }
        NextHopKey::SmartHosts(connector) => {
            let address = router.settings().other(partner).map(|server| &server.address);
            let named = router.settings().send_connectors.iter().find(|known| known.name == *connector);
            named.is_none_or(|connector| connector.smart_hosts.iter().any(|host| Some(host) != address))
        }
        NextHopKey::Mailbox | NextHopKey::Dns(..) | NextHopKey::Unreachable => true,
    }
}

#[cfg(test)]
mod tests;
