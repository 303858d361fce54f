//! An answer on its way to the client: streamed, judged and cut where a limit asks for it (E7).
//!
//! Pieces go on as they come. The answer to a find passes through a filter that stops at each folder's attributes and
//! decides with what is left of the limit (T10–T12); the answer to a subscription is read beside it, since what lives at
//! the origin counts (T7). Before the last bytes go out the visit is settled. A client that goes away drops the passage,
//! and with it the connection to the origin, which so notices.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::StatusCode;
use hyper::body::{Body, Incoming};
use tokio::sync::mpsc;
use weir_units::{Micros, TimePart};
use weir_wire::ews::outcome::Outcome;
use weir_wire::ews::peek::FindView;
use weir_wire::ews::refusal::too_many_found;
use weir_wire::ews::relay::{Allowance, Decision, Event, Judgement, Relay, RootFolder};
use weir_wire::ews::request::Version;
use weir_wire::ews::response::ErrorMessage;

use super::failure::FailureKind;
use super::follow::Follow;
use super::origin::RemoteOrigin;
use super::upstream::{Upstream, next_piece};
use super::watch::Watch;
use crate::body::Piece;
use crate::subscriptions::Opened;
use crate::visit::Visit;

/// An answer under way.
pub(super) struct Passage {
    pub(super) visit: Visit,
    pub(super) status: StatusCode,
    pub(super) origin: Arc<RemoteOrigin>,
    /// The connection that the answer comes by; none once it was given back.
    pub(super) upstream: Option<Upstream>,
    /// Whether that connection is bound to the client's, so that nobody else gets it.
    pub(super) own: bool,
    pub(super) answer: Incoming,
    /// What was read of the answer before it was known how it passes.
    pub(super) read: Bytes,
    pub(super) find: Option<Box<FindFilter>>,
    pub(super) book: Option<Book>,
    pub(super) watch: Option<Box<Watch>>,
    /// What follows the answer to a MAPI request.
    pub(super) follow: Option<Box<Follow>>,
    /// How long a call that hangs may be silent.
    pub(super) silence: Option<Duration>,
}

/// What is done to the answer of a find.
pub(super) struct FindFilter {
    pub(super) relay: Relay,
    pub(super) view: FindView,
    pub(super) version: Version,
    /// What each folder of a paged find may bring; an unpaged one is judged by what is left at that moment.
    pub(super) page: Option<u32>,
    /// What was taken from the limit for a folder that is being counted.
    pub(super) held: u32,
}

/// What is learned of subscriptions from an answer.
pub(super) struct Book {
    pub(super) outcome: Outcome,
    pub(super) entry: Entry,
}

/// What was asked about a subscription.
pub(super) enum Entry {
    /// A new one, which lives for so long without a question; it is counted already.
    Subscribe(Micros),
    /// Its events.
    Events(String),
    /// Its end.
    Unsubscribe(String),
}

impl Passage {
    /// The next piece of what the client gets.
    ///
    /// # Errors
    ///
    /// How the origin failed in the middle.
    pub(super) async fn next(&mut self) -> Result<Piece, FailureKind> {
        let came = if self.read.is_empty() {
            let silence = self.silence.unwrap_or(self.origin.settings().answer_idle_time);
            let clock = self.visit.gateway().clock;
            let Self { visit, answer, .. } = self;
            let next = next_piece(answer, silence, &clock);
            match visit.waiting_for_origin(next).await? {
                None => return Ok(Piece::Last(self.end())),
                Some(piece) => piece,
            }
        } else {
            std::mem::take(&mut self.read)
        };
        if let Some(book) = &mut self.book {
            book.outcome.feed(&came);
        }
        if let Some(watch) = &mut self.watch {
            watch.feed(&came, &mut self.visit);
        }
        let passes = match (&mut self.find, &mut self.follow) {
            (Some(find), _) => Bytes::from(find.filter(&came, &mut self.visit)),
            (None, Some(follow)) => {
                let passes = follow.pass(came, self.visit.gateway().clock.tick());
                if !follow.awaits_origin() {
                    self.visit.leave_origin();
                }
                passes
            }
            (None, None) => came,
        };
        if self.answer.is_end_stream() {
            let mut last = passes;
            let rest = self.end();
            if !rest.is_empty() {
                last = [last, rest].concat().into();
            }
            return Ok(Piece::Last(last));
        }
        Ok(Piece::More(passes))
    }

    /// Whether what has come of the answer says that the origin still works on it.
    pub(super) fn awaits_origin(&self) -> bool {
        self.follow.as_ref().is_some_and(|follow| follow.awaits_origin())
    }

    /// Pours the answer into `pieces` until it is whole or the client has gone.
    pub(super) async fn pour(mut self, pieces: mpsc::Sender<Piece>) {
        let gone = pieces.clone();
        tokio::select! {
            biased;
            () = gone.closed() => {}
            () = self.pour_all(pieces) => {}
        }
    }

    async fn pour_all(&mut self, pieces: mpsc::Sender<Piece>) {
        loop {
            let piece = match self.next().await {
                Ok(piece) => piece,
                Err(error) => {
                    tracing::warn!(%error, "an answer of the origin broke off");
                    return;
                }
            };
            let last = matches!(piece, Piece::Last(_));
            self.visit.pause();
            let Ok(slot) = pieces.reserve().await else { return };
            self.visit.resume();
            if last {
                self.settle().await;
            }
            slot.send(piece);
            if last {
                return;
            }
        }
    }

    /// Ends the visit and gives the connection back.
    pub(super) async fn settle(&mut self) {
        let Some(upstream) = self.upstream.take() else { return };
        if self.own {
            self.visit.connection().bound.lock().await.keep(upstream);
        } else if upstream.is_ready() {
            self.origin.give_back(upstream);
        } else {
            tokio::spawn(give_back_rested(Arc::clone(&self.origin), upstream));
        }
        self.visit.settle(self.status);
    }

    /// What the filter still holds at the answer's end; the books are closed.
    fn end(&mut self) -> Bytes {
        if let Some(book) = self.book.take() {
            book.close(&mut self.visit);
        }
        if let Some(follow) = self.follow.take() {
            let now = self.visit.gateway().clock.tick();
            follow.end(&self.visit, now);
        }
        let mut rest = Vec::new();
        if let Some(find) = self.find.take() {
            find.relay.end(&mut rest);
        }
        rest.into()
    }
}

/// Gives a connection back once its request has gone out whole too: an answer may be there before that.
async fn give_back_rested(origin: Arc<RemoteOrigin>, mut upstream: Upstream) {
    if tokio::time::timeout(REST, upstream.rested()).await.is_ok_and(|rested| rested) {
        origin.give_back(upstream);
    }
}

/// How long a request may go out after its answer has come.
const REST: Duration = Duration::from_secs(2);

impl Drop for Passage {
    fn drop(&mut self) {
        // A subscription whose answer nobody has seen is not counted on.
        if let Some(book) = self.book.take() {
            book.close(&mut self.visit);
        }
        if let Some(follow) = &mut self.follow {
            follow.broke_off(&self.visit);
        }
    }
}

impl FindFilter {
    fn filter(&mut self, mut piece: &[u8], visit: &mut Visit) -> Vec<u8> {
        let mut out = Vec::with_capacity(piece.len());
        while let Some(event) = self.relay.feed(&mut piece, &mut out) {
            match event {
                Event::Folder(folder) => {
                    let decision = self.decide(&folder, visit);
                    self.relay.decide(decision, &mut out);
                }
                Event::Counted { entries, .. } => self.counted(entries, visit),
            }
        }
        out
    }

    fn decide(&mut self, folder: &RootFolder, visit: &mut Visit) -> Decision {
        let Some(permit) = visit.admitted() else { return Decision::Pass };
        let paged = self.view.is_paged();
        let left = if paged { self.page } else { permit.find_left() };
        let allowance = Allowance::new(left);
        match allowance.judge(&self.view, folder) {
            Judgement::TooMany { limit } => {
                let least = u64::from(left.unwrap_or(u32::MAX)) + 1;
                permit.saw_too_many(folder.total.map_or(least, |total| least.max(total.into())), least - 1);
                Decision::TooMany(self.too_many(limit, visit))
            }
            Judgement::Pass { came } if left.is_none() => {
                permit.take_found(came.min(MOST_UNLIMITED), paged);
                Decision::Pass
            }
            Judgement::Pass { came } => {
                let taken = permit.take_found(came, paged);
                let version = self.version;
                let limit = policy_limit(visit);
                let decision =
                    allowance.settle(&self.view, folder, taken, || too_many_found(limit.into(), version));
                if matches!(decision, Decision::TooMany(_)) {
                    note_refusal(visit);
                    visit.permit().release_found(taken);
                    visit.permit().saw_too_many(came.into(), taken.min(came.saturating_sub(1)).into());
                }
                decision
            }
            Judgement::Count { most } => {
                self.held = permit.take_found(most, false);
                let error = too_many_found(policy_limit(visit).into(), self.version);
                let unpaged = self.view == FindView::Unpaged;
                Decision::Hold { most: self.held, error, unpaged }
            }
        }
    }

    /// A folder was counted: what was taken too much is given back, all of it where an error went in its place.
    fn counted(&mut self, entries: Option<u32>, visit: &mut Visit) {
        let held = std::mem::take(&mut self.held);
        if entries.is_none() {
            note_refusal(visit);
        }
        if let Some(permit) = visit.admitted() {
            permit.release_found(held.saturating_sub(entries.unwrap_or(0)));
            if entries.is_none() {
                permit.saw_too_many(u64::from(held) + 1, held.into());
            }
        }
    }

    fn too_many(&self, limit: Option<u32>, visit: &mut Visit) -> ErrorMessage {
        note_refusal(visit);
        too_many_found(limit.unwrap_or_else(|| policy_limit(visit)).into(), self.version)
    }
}

fn note_refusal(visit: &mut Visit) {
    if let Some(refusal) = visit.admitted().map(|permit| permit.find_refusal()) {
        visit.refused(&refusal);
    }
}

/// What a folder without a limit counts at most, when its attributes do not say how many come.
const MOST_UNLIMITED: u32 = 1_000_000;

fn policy_limit(visit: &mut Visit) -> u32 {
    visit.admitted().and_then(|permit| permit.limits().find_count).unwrap_or(u32::MAX)
}

impl Book {
    fn close(self, visit: &mut Visit) {
        let Some(permit) = visit.admitted() else { return };
        let said = |code: &str| self.outcome.codes().first().is_some_and(|first| first == code);
        let (done, forgotten) = (said("NoError"), said("ErrorSubscriptionNotFound"));
        match self.entry {
            Entry::Subscribe(timeout) => {
                let opened = match self.outcome.subscription().filter(|_| done) {
                    Some(id) => permit.subscription_opened(id, timeout),
                    None => Opened::Untracked,
                };
                if opened != Opened::Counted {
                    permit.give_back_subscription();
                }
            }
            Entry::Events(id) if done => permit.subscription_used(&id),
            Entry::Events(id) if forgotten => permit.subscription_closed(&id),
            Entry::Unsubscribe(id) if done || forgotten => permit.subscription_closed(&id),
            Entry::Events(_) | Entry::Unsubscribe(_) => {}
        }
    }
}

impl Visit {
    /// Awaits the origin and charges the time.
    pub(super) async fn waiting_for_origin<T>(&mut self, work: impl Future<Output = T>) -> T {
        let clock = self.gateway().clock;
        let began = clock.tick();
        let done = match self.admitted() {
            Some(permit) => permit.during(TimePart::MailboxRpc, work).await.0,
            None => work.await,
        };
        self.origin_took(clock.tick().since(began));
        done
    }
}
