//! Messages that are late, and too late; and those that the process failed over (H15).

use std::sync::Arc;

use weir_spool::{Change, MessageId, State};
use weir_transport::queue::{Cause, Deferral, Held};
use weir_transport::routing::NextHopKey;
use weir_units::{Micros, Tick};
use weir_wire::smtp::Status;
use weir_wire::smtp::report::Action;

use super::recovery::Stored;
use super::routing::age;
use super::settle::Verdict;
use super::{Shared, events};
use crate::envelope::{Standing, Waiting};
use crate::metrics::Fate;
use crate::reports::FateOf;

/// How long a message waits over which the process failed.
const AFTER_CRASH: Micros = Micros::MINUTE;

impl Shared {
    /// Judges the copy of a message at `key` by its age: its sender hears that it is late, or gets it back. Nobody sends it
    /// meanwhile; where somebody does already, it is judged when he has failed.
    pub(super) async fn judge(self: &Arc<Self>, id: MessageId, key: &NextHopKey) {
        let Some((held, places)) = self.board().hold(id, key) else { return };
        let Some(stored) = self.read(id).await else {
            // What cannot be read goes as well as it can, and is judged at the next start.
            return self.release(id, key, held, Tick::NEVER);
        };
        let noticed = stored.delay_noticed(&places);
        let judgement = age(&stored.envelope, noticed).judge(&self.works.settings.queue, self.wall());
        if judgement.expired {
            return self.expire(stored, key, places).await;
        }
        if judgement.notice.is_some() {
            self.notice(&stored, &places).await;
        }
        let judge_at = self.judge_at(&stored.envelope, noticed || judgement.notice.is_some());
        self.release(id, key, held, judge_at);
    }

    fn release(&self, id: MessageId, key: &NextHopKey, held: Held, judge_at: Tick) {
        let mut board = self.board();
        if let Some(hop) = board.hops.get_mut(key) {
            hop.queue.release(id, held, judge_at);
        }
        board.touch(key);
        drop(board);
        self.wake.notify_one();
    }

    /// Tells the sender that the message is late. Where that cannot be queued, he is not told of this message again: a full
    /// queue is no time for reports.
    async fn notice(&self, stored: &Stored, places: &[u32]) {
        let queue = &self.works.settings.queue;
        let until = stored.envelope.accepted.plus(queue.message_expiration_timeout);
        let fates = places.iter().map(|place| {
            let reason = stored.waiting(*place).and_then(|waiting| waiting.error.clone());
            let status = Status { class: 4, subject: 4, detail: 7 };
            (*place, FateOf { status, remote: None, reply: None, reason })
        });
        let told = self.tell(stored.id, &stored.envelope, Action::Delayed { until }, fates.collect()).await;
        if let Err(error) = &told {
            tracing::error!(message = %stored.id, %error, "a delay notice cannot be queued");
        }
        let changes = places.iter().filter_map(|place| {
            let (_, state) = stored.standing(*place)?;
            let waiting = Waiting { delay_noticed: true, ..stored.waiting(*place)?.clone() };
            let bytes = Standing::Waiting(waiting).to_bytes();
            Some(Change { recipient: *place, state: State { due: state.due, bytes } })
        });
        self.write(stored.id, changes.collect()).await;
    }

    /// Gives a message up.
    async fn expire(self: &Arc<Self>, stored: Stored, key: &NextHopKey, places: Vec<u32>) {
        let count = u64::try_from(places.len()).unwrap_or(u64::MAX);
        self.works.metrics.recipients(key.delivery_type(), Fate::Expired, count);
        let verdicts = places.into_iter().map(|place| {
            let last = stored.waiting(place).and_then(|waiting| waiting.error.as_deref());
            let reason = match last {
                Some(last) => format!("the message expired; its last attempt ended so: {last}"),
                None => "the message expired before anybody could be tried".to_owned(),
            };
            let status = Status { class: 5, subject: 4, detail: 7 };
            (place, Verdict::Failed(FateOf::because(status, &reason)))
        });
        let verdicts = verdicts.collect();
        self.settle(stored.id, Some(key), &stored.envelope, verdicts).await;
    }

    /// The process panicked over a message. It waits a while; when that happened often enough, it is set aside until the
    /// administrator wants it tried again.
    pub(super) async fn crashed(self: &Arc<Self>, id: MessageId, key: &NextHopKey) {
        let Some(stored) = self.read(id).await else { return };
        let hops = self.board().hops_of(id);
        let Some((_, places)) = hops.into_iter().find(|(of, _)| of == key) else { return };
        let crashes =
            places.iter().filter_map(|place| stored.waiting(*place)).map(|waiting| waiting.crashes).max();
        let crashes = crashes.unwrap_or(0).saturating_add(1);
        let due = self.wall().plus(AFTER_CRASH);
        let error = format!("handling it failed {crashes} times by a fault of Mailweir's own");
        let changes = places.iter().filter_map(|place| {
            let before = stored.waiting(*place)?.clone();
            let attempts = before.attempts.saturating_add(1);
            let waiting = Waiting { crashes, attempts, error: Some(error.clone()), by_peer: true, ..before };
            let bytes = Standing::Waiting(waiting).to_bytes();
            Some(Change { recipient: *place, state: State { due: Some(due), bytes } })
        });
        self.write(id, changes.collect()).await;
        let (until, judge_at) = (self.now().plus(AFTER_CRASH), self.judge_at(&stored.envelope, false));
        let error: std::sync::Arc<str> = error.into();
        if crashes >= self.works.settings.poison_threshold {
            self.works.events.emit(events::poison(id, crashes));
            self.set_aside(id, key, &error, judge_at);
        } else {
            let mut board = self.board();
            if let Some(hop) = board.hops.get_mut(key) {
                hop.queue.defer(id, Deferral { until, cause: Cause::Peer, error, judge_at });
            }
            board.touch(key);
        }
        self.wake.notify_one();
    }

    /// Moves a copy to those that have no way.
    fn set_aside(&self, id: MessageId, key: &NextHopKey, error: &std::sync::Arc<str>, judge_at: Tick) {
        let now = self.now();
        let mut board = self.board();
        let places = board.withdraw(id, key);
        let aside = NextHopKey::Unreachable;
        if let Err(full) = board.add(id, &aside, places, judge_at, now) {
            tracing::error!(message = %id, %full, "a message cannot be set aside, and waits for the next start");
        }
        if let Some(hop) = board.hops.get_mut(&aside) {
            hop.queue.trouble(error);
        }
    }
}
