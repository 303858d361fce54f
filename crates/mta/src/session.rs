//! One session: an I/O loop around the protocol.
//!
//! Bytes come in, the protocol makes events of them, [`Talk`] decides what to answer. Answers to commands that came
//! together leave together, in one write: when all that was read is dealt with, before a wait, and when they are many.
//! Every wait has an end: the client's silence, its whole time, a reply that it does not read, and the stop of the
//! server, which lets a message that is under way be finished.
//!
//! | module | the one idea |
//! |---|---|
//! | `channel` | the connection, before and after STARTTLS |
//! | `talk` | what is answered to what |
//! | `peer` | who the client is, what that lets him do |
//! | `message` | from MAIL to the message on disk |
//! | `trace` | what is written on top of a message |

mod channel;
mod message;
mod peer;
mod talk;
#[cfg(test)]
pub(crate) mod tests;
mod trace;

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use weir_clock::Clock;
use weir_transport::receive::Patience;
use weir_units::{Micros, Tick};
use weir_wire::smtp::{Event, Fault, Reply, Server};

use crate::inbound::Place;
use crate::words;
use channel::Channel;
use talk::{Hold, Talk};

/// Bytes that are read together while commands are expected: more than clients send at once.
const COMMANDS: usize = 4 << 10;

/// Bytes that are read together of a message.
const CONTENT: usize = 32 << 10;

/// Bytes of answers that are held back for one write.
const HELD: usize = 16 << 10;

/// Bytes that show that a client is not stalling, even if they complete no command.
const LIVELY: usize = 256;

/// How long the TLS handshake may take.
const HANDSHAKE_TIME: Micros = Micros::SECOND.times(30);

/// How long, and for how many bytes, a client that still sends is listened to after the last reply. A connection that
/// is closed with bytes unread is reset, and the client never sees that reply.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_BYTES: usize = 256 << 10;

/// Who is at the other end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client {
    /// His address.
    pub(crate) address: IpAddr,
    /// Whether it is a proxy's word, and the connection is the proxy's.
    pub(crate) is_proxied: bool,
}

/// Why a session ended without a last reply.
#[derive(Debug, thiserror::Error)]
enum Ended {
    #[error("the connection broke: {0}")]
    Broken(#[from] io::Error),
    #[error("the client hung up")]
    HungUp,
    #[error("the client reads nothing of its answers")]
    Unread,
    #[error("no TLS was agreed on in time")]
    SlowHandshake,
}

/// One session.
pub(crate) struct Session<S> {
    channel: Channel<S>,
    server: Server,
    talk: Talk,
    clock: Clock,
    /// What was read and not yet dealt with.
    input: Vec<u8>,
    /// Answers that were not sent yet.
    output: Vec<u8>,
    /// Bytes that have come since the client was last taken to be there.
    since_heard: usize,
    stop: watch::Receiver<bool>,
}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Session<S> {
    /// The session of `client`, who has `place` and has sent `early` before anybody spoke to him.
    pub(crate) fn new(
        stream: S,
        early: Vec<u8>,
        client: Client,
        place: Place,
        stop: watch::Receiver<bool>,
    ) -> Self {
        let clock = place.works().clock;
        let talk = Talk::new(client, place, clock.tick());
        let server = Server::new(talk.limits(), talk.offered());
        Self {
            channel: Channel::Plain(stream),
            server,
            talk,
            clock,
            input: early,
            output: Vec::new(),
            since_heard: 0,
            stop,
        }
    }

    /// Serves the session to its end.
    pub(crate) async fn run(mut self) {
        let connector = self.talk.connector().name.clone();
        match self.converse().await {
            Ok(()) => self.channel.close(LINGER, LINGER_BYTES).await,
            Err(ended) => tracing::debug!(%connector, reason = %ended, "SMTP session ended"),
        }
    }

    async fn converse(&mut self) -> Result<(), Ended> {
        if !self.greet().await? {
            return self.flush().await;
        }
        loop {
            self.take_up().await?;
            if self.server.is_handshake() {
                self.secure().await?;
            }
            if self.is_stopping() && !self.server.is_over() && !self.talk.is_in_message() {
                self.say(&Reply::shutting_down());
            }
            self.flush().await?;
            if self.server.is_over() {
                return Ok(());
            }
            match self.talk.patience(self.clock.tick()) {
                Patience::Until(until) => self.listen(until).await?,
                Patience::Over(words) => self.say(&words::reply(words)),
            }
        }
    }

    /// Whether the server stops, or whoever would say so has gone.
    fn is_stopping(&self) -> bool {
        *self.stop.borrow() || self.stop.has_changed().is_err()
    }

    /// Greets the client, unless he has spoken before: who does that listens to no answer, and the session is over.
    async fn greet(&mut self) -> Result<bool, Ended> {
        if self.input.is_empty() {
            // Once around, so that what has arrived already can be seen.
            tokio::task::yield_now().await;
            let greeting_at = self.clock.tick().plus(self.talk.connector().limits.greeting_delay);
            self.read_until(greeting_at, COMMANDS).await?;
        }
        if self.input.is_empty() {
            self.say(&Reply::greeting(self.talk.host_name()));
            return Ok(true);
        }
        self.talk.spoke_early();
        self.say(&Fault::TooEarly.reply());
        Ok(false)
    }

    /// Deals with all that was read.
    async fn take_up(&mut self) -> Result<(), Ended> {
        let input = std::mem::take(&mut self.input);
        let mut rest = input.as_slice();
        while let Some(event) = self.server.next(&mut rest) {
            self.answer(event).await?;
            // Refusals that are held back may add up.
            if let Patience::Over(words) = self.talk.patience(self.clock.tick()) {
                self.say(&words::reply(words));
            }
        }
        self.input = input;
        self.input.clear();
        Ok(())
    }

    async fn answer(&mut self, event: Event<'_>) -> Result<(), Ended> {
        let Some(turn) = self.talk.decide(event).await else { return Ok(()) };
        if let Some(offered) = turn.offered {
            self.server.offer(offered);
        }
        self.hold(turn.hold).await?;
        self.heard();
        self.server.answer(&turn.reply, &mut self.output);
        if self.output.len() > HELD { self.flush().await } else { Ok(()) }
    }

    /// Holds the next reply back, but not those before it.
    async fn hold(&mut self, hold: Hold) -> Result<(), Ended> {
        let now = self.clock.tick();
        let (latest, id) = match hold {
            Hold::Nothing => return Ok(()),
            Hold::For(time) => (now.plus(time), None),
            Hold::Decided(id, latest) => (latest, Some(id)),
        };
        self.flush().await?;
        tokio::select! {
            () = self.talk.decided(id) => {}
            () = self.clock.sleep_until(latest) => {}
            _ = self.stop.wait_for(|stop| *stop) => {}
        }
        Ok(())
    }

    /// Waits for the client's next bytes; until then at the latest, or until the server stops.
    async fn listen(&mut self, until: Tick) -> Result<(), Ended> {
        if self.talk.is_in_message() {
            self.read_until(until, CONTENT).await?;
        } else {
            // What a message needed is not kept while nothing is said.
            self.input.shrink_to(COMMANDS);
            let mut stop = self.stop.clone();
            tokio::select! {
                biased;
                read = self.read_until(until, COMMANDS) => read?,
                _ = stop.wait_for(|stop| *stop) => self.input.clear(),
            }
        }
        self.since_heard += self.input.len();
        if self.since_heard >= LIVELY {
            self.heard();
        }
        Ok(())
    }

    /// The client is there.
    fn heard(&mut self) {
        self.since_heard = 0;
        self.talk.heard(self.clock.tick());
    }

    /// Reads what comes first, at most so many bytes; nothing where nothing has come until then.
    async fn read_until(&mut self, until: Tick, most: usize) -> Result<(), Ended> {
        self.input.resize(most, 0);
        let read = tokio::select! {
            biased;
            read = self.channel.read(&mut self.input) => Some(read?),
            () = self.clock.sleep_until(until) => None,
        };
        self.input.truncate(read.unwrap_or(0));
        if read == Some(0) { Err(Ended::HungUp) } else { Ok(()) }
    }

    /// Goes on behind a TLS handshake.
    async fn secure(&mut self) -> Result<(), Ended> {
        self.flush().await?;
        let Some(config) = self.talk.certificate() else { return Err(Ended::HungUp) };
        let latest = self.clock.tick().plus(HANDSHAKE_TIME);
        tokio::select! {
            secured = self.channel.secure(config) => secured?,
            () = self.clock.sleep_until(latest) => return Err(Ended::SlowHandshake),
        }
        self.talk.secured();
        self.server.secured(self.talk.offered());
        Ok(())
    }

    /// Says what nobody asked for.
    fn say(&mut self, reply: &Reply) {
        self.server.answer(reply, &mut self.output);
    }

    /// Sends the answers. A client that reads nothing of them is not waited for longer than for one that says nothing.
    async fn flush(&mut self) -> Result<(), Ended> {
        if self.output.is_empty() {
            return Ok(());
        }
        let latest = self.clock.tick().plus(self.talk.connector().limits.inactivity_timeout);
        tokio::select! {
            written = self.channel.write(&self.output) => written?,
            () = self.clock.sleep_until(latest) => return Err(Ended::Unread),
        }
        self.output.clear();
        // What a flood of replies needed once is not kept.
        self.output.shrink_to(HELD);
        Ok(())
    }
}
