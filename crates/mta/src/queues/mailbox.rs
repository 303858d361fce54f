//! Deliveries into the embedded mailbox server: no connection, and the rest as everywhere.

use std::sync::Arc;

use weir_transport::queue::Feedback;
use weir_transport::routing::NextHopKey;
use weir_wire::smtp::{Mailbox, Reply};

use super::Shared;
use super::delivery::Place;
use super::settle::Verdict;
use crate::envelope::Envelope;
use crate::organisation::{Mailboxes, NotDelivered};

impl Shared {
    /// Delivers what waits for local mailboxes, one message after another.
    pub(super) async fn deliver(self: Arc<Self>, mut place: Place, mailboxes: Arc<dyn Mailboxes>) {
        let key = NextHopKey::Mailbox;
        loop {
            let job = self.board().take(&key, self.now());
            let Some(job) = job else { return };
            place.carries = Some(job.id);
            if let Some((envelope, content)) = self.load(&job, &key).await {
                let most = self.works.settings.spool.body_bytes;
                let verdicts = match content.whole(most).await {
                    Ok(Some(message)) => {
                        let (known, people) =
                            people(&envelope, &job.recipients, self.works.settings.host_name.as_str());
                        let answers = mailboxes.deliver(job.id, &people, message).await;
                        self.learn_from_mailbox(&answers);
                        let unknown = job.recipients.iter().filter(|place| !known.contains(place));
                        let unknown =
                            unknown.map(|place| (*place, Verdict::failed(&Reply::no_such_recipient())));
                        let answered = known.iter().copied().zip(answers.into_iter().map(verdict));
                        answered.chain(unknown).collect()
                    }
                    Ok(None) => all(&job.recipients, "the message is larger than one may be"),
                    Err(error) => all(&job.recipients, &error.to_string()),
                };
                self.settle(job.id, Some(&key), &envelope, verdicts).await;
            }
            place.carries = None;
        }
    }

    fn learn_from_mailbox(&self, answers: &[Result<(), NotDelivered>]) {
        let is_busy = answers.iter().any(|answer| answer.as_ref().is_err_and(|error| error.retry));
        let feedback = if is_busy { Feedback::Overloaded } else { Feedback::Delivered };
        if let Some(hop) = self.board().hops.get_mut(&NextHopKey::Mailbox) {
            hop.queue.learn(feedback);
        }
    }
}

/// The recipients at `places` that have an address, and those addresses.
fn people(envelope: &Envelope, places: &[u32], host: &str) -> (Vec<u32>, Vec<Mailbox>) {
    let address = |place: &u32| {
        let to = envelope.recipient(*place)?;
        let postmaster = || format!("postmaster@{host}").parse().ok();
        Some((*place, to.to.mailbox().cloned().or_else(postmaster)?))
    };
    places.iter().filter_map(address).unzip()
}

fn verdict(answer: Result<(), NotDelivered>) -> Verdict {
    match answer {
        Ok(()) => Verdict::Delivered,
        Err(NotDelivered { retry: true, text }) => Verdict::Deferred { error: text, by_peer: true },
        Err(NotDelivered { retry: false, text }) => Verdict::failed(&super::routing::reply_of(&text)),
    }
}

fn all(places: &[u32], error: &str) -> Vec<(u32, Verdict)> {
    let verdict = Verdict::Deferred { error: error.into(), by_peer: true };
    places.iter().map(|place| (*place, verdict.clone())).collect()
}
