//! Mail that is written in the embedded mailbox server, on its way into the transport.
//!
//! The mailbox server hands a message over on one of its own threads and waits until it is on disk, for a bounded time.
//! What owners may send is charged first (`MessageRateLimit`, `RecipientRateLimit`): recipients elsewhere alone, since
//! mail among the mailboxes here never comes by. Nothing of the transport is kept alive from here, since it keeps the
//! mailbox server alive.

use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use tokio::runtime::Handle;
use weir_mailbox::{NotSent, Outbound, Outgoing};
use weir_mta::intake::IntakeError;
use weir_mta::organisation::{Answer, Submitters};
use weir_spool::{MessageId, SpoolError};
use weir_units::Owner;
use weir_wire::smtp::{ForwardPath, Mail, Mailbox, Recipient, ReversePath};

/// The longest that a message may take to get on disk; one that takes longer may turn out to have been sent.
const PATIENCE: Duration = Duration::from_secs(30);

/// What takes a message into the durable queue; none where the transport has ended.
pub(in crate::serve) type Submit = Box<
    dyn Fn(Mail, Vec<Recipient>, Bytes, Owner) -> Answer<'static, Option<Result<MessageId, IntakeError>>>
        + Send
        + Sync,
>;

/// The transport, as the mailbox server sends by it.
pub(in crate::serve) struct WayOut {
    runtime: Handle,
    submitters: Weak<dyn Submitters>,
    submit: Submit,
}

impl WayOut {
    /// The way out by `submit`, which must not keep the transport alive, run on `runtime`; `submitters` charges.
    pub(in crate::serve) fn new(runtime: Handle, submitters: &Arc<dyn Submitters>, submit: Submit) -> Self {
        Self { runtime, submitters: Arc::downgrade(submitters), submit }
    }

    /// Charges a message to so many.
    fn charge(&self, owner: &Owner, recipients: usize) -> Result<(), NotSent> {
        let submitters = self.submitters.upgrade().ok_or(NotSent::Unavailable)?;
        let recipients = u32::try_from(recipients).unwrap_or(u32::MAX);
        let charged = submitters.message(owner).and_then(|()| submitters.recipients(owner, recipients));
        charged.map_err(|_| NotSent::TooMany)
    }
}

impl Outbound for WayOut {
    fn submit(&self, outgoing: Outgoing) -> Result<(), NotSent> {
        let Outgoing { from, to, message } = outgoing;
        let sender: Mailbox = from
            .address
            .parse()
            .map_err(|why| NotSent::Malformed(format!("the sender's address {}: {why}", from.address)))?;
        let owner = Owner::new(&sender.key());
        self.charge(&owner, to.len())?;
        let mut mail = Mail::new(ReversePath::Mailbox(sender));
        mail.smtp_utf8 = !mail.from.is_ascii() || !to.iter().all(Mailbox::is_ascii);
        let recipient =
            |to: Mailbox| Recipient { to: ForwardPath::Mailbox(to), notify: None, original: None };
        let submitted = (self.submit)(mail, to.into_iter().map(recipient).collect(), message, owner);
        let outcome = self.runtime.block_on(async { tokio::time::timeout(PATIENCE, submitted).await });
        match outcome {
            Ok(Some(Ok(_))) => Ok(()),
            Ok(Some(Err(error))) => Err(reason(error)),
            Ok(None) => Err(NotSent::Unavailable),
            Err(_) => {
                tracing::error!("a message from a mailbox was not on disk after {PATIENCE:?}");
                Err(NotSent::Unavailable)
            }
        }
    }
}

/// What the sender is told.
fn reason(error: IntakeError) -> NotSent {
    match error {
        IntakeError::Header(why) => NotSent::Malformed(why.to_string()),
        why @ IntakeError::Loop { .. } => NotSent::Malformed(why.to_string()),
        IntakeError::Spool(SpoolError::TooLarge { limit, .. }) => NotSent::TooLarge { limit },
        IntakeError::Pressure => NotSent::Unavailable,
        IntakeError::Spool(error) => {
            tracing::error!(%error, "a message from a mailbox was not taken into the queue");
            NotSent::Unavailable
        }
    }
}

#[cfg(test)]
mod tests;
