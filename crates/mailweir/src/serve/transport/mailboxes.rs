//! Local mail on its way into the embedded mailbox server.
//!
//! The directory says whose mailbox an address is when the message is delivered, so that a mailbox that went meanwhile
//! gets nothing. What a mailbox got before under the same number of the queue it does not get again.

use std::sync::Arc;

use bytes::Bytes;
use weir_clock::Clock;
use weir_directory::Directory;
use weir_gateway::origin::person;
use weir_mailbox::{MailboxServer, Person};
use weir_mta::organisation::{Answer, Mailboxes, NotDelivered};
use weir_spool::MessageId;
use weir_wire::smtp::Mailbox;

/// The mailboxes of the directory's people.
pub(in crate::serve) struct EmbeddedMailboxes {
    directory: Arc<dyn Directory>,
    server: MailboxServer,
    clock: Clock,
}

impl EmbeddedMailboxes {
    /// Mailboxes of `directory`'s people at `server`.
    pub(in crate::serve) fn new(directory: Arc<dyn Directory>, server: MailboxServer, clock: Clock) -> Self {
        Self { directory, server, clock }
    }

    /// Whose mailboxes these are.
    async fn people(&self, recipients: &[Mailbox]) -> Vec<Result<Person, NotDelivered>> {
        let (directory, count) = (Arc::clone(&self.directory), recipients.len());
        let addresses: Vec<String> = recipients.iter().map(Mailbox::key).collect();
        let look_up = move || addresses.iter().map(|address| named(directory.as_ref(), address)).collect();
        let looked_up = tokio::task::spawn_blocking(look_up).await;
        looked_up.unwrap_or_else(|_| vec![Err(unreadable()); count])
    }
}

impl Mailboxes for EmbeddedMailboxes {
    fn deliver<'a>(
        &'a self,
        id: MessageId,
        recipients: &'a [Mailbox],
        message: Bytes,
    ) -> Answer<'a, Vec<Result<(), NotDelivered>>> {
        Box::pin(async move {
            let people = self.people(recipients).await;
            let known: Vec<Person> = people.iter().flatten().cloned().collect();
            let outcomes = self.server.deliver(&known, message, &id.to_string(), self.clock.wall()).await;
            let mut outcomes = outcomes.into_iter();
            let outcome = |person: Result<Person, NotDelivered>| {
                let outcome = person.map(|_| outcomes.next().unwrap_or(Ok(())))?;
                outcome.map_err(|why| NotDelivered { retry: why.retry(), text: why.to_string().into() })
            };
            people.into_iter().map(outcome).collect()
        })
    }
}

/// The person with that address.
fn named(directory: &dyn Directory, address: &str) -> Result<Person, NotDelivered> {
    match directory.resolve(address) {
        Ok(Some(account)) => Ok(person(&account)),
        Ok(None) => {
            let text = "nobody has a mailbox under this address any more".into();
            Err(NotDelivered { retry: false, text })
        }
        Err(error) => {
            tracing::warn!(%error, "a recipient could not be looked up");
            Err(unreadable())
        }
    }
}

fn unreadable() -> NotDelivered {
    NotDelivered { retry: true, text: "the directory cannot be read at the moment".into() }
}

#[cfg(test)]
mod tests;
