//! The handle on the mailbox server.
//!
//! A step of a request becomes a job for one of the server's own threads, each with a connection of its own. The job
//! runs in one transaction: a caller that drops its future cancels nothing half-way, the answer merely has no reader.
//! The queue of jobs is bounded; past its bound a step is answered at once that the store is not available.

mod arrival;
mod hub;
mod listeners;
mod news;
mod visit;
mod workers;

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::oneshot;
use weir_units::WallTime;
use weir_wire::ews::property::Item;
use weir_wire::ews::request::Request;
use weir_wire::ews::response::{ErrorMessage, ResponseMessage};

pub use arrival::NotDelivered;
pub(crate) use hub::{Hub, NewSubscription};
pub(crate) use listeners::Listener;
pub(crate) use news::{About, News, NewsKind};
pub(crate) use visit::{Failure, Outcome, Visit, in_transaction};

use crate::operation;
use crate::outbound::Outbound;
use crate::session::{AddressBook, Person, Session};
use crate::store::schema;
use workers::Workers;

/// The bounds of a mailbox server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Threads that execute store operations, and connections to the store.
    pub workers: usize,
    /// Steps that may wait for a thread.
    pub queue: usize,
    /// Pull subscriptions in all.
    pub max_subscriptions: usize,
    /// Events kept for one subscription; one that falls further behind has to begin anew.
    pub max_events: usize,
    /// Items or folders in one page, whatever the client asks for.
    pub max_page: u32,
    /// Bytes of one item, body and MIME content included.
    pub max_item_bytes: usize,
    /// Recipients of one message.
    pub max_recipients: usize,
    /// Folders in one mailbox.
    pub max_folders: u32,
    /// Deletions remembered for clients that synchronise a folder; older states have to begin anew.
    pub max_tombstones: u32,
    /// Objects that one MAPI session may have open.
    pub mapi_handles: usize,
    /// Events kept for one MAPI session; of one that falls further behind the oldest are dropped.
    pub mapi_events: usize,
    /// Bytes that one MAPI session may have in messages that are not saved yet and in streams.
    pub mapi_session_bytes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            workers: 4,
            queue: 1024,
            max_subscriptions: 100_000,
            max_events: 1000,
            max_page: 100_000,
            max_item_bytes: 160 * 1024 * 1024,
            max_recipients: 1000,
            max_folders: 10_000,
            max_tombstones: 100_000,
            mapi_handles: 1024,
            mapi_events: 1000,
            mapi_session_bytes: 64 * 1024 * 1024,
        }
    }
}

/// Why a mailbox store cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file cannot be made.
    #[error("cannot create mailbox store {path}: {source}")]
    Create {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// SQLite refused.
    #[error("cannot open mailbox store {path}: {source}")]
    Sqlite {
        /// Which file.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// The store was written by a later release.
    #[error(
        "mailbox store {path} has schema {found}, this release knows schemas up to {known}: use a later release"
    )]
    TooNew {
        /// Which file.
        path: PathBuf,
        /// The schema it has.
        found: i64,
        /// The newest schema this release knows.
        known: i64,
    },
    /// A thread cannot be started.
    #[error("cannot start a mailbox thread: {0}")]
    Thread(std::io::Error),
}

/// The embedded mailbox server. Cloning is cheap; the last clone to go ends its threads.
#[derive(Clone)]
pub struct MailboxServer {
    inner: Arc<Inner>,
}

struct Inner {
    workers: Workers,
    shared: Arc<Shared>,
}

/// What all threads share.
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) people: Arc<dyn AddressBook>,
    pub(crate) hub: Hub,
    /// The way to people whose mailbox is elsewhere, once there is one.
    outbound: OnceLock<Arc<dyn Outbound>>,
    /// The one place for steps that change something.
    writing: Mutex<()>,
}

impl MailboxServer {
    /// The file in the data directory that holds all mailboxes.
    pub const FILE: &str = "mailbox.sqlite3";

    /// Opens the store in the data directory `dir`, creating or migrating it, and starts its threads.
    ///
    /// # Errors
    /// Where the store cannot be opened, was written by a later release, or a thread cannot be started.
    pub fn open(dir: &Path, settings: Settings, people: Arc<dyn AddressBook>) -> Result<Self, OpenError> {
        let path = dir.join(Self::FILE);
        let (first, boot) = schema::open_and_migrate(&path)?;
        let mut connections = vec![first];
        for _ in 1..settings.workers.max(1) {
            connections.push(schema::open(&path)?);
        }
        let workers = Workers::start(connections, settings.queue).map_err(OpenError::Thread)?;
        let hub = Hub::new(boot, settings.max_subscriptions, settings.max_events);
        let shared =
            Arc::new(Shared { settings, people, hub, outbound: OnceLock::new(), writing: Mutex::new(()) });
        Ok(Self { inner: Arc::new(Inner { workers, shared }) })
    }

    /// From here on, mail for people whose mailbox is elsewhere leaves by `outbound`; the first way stays. What leads from
    /// there back to this server must not keep it alive.
    pub fn send_by(&self, outbound: Arc<dyn Outbound>) {
        let _ = self.inner.shared.outbound.set(outbound);
    }

    /// Carries out step `step` of `request`, counted from 0, in one transaction.
    ///
    /// A step that does not exist, a full queue and a store that fails are error messages like any other. A full-text
    /// search that runs longer than the session's limit is interrupted: `ErrorTimeoutExpired` (T1).
    pub async fn execute(&self, session: &Session, request: &Request, step: usize) -> ResponseMessage {
        let (begin, answer) = self.step(session, request, step, |(), _| ());
        begin(());
        answer.await
    }

    /// As [`MailboxServer::execute`], in two parts: what begins the step, on whatever thread, with something that is held
    /// while it is carried out; and its answer, which comes only if the step was begun. Once it has ended, on its thread
    /// and also where nobody waits for its answer any more, `ended` gets what is held and whether the step succeeded; where
    /// it was not carried out, what is held is dropped.
    pub fn step<H, E>(
        &self,
        session: &Session,
        request: &Request,
        step: usize,
        ended: E,
    ) -> (impl FnOnce(H) + Send + 'static + use<H, E>, StepAnswer)
    where
        H: Send + 'static,
        E: FnOnce(H, bool) + Send + 'static,
    {
        let (number, step, session) = (step, operation::one_step(request, step), session.clone());
        let limit = step.as_ref().and_then(|request| search_limit(&session, request));
        let expired = Arc::new(AtomicBool::new(limit.is_some_and(|limit| limit.is_zero())));
        let (tell, runs) = oneshot::channel();
        let flag = Arc::clone(&expired);
        let work = move |shared: &Shared, db: &mut Connection, held: H| {
            let _ = tell.send(());
            let message = match step {
                None => Err(no_step(number)),
                Some(request) if limit.is_some() => {
                    visit::carry_out_until(shared, db, &session, request, &flag)
                }
                Some(request) => visit::carry_out(shared, db, &session, request),
            };
            ended(held, message.is_ok());
            message
        };
        let (begin, answer) = self.job(work);
        let answer = async move {
            let time_limit = async {
                match limit {
                    // Waiting for a thread is not searching.
                    Some(limit) if runs.await.is_ok() => tokio::time::sleep(limit).await,
                    Some(_) | None => std::future::pending().await,
                }
                expired.store(true, Ordering::Relaxed);
            };
            tokio::select! {
                biased;
                answer = answer => answer?,
                () = time_limit => Err(visit::search_expired()),
            }
        };
        (begin, Box::pin(answer))
    }

    /// Puts `items` into the well-known folder `folder` of a person's mailbox, all in one transaction, as if they had
    /// arrived at `now`: unread unless they say otherwise.
    ///
    /// # Errors
    /// Where the folder does not exist, an item is refused, or the store fails; then nothing was put anywhere.
    pub async fn deliver_many(
        &self,
        to: &Person,
        folder: &str,
        items: Vec<Item>,
        now: WallTime,
    ) -> Result<(), ErrorMessage> {
        let (session, folder) = (Session::of(to, now), folder.to_owned());
        self.run(move |shared, db| visit::deliver_many(shared, db, &session, &folder, items)).await?
    }

    /// The subscriptions that timed out or fell behind since the last call: they count no longer (T7).
    pub fn forgotten_subscriptions(&self, now: WallTime) -> Vec<String> {
        self.inner.shared.hub.forgotten(now)
    }

    /// How many steps can be carried out at once.
    pub fn threads(&self) -> usize {
        self.inner.shared.settings.workers.max(1)
    }

    /// How many steps wait for a thread, and how many may.
    pub fn queue(&self) -> (usize, usize) {
        self.inner.workers.load()
    }

    /// What all threads share.
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.inner.shared
    }

    /// Runs `work` on one of the threads and waits for what it gives back.
    pub(crate) async fn run<T, W>(&self, work: W) -> Result<T, ErrorMessage>
    where
        T: Send + 'static,
        W: FnOnce(&Shared, &mut Connection) -> T + Send + 'static,
    {
        let (begin, answer) = self.job(|shared: &Shared, db: &mut Connection, ()| work(shared, db));
        begin(());
        answer.await
    }

    /// What has `work` done on one of the threads, and what comes of it.
    fn job<H, T, W>(
        &self,
        work: W,
    ) -> (
        impl FnOnce(H) + Send + 'static + use<H, T, W>,
        impl Future<Output = Result<T, ErrorMessage>> + Send + 'static + use<H, T, W>,
    )
    where
        H: Send + 'static,
        T: Send + 'static,
        W: FnOnce(&Shared, &mut Connection, H) -> T + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let (inner, is_full) = (Arc::clone(&self.inner), Arc::new(AtomicBool::new(false)));
        let was_full = Arc::clone(&is_full);
        let begin = move |held: H| {
            let shared = Arc::clone(&inner.shared);
            let job = Box::new(move |db: &mut Connection| {
                let _ = reply.send(work(&shared, db, held));
            });
            if let Err(job) = inner.workers.submit(job) {
                is_full.store(true, Ordering::Release);
                drop(job);
            }
        };
        let answer = async move {
            answer.await.map_err(|_| if was_full.load(Ordering::Acquire) { unavailable() } else { failed() })
        };
        (begin, answer)
    }
}

/// The answer to a step that was begun.
pub type StepAnswer = Pin<Box<dyn Future<Output = ResponseMessage> + Send>>;

fn no_step(number: usize) -> ErrorMessage {
    ErrorMessage::new("ErrorInvalidRequest", format!("The request has no step {number}."))
}

fn unavailable() -> ErrorMessage {
    ErrorMessage::new(
        "ErrorMailboxStoreUnavailable",
        "The mailbox store has too much to do right now. Try again later.",
    )
}

fn failed() -> ErrorMessage {
    ErrorMessage::new("ErrorInternalServerError", "The mailbox store failed on this step.")
}

/// The time limit of a step that searches; none where it does not search or may take any time.
fn search_limit(session: &Session, request: &Request) -> Option<Duration> {
    let Request::FindItem(find) = request else { return None };
    find.query.as_ref().and(session.search_limit)
}

#[cfg(test)]
mod tests;
