//! What follows from a delivery: reports, states on disk, retries (H15).
//!
//! The order is what nothing is lost by: a report that a message failed is on disk before the message is said to be
//! done, and where it cannot be, the message stays.

use std::sync::Arc;

use weir_spool::{Change, MessageId, SpoolError, State};
use weir_transport::queue::{Cause, Deferral, Fate, Outcome};
use weir_transport::routing::{DeliveryType, NextHopKey};
use weir_units::WallTime;
use weir_wire::smtp::report::Action;
use weir_wire::smtp::{Notify, Reply, Status};

use super::Shared;
use super::routing::age;
use super::shadowing::handles;
use crate::content::Content;
use crate::envelope::{Envelope, ShadowState, Standing, Waiting};
use crate::metrics::{Fate as Counted, Report};
use crate::reports::{FateOf, ReportError};
use crate::shadow::Handle;

/// All is well.
const GOOD: Status = Status { class: 2, subject: 0, detail: 0 };

/// What became of a recipient.
#[derive(Clone, Debug)]
pub(super) enum Verdict {
    /// He has it.
    Delivered,
    /// It went on, to a server that reports about it, or that does not.
    Relayed {
        /// Whether it reports.
        reports: bool,
        /// The server.
        remote: Arc<str>,
        /// Its shadow that is kept, where it is a partner (H12).
        shadow: Option<Keeping>,
    },
    /// He gets nothing ever; his sender is told.
    Failed(FateOf),
    /// He is tried again.
    Deferred {
        /// Why.
        error: Arc<str>,
        /// Whether the peer itself said so.
        by_peer: bool,
    },
}

/// A copy that is kept, and what its state says.
#[derive(Clone, Debug)]
pub(super) struct Keeping {
    pub(super) handle: Handle,
    pub(super) state: Arc<ShadowState>,
}

impl Verdict {
    /// Nobody can have it, by a word of ours.
    pub(super) fn failed(reply: &Reply) -> Self {
        let status = reply.status().unwrap_or(Status { class: 5, subject: 0, detail: 0 });
        Self::Failed(FateOf::because(status, &reply.lines().collect::<Vec<_>>().join(" ")))
    }

    /// What a peer's answer comes to, which `remote` gave; nothing for one who is named again at once. Where there was no
    /// answer, `trouble` says why.
    pub(super) fn of(
        outcome: &Outcome,
        remote: &str,
        reports: bool,
        shadow: Option<&Keeping>,
        trouble: Option<&str>,
    ) -> Option<Self> {
        let lost = trouble.unwrap_or("connection lost");
        let error = || match &outcome.reply {
            Some(reply) => format!("{} {}", reply.code, reply.text).into(),
            None if outcome.in_doubt => format!("{lost}, before the message was acknowledged").into(),
            None => lost.into(),
        };
        match (outcome.fate, &outcome.reply) {
            (Fate::Done, _) => {
                Some(Self::Relayed { reports, remote: remote.into(), shadow: shadow.cloned() })
            }
            (Fate::Again, _) => None,
            (Fate::Bounced, Some(reply)) => Some(Self::Failed(FateOf::said(remote, reply))),
            (Fate::Deferred | Fate::Bounced, reply) => {
                Some(Self::Deferred { error: error(), by_peer: reply.is_some() })
            }
        }
    }

    /// The copy that is kept.
    pub(super) fn keeping(&self) -> Option<Handle> {
        match self {
            Self::Relayed { shadow, .. } => shadow.as_ref().map(|kept| kept.handle),
            Self::Delivered | Self::Failed(_) | Self::Deferred { .. } => None,
        }
    }

    const fn is_over(&self) -> bool {
        match self {
            Self::Delivered | Self::Relayed { .. } | Self::Failed(_) => true,
            Self::Deferred { .. } => false,
        }
    }
}

impl Shared {
    /// What became of some recipients of a message – those who waited at `key`, where they waited somewhere – is
    /// reported, written down, and shown on the board.
    pub(super) async fn settle(
        self: &Arc<Self>,
        id: MessageId,
        key: Option<&NextHopKey>,
        envelope: &Arc<Envelope>,
        mut verdicts: Vec<(u32, Verdict)>,
    ) {
        if let Err(error) = self.report(id, envelope, &verdicts).await {
            tracing::error!(message = id.number(), %error, "a report cannot be queued; what it tells of stays queued");
            let error: Arc<str> = format!("a report to the sender cannot be queued: {error}").into();
            for (_, verdict) in
                verdicts.iter_mut().filter(|(_, verdict)| matches!(verdict, Verdict::Failed(_)))
            {
                *verdict = Verdict::Deferred { error: Arc::clone(&error), by_peer: true };
            }
        }
        self.count(key, &verdicts);
        if verdicts.iter().all(|(_, verdict)| verdict.is_over()) {
            self.over(id, key, envelope, verdicts).await;
        } else {
            self.later(id, key, envelope, verdicts).await;
        }
    }

    /// Everybody of this copy has what he gets.
    async fn over(
        self: &Arc<Self>,
        id: MessageId,
        key: Option<&NextHopKey>,
        envelope: &Arc<Envelope>,
        verdicts: Vec<(u32, Verdict)>,
    ) {
        let kept = handles(&verdicts);
        let changes = verdicts.into_iter().map(|(place, verdict)| Change {
            recipient: place,
            state: self.state_of(verdict, &Waiting::default(), self.wall()),
        });
        let changes: Vec<Change> = changes.collect();
        let is_over = match key {
            Some(key) => self.board().done(id, key, self.now()),
            None => !self.board().has(id),
        };
        self.wake.notify_one();
        let (shared, envelope) = (Arc::clone(self), Arc::clone(envelope));
        // Written behind the delivery: a connection goes on meanwhile, as long as not too many of these are under way.
        let Ok(place) = Arc::clone(&self.writes).acquire_owned().await else { return };
        tokio::spawn(async move {
            shared.write(id, changes).await;
            if is_over {
                shared.onward(&envelope).await;
            }
            drop(place);
            shared.kept(kept).await;
        });
    }

    /// Some of this copy are tried again.
    async fn later(
        self: &Arc<Self>,
        id: MessageId,
        key: Option<&NextHopKey>,
        envelope: &Arc<Envelope>,
        verdicts: Vec<(u32, Verdict)>,
    ) {
        let stored = self.read(id).await;
        let wall = self.wall();
        let left: Vec<u32> =
            verdicts.iter().filter(|(_, verdict)| !verdict.is_over()).map(|(place, _)| *place).collect();
        let noticed = stored.as_ref().is_some_and(|stored| stored.delay_noticed(&left));
        let retry = age(envelope, noticed).next_retry(&self.works.settings.queue, wall);
        let (error, by_peer) = why(&verdicts);
        let kept = handles(&verdicts);
        let none = Waiting::default();
        let changes = verdicts.into_iter().map(|(place, verdict)| {
            let before = stored.as_ref().and_then(|stored| stored.waiting(place)).unwrap_or(&none);
            let due = if verdict.is_over() { wall } else { retry };
            Change { recipient: place, state: self.state_of(verdict, before, due) }
        });
        self.write(id, changes.collect()).await;
        self.kept(kept).await;
        let cause = if by_peer { Cause::Peer } else { Cause::Connection };
        let (until, judge_at) = (self.tick_of(retry), self.judge_at(envelope, noticed));
        let mut board = self.board();
        if let Some(key) = key {
            if let Some(hop) = board.hops.get_mut(key) {
                hop.queue.defer(id, Deferral { until, cause, error, judge_at });
            }
            board.left(id, key, left);
        } else if let Err(full) = board.add(id, &NextHopKey::Unreachable, left, judge_at, self.now()) {
            tracing::error!(message = %id, %full, "a message waits for the next start");
        }
        drop(board);
        self.wake.notify_one();
    }

    /// Tells the sender what he has to hear now.
    pub(super) async fn report(
        &self,
        id: MessageId,
        envelope: &Envelope,
        verdicts: &[(u32, Verdict)],
    ) -> Result<(), ReportError> {
        let (mut failed, mut delivered, mut relayed) = (Vec::new(), Vec::new(), Vec::new());
        for (place, verdict) in verdicts {
            match verdict {
                Verdict::Failed(fate) => failed.push((*place, fate.clone())),
                Verdict::Delivered => delivered.push((*place, FateOf::because(GOOD, "delivered"))),
                Verdict::Relayed { reports: false, remote, .. } => {
                    let fate = FateOf::because(GOOD, "handed on to a server that makes no reports");
                    relayed.push((*place, FateOf { remote: Some(remote.to_string()), ..fate }));
                }
                Verdict::Relayed { .. } | Verdict::Deferred { .. } => {}
            }
        }
        let told = [(Action::Failed, failed), (Action::Delivered, delivered), (Action::Relayed, relayed)];
        for (action, fates) in told {
            self.tell(id, envelope, action, fates).await?;
        }
        Ok(())
    }

    /// Queues a report to the sender, where he wants to hear of any of these.
    pub(super) async fn tell(
        &self,
        id: MessageId,
        envelope: &Envelope,
        action: Action,
        mut fates: Vec<(u32, FateOf)>,
    ) -> Result<(), ReportError> {
        fates.retain(|(place, _)| action.is_wanted(notify(envelope, *place)));
        let Some(reporter) = self.reporter.load_full() else { return Ok(()) };
        if fates.is_empty() || envelope.mail.from.mailbox().is_none() {
            return Ok(());
        }
        // The report goes without the message where that cannot be read.
        let content = self.try_read(id).await.map_or(Content::Fresh(None), |stored| stored.content);
        let fates = fates.into_iter().filter_map(|(place, fate)| Some((usize::try_from(place).ok()?, fate)));
        let said = Report::of(&action);
        if reporter.report(envelope, action, fates.collect(), content).await?.is_some() {
            self.works.metrics.report(said);
        }
        Ok(())
    }

    /// What the durable queue keeps of a recipient from now on.
    fn state_of(&self, verdict: Verdict, before: &Waiting, due: WallTime) -> State {
        let discard = self.works.settings.shadow.shadow_message_auto_discard_interval;
        match verdict {
            Verdict::Delivered | Verdict::Failed(_) | Verdict::Relayed { shadow: None, .. } => {
                State { due: None, bytes: Vec::new() }
            }
            Verdict::Relayed { shadow: Some(shadow), .. } => State {
                due: Some(due.plus(discard)),
                bytes: Standing::Shadow(ShadowState::clone(&shadow.state)).to_bytes(),
            },
            Verdict::Deferred { error, by_peer } => {
                let attempts = before.attempts.saturating_add(1);
                let error = Some(error.to_string());
                let waiting = Waiting { attempts, error, by_peer, ..before.clone() };
                State { due: Some(due), bytes: Standing::Waiting(waiting).to_bytes() }
            }
        }
    }

    /// Writes what became of recipients. A disk that fails does not undo a delivery: after a restart it happens again.
    pub(super) async fn write(&self, id: MessageId, changes: Vec<Change>) {
        match self.works.spool.update(id, changes).await {
            // Somebody removed it meanwhile.
            Ok(()) | Err(SpoolError::Unknown(_)) => {}
            Err(error) => {
                tracing::error!(message = id.number(), %error, "what became of a message cannot be written down");
            }
        }
    }

    fn count(&self, key: Option<&NextHopKey>, verdicts: &[(u32, Verdict)]) {
        let delivery = key.map_or(DeliveryType::Unreachable, NextHopKey::delivery_type);
        for (_, verdict) in verdicts {
            let fate = match verdict {
                Verdict::Delivered | Verdict::Relayed { .. } => Counted::Delivered,
                Verdict::Failed(_) => Counted::Bounced,
                Verdict::Deferred { .. } => Counted::Deferred,
            };
            self.works.metrics.recipients(delivery, fate, 1);
        }
    }
}

/// Why recipients are tried again, and whether the peer itself said so.
fn why(verdicts: &[(u32, Verdict)]) -> (Arc<str>, bool) {
    let deferred = verdicts.iter().find_map(|(_, verdict)| match verdict {
        Verdict::Deferred { error, by_peer } => Some((Arc::clone(error), *by_peer)),
        Verdict::Delivered | Verdict::Relayed { .. } | Verdict::Failed(_) => None,
    });
    deferred.unwrap_or_else(|| ("".into(), true))
}

/// What the sender wants to hear of the recipient at `place`.
fn notify(envelope: &Envelope, place: u32) -> Notify {
    envelope.recipient(place).and_then(|to| to.notify).unwrap_or(Notify::DEFAULT)
}
