//! The thread that owns the store.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, oneshot};
use weir_units::WallTime;

use super::COMMAND_BYTES;
use crate::disk::Disk;
use crate::error::SpoolError;
use crate::message::{Change, Due, MessageId, State, Usage};
use crate::store::{Locator, Store};

/// Where an answer goes.
pub type Answer<A> = oneshot::Sender<A>;

/// How long one is waited for that is likely to come, so that it shares the sync, and how often.
const GATHER: Duration = Duration::from_micros(300);
const WAITS: u32 = 8;
/// Bytes from which on nobody is taken in or waited for before the commit.
const BATCH_BYTES: usize = 4 << 20;
/// Bytes that are copied out of old segments between two commits, and for each byte that came in meanwhile.
const SWEEP_BYTES: u64 = 256 << 10;
const SWEEP_FACTOR: u64 = 4;

/// What the thread is asked, with the room that it takes in the queue.
#[derive(Debug)]
pub(super) struct Sent<F> {
    pub(super) command: Command<F>,
    pub(super) room: Option<OwnedSemaphorePermit>,
}

/// What the thread is asked.
#[derive(Debug)]
pub(super) enum Command<F> {
    Piece {
        key: u64,
        piece: Vec<u8>,
        failed: Arc<OnceLock<SpoolError>>,
    },
    Queue {
        key: u64,
        last: Vec<u8>,
        failed: Arc<OnceLock<SpoolError>>,
        envelope: Vec<u8>,
        recipients: Vec<State>,
        answer: Answer<Result<MessageId, SpoolError>>,
    },
    Abandon(u64),
    Update(MessageId, Vec<Change>, Answer<Result<MessageId, SpoolError>>),
    Remind(MessageId, Vec<u32>, WallTime),
    Ask(Question<F>),
    Close,
}

impl<F> Command<F> {
    /// Whether it wants a sync.
    const fn is_sharing(&self) -> bool {
        match self {
            Self::Queue { .. } | Self::Update(..) => true,
            Self::Piece { .. } | Self::Abandon(_) | Self::Remind(..) | Self::Ask(_) | Self::Close => false,
        }
    }
}

/// What it is asked that changes nothing on disk.
#[derive(Debug)]
pub(super) enum Question<F> {
    TakeDue(usize, WallTime, Answer<Vec<Due>>),
    NextDue(Answer<Option<WallTime>>),
    Locate(MessageId, Answer<Result<Locator<F>, SpoolError>>),
    IdsAfter(Option<MessageId>, usize, Answer<Vec<MessageId>>),
}

/// The store, and whoever it works for.
#[derive(Debug)]
pub(super) struct Writer<D: Disk> {
    store: Store<D, Answer<Result<MessageId, SpoolError>>>,
    commands: Receiver<Sent<D::File>>,
    /// Those that came while the disk was waited for; they are bounded as those that are still under way.
    waiting: VecDeque<Sent<D::File>>,
    usage: Arc<Mutex<Usage>>,
    /// How many are likely to share the next sync.
    expected: usize,
    /// How many do so far, and the bytes that came with them.
    sharing: usize,
    bytes: usize,
    /// Whether there is more to be swept.
    is_sweeping: bool,
    is_failing: bool,
    is_closed: bool,
}

impl<D: Disk> Writer<D> {
    pub(super) fn new(
        store: Store<D, Answer<Result<MessageId, SpoolError>>>,
        commands: Receiver<Sent<D::File>>,
        usage: Arc<Mutex<Usage>>,
    ) -> Self {
        Self {
            store,
            commands,
            waiting: VecDeque::new(),
            usage,
            expected: 0,
            sharing: 0,
            bytes: 0,
            is_sweeping: false,
            is_failing: false,
            is_closed: false,
        }
    }

    pub(super) fn run(mut self) {
        while !self.is_closed {
            if !self.is_sweeping || !self.waiting.is_empty() {
                match self.waiting.pop_front().map_or_else(|| self.commands.recv(), Ok) {
                    Ok(sent) => self.execute(sent),
                    Err(_) => break,
                }
            }
            self.gather();
            if self.store.is_staged() {
                self.store.commit();
            }
            self.answer();
            self.sweep();
        }
    }

    /// Takes what has come, and waits a moment for those that are likely to come.
    fn gather(&mut self) {
        let mut waits = 0;
        while self.bytes < BATCH_BYTES && !self.is_closed {
            let next = self.waiting.pop_front().map_or_else(|| self.commands.try_recv(), Ok);
            let is_worth_while = self.sharing > 0 && self.sharing < self.expected && waits < WAITS;
            match next {
                Ok(sent) => self.execute(sent),
                Err(TryRecvError::Empty) if is_worth_while => match self.commands.recv_timeout(GATHER) {
                    Ok(sent) => {
                        waits += 1;
                        self.execute(sent);
                    }
                    Err(_) => break,
                },
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => self.is_closed = true,
            }
        }
    }

    fn execute(&mut self, sent: Sent<D::File>) {
        // Counted, so that any number of small ones does not put the commit off for ever.
        self.bytes += COMMAND_BYTES;
        match sent.command {
            Command::Piece { key, piece, failed } => {
                self.bytes += piece.len();
                self.piece(key, &piece, &failed);
            }
            Command::Queue { key, last, failed, envelope, recipients, answer } => {
                self.share(last.len() + envelope.len());
                match failed.get() {
                    Some(error) => drop(answer.send(Err(error.clone()))),
                    None => self.store.queue(key, &last, &envelope, &recipients, answer),
                }
            }
            Command::Abandon(key) => self.store.abandon(key),
            Command::Update(id, changes, answer) => {
                self.share(changes.iter().map(|change| change.state.bytes.len()).sum());
                self.store.update(id, &changes, answer);
            }
            Command::Remind(id, recipients, at) => self.store.remind(id, &recipients, at),
            Command::Ask(question) => self.tell(question),
            Command::Close => self.is_closed = true,
        }
        drop(sent.room);
    }

    /// Answers what changes nothing on disk. Whoever does not wait for the answer any more does not get it.
    fn tell(&mut self, question: Question<D::File>) {
        match question {
            Question::TakeDue(most, now, answer) => {
                for due in answer.send(self.store.take_due(most, now)).err().unwrap_or_default() {
                    self.store.remind(due.id, &due.recipients, now);
                }
            }
            Question::NextDue(answer) => drop(answer.send(self.store.next_due())),
            Question::Locate(id, answer) => drop(answer.send(self.store.locate(id))),
            Question::IdsAfter(after, most, answer) => drop(answer.send(self.store.ids_after(after, most))),
        }
    }

    fn piece(&mut self, key: u64, piece: &[u8], failed: &OnceLock<SpoolError>) {
        if failed.get().is_some() {
            return;
        }
        if let Err(error) = self.store.piece(key, piece) {
            self.store.abandon(key);
            drop(failed.set(error));
        }
    }

    fn share(&mut self, bytes: usize) {
        self.sharing += 1;
        self.bytes += bytes;
    }

    fn answer(&mut self) {
        // Those who came during the sync, and those who are answered and come back, are likely to share the next.
        self.waiting.extend(self.commands.try_iter());
        let came = self.waiting.iter().filter(|sent| sent.command.is_sharing()).count();
        self.expected = std::mem::take(&mut self.sharing) + came;
        // Whoever reads how full it is after an answer finds what was answered.
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner) = self.store.usage();
        for (answer, result) in self.store.take_results() {
            // Whoever does not wait any more will find the message in the queue.
            drop(answer.send(result));
        }
    }

    fn sweep(&mut self) {
        let came = u64::try_from(std::mem::take(&mut self.bytes)).unwrap_or(u64::MAX);
        let swept = self.store.sweep(SWEEP_BYTES.max(came.saturating_mul(SWEEP_FACTOR)));
        for damage in self.store.take_damage() {
            let kept = damage.kept.as_deref().unwrap_or("nowhere");
            tracing::error!(
                segment = damage.segment,
                offset = damage.offset,
                bytes = damage.bytes,
                kept,
                "a damaged place was found in the queue; what was there is lost"
            );
        }
        let failed = swept.as_ref().err();
        if let Some(error) = failed.filter(|_| !self.is_failing) {
            tracing::warn!(%error, "old parts of the queue cannot be removed; it is tried again");
        }
        self.is_failing = failed.is_some();
        self.is_sweeping = swept.is_ok_and(|copied| copied > 0);
    }
}
