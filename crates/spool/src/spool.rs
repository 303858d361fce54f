//! The queue with a thread of its own, for many callers at once.
//!
//! Callers hand over what they want and wait for it without blocking; the thread takes whatever has gathered, makes it last
//! with one sync, and answers all of them. While it syncs, the next ones gather: the busier, the more share one. A caller
//! that goes away while it waits loses its answer, not its message.
//!
//! What waits for the thread is bounded in bytes, [`QUEUE_BYTES`]; whoever has more waits until there is room. Absent: a
//! runtime – what is awaited here works in any.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::thread::{Builder, JoinHandle};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use weir_units::WallTime;

use crate::disk::{Disk, DiskFile, Folder, FolderError};
use crate::error::SpoolError;
use crate::limits::{Limits, PIECE_BYTES};
use crate::message::{Change, Due, MessageId, State, Usage};
use crate::record::Identity;
use crate::store::{Locator, OpenError, Recovery, Store};

mod writer;

pub use writer::Answer;
use writer::{Command, Question, Sent, Writer};

/// Bytes that wait for the thread at most.
pub const QUEUE_BYTES: usize = 32 << 20;

/// What a command counts for beside its bytes.
const COMMAND_BYTES: usize = 256;

/// Why a spool does not run.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The folder cannot be had.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// What is in it cannot be read.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// No thread can be started.
    #[error("cannot start the queue's thread: {0}")]
    Thread(io::Error),
}

/// A spool that runs. Dropping it makes everything last that was asked, and ends the thread.
#[derive(Debug)]
pub struct Spool<F = File> {
    commands: Commands<F>,
    drafts: AtomicU64,
    usage: Arc<Mutex<Usage>>,
    identity: Identity,
    thread: Option<JoinHandle<()>>,
}

/// The way to the thread.
#[derive(Debug)]
struct Commands<F> {
    sender: mpsc::Sender<Sent<F>>,
    room: Arc<Semaphore>,
}

impl<F> Clone for Commands<F> {
    fn clone(&self) -> Self {
        Self { sender: self.sender.clone(), room: Arc::clone(&self.room) }
    }
}

impl<F> Commands<F> {
    /// Waits for room for so many bytes more.
    async fn room(&self, bytes: usize) -> Result<OwnedSemaphorePermit, SpoolError> {
        // One command may be as long as all of the queue, and waits until it is empty.
        let bytes = bytes.saturating_add(COMMAND_BYTES).min(QUEUE_BYTES);
        let permits = u32::try_from(bytes).unwrap_or(u32::MAX);
        Arc::clone(&self.room).acquire_many_owned(permits).await.map_err(|_| SpoolError::Closed)
    }

    /// Sends a command of so many bytes when there is room for it.
    async fn send(&self, bytes: usize, command: Command<F>) -> Result<(), SpoolError> {
        let room = Some(self.room(bytes).await?);
        self.sender.send(Sent { command, room }).map_err(|_| SpoolError::Closed)
    }

    /// Sends what is small and must not wait.
    fn send_at_once(&self, command: Command<F>) {
        drop(self.sender.send(Sent { command, room: None }));
    }

    /// Sends a command that is answered, and waits for the answer.
    async fn ask<A>(
        &self,
        bytes: usize,
        command: impl FnOnce(Answer<A>) -> Command<F>,
    ) -> Result<A, SpoolError> {
        let (answer, answered) = oneshot::channel();
        self.send(bytes, command(answer)).await?;
        answered.await.map_err(|_| SpoolError::Closed)
    }
}

impl Spool {
    /// Opens the spool in the folder at `path`, which is made where it is missing, and starts its thread. An empty one is
    /// from then on the spool `fresh`, a number drawn at random.
    ///
    /// # Errors
    /// Where the folder is in use or cannot be read and written, or the limits make no sense.
    pub fn open(path: &Path, limits: Limits, fresh: Identity) -> Result<(Self, Recovery), StartError> {
        let (store, recovery) = Store::open(Folder::open(path)?, limits, fresh)?;
        Ok((Self::start(store)?, recovery))
    }
}

impl<F: DiskFile + Send + Sync + 'static> Spool<F> {
    /// Starts the thread of a store that is open.
    ///
    /// # Errors
    /// Where no thread can be started.
    pub fn start<D>(store: Store<D, Answer<Result<MessageId, SpoolError>>>) -> Result<Self, StartError>
    where
        D: Disk<File = F> + Send + 'static,
    {
        let (sender, receiver) = mpsc::channel();
        let usage = Arc::new(Mutex::new(store.usage()));
        let identity = store.identity();
        let writer = Writer::new(store, receiver, Arc::clone(&usage));
        let thread =
            Builder::new().name("spool".to_owned()).spawn(|| writer.run()).map_err(StartError::Thread)?;
        let commands = Commands { sender, room: Arc::new(Semaphore::new(QUEUE_BYTES)) };
        Ok(Self { commands, drafts: AtomicU64::new(1), usage, identity, thread: Some(thread) })
    }

    /// Begins a message.
    pub fn draft(&self) -> DraftMessage<F> {
        DraftMessage {
            commands: self.commands.clone(),
            key: self.drafts.fetch_add(1, Ordering::Relaxed),
            buffer: Vec::new(),
            has_pieces: false,
            is_broken: false,
            failed: Arc::default(),
        }
    }

    /// Says what became of some recipients; returns when it is on disk. When nothing is left to be done for any recipient, the
    /// message is gone.
    ///
    /// # Errors
    /// Where there is no such message or recipient, no room, or the disk fails.
    pub async fn update(&self, id: MessageId, changes: Vec<Change>) -> Result<(), SpoolError> {
        let bytes = changes.iter().map(|change| size_of::<Change>() + change.state.bytes.len()).sum();
        self.commands.ask(bytes, |answer| Command::Update(id, changes, answer)).await?.map(drop)
    }

    /// Hands out at most `most` messages whose time has come by `now`, the earliest first, each recipient once.
    ///
    /// # Errors
    /// Where the spool is closed.
    pub async fn take_due(&self, most: usize, now: WallTime) -> Result<Vec<Due>, SpoolError> {
        self.commands.ask(0, |answer| Command::Ask(Question::TakeDue(most, now, answer))).await
    }

    /// When the next message is due.
    ///
    /// # Errors
    /// Where the spool is closed.
    pub async fn next_due(&self) -> Result<Option<WallTime>, SpoolError> {
        self.commands.ask(0, |answer| Command::Ask(Question::NextDue(answer))).await
    }

    /// Sets when recipients are looked at next, until the spool is opened anew.
    ///
    /// # Errors
    /// Where the spool is closed.
    pub async fn remind(&self, id: MessageId, recipients: Vec<u32>, at: WallTime) -> Result<(), SpoolError> {
        let bytes = size_of_val(recipients.as_slice());
        self.commands.send(bytes, Command::Remind(id, recipients, at)).await
    }

    /// Where a message is, for reading it.
    ///
    /// # Errors
    /// Where there is none, or it is done.
    pub async fn locate(&self, id: MessageId) -> Result<Locator<F>, SpoolError> {
        self.commands.ask(0, |answer| Command::Ask(Question::Locate(id, answer))).await?
    }

    /// The messages after `after`, at most `most`, in the order of their numbers.
    ///
    /// # Errors
    /// Where the spool is closed.
    pub async fn ids_after(
        &self,
        after: Option<MessageId>,
        most: usize,
    ) -> Result<Vec<MessageId>, SpoolError> {
        self.commands.ask(0, |answer| Command::Ask(Question::IdsAfter(after, most, answer))).await
    }

    /// Makes everything last that was asked, and lets go of the folder, so that another process can have it. Whatever is
    /// asked of this one afterwards fails with [`SpoolError::Closed`].
    pub async fn close(&self) {
        self.commands.send_at_once(Command::Close);
        // The thread lets go of the folder before it gives up what stands behind in its queue.
        drop(self.next_due().await);
    }

    /// Which spool it is: the same for as long as its folder lives, and another when that was lost.
    pub const fn identity(&self) -> Identity {
        self.identity
    }

    /// How full it was when something was last written.
    pub fn usage(&self) -> Usage {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<F> Drop for Spool<F> {
    fn drop(&mut self) {
        // Drafts may outlive it, and with them the channel.
        self.commands.send_at_once(Command::Close);
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the queue's thread has died; what it had not answered is not on disk");
        }
    }
}

/// A message on its way in. Dropping it gives it up.
#[derive(Debug)]
pub struct DraftMessage<F = File> {
    commands: Commands<F>,
    key: u64,
    /// The end of the body, less than a piece.
    buffer: Vec<u8>,
    has_pieces: bool,
    /// Whether a write was dropped before it was done.
    is_broken: bool,
    /// Why a piece was not taken.
    failed: Arc<OnceLock<SpoolError>>,
}

impl<F> DraftMessage<F> {
    /// Adds `bytes` to the body; waits while the disk does not keep up. Whoever drops this while it waits has spoilt the draft.
    ///
    /// # Errors
    /// Where an earlier part of the body was not taken, for want of room or because the disk failed.
    pub async fn write(&mut self, mut bytes: &[u8]) -> Result<(), SpoolError> {
        if std::mem::replace(&mut self.is_broken, true) {
            return Err(SpoolError::Incomplete);
        }
        while !bytes.is_empty() {
            if let Some(error) = self.failed.get() {
                return Err(error.clone());
            }
            let (piece, rest) = bytes.split_at(bytes.len().min(PIECE_BYTES - self.buffer.len()));
            self.buffer.extend_from_slice(piece);
            bytes = rest;
            if self.buffer.len() == PIECE_BYTES {
                let piece = std::mem::take(&mut self.buffer);
                let (key, failed) = (self.key, Arc::clone(&self.failed));
                self.has_pieces = true;
                self.commands.send(PIECE_BYTES, Command::Piece { key, piece, failed }).await?;
            }
        }
        self.is_broken = false;
        Ok(())
    }

    /// Puts the message into the queue; returns its number when all of it is on disk.
    ///
    /// # Errors
    /// Where it is not, with the reason.
    pub async fn queue(mut self, envelope: Vec<u8>, recipients: Vec<State>) -> Result<MessageId, SpoolError> {
        if self.is_broken {
            return Err(self.failed.get().cloned().unwrap_or(SpoolError::Incomplete));
        }
        let states: usize = recipients.iter().map(|state| size_of::<State>() + state.bytes.len()).sum();
        let bytes = self.buffer.len() + envelope.len() + states;
        let (key, last, failed) = (self.key, std::mem::take(&mut self.buffer), Arc::clone(&self.failed));
        let command = |answer| Command::Queue { key, last, failed, envelope, recipients, answer };
        self.commands.ask(bytes, command).await?
    }
}

impl<F> Drop for DraftMessage<F> {
    fn drop(&mut self) {
        if self.has_pieces {
            // Of a message that was queued nothing is left to be given up.
            self.commands.send_at_once(Command::Abandon(self.key));
        }
    }
}

#[cfg(test)]
mod tests;
