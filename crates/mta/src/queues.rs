//! All queues of a running transport: what was accepted, next hop by next hop (H1, H15).
//!
//! Everything that waits is on the [`Board`], behind one lock that is held for as long as a decision takes and never
//! over I/O. One task, the dispatcher, looks at the next hops where something happened or is due, and starts what is to
//! be done: a look-up, a connection, a message that is too old. Each of those is a task of its own, which reports to the
//! board and wakes the dispatcher. What must survive a crash is in the durable queue before anybody is told; what became
//! of a delivery is written behind it, so that a crash in between delivers once more.
//!
//! | module | the one idea |
//! |---|---|
//! | `board` | what waits for whom |
//! | `hop` | one next hop: its queue, its targets |
//! | `dispatch` | what is due |
//! | `routing` | from recipients to next hops, at first and again |
//! | `delivery` | one connection, from its target to its end |
//! | `mailbox` | deliveries into the embedded mailbox server |
//! | `settle` | what follows from a delivery: states, reports, retries |
//! | `ageing` | messages that are late, and too late |
//! | `shadowing` | copies that partners have: questions, heartbeats, what is sent again |
//! | `recovery` | what the durable queue held at the start |
//! | `listing` | what the administrator sees and does |

mod ageing;
mod board;
mod delivery;
mod dispatch;
mod events;
mod hop;
mod listing;
mod mailbox;
mod recovery;
mod routing;
mod settle;
mod shadowing;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwapOption;
use tokio::sync::{Notify, Semaphore, oneshot, watch};
use weir_balance::Health;
use weir_clock::Clock;
use weir_spool::{MessageId, Spool, SpoolError};
use weir_transport::routing::{Lookup, Router};
use weir_units::{EventSink, Tick, WallTime};
use weir_wire::smtp::{DiscardNotices, DiscardQuery, Recipient, Token};

use crate::connectivity_log::ConnectivityLog;
use crate::inbound::Passage;
use crate::intake::{Accepted, Onward};
use crate::metrics::Metrics;
use crate::organisation::{Answer, Mailboxes, Recipients};
use crate::outgoing::Dialer;
use crate::reports::Reporter;
use crate::resolver::Resolver;
use crate::settings::Settings;
use crate::shadow::Shadows;
use board::Board;
pub use listing::NotRemoved;

/// Changes that are being written to the durable queue at once, at most: so many messages may be delivered twice if the
/// process dies.
const WRITES: usize = 1024;

/// What the queues work with.
pub(crate) struct Works {
    pub(crate) settings: Arc<Settings>,
    pub(crate) clock: Clock,
    pub(crate) spool: Arc<Spool>,
    pub(crate) router: Router,
    pub(crate) health: Health,
    pub(crate) resolver: Resolver,
    pub(crate) dialer: Dialer,
    pub(crate) log: ConnectivityLog,
    pub(crate) recipients: Arc<dyn Recipients>,
    pub(crate) mailboxes: Option<Arc<dyn Mailboxes>>,
    pub(crate) events: EventSink,
    pub(crate) metrics: Metrics,
}

/// The queues. Cloning shares them.
#[derive(Clone)]
pub(crate) struct Queues {
    shared: Arc<Shared>,
}

struct Shared {
    works: Works,
    shadows: Shadows,
    board: Mutex<Board>,
    /// Something happened: the dispatcher looks again.
    wake: Notify,
    /// A connection has ended.
    closed: Notify,
    /// Who writes reports. He hands them in through the queues himself, so that one of the two has to let go at the end.
    reporter: ArcSwapOption<Reporter>,
    writes: Arc<Semaphore>,
}

impl Queues {
    /// Queues in which nothing waits.
    pub(crate) fn new(works: Works) -> Self {
        let board = Mutex::new(Board::new(&works.settings));
        let (reporter, writes) = (ArcSwapOption::empty(), Arc::new(Semaphore::new(WRITES)));
        let (wake, closed) = (Notify::new(), Notify::new());
        let shadows = shadows_of(&works);
        Self { shared: Arc::new(Shared { works, shadows, board, wake, closed, reporter, writes }) }
    }

    /// Says who writes reports, before anything is delivered.
    pub(crate) fn report_by(&self, reporter: Reporter) {
        self.shared.reporter.store(Some(Arc::new(reporter)));
    }

    /// Done when the message went onward, or was deferred: no recipient is untried any more (H12).
    pub(crate) async fn decided(&self, id: MessageId) {
        let (tell, told) = oneshot::channel();
        if self.shared.board().await_decision(id, tell) {
            // Whoever forgets the message decides it, too.
            let _ = told.await;
        }
    }

    /// Where each of `recipients` belongs.
    pub(crate) async fn lookups(&self, recipients: &[Recipient]) -> Vec<Lookup> {
        let mut lookups = Vec::with_capacity(recipients.len());
        for recipient in recipients {
            lookups.push(self.shared.lookup(recipient.to.mailbox()).await);
        }
        lookups
    }

    /// The messages that the durable queue holds at the start.
    ///
    /// # Errors
    /// Where it cannot be asked.
    pub(crate) async fn held(&self) -> Result<Vec<MessageId>, SpoolError> {
        self.shared.all_ids().await
    }

    /// Puts messages that were queued before the start back into their queues, until `stop` turns true.
    pub(crate) async fn recover(&self, held: Vec<MessageId>, stop: watch::Receiver<bool>) {
        for id in held {
            if *stop.borrow() {
                return;
            }
            self.shared.recover(id).await;
        }
        self.shared.shadows.all_recovered().await;
    }

    /// Done when no connection is open any more, and everything that is known is written down.
    pub(crate) async fn quiet(&self) {
        let closed = &self.shared.closed;
        loop {
            let waiting = closed.notified();
            if self.shared.board().connections.open() == 0 {
                break;
            }
            waiting.await;
        }
        let all = u32::try_from(WRITES).unwrap_or(u32::MAX);
        drop(self.shared.writes.acquire_many(all).await);
    }

    /// Reports nothing any more, lets go of who did, and ends the connectivity log.
    pub(crate) fn close(&self) {
        self.shared.reporter.store(None);
        self.shared.works.log.close();
    }

    /// Lines of the connectivity log that were dropped.
    pub(crate) fn lines_dropped(&self) -> u64 {
        self.shared.works.log.dropped()
    }

    /// How many shadows are held, and how many messages arrived twice because of them, as far as is known.
    pub(crate) fn shadows(&self) -> (usize, u64) {
        self.shared.shadows.counts()
    }

    /// How many messages wait.
    pub(crate) fn waiting(&self) -> usize {
        self.shared.board().messages()
    }
}

/// Shadow redundancy over the durable queue, which is called by its identity.
fn shadows_of(works: &Works) -> Shadows {
    let name = format!("{:016x}", works.spool.identity().0);
    // Sixteen hexadecimal digits are a token.
    let database = Token::new(&name).unwrap_or_else(|| unreachable!());
    Shadows::new(works.settings.shadow, Arc::clone(&works.spool), database, works.clock)
}

impl Onward for Queues {
    fn accept(&self, message: Accepted) {
        self.shared.accept(message);
    }
}

impl Passage for Queues {
    fn decided(&self, id: MessageId) -> Answer<'_, ()> {
        Box::pin(Self::decided(self, id))
    }

    fn database(&self) -> Token {
        self.shared.shadows.database()
    }

    fn discards<'a>(&'a self, holder: &'a Token, query: DiscardQuery) -> Answer<'a, DiscardNotices> {
        Box::pin(async move { self.shared.shadows.discards(holder, query) })
    }
}

impl Shared {
    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Tick {
        self.works.clock.tick()
    }

    fn wall(&self) -> WallTime {
        self.works.clock.wall()
    }

    /// The moment at which the world's clock will show `wall`, as far as is known.
    fn tick_of(&self, wall: WallTime) -> Tick {
        self.now().plus(wall.since(self.wall()))
    }
}
