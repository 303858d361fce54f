//! Shadow redundancy over the durable queue (H12).
//!
//! Both sides of it are decided in [`weir_transport::shadow`]. Here they meet the disk: a copy that a partner has is a
//! state of its recipients, [`Standing::Shadow`](crate::envelope::Standing::Shadow), and a notice is a recipient of a
//! message that is none, many of which are written together. Both are found again after a start. What is to be sent
//! again, and who is asked when, is the queues'.
//!
//! | module | the one idea |
//! |---|---|
//! | [`kept`] | the holder's side: copies that a partner has |
//! | [`told`] | the side of who took the message: notices, and where they are |

mod kept;
mod told;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::task::JoinSet;
use weir_clock::Clock;
use weir_spool::{Change, MessageId, Spool, SpoolError, State};
use weir_transport::routing::NextHopKey;
use weir_transport::shadow::{Notice, Promise, ShadowId, ShadowSettings, Silence};
use weir_units::Tick;
use weir_wire::smtp::shadow::MAX_NOTICES;
use weir_wire::smtp::{DiscardNotices, DiscardQuery, Token};

use crate::envelope::{self, ShadowState};
pub(crate) use kept::{Copy, Handle};
use kept::{Follows, Kept};
use told::{Place, Told};

/// The most notices that one message of the durable queue holds.
const NOTICES_TOGETHER: usize = 100;
/// Changes that are being written to the durable queue at once for one answer of a partner.
const WRITES_AT_ONCE: usize = 100;

/// Shadow redundancy. Cloning shares it.
#[derive(Clone)]
pub(crate) struct Shadows {
    shared: Arc<Shared>,
}

struct Shared {
    settings: ShadowSettings,
    spool: Arc<Spool>,
    clock: Clock,
    database: Token,
    kept: Mutex<Kept>,
    told: Mutex<Told>,
    /// Notices that wait to be written down.
    waiting: Mutex<Vec<Notice>>,
    /// Whose turn it is to write them.
    turn: tokio::sync::Mutex<()>,
    /// Partners that are being asked.
    asking: Mutex<BTreeSet<ShadowId>>,
    /// A heartbeat may be due sooner than it was.
    wake: Notify,
}

/// The right to ask a partner, until it is dropped: one session at a time does.
pub(crate) struct Asking<'a> {
    shadows: &'a Shadows,
    partner: ShadowId,
}

/// What follows from a heartbeat in vain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InVain {
    /// It is tried again.
    Wait,
    /// The partner is taken to be dead: these are sent again.
    TakeOver(Vec<Copy>),
    /// The partner is taken to be dead, and only it could take what is left; so many heartbeats were in vain.
    NoOtherWay(u32),
}

impl Shadows {
    /// Shadow redundancy in which nothing is known yet, over the durable queue `spool` that is called `database`.
    pub(crate) fn new(settings: ShadowSettings, spool: Arc<Spool>, database: Token, clock: Clock) -> Self {
        let (kept, told) = (Mutex::new(Kept::new(settings)), Mutex::new(Told::new(settings)));
        let (waiting, asking) = (Mutex::default(), Mutex::default());
        let (turn, wake) = (tokio::sync::Mutex::default(), Notify::new());
        let shared = Shared { settings, spool, clock, database, kept, told, waiting, turn, asking, wake };
        Self { shared: Arc::new(shared) }
    }

    /// Which queue database this is.
    pub(crate) fn database(&self) -> Token {
        self.shared.database.clone()
    }

    /// Keeps a copy that a partner took, whose state is not on disk yet. Nothing where as many are kept as may be: then
    /// the copy goes without a shadow.
    pub(crate) fn hold(&self, state: &ShadowState, copy: Copy) -> Option<Handle> {
        self.keep(state, copy, false)
    }

    /// The durable queue holds this copy since before the start. Where there is no room for it any more, it goes.
    pub(crate) async fn recovered(&self, state: &ShadowState, copy: Copy) {
        if self.keep(state, copy.clone(), true).is_none() {
            self.let_go(copy).await;
        }
    }

    /// Nothing is kept of this copy any more.
    pub(crate) async fn let_go(&self, copy: Copy) {
        self.done(copy.id, copy.places).await;
    }

    /// The durable queue holds these notices since before the start.
    pub(crate) fn recovered_notices(&self, id: MessageId, states: &[State]) {
        let mut told = self.told();
        for (state, place) in states.iter().zip(0..).filter(|(state, _)| state.due.is_some()) {
            match Notice::from_bytes(&state.bytes) {
                Ok(notice) => told.recovered(notice, (id, place)),
                Err(error) => tracing::error!(message = %id, %error, "a notice in the queue cannot be read"),
            }
        }
    }

    /// All of the durable queue was read.
    pub(crate) async fn all_recovered(&self) {
        let (notices, gone) = self.told().ready(self.shared.clock.wall());
        self.remove(gone).await;
        self.waiting().extend(notices);
        while self.write_some().await {}
    }

    /// The states of these copies are on disk; answers which of them are sent again.
    pub(crate) async fn written(&self, handles: Vec<Handle>) -> Vec<Copy> {
        let follows = self.kept().written(handles);
        self.finish(follows).await
    }

    /// A session with `partner` is open, whose queue database is `database`; answers which copies it lost.
    pub(crate) fn contact(&self, partner: &ShadowId, database: &ShadowId) -> Vec<Copy> {
        self.kept().contact(partner, database, self.shared.clock.tick()).resubmit
    }

    /// Whether `partner` is to be asked: it has something of ours, and nobody else asks it.
    pub(crate) fn ask(&self, partner: &ShadowId) -> Option<Asking<'_>> {
        let is_wanted = self.kept().holdings.knows(partner) && self.asking().insert(partner.clone());
        is_wanted.then(|| Asking { shadows: self, partner: partner.clone() })
    }

    /// A heartbeat to `partner` was in vain. `other_way` says of a next hop whether it has another target than it.
    pub(crate) fn in_vain(&self, partner: &ShadowId, other_way: impl Fn(&NextHopKey) -> bool) -> InVain {
        let (follows, silence) = self.kept().heartbeat_failed(partner, other_way, self.shared.clock.tick());
        match silence {
            Silence::Wait { .. } => InVain::Wait,
            Silence::NoOtherWay { failures } => InVain::NoOtherWay(failures),
            Silence::TakeOver(_) => InVain::TakeOver(follows.resubmit),
        }
    }

    /// The partners whose heartbeats are due, each counted as sent.
    pub(crate) fn due(&self) -> Vec<ShadowId> {
        let now = self.shared.clock.tick();
        let mut kept = self.kept();
        let due = kept.holdings.heartbeats_due(now);
        for partner in &due {
            kept.holdings.heartbeat_sent(partner, now);
        }
        due
    }

    /// When the next heartbeat is due.
    pub(crate) fn next_heartbeat(&self) -> Tick {
        self.kept().holdings.next_heartbeat()
    }

    /// Done when a heartbeat may be due sooner than it was.
    pub(crate) async fn sooner(&self) {
        self.shared.wake.notified().await;
    }

    /// A message that came with a promise to `holder` went onward to everybody: that is written down.
    pub(crate) async fn onward(&self, holder: &str, shadow: &Token) {
        if let Some(promise) = promise(holder, shadow) {
            let now = self.shared.clock.wall();
            let noticed = self.told().onward(promise, now);
            if let Some((notice, gone)) = noticed {
                self.remove(gone).await;
                self.write_down(notice).await;
            }
        }
    }

    /// Which of `holder`'s shadows may go.
    pub(crate) fn discards(&self, holder: &Token, query: DiscardQuery) -> DiscardNotices {
        let Ok(holder) = holder.as_str().parse() else {
            return DiscardNotices { cursor: query.seen.unwrap_or(0), left: 0, messages: Vec::new() };
        };
        let (notices, read) = self.told().answer(&holder, query);
        if !read.is_empty() {
            // Where that is not written down before the process ends, they are told once more.
            let shadows = self.clone();
            tokio::spawn(async move { shadows.remove(read).await });
        }
        notices
    }

    /// Shadows and notices that are too old to matter go.
    pub(crate) async fn tidy(&self) {
        let now = self.shared.clock.wall();
        let (follows, notices) = (self.kept().expired(now), self.told().expired(now));
        if !follows.done.is_empty() {
            let shadows = follows.done.len();
            tracing::warn!(
                shadows,
                "partners never said what became of messages; their shadows are too old and go"
            );
        }
        self.finish(follows).await;
        self.remove(notices).await;
    }

    /// How many shadows are held, and how many messages arrived twice as far as is known.
    pub(crate) fn counts(&self) -> (usize, u64) {
        let kept = self.kept();
        (kept.holdings.held(), kept.holdings.duplicates())
    }

    fn keep(&self, state: &ShadowState, copy: Copy, written: bool) -> Option<Handle> {
        let (shadow, now) = (state.shadow()?, self.shared.clock.tick());
        let mut kept = self.kept();
        let before = kept.holdings.next_heartbeat();
        let held = kept.hold(shadow, copy, written, now);
        if kept.holdings.next_heartbeat() < before {
            self.shared.wake.notify_one();
        }
        let was_full = std::mem::replace(&mut kept.is_full, held.is_err());
        if let Err(full) = &held
            && !was_full
        {
            tracing::warn!("{full}");
        }
        held.ok()
    }

    /// Writes down what is done; answers what is to be sent again.
    async fn finish(&self, follows: Follows) -> Vec<Copy> {
        let mut running = JoinSet::new();
        for copy in follows.done {
            if running.len() >= WRITES_AT_ONCE {
                running.join_next().await;
            }
            let shadows = self.clone();
            running.spawn(async move { shadows.let_go(copy).await });
        }
        running.join_all().await;
        follows.resubmit
    }

    /// Notices go from the durable queue.
    async fn remove(&self, places: Vec<Place>) {
        let mut of: BTreeMap<MessageId, Vec<u32>> = BTreeMap::new();
        for (id, place) in places {
            of.entry(id).or_default().push(place);
        }
        for (id, places) in of {
            self.done(id, places).await;
        }
    }

    async fn done(&self, id: MessageId, places: Vec<u32>) {
        let done = |recipient| Change { recipient, state: State { due: None, bytes: Vec::new() } };
        match self.shared.spool.update(id, places.into_iter().map(done).collect()).await {
            // The administrator removed it meanwhile.
            Ok(()) | Err(SpoolError::Unknown(_)) => {}
            Err(error) => {
                tracing::error!(message = %id, %error, "that a shadow may go cannot be written down");
            }
        }
    }

    /// Writes a notice down, together with all others that wait; it is on disk when this returns.
    async fn write_down(&self, notice: Notice) {
        self.waiting().push(notice);
        // Where nothing waits any more, whoever had his turn before wrote it.
        self.write_some().await;
    }

    /// Writes some of the notices that wait; whether there were any.
    async fn write_some(&self) -> bool {
        let _turn = self.shared.turn.lock().await;
        let batch: Vec<Notice> = {
            let mut waiting = self.waiting();
            let count = waiting.len().min(NOTICES_TOGETHER);
            waiting.drain(..count).collect()
        };
        if batch.is_empty() {
            return false;
        }
        let keep = self.shared.settings.shadow_message_auto_discard_interval;
        let state = |notice: &Notice| State { due: Some(notice.since.plus(keep)), bytes: notice.to_bytes() };
        let states = batch.iter().map(state).collect();
        match self.shared.spool.draft().queue(envelope::of_notices(), states).await {
            Ok(id) => {
                let over = {
                    let mut told = self.told();
                    let over = batch
                        .iter()
                        .zip(0..)
                        .filter(|(notice, place)| told.written(notice.cursor, (id, *place)));
                    over.map(|(_, place)| (id, place)).collect()
                };
                self.remove(over).await;
            }
            Err(error) => {
                tracing::error!(%error, "notices for shadow partners cannot be written down; they are told until the next start");
                let mut told = self.told();
                for notice in &batch {
                    told.not_written(notice.cursor);
                }
            }
        }
        true
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.shared.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.shared.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Notice>> {
        self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn asking(&self) -> MutexGuard<'_, BTreeSet<ShadowId>> {
        self.shared.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Asking<'_> {
    /// What to say next.
    pub(crate) fn query(&self) -> DiscardQuery {
        DiscardQuery { most: MAX_NOTICES, seen: self.shadows.kept().holdings.seen(&self.partner) }
    }

    /// The partner answered; whether to ask again, and be it to say that these notices were read. What went onward is off
    /// the disk when this returns, so that it may be said.
    pub(crate) async fn answered(&self, notices: &DiscardNotices) -> bool {
        let shadows: Vec<ShadowId> =
            notices.messages.iter().filter_map(|name| name.as_str().parse().ok()).collect();
        let (follows, twice) = self.shadows.kept().discard(&self.partner, &shadows, notices.cursor);
        if twice > 0 {
            let partner = &self.partner;
            tracing::warn!(%partner, messages = twice, "a partner sent messages onward that had been sent again: they arrive twice");
        }
        self.shadows.finish(follows).await;
        !notices.messages.is_empty()
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.shadows.asking().remove(&self.partner);
    }
}

fn promise(holder: &str, shadow: &Token) -> Option<Promise> {
    Some(Promise { holder: holder.parse().ok()?, shadow: shadow.as_str().parse().ok()? })
}

#[cfg(test)]
mod tests;
