//! The policy service: a Postfix that stays where it is asks here whether an owner may send more (T19).
//!
//! Postfix asks about a message several times – for each recipient, at DATA, at the message's end –, as its restrictions say,
//! and names the message by an *instance* each time. Whatever it asks first charges the message; each recipient is charged
//! when he is named, and those whom nobody has asked about are charged by their number at DATA or at the end. So a message
//! is charged once, wherever the service stands in Postfix's configuration.
//!
//! The owner is who has logged in at Postfix, by whatever name. A sender's address proves nothing, since anybody can write it
//! (T8): it counts only for a Postfix of which the settings say that it checks senders. Of whom nothing is known, the answer
//! is `dunno`, and so it is for every question that concerns no limit.

use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;
use weir_clock::Clock;
use weir_units::{Micros, Owner, Refusal};
use weir_wire::smtp::ReversePath;
use weir_wire::smtp::policy::{PolicyAnswer, PolicyReader, PolicyRequest};
use weir_wire::smtp::reply::Reply;

use crate::organisation::Submitters;

mod instances;

use instances::{Instances, Owed};

/// Connections at the same time; Postfix keeps one open for each of its processes. More wait in the kernel's queue.
const CONNECTIONS: usize = 1_000;
/// How long a connection may be silent; Postfix closes its own after five minutes.
const IDLE: Micros = Micros::MINUTE.times(10);
/// How long an answer may take to be read.
const WRITE: Micros = Micros::SECOND.times(30);
/// How long accepting pauses where the system has no more descriptors.
const PAUSE: Micros = Micros::SECOND;
/// Bytes that are read at once.
const PIECE: usize = 4 << 10;

/// What the connections of one service share.
struct Service {
    submitters: Arc<dyn Submitters>,
    instances: Instances,
    /// Whether the sender's address says who the owner is, where nobody has logged in.
    trust_sender: bool,
}

/// Answers at `listener` until `stop` turns true; then ends each connection after the answer that it waits for. Where
/// `trust_sender`, the sender of a message nobody has logged in for is its owner.
pub(crate) async fn serve(
    listener: TcpListener,
    submitters: Arc<dyn Submitters>,
    trust_sender: bool,
    clock: Clock,
    mut stop: watch::Receiver<bool>,
) {
    let service = Arc::new(Service { submitters, instances: Instances::default(), trust_sender });
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &room, clock) => accepted,
            _ = stop.wait_for(|stop| *stop) => break,
            Some(_) = connections.join_next(), if !connections.is_empty() => continue,
        };
        let Some((stream, place)) = accepted else { continue };
        let (service, stop) = (Arc::clone(&service), stop.clone());
        connections.spawn(async move {
            service.talk(stream, stop).await;
            drop(place);
        });
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// The next connection, and its place among those that there may be.
async fn accept(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
    clock: Clock,
) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(room).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, _)) => Some((stream, place)),
        Err(error) => {
            tracing::warn!(%error, "the policy service could not accept a connection");
            clock.sleep_until(clock.tick().plus(PAUSE)).await;
            None
        }
    }
}

impl Service {
    /// Answers one request after another, until the peer goes, asks what is no request, or is silent for too long.
    async fn talk(&self, mut stream: TcpStream, mut stop: watch::Receiver<bool>) {
        let (mut reader, mut piece) = (PolicyReader::default(), [0; PIECE]);
        loop {
            let read = tokio::select! {
                read = timeout(IDLE.into(), stream.read(&mut piece)) => read,
                _ = stop.wait_for(|stop| *stop) => return,
            };
            let Ok(Ok(count @ 1..)) = read else { return };
            let mut input = piece.get(..count).unwrap_or_default();
            loop {
                let request = match reader.next(&mut input) {
                    Ok(Some(request)) => request,
                    Ok(None) => break,
                    Err(error) => {
                        tracing::warn!(%error, "a connection to the policy service was closed");
                        return;
                    }
                };
                let mut answer = Vec::new();
                self.answer(&request).await.write(&mut answer);
                let written = timeout(WRITE.into(), stream.write_all(&answer)).await;
                let Ok(Ok(())) = written else { return };
            }
        }
    }

    /// What Postfix is told.
    async fn answer(&self, request: &PolicyRequest) -> PolicyAnswer {
        let Some(owed) = self.instances.owed(request) else { return PolicyAnswer::Dunno };
        let Some(owner) = self.owner(request).await else { return PolicyAnswer::Dunno };
        match self.charge(&owner, request, owed) {
            Ok(()) => PolicyAnswer::Dunno,
            Err(refusal) => PolicyAnswer::Say(Reply::from(&refusal)),
        }
    }

    /// Charges what is owed, and remembers what was charged.
    fn charge(&self, owner: &Owner, request: &PolicyRequest, owed: Owed) -> Result<(), Refusal> {
        if owed.message {
            self.submitters.message(owner)?;
            self.instances.charged(request, Owed { recipients: 0, ..owed });
        }
        if owed.recipients > 0 {
            self.submitters.recipients(owner, owed.recipients)?;
            self.instances.charged(request, Owed { message: false, ..owed });
        }
        Ok(())
    }

    async fn owner(&self, request: &PolicyRequest) -> Option<Owner> {
        if let Some(user) = request.user() {
            return self.submitters.owner(user).await;
        }
        match request.sender().filter(|_| self.trust_sender)? {
            ReversePath::Mailbox(sender) => self.submitters.owner(&sender.to_string()).await,
            ReversePath::Null => None,
        }
    }
}

#[cfg(test)]
mod tests;
