//! What an administrator sees of the running transport: its queues and its messages (H1, H6, H15).
//!
//! The decisions count in ticks of the process; here their moments are times of day. What a view says of a message was
//! read from the durable queue, and of a queue from memory, at one moment each: by the time that somebody reads it,
//! the next one has come.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;

use weir_balance::Listing as TargetListing;
use weir_spool::MessageId;
use weir_transport::next_hop::Levels;
use weir_transport::queue::{Listing, QueueState, per_second};
use weir_transport::routing::NextHopKey;
use weir_units::{Micros, Tick, WallTime};
use weir_wire::smtp::{ForwardPath, ReversePath};

use crate::envelope::{Envelope, Provenance, Standing};

/// The queue of one next hop.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueView {
    /// Where its messages go. Its text is the queue's name.
    pub next_hop: NextHopKey,
    /// Its state.
    pub state: QueueState,
    /// Messages that could go at once.
    pub ready: usize,
    /// Messages that are being sent.
    pub sending: usize,
    /// Messages that wait for their time.
    pub deferred: usize,
    /// Connections that are open or being opened.
    pub connections: u32,
    /// How many there may be.
    pub connection_limit: u32,
    /// What went wrong last, since the next hop last took a message.
    pub last_error: Option<Arc<str>>,
    /// Attempts in vain since the next hop last answered.
    pub retry_count: u32,
    /// When the first of them failed.
    pub first_retry: Option<WallTime>,
    /// When the last of them failed.
    pub last_retry: Option<WallTime>,
    /// When it is tried again by itself.
    pub next_retry: Option<WallTime>,
    /// Messages a second that came in the last minute.
    pub incoming_rate: f64,
    /// Messages a second that went in the last minute.
    pub outgoing_rate: f64,
    /// Messages a second by which it shrinks; negative where it grows.
    pub velocity: f64,
    /// The targets of its next hop, those that are tried first at the front; none where they are not known yet.
    pub targets: Vec<TargetListing>,
}

/// A message in the durable queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageView {
    /// What the durable queue calls it.
    pub id: MessageId,
    /// Whom it is from.
    pub from: ReversePath,
    /// Whom it is for.
    pub recipients: Vec<RecipientView>,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was accepted.
    pub accepted: WallTime,
    /// When it is given up.
    pub expires: WallTime,
    /// Where it came in.
    pub origin: Provenance,
}

/// One recipient of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipientView {
    /// Whom it is for.
    pub to: ForwardPath,
    /// How it stands with him.
    pub standing: Standing,
    /// Where his copy goes next; nowhere once it went.
    pub next_hop: Option<NextHopKey>,
    /// When he is looked at again by himself.
    pub next_try: Option<WallTime>,
}

impl QueueView {
    /// What `listing` says of the queue of `next_hop` at `now`, which is `wall` by the clock on the wall.
    pub fn new(
        next_hop: NextHopKey,
        listing: Listing,
        targets: Vec<TargetListing>,
        now: Tick,
        wall: WallTime,
    ) -> Self {
        let moment = |tick: Option<Tick>| tick.map(|tick| moment(tick, now, wall));
        Self {
            next_hop,
            state: listing.state,
            ready: listing.ready,
            sending: listing.sending,
            deferred: listing.deferred,
            connections: listing.connections,
            connection_limit: listing.connection_limit,
            retry_count: listing.retry_count,
            first_retry: moment(listing.first_failure),
            last_retry: moment(listing.last_failure),
            next_retry: moment(listing.next_retry),
            incoming_rate: per_second(listing.incoming),
            outgoing_rate: per_second(listing.outgoing),
            velocity: listing.velocity(),
            last_error: listing.last_error,
            targets,
        }
    }

    /// How the targets of `levels` are, as `known` lists all that there are.
    pub fn targets_of(levels: &Levels, known: &BTreeMap<SocketAddr, TargetListing>) -> Vec<TargetListing> {
        levels.targets().filter_map(|target| known.get(&target.address)).cloned().collect()
    }

    /// All its messages.
    pub const fn messages(&self) -> usize {
        self.ready + self.sending + self.deferred
    }
}

impl MessageView {
    /// The message of `envelope`, with each recipient's standing, next hop and next try, in the envelope's order. It is
    /// given up `lifetime` after it was accepted.
    pub fn new(
        id: MessageId,
        envelope: &Envelope,
        recipients: impl IntoIterator<Item = (Standing, Option<NextHopKey>, Option<WallTime>)>,
        lifetime: Micros,
    ) -> Self {
        let recipient =
            |(to, (standing, next_hop, next_try))| RecipientView { to, standing, next_hop, next_try };
        let to = envelope.recipients.iter().map(|recipient| recipient.to.clone());
        Self {
            id,
            from: envelope.mail.from.clone(),
            recipients: to.zip(recipients).map(recipient).collect(),
            bytes: envelope.bytes,
            accepted: envelope.accepted,
            expires: envelope.accepted.plus(lifetime),
            origin: envelope.origin.clone(),
        }
    }

    /// The next hops that copies of it wait for, each once.
    pub fn next_hops(&self) -> BTreeSet<&NextHopKey> {
        self.recipients.iter().filter_map(|recipient| recipient.next_hop.as_ref()).collect()
    }
}

/// The time of day at `tick`, where it is `wall` at `now`.
fn moment(tick: Tick, now: Tick, wall: WallTime) -> WallTime {
    if tick >= now {
        return wall.plus(tick.since(now));
    }
    let ago = i64::try_from(now.since(tick).count()).unwrap_or(i64::MAX);
    WallTime::from_unix_micros(wall.unix_micros().saturating_sub(ago))
}

#[cfg(test)]
mod tests;
