//! One step's visit to the store: a transaction on an opened mailbox.
//!
//! A step that changes something holds the server's one writing place, so that writers wait for one another instead
//! of polling SQLite's lock. What a step has to tell subscribers is told after the commit, never
//! before. A mailbox comes into being, with its folders, when it is visited first.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{MutexGuard, PoisonError};

use jiff::tz::TimeZone;
use rusqlite::{Connection, ErrorCode, TransactionBehavior};
use weir_units::WallTime;
use weir_wire::ews::property::Item;
use weir_wire::ews::request::Request;
use weir_wire::ews::response::{ErrorMessage, ResponseMessage};
use weir_wire::ews::time;

use super::{Hub, News, Settings, Shared};
use crate::operation;
use crate::outbound::{Outbound, Outgoing};
use crate::session::{AddressBook, Person, Session};
use crate::store::identifier::MailboxKey;
use crate::store::{folder, item, mailbox};

/// Steps of SQLite's virtual machine between two looks at a search's time limit.
const STEPS_BETWEEN_LOOKS: i32 = 1000;

/// Why something did not work out.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The client is told this.
    #[error(transparent)]
    Told(#[from] ErrorMessage),
    /// The store failed.
    #[error("the mailbox store failed: {0}")]
    Store(#[from] rusqlite::Error),
}

/// What an operation brings.
pub(crate) type Outcome<T> = Result<T, Failure>;

impl Failure {
    /// An error message without values.
    pub(crate) fn told(code: &'static str, text: impl Into<String>) -> Self {
        Self::Told(ErrorMessage::new(code, text))
    }
}

/// A transaction on an opened mailbox.
pub(crate) struct Visit<'v> {
    /// The transaction.
    pub(crate) db: &'v Connection,
    /// The circumstances of the request.
    pub(crate) session: &'v Session,
    /// The opened mailbox.
    pub(crate) mailbox: MailboxKey,
    /// Who else has a mailbox.
    pub(crate) people: &'v dyn AddressBook,
    /// The bounds.
    pub(crate) settings: &'v Settings,
    /// The subscriptions.
    pub(crate) hub: &'v Hub,
    news: &'v RefCell<Vec<News>>,
    /// What goes out when the step is done; none without a way out.
    outgoing: Option<&'v RefCell<Vec<Outgoing>>>,
}

impl<'v> Visit<'v> {
    /// The time at which the step is carried out.
    pub(crate) fn now(&self) -> WallTime {
        self.session.now
    }

    /// The time zone in which times without an offset are meant.
    pub(crate) fn zone(&self) -> TimeZone {
        time::zone(self.session.time_zone.as_deref())
    }

    /// Has subscribers told of something once the transaction is committed.
    pub(crate) fn tell(&self, news: News) {
        self.news.borrow_mut().push(news);
    }

    /// Whether people whose mailbox is elsewhere can be reached.
    pub(crate) fn has_way_out(&self) -> bool {
        self.outgoing.is_some()
    }

    /// Has a message go out, if there is a way, just before the transaction is committed.
    pub(crate) fn send_out(&self, mail: Outgoing) {
        if let Some(outgoing) = self.outgoing {
            outgoing.borrow_mut().push(mail);
        }
    }

    /// The same transaction on somebody's mailbox, as that person sees it; the mailbox is made where it is not there.
    pub(crate) fn of<'s>(&'s self, session: &'s Session) -> Outcome<Visit<'s>>
    where
        'v: 's,
    {
        let mailbox = mailbox::open(self.db, session)?;
        Ok(Visit {
            db: self.db,
            session,
            mailbox,
            people: self.people,
            settings: self.settings,
            hub: self.hub,
            news: self.news,
            outgoing: self.outgoing,
        })
    }
}

impl Session {
    /// A session in which a person's own mailbox is opened at `now` with nothing special about it.
    pub(crate) fn of(person: &Person, now: WallTime) -> Self {
        Self {
            mailbox: person.clone(),
            version: weir_wire::ews::request::Version::default(),
            time_zone: None,
            search_limit: None,
            now,
        }
    }
}

/// Carries out a request of one step.
pub(super) fn carry_out(
    shared: &Shared,
    db: &mut Connection,
    session: &Session,
    request: Request,
) -> ResponseMessage {
    let write = request.has_effect() || !mailbox::exists(db, session).unwrap_or(false);
    in_transaction(shared, db, session, write, |visit| operation::carry_out(visit, request)).map_err(told)
}

/// Carries out a request of one step and gives up once `expired` is set (T1).
pub(super) fn carry_out_until(
    shared: &Shared,
    db: &mut Connection,
    session: &Session,
    request: Request,
    expired: &Arc<AtomicBool>,
) -> ResponseMessage {
    let flag = Arc::clone(expired);
    let look = move || flag.load(Ordering::Relaxed);
    if db.progress_handler(STEPS_BETWEEN_LOOKS, Some(look)).is_err() {
        return Err(store_failed());
    }
    let answer = carry_out(shared, db, session, request);
    let _ = db.progress_handler(0, None::<fn() -> bool>);
    if expired.load(Ordering::Relaxed) { Err(search_expired()) } else { answer }
}

/// Puts items into a well-known folder, all or none.
pub(super) fn deliver_many(
    shared: &Shared,
    db: &mut Connection,
    session: &Session,
    folder_name: &str,
    items: Vec<Item>,
) -> Result<(), ErrorMessage> {
    in_transaction(shared, db, session, true, |visit| {
        let folder = folder::distinguished(visit, folder_name)?;
        for new in items {
            item::receive(visit, folder, new)?;
        }
        Ok(())
    })
    .map_err(told)
}

/// What a search is answered that took longer than it may.
pub(super) fn search_expired() -> ErrorMessage {
    ErrorMessage::new(
        "ErrorTimeoutExpired",
        "The search took longer than the time limit for searches allows.",
    )
}

/// Runs `work` in a transaction on the session's mailbox. What it sends to people elsewhere goes out before that is
/// committed, and what it did is told of afterwards. With `write` it may change something.
pub(crate) fn in_transaction<T, E: From<Failure>>(
    shared: &Shared,
    db: &mut Connection,
    session: &Session,
    write: bool,
    work: impl FnOnce(&Visit<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let _place: Option<MutexGuard<'_, ()>> =
        write.then(|| shared.writing.lock().unwrap_or_else(PoisonError::into_inner));
    let (news, outgoing) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));
    let outbound = shared.outbound.get();
    let behavior = if write { TransactionBehavior::Immediate } else { TransactionBehavior::Deferred };
    let transaction = db.transaction_with_behavior(behavior).map_err(Failure::Store)?;
    let visit = Visit {
        db: &transaction,
        session,
        mailbox: mailbox::open(&transaction, session)?,
        people: shared.people.as_ref(),
        settings: &shared.settings,
        hub: &shared.hub,
        news: &news,
        outgoing: outbound.map(|_| &outgoing),
    };
    let done = work(&visit)?;
    let sent = hand_over(outbound, outgoing.into_inner())?;
    transaction.commit().map_err(|error| {
        if sent > 0 {
            tracing::error!(%error, "a message is on its way to people elsewhere, and its sender hears that it failed");
        }
        Failure::Store(error)
    })?;
    shared.hub.tell(news.into_inner());
    Ok(done)
}

/// Hands messages over to the way out. Gives how many.
fn hand_over(outbound: Option<&Arc<dyn Outbound>>, mails: Vec<Outgoing>) -> Outcome<usize> {
    let Some(outbound) = outbound else { return Ok(0) };
    let count = mails.len();
    for mail in mails {
        outbound.submit(mail).map_err(|why| Failure::Told(why.into()))?;
    }
    Ok(count)
}

/// What a client is told of a failure.
pub(super) fn told(failure: Failure) -> ErrorMessage {
    match failure {
        Failure::Told(message) => message,
        Failure::Store(error) => store_error(&error),
    }
}

fn store_error(error: &rusqlite::Error) -> ErrorMessage {
    match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => search_expired(),
        Some(ErrorCode::DiskFull) => ErrorMessage::new("ErrorQuotaExceeded", "The mailbox store is full."),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            ErrorMessage::new("ErrorMailboxStoreUnavailable", "The mailbox store is busy. Try again later.")
        }
        _ => {
            tracing::error!(%error, "the mailbox store failed");
            store_failed()
        }
    }
}

fn store_failed() -> ErrorMessage {
    ErrorMessage::new("ErrorInternalServerError", "The mailbox store failed on this step.")
}
