//! What the durable queue holds: read one by one, and all of it at the start (H15).

use std::sync::Arc;

use weir_spool::{Body, MessageId, SpoolError, State};
use weir_transport::queue::{Cause, Deferral};
use weir_transport::routing::NextHopKey;

use super::Shared;
use crate::content::Content;
use crate::envelope::{self, Envelope, ShadowState, Standing, Waiting};

/// How many numbers of messages are asked for at once.
const BATCH: usize = 10_000;

/// A message as the durable queue keeps it.
pub(super) struct Stored {
    pub(super) id: MessageId,
    pub(super) envelope: Arc<Envelope>,
    /// How it stands with each recipient, and when he is due.
    pub(super) standings: Vec<(Standing, State)>,
    pub(super) content: Content,
}

/// What the durable queue keeps under a number.
enum Found {
    Message(Box<Stored>),
    /// Notices of shadow redundancy (H12).
    Notices(Vec<State>),
}

impl Stored {
    /// How it stands with the recipient at `place`, and when he is due.
    pub(super) fn standing(&self, place: u32) -> Option<&(Standing, State)> {
        self.standings.get(usize::try_from(place).ok()?)
    }

    /// What is known of a recipient who waits.
    pub(super) fn waiting(&self, place: u32) -> Option<&Waiting> {
        match self.standing(place) {
            Some((Standing::Waiting(waiting), _)) => Some(waiting),
            Some((Standing::Shadow(_) | Standing::Done, _)) | None => None,
        }
    }

    /// What is kept of a recipient whose copy a partner has.
    pub(super) fn shadow(&self, place: u32) -> Option<&ShadowState> {
        match self.standing(place) {
            Some((Standing::Shadow(state), _)) => Some(state),
            Some((Standing::Waiting(_) | Standing::Done, _)) | None => None,
        }
    }

    /// How often the process failed over it.
    pub(super) fn crashes(&self) -> u32 {
        let waiting = (0..).take(self.standings.len()).filter_map(|place| self.waiting(place));
        waiting.map(|waiting| waiting.crashes).max().unwrap_or(0)
    }

    /// Whether the sender heard already that the message is late for one of these.
    pub(super) fn delay_noticed(&self, places: &[u32]) -> bool {
        places.iter().any(|place| self.waiting(*place).is_some_and(|waiting| waiting.delay_noticed))
    }
}

impl Shared {
    /// The message as it stands in the durable queue. Where it cannot be read, that is told and it stays as it is; where
    /// it is done, there is nothing.
    pub(super) async fn read(&self, id: MessageId) -> Option<Stored> {
        match self.try_read(id).await {
            Ok(stored) => Some(stored),
            Err(error) => {
                unreadable(id, &error);
                None
            }
        }
    }

    pub(super) async fn try_read(&self, id: MessageId) -> Result<Stored, SpoolError> {
        match self.read_anything(id).await? {
            Found::Message(stored) => Ok(*stored),
            Found::Notices(_) => Err(SpoolError::Unknown(id)),
        }
    }

    async fn read_anything(&self, id: MessageId) -> Result<Found, SpoolError> {
        let located = self.works.spool.locate(id).await?;
        let reading = tokio::task::spawn_blocking(move || located.read());
        let stored = reading.await.map_err(|_| SpoolError::Closed)??;
        if envelope::is_of_notices(&stored.envelope) {
            return Ok(Found::Notices(stored.recipients));
        }
        let damaged = |_| SpoolError::Damaged { id, what: weir_spool::Measure::Envelope };
        let envelope = Envelope::from_bytes(&stored.envelope).map_err(damaged)?;
        let standing = |state: State| {
            let standing = match state.due {
                None => Standing::Done,
                // A state that cannot be read is one of nobody having tried.
                Some(_) => Standing::from_bytes(&state.bytes).unwrap_or_else(|_| Standing::fresh()),
            };
            (standing, state)
        };
        let standings = stored.recipients.into_iter().map(standing).collect();
        let body: Box<Body<std::fs::File>> = Box::new(stored.body);
        let (envelope, content) = (Arc::new(envelope), Content::Spooled(Some(body)));
        Ok(Found::Message(Box::new(Stored { id, envelope, standings, content })))
    }

    /// The numbers of all messages that the durable queue holds.
    ///
    /// # Errors
    /// Where it is closed.
    pub(super) async fn all_ids(&self) -> Result<Vec<MessageId>, SpoolError> {
        let mut all: Vec<MessageId> = Vec::new();
        loop {
            let batch = self.works.spool.ids_after(all.last().copied(), BATCH).await?;
            if batch.is_empty() {
                return Ok(all);
            }
            all.extend(batch);
        }
    }

    /// Puts a message that was queued before the start back into its queues. Whoever had been deferred waits on until
    /// his time.
    pub(super) async fn recover(self: &Arc<Self>, id: MessageId) {
        let stored = match self.read_anything(id).await {
            Ok(Found::Message(stored)) => *stored,
            Ok(Found::Notices(states)) => return self.shadows.recovered_notices(id, &states),
            Err(error) => return unreadable(id, &error),
        };
        let waiting = |place: &u32| stored.waiting(*place).is_some();
        let places: Vec<u32> = (0..).take(stored.standings.len()).filter(waiting).collect();
        self.recover_shadows(&stored, !places.is_empty()).await;
        if places.is_empty() {
            return;
        }
        let tried = places.iter().filter_map(|place| {
            let waiting = stored.waiting(*place).filter(|waiting| waiting.attempts > 0)?;
            Some((stored.standing(*place)?.1.due?, waiting.clone()))
        });
        let tried: Vec<_> = tried.collect();
        let untried = tried.len() < places.len();
        let judge_at = self.judge_at(&stored.envelope, stored.delay_noticed(&places));
        if stored.crashes() >= self.works.settings.poison_threshold {
            let (key, now) = (NextHopKey::Unreachable, self.now());
            if let Err(full) = self.board().add(id, &key, places, judge_at, now) {
                tracing::error!(message = %id, %full, "a message that was set aside waits for the next start");
            }
            return;
        }
        self.route_stored(stored, places).await;
        let Some((due, waiting)) = tried.into_iter().min_by_key(|(due, _)| *due).filter(|_| !untried) else {
            return;
        };
        let (until, now) = (self.tick_of(due), self.now());
        if until <= now {
            return;
        }
        let cause = if waiting.by_peer { Cause::Peer } else { Cause::Connection };
        let error: Arc<str> = waiting.error.unwrap_or_default().into();
        let mut board = self.board();
        for (key, _) in board.hops_of(id) {
            if let Some(hop) = board.hops.get_mut(&key) {
                hop.queue.defer(id, Deferral { until, cause, error: Arc::clone(&error), judge_at });
            }
            board.touch(&key);
        }
    }
}

/// Tells that a message cannot be read; one that is done is no longer there, and nothing is wrong.
fn unreadable(id: MessageId, error: &SpoolError) {
    if !matches!(error, SpoolError::Unknown(_)) {
        tracing::error!(message = id.number(), %error, "a queued message cannot be read");
    }
}
