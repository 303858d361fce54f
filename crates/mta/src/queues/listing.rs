//! What the administrator sees and does: queues, their messages, `queue retry` and its like.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::Arc;

use weir_balance::{Listing as Target, UnknownTarget};
use weir_spool::{Change, MessageId, SpoolError, State};
use weir_transport::routing::NextHopKey;

use super::Queues;
use super::routing::reply_of;
use super::settle::Verdict;
use crate::envelope::Standing;
use crate::view::{MessageView, QueueView};

/// A message that could not be removed.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the message stays in the queue: {0}")]
pub struct NotRemoved(Arc<str>);

impl NotRemoved {
    fn because(error: &dyn std::error::Error) -> Self {
        Self(error.to_string().into())
    }
}

impl Queues {
    /// All queues, by next hop.
    pub(crate) fn list(&self) -> Vec<QueueView> {
        let shared = &self.shared;
        let (now, wall) = (shared.now(), shared.wall());
        let known = shared.works.health.list(now).into_iter().map(|target| (target.address, target));
        let known: BTreeMap<SocketAddr, Target> = known.collect();
        let board = shared.board();
        let view = |(key, hop): (&NextHopKey, &super::hop::Hop)| {
            let targets = hop.levels().map_or_else(Vec::new, |levels| QueueView::targets_of(levels, &known));
            QueueView::new(key.clone(), hop.queue.listing(now), targets, now, wall)
        };
        board.hops.iter().map(view).collect()
    }

    /// At most `most` messages of the queue of `key`, those after `after`.
    pub(crate) async fn messages(
        &self,
        key: &NextHopKey,
        after: Option<MessageId>,
        most: usize,
    ) -> Vec<MessageView> {
        let ids: Vec<MessageId> = match self.shared.board().hops.get(key) {
            Some(hop) => {
                hop.queue.messages_in((after.map_or(Unbounded, Excluded), Unbounded)).take(most).collect()
            }
            None => return Vec::new(),
        };
        let mut views = Vec::with_capacity(ids.len());
        for id in ids {
            views.extend(self.message(id).await);
        }
        views
    }

    /// A message, as it stands in the durable queue.
    pub(crate) async fn message(&self, id: MessageId) -> Option<MessageView> {
        let stored = self.shared.read(id).await?;
        let hops = self.shared.board().hops_of(id);
        let hop =
            |place: u32| hops.iter().find(|(_, places)| places.contains(&place)).map(|(key, _)| key.clone());
        let recipients = (0..).zip(stored.standings).map(|(place, (standing, state))| {
            let due = state.due.filter(|_| standing != Standing::Done);
            (standing, hop(place), due)
        });
        let lifetime = self.shared.works.settings.queue.message_expiration_timeout;
        Some(MessageView::new(id, &stored.envelope, recipients, lifetime))
    }

    /// Tries a next hop at once, deferred messages too; whether there is such a queue. What has no way is routed anew.
    pub(crate) fn retry(&self, key: &NextHopKey) -> bool {
        let (shared, now) = (&self.shared, self.shared.now());
        let mut board = shared.board();
        let Some(hop) = board.hops.get_mut(key) else { return false };
        hop.queue.retry_now(now);
        for target in hop.levels().into_iter().flat_map(|levels| levels.targets()) {
            // Each of them was named by a selector, and is known.
            let _ = shared.works.health.retry_now(target.address, now);
        }
        hop.forget_targets(now);
        board.touch(key);
        drop(board);
        if *key == NextHopKey::Unreachable {
            tokio::spawn(Arc::clone(shared).route_again(key.clone(), true));
        }
        shared.wake.notify_one();
        true
    }

    /// Stops or resumes a queue; whether there is one.
    pub(crate) fn suspend(&self, key: &NextHopKey, suspended: bool) -> bool {
        let mut board = self.shared.board();
        let Some(hop) = board.hops.get_mut(key) else { return false };
        hop.queue.suspend(suspended);
        board.touch(key);
        drop(board);
        self.shared.wake.notify_one();
        true
    }

    /// Makes the next retry of an unhealthy target due at once, for all queues that have it.
    ///
    /// # Errors
    /// [`UnknownTarget`].
    pub(crate) fn retry_target(&self, address: SocketAddr) -> Result<(), UnknownTarget> {
        self.shared.works.health.retry_now(address, self.shared.now())?;
        self.look_at(address);
        Ok(())
    }

    /// Puts a target back into service, for all queues that have it.
    ///
    /// # Errors
    /// [`UnknownTarget`].
    pub(crate) fn enable_target(&self, address: SocketAddr) -> Result<(), UnknownTarget> {
        self.shared.works.health.enable(address, self.shared.now())?;
        self.look_at(address);
        Ok(())
    }

    /// Something about a target has changed: the queues that have it wait no longer.
    fn look_at(&self, address: SocketAddr) {
        let (shared, now) = (&self.shared, self.shared.now());
        shared.board().at_target(address, |queue| queue.try_at(now));
        shared.wake.notify_one();
    }

    /// Removes a message; its sender hears of it if he is to. Whether there was one.
    ///
    /// # Errors
    /// Where the durable queue fails: then it may be there still, and is tried after the next start.
    pub(crate) async fn remove(&self, id: MessageId, report: bool) -> Result<bool, NotRemoved> {
        let shared = &self.shared;
        let stored = match shared.try_read(id).await {
            Ok(stored) => stored,
            Err(SpoolError::Unknown(_)) => return Ok(false),
            Err(error) => return Err(NotRemoved::because(&error)),
        };
        let left = (0..).zip(&stored.standings).filter(|(_, (standing, _))| *standing != Standing::Done);
        let places: Vec<u32> = left.map(|(place, _)| place).collect();
        if report {
            let words = reply_of("550 5.7.0 the administrator removed the message from the queue");
            // Whoever's copy a partner has will get it.
            let unserved = places.iter().filter(|place| stored.waiting(**place).is_some());
            let verdicts: Vec<_> = unserved.map(|place| (*place, Verdict::failed(&words))).collect();
            let told = shared.report(id, &stored.envelope, &verdicts).await;
            told.map_err(|error| NotRemoved::because(&error))?;
        }
        shared.board().forget(id);
        let done = |place| Change { recipient: place, state: State { due: None, bytes: Vec::new() } };
        let changes = places.into_iter().map(done).collect();
        let written = shared.works.spool.update(id, changes).await;
        written.map_err(|error| NotRemoved::because(&error))?;
        shared.onward(&stored.envelope).await;
        Ok(true)
    }
}
