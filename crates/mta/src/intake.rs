//! A message on its way into the durable queue, whoever brings it: a session, the mailbox server, or a report of ours.
//!
//! The header is held back until it is over, within its bound, so that what is missing in it can be put before it; the
//! body streams into the queue as it comes. When [`Draft::finish`] returns, the message is on disk and its deliveries
//! have begun (H15). A draft that is dropped leaves nothing behind.

use std::sync::Arc;

use bytes::Bytes;
use weir_spool::{DraftMessage, MessageId, Spool, SpoolError, State};
use weir_transport::routing::Lookup;
use weir_units::WallTime;
use weir_wire::smtp::header::{DEFAULT_MAX_HOPS, HeaderError, HeaderLimits};
use weir_wire::smtp::{HeaderFacts, HeaderScanner};

use crate::envelope::{Envelope, Standing};

/// Why a message is not taken.
#[derive(Debug, thiserror::Error)]
pub enum IntakeError {
    /// The durable queue did not take it.
    #[error(transparent)]
    Spool(#[from] SpoolError),
    /// Its header is beyond its bounds.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// It came through too many servers.
    #[error("the message came through {hops} servers, and {limit} is the most")]
    Loop {
        /// How many.
        hops: u32,
        /// The most.
        limit: u32,
    },
    /// Queue, disk or memory is short, and nobody's mail is taken (H16).
    #[error("back pressure is high: no mail is taken; deliver or remove messages, or raise the limits")]
    Pressure,
}

/// What a message has to keep to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IntakeLimits {
    /// Bounds of its header.
    pub(crate) header: HeaderLimits,
    /// The most servers that it may have come through.
    pub(crate) max_hops: u32,
}

/// A message that is on disk.
#[derive(Clone, Debug)]
pub(crate) struct Accepted {
    /// What the durable queue calls it.
    pub(crate) id: MessageId,
    /// Whom it is from and for.
    pub(crate) envelope: Arc<Envelope>,
    /// Where each recipient belongs, in their order.
    pub(crate) lookups: Vec<Lookup>,
    /// All of it, if it is small.
    pub(crate) content: Option<Bytes>,
}

/// Whoever delivers what was accepted.
pub(crate) trait Onward: Send + Sync {
    /// A message is on disk: it is routed, and its deliveries begin.
    fn accept(&self, message: Accepted);
}

impl Default for IntakeLimits {
    fn default() -> Self {
        Self { header: HeaderLimits::default(), max_hops: DEFAULT_MAX_HOPS }
    }
}

/// The way into the durable queue. Cloning shares it.
#[derive(Clone)]
pub(crate) struct Intake {
    spool: Arc<Spool>,
    onward: Arc<dyn Onward>,
    /// Bytes of one message up to which it is kept in memory too.
    fresh: usize,
}

/// A message of which the end has not come.
pub(crate) struct Draft {
    intake: Intake,
    limits: IntakeLimits,
    message: DraftMessage,
    scanner: HeaderScanner,
    /// The header, until it is over.
    header: Option<Vec<u8>>,
    /// What is put before the header when it is over.
    before: Box<dyn FnOnce(&HeaderFacts) -> String + Send + Sync>,
    /// All of it so far, as long as it is small.
    kept: Option<Vec<u8>>,
    bytes: u64,
    eight_bit: bool,
}

impl Intake {
    /// The way into `spool`, whose messages `onward` delivers; one of at most `fresh` bytes is kept in memory too.
    pub(crate) fn new(spool: Arc<Spool>, onward: impl Onward + 'static, fresh: usize) -> Self {
        Self { spool, onward: Arc::new(onward), fresh }
    }

    /// Begins a message. When its header is known, `before` says what stands before it: trace fields, and what it lacks.
    pub(crate) fn begin(
        &self,
        limits: IntakeLimits,
        before: impl FnOnce(&HeaderFacts) -> String + Send + Sync + 'static,
    ) -> Draft {
        Draft {
            intake: self.clone(),
            limits,
            message: self.spool.draft(),
            scanner: HeaderScanner::new(limits.header),
            header: Some(Vec::new()),
            before: Box::new(before),
            kept: Some(Vec::new()),
            bytes: 0,
            eight_bit: false,
        }
    }
}

impl Draft {
    /// Adds the next bytes of the message.
    ///
    /// # Errors
    /// [`IntakeError`]: the message will not be taken, and the rest of it need not be handed over.
    pub(crate) async fn write(&mut self, piece: &[u8]) -> Result<(), IntakeError> {
        self.eight_bit = self.eight_bit || !piece.is_ascii();
        let Some(header) = &mut self.header else { return self.pass(piece).await };
        self.scanner.feed(piece)?;
        header.extend_from_slice(piece);
        if self.scanner.is_done() { self.release().await } else { Ok(()) }
    }

    /// Puts the message into the durable queue: for `envelope`'s recipients, who belong where `lookups` says. Its size is
    /// filled in here.
    ///
    /// # Errors
    /// [`IntakeError`]: nothing was kept – or, where the disk failed so that nobody can say, perhaps.
    pub(crate) async fn finish(
        mut self,
        envelope: Envelope,
        lookups: Vec<Lookup>,
        now: WallTime,
    ) -> Result<MessageId, IntakeError> {
        if self.header.is_some() {
            self.release().await?;
        }
        let envelope = Envelope { bytes: self.bytes, eight_bit: self.eight_bit, ..envelope };
        let fresh = Standing::fresh().to_bytes();
        let states = envelope.recipients.iter().map(|_| State { due: Some(now), bytes: fresh.clone() });
        let id = self.message.queue(envelope.to_bytes(), states.collect()).await?;
        let content = self.kept.map(Bytes::from);
        self.intake.onward.accept(Accepted { id, envelope: Arc::new(envelope), lookups, content });
        Ok(id)
    }

    /// The header is over: what stands before it goes first.
    async fn release(&mut self) -> Result<(), IntakeError> {
        let facts = std::mem::take(&mut self.scanner).finish();
        let limit = self.limits.max_hops;
        if facts.runs_in_a_circle(limit) {
            return Err(IntakeError::Loop { hops: facts.received, limit });
        }
        let before = std::mem::replace(&mut self.before, Box::new(|_| String::new()))(&facts);
        self.pass(before.as_bytes()).await?;
        let header = self.header.take().unwrap_or_default();
        self.pass(&header).await
    }

    async fn pass(&mut self, piece: &[u8]) -> Result<(), IntakeError> {
        self.bytes = self.bytes.saturating_add(u64::try_from(piece.len()).unwrap_or(u64::MAX));
        if let Some(kept) = &mut self.kept {
            if kept.len() + piece.len() <= self.intake.fresh {
                kept.extend_from_slice(piece);
            } else {
                self.kept = None;
            }
        }
        Ok(self.message.write(piece).await?)
    }
}
