//! From recipients to next hops: at first, after a start, and again when there was no way or nobody answered.

use std::sync::Arc;

use weir_spool::MessageId;
use weir_transport::Domain;
use weir_transport::queue::{MessageAge, Notify};
use weir_transport::routing::{FanOut, Lookup, Message, NextHopKey, Recipient, Rejected, fan_out};
use weir_units::Tick;
use weir_wire::smtp::{ForwardPath, Mailbox, Reply};

use super::Shared;
use super::board::Fresh;
use super::settle::Verdict;
use crate::envelope::Envelope;
use crate::intake::Accepted;

/// What is to be routed of a message.
pub(super) struct Part {
    pub(super) id: MessageId,
    pub(super) envelope: Arc<Envelope>,
    /// The places of the recipients in the envelope.
    pub(super) places: Vec<u32>,
    /// Where each of them belongs.
    pub(super) lookups: Vec<Lookup>,
    /// Whether the sender heard already that the message is late.
    pub(super) delay_noticed: bool,
}

impl Shared {
    /// A message was accepted.
    pub(super) fn accept(self: &Arc<Self>, message: Accepted) {
        let Accepted { id, envelope, lookups, content } = message;
        let fresh = Fresh { envelope: Arc::clone(&envelope), content };
        let places = (0..).take(envelope.recipients.len()).collect();
        self.route(&Part { id, envelope, places, lookups, delay_noticed: false }, Some(fresh));
    }

    /// Puts recipients into the queues of their next hops, and tells the sender of those who get nothing ever.
    pub(super) fn route(self: &Arc<Self>, part: &Part, fresh: Option<Fresh>) {
        let routed = self.fan_out(part);
        let (now, judge_at) = (self.now(), self.judge_at(&part.envelope, part.delay_noticed));
        let places = |of: &[usize]| of.iter().filter_map(|place| part.places.get(*place).copied()).collect();
        let mut board = self.board();
        let mut errors: Vec<(NextHopKey, Arc<str>)> = Vec::new();
        for copy in &routed.copies {
            let added = board.add(part.id, &copy.key, places(&copy.recipients), judge_at, now);
            // Back pressure refuses new mail long before a queue is full; what is on disk waits for the next start.
            errors.extend(added.err().map(|full| (copy.key.clone(), full.to_string().into())));
        }
        for (place, reason) in &routed.unreachable {
            let key = NextHopKey::Unreachable;
            let added = board.add(part.id, &key, places(&[*place]), judge_at, now);
            errors.extend(added.err().map(|full| (key.clone(), full.to_string().into())));
            errors.push((key, reason.to_string().into()));
        }
        if let Some(fresh) = fresh {
            board.keep_fresh(part.id, fresh);
        }
        for (key, error) in errors {
            if let Some(hop) = board.hops.get_mut(&key) {
                hop.queue.trouble(&error);
            }
        }
        drop(board);
        self.wake.notify_one();
        if !routed.rejected.is_empty() {
            self.reject(part, &routed.rejected);
        }
    }

    /// Routes what waits at `key` anew; where the administrator wants it, also what was set aside (H15).
    pub(super) async fn route_again(self: Arc<Self>, key: NextHopKey, wanted: bool) {
        let ids: Vec<MessageId> = match self.board().hops.get(&key) {
            Some(hop) => hop.queue.messages().collect(),
            None => return,
        };
        for id in ids {
            let Some(stored) = self.read(id).await else { continue };
            if !wanted && stored.crashes() >= self.works.settings.poison_threshold {
                continue;
            }
            let places = self.board().withdraw(id, &key);
            self.route_stored(stored, places).await;
        }
        self.wake.notify_one();
    }

    /// Routes the recipients at `places` of a message that was read from the durable queue.
    pub(super) async fn route_stored(self: &Arc<Self>, stored: super::recovery::Stored, places: Vec<u32>) {
        let mut lookups = Vec::with_capacity(places.len());
        for place in &places {
            let to = stored.envelope.recipient(*place);
            lookups.push(self.lookup(to.and_then(|to| to.to.mailbox())).await);
        }
        let delay_noticed = stored.delay_noticed(&places);
        self.route(&Part { id: stored.id, envelope: stored.envelope, places, lookups, delay_noticed }, None);
    }

    /// Where a recipient belongs; the postmaster of nowhere in particular is ours. One who cannot be looked up at the
    /// moment waits among those who have no way.
    pub(super) async fn lookup(&self, mailbox: Option<&Mailbox>) -> Lookup {
        let Some(mailbox) = mailbox else { return Lookup::Here };
        match self.works.recipients.lookup(mailbox).await {
            Ok(lookup) => lookup,
            Err(unavailable) => Lookup::At(format!("(unknown: {unavailable})").into()),
        }
    }

    /// When the age of a message is to be judged next.
    pub(super) fn judge_at(&self, envelope: &Envelope, delay_noticed: bool) -> Tick {
        let judged = age(envelope, delay_noticed).judge(&self.works.settings.queue, self.wall());
        judged.again.map_or_else(|| self.now(), |again| self.tick_of(again))
    }

    fn fan_out(&self, part: &Part) -> FanOut {
        let message = Message {
            size: part.envelope.bytes,
            came_from: part.envelope.origin.server.as_deref().map(Arc::from),
        };
        let recipient = |(place, lookup): (&u32, &Lookup)| {
            let to = part.envelope.recipient(*place);
            let domain = to.map_or_else(|| self.works.settings.host_name.clone(), |to| self.domain(&to.to));
            Recipient { domain, lookup: lookup.clone() }
        };
        let recipients: Vec<Recipient> = part.places.iter().zip(&part.lookups).map(recipient).collect();
        fan_out(&self.works.router, &recipients, &message)
    }

    /// The domain of a recipient; the postmaster of nowhere in particular is ours.
    fn domain(&self, to: &ForwardPath) -> Domain {
        let host = to.mailbox().and_then(|mailbox| mailbox.host().to_string().parse().ok());
        host.unwrap_or_else(|| self.works.settings.host_name.clone())
    }

    fn reject(self: &Arc<Self>, part: &Part, rejected: &[(usize, Rejected)]) {
        let verdict = |(place, reason): &(usize, Rejected)| {
            let place = part.places.get(*place).copied()?;
            Some((place, Verdict::failed(&reply_of(&reason.to_string()))))
        };
        let verdicts = rejected.iter().filter_map(verdict).collect();
        let (id, envelope) = (part.id, Arc::clone(&part.envelope));
        let shared = Arc::clone(self);
        tokio::spawn(async move { shared.settle(id, None, &envelope, verdicts).await });
    }
}

/// What the age of a message is judged by. Who wants to hear of it is decided recipient by recipient, when it is reported.
pub(super) fn age(envelope: &Envelope, delay_noticed: bool) -> MessageAge {
    MessageAge {
        accepted: envelope.accepted,
        null_sender: envelope.mail.from.mailbox().is_none(),
        notify: Notify::default(),
        delay_noticed,
    }
}

/// A refusal of ours, written as SMTP writes its own: `550 5.1.1 no such recipient here`.
pub(super) fn reply_of(text: &str) -> Reply {
    let mut parts = text.splitn(3, ' ');
    let code = parts.next().and_then(|code| code.parse().ok()).and_then(weir_wire::smtp::Code::new);
    let mut status = parts.next().unwrap_or_default().split('.').skip(1).map(|number| number.parse().ok());
    let (subject, detail) = (status.next().flatten(), status.next().flatten());
    match (code, subject.zip(detail), parts.next()) {
        (Some(code), Some((subject, detail)), Some(text)) => Reply::new(code, subject, detail, text),
        _ => Reply::local_error(),
    }
}
