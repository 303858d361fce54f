//! What the API shows and is told of the mail transport, in the transport's words and in its own (H1, H4, H15).
//!
//! The API outlives the transport where a successor takes it over; whoever asks then sees no queues.

use std::net::SocketAddr;
use std::sync::{Arc, Weak};

use tokio::runtime::Handle;
use weir_admin::gateway::TargetChange;
use weir_admin::transport::{QueueChange, TransportView};
use weir_admin::types::{
    MessageSource, MessageView, QueueView, RecipientView, TargetView, UsedBy, timestamp,
};
use weir_balance::{Listing, Mark};
use weir_clock::Clock;
use weir_mta::envelope::{Provenance, Standing};
use weir_mta::{Mta, view};
use weir_spool::MessageId;
use weir_transport::routing::NextHopKey;
use weir_units::{Tick, WallTime};
use weir_wire::smtp::{ForwardPath, ReversePath};

/// What the API sees of `transport`.
pub(in crate::serve) fn of(transport: &Arc<Mta>, clock: Clock) -> TransportView {
    let [listing, reading, one, changing, removing, surveying, ordering] =
        std::array::from_fn(|_| Arc::downgrade(transport));
    TransportView {
        queues: Arc::new(move || queues(&listing, clock.tick())),
        messages: Arc::new(move |name, after, most| messages(&reading, name, after, most)),
        message: Arc::new(move |number| {
            let found = Handle::current().block_on(one.upgrade()?.message(MessageId::new(number)));
            found.map(message)
        }),
        change_queue: Arc::new(move |name, change| change_queue(&changing, name, change)),
        remove_message: Arc::new(move |number, report| remove(&removing, number, report)),
        targets: Arc::new(move || targets(&surveying, clock.tick())),
        change_target: Arc::new(move |address, change| {
            change_target(&ordering, address, change, clock.tick())
        }),
    }
}

fn queues(transport: &Weak<Mta>, now: Tick) -> Vec<QueueView> {
    let Some(transport) = transport.upgrade() else { return Vec::new() };
    transport.queues().into_iter().map(|seen| queue(&seen, now)).collect()
}

fn messages(transport: &Weak<Mta>, name: &str, after: Option<u64>, most: usize) -> Vec<MessageView> {
    let (Some(transport), Ok(key)) = (transport.upgrade(), name.parse::<NextHopKey>()) else {
        return Vec::new();
    };
    let found = Handle::current().block_on(transport.queue_messages(&key, after.map(MessageId::new), most));
    found.into_iter().map(message).collect()
}

fn change_queue(transport: &Weak<Mta>, name: &str, change: QueueChange) -> bool {
    let (Some(transport), Ok(key)) = (transport.upgrade(), name.parse::<NextHopKey>()) else { return false };
    match change {
        QueueChange::Retry => transport.retry(&key),
        QueueChange::Suspend => transport.suspend(&key, true),
        QueueChange::Resume => transport.suspend(&key, false),
    }
}

fn remove(transport: &Weak<Mta>, number: u64, report: bool) -> Result<bool, String> {
    let transport = transport.upgrade().ok_or("the server stops")?;
    let removed = Handle::current().block_on(transport.remove(MessageId::new(number), report));
    removed.map_err(|error| error.to_string())
}

fn targets(transport: &Weak<Mta>, now: Tick) -> Vec<TargetView> {
    let Some(transport) = transport.upgrade() else { return Vec::new() };
    transport.health().list(now).into_iter().map(|listing| target(&listing, now)).collect()
}

/// Carries out `change` of the target at `address`, and shows it afterwards.
fn change_target(
    transport: &Weak<Mta>,
    address: &str,
    change: TargetChange,
    now: Tick,
) -> Result<TargetView, String> {
    let gone = || format!("no mail goes to {address}; list the targets to see those there are");
    let at: SocketAddr = address.parse().map_err(|_| gone())?;
    let transport = transport.upgrade().ok_or_else(gone)?;
    let health = transport.health();
    let changed = match change {
        TargetChange::Disable => health.disable(at, now),
        TargetChange::Drain => health.drain(at, now),
        TargetChange::Enable => transport.enable_target(at),
        TargetChange::Retry => transport.retry_target(at),
    };
    changed.map_err(|_| gone())?;
    let found = health.list(now).into_iter().find(|listing| listing.address == at);
    found.map(|listing| target(&listing, now)).ok_or_else(gone)
}

fn queue(seen: &view::QueueView, now: Tick) -> QueueView {
    let moment = |moment: Option<WallTime>| moment.map(timestamp);
    QueueView {
        next_hop: seen.next_hop.to_string(),
        delivery_type: seen.next_hop.delivery_type().name().to_owned(),
        next_hop_domain: seen.next_hop.domain().map(str::to_owned),
        next_hop_connector: seen.next_hop.connector().map(str::to_owned),
        state: seen.state.name().to_owned(),
        message_count: count(seen.messages()),
        ready: count(seen.ready),
        sending: count(seen.sending),
        deferred: count(seen.deferred),
        connections: seen.connections,
        connection_limit: seen.connection_limit,
        last_error: seen.last_error.as_deref().map(str::to_owned),
        retry_count: seen.retry_count,
        first_retry_time: moment(seen.first_retry),
        last_retry_time: moment(seen.last_retry),
        next_retry_time: moment(seen.next_retry),
        incoming_rate: seen.incoming_rate,
        outgoing_rate: seen.outgoing_rate,
        velocity: seen.velocity,
        targets: seen.targets.iter().map(|listing| target(listing, now)).collect(),
    }
}

fn target(listing: &Listing, now: Tick) -> TargetView {
    let mark = listing.mark.as_ref();
    TargetView {
        address: listing.address.to_string(),
        name: listing.name.to_string(),
        used_by: UsedBy::Transport,
        state: listing.state.name().to_owned(),
        error: mark.map(|mark| mark.failure.to_string()),
        retries: mark.map_or(0, Mark::retries),
        last_attempt_ms: mark.map(|mark| now.since(mark.last_attempt).floor_millis().count()),
        next_retry_ms: mark.map(|mark| mark.next_retry.since(now).ceil_millis().count()),
        probing: listing.probing,
    }
}

fn message(seen: view::MessageView) -> MessageView {
    let next_hops = seen.next_hops().into_iter().map(ToString::to_string).collect();
    MessageView {
        id: seen.id.number(),
        from: match seen.from {
            ReversePath::Null => String::new(),
            ReversePath::Mailbox(mailbox) => mailbox.to_string(),
        },
        recipients: seen.recipients.into_iter().map(recipient).collect(),
        size: seen.bytes,
        accepted: timestamp(seen.accepted),
        expires: timestamp(seen.expires),
        source: source(seen.origin),
        next_hops,
    }
}

fn source(Provenance { client, connector, owner, server }: Provenance) -> MessageSource {
    MessageSource { address: client.map(|client| client.to_string()), connector, owner, server }
}

fn recipient(seen: view::RecipientView) -> RecipientView {
    let (state, last_error, attempts, partner) = match seen.standing {
        Standing::Waiting(waiting) => ("waiting", waiting.error, waiting.attempts, None),
        Standing::Shadow(shadow) => ("shadow", None, 0, Some(shadow.partner)),
        Standing::Done => ("done", None, 0, None),
    };
    RecipientView {
        address: match seen.to {
            ForwardPath::Postmaster => "postmaster".to_owned(),
            ForwardPath::Mailbox(mailbox) => mailbox.to_string(),
        },
        state: state.to_owned(),
        last_error,
        attempts,
        next_try: seen.next_try.map(timestamp),
        next_hop: seen.next_hop.map(|key| key.to_string()),
        partner,
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
