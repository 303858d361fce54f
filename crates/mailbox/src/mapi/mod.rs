//! MAPI over HTTP, as far as a session needs it: ROPs on the store that EWS clients use too.
//!
//! Whoever does HTTP – cookies, authentication, envelopes, time, and the back-off of those who ask too much – hands
//! bodies in and gets bodies out. A [`MapiSession`] is one person's; the mailboxes it is logged on to, the objects it has
//! open and what it is told are its own, and go with it. The ROPs of one `Execute` run one after the other as one job on
//! one of the store's threads; each that changes something is a transaction of its own. What a person sees is what EWS
//! shows of the same mailbox. Sources: MS-OXCROPS, MS-OXCSTOR, MS-OXCFOLD, MS-OXCTABL, MS-OXCMSG, MS-OXCPRPT,
//! MS-OXCNOTIF, MS-OXPROPS.
//!
//! | module | what it holds |
//! |---|---|
//! | `connect` | who may have a session |
//! | `session`, `objects`, `mailroom` | what a session has: logons, objects under handles, events |
//! | `execute` | a list of ROPs, carried out within the room that the answer has |
//! | `rop` | what each ROP does |
//! | `table`, `filter`, `draft`, `stream` | tables, restrictions, messages that are not saved, streams |
//! | `property`, `id` | properties and identifiers of the store as MAPI has them |

mod connect;
mod draft;
mod execute;
mod failure;
mod filter;
mod id;
mod mailroom;
mod objects;
mod property;
mod rop;
mod session;
mod stream;
mod table;

pub use session::MapiSession;

use weir_units::WallTime;
use weir_wire::mapi::Malformed;
use weir_wire::mapi::body::ConnectRequest;

use crate::server::MailboxServer;
use crate::session::Person;

/// Why a request to a session brought no body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MapiRefused {
    /// The request is none; it had no effect.
    #[error("the request is malformed: it {0}")]
    Malformed(Malformed),
    /// The mailbox store has too much to do; the request had no effect.
    #[error("the mailbox store has too much to do")]
    Busy,
    /// The mailbox store failed.
    #[error("the mailbox store failed")]
    Failed,
}

impl MailboxServer {
    /// Answers `Connect`: a session, and the body that says so. With `may_open_others` the caller may log on to other
    /// mailboxes of his organisation, too.
    ///
    /// A caller who connects by his own distinguished name is answered from memory; anybody else is looked up in the
    /// address book, which may block.
    ///
    /// # Errors
    /// The body that says why there is no session: the name is not the caller's, nor one that he may open.
    pub fn mapi_connect(
        &self,
        caller: &Person,
        may_open_others: bool,
        request: &ConnectRequest<'_>,
    ) -> Result<(MapiSession, Vec<u8>), Vec<u8>> {
        let shared = self.shared();
        let body = connect::answer(shared.people.as_ref(), caller, may_open_others, request)?;
        Ok((MapiSession::new(shared, caller.clone(), may_open_others), body))
    }

    /// Answers the body of an `Execute` with another. A session's requests come one at a time. Once this one has ended,
    /// also where nobody waits for its answer any more, `ended` is told whether it was understood; it is dropped where the
    /// request was not carried out.
    ///
    /// # Errors
    /// Where there is no answer: see [`MapiRefused`].
    pub async fn mapi_execute<E>(
        &self,
        session: &MapiSession,
        body: Vec<u8>,
        now: WallTime,
        ended: E,
    ) -> Result<Vec<u8>, MapiRefused>
    where
        E: FnOnce(bool) + Send + 'static,
    {
        let inner = std::sync::Arc::clone(&session.inner);
        let job = self.run(move |shared, db| {
            let answered = execute::carry_out(shared, db, &inner, (&body, now));
            ended(answered.is_ok());
            answered
        });
        match job.await {
            Ok(answered) => answered.map_err(MapiRefused::Malformed),
            Err(message) if message.code == "ErrorMailboxStoreUnavailable" => Err(MapiRefused::Busy),
            Err(_) => Err(MapiRefused::Failed),
        }
    }

    /// Returns once an event waits for the session; at once, where one does.
    pub async fn mapi_event(&self, session: &MapiSession) {
        session.inner.mailroom.event().await;
    }

    /// Ends a session: gives back what it has, whoever still holds it. Does not wait for a request that runs.
    pub fn mapi_disconnect(&self, session: &MapiSession) {
        session.inner.end();
    }
}

#[cfg(test)]
mod tests;
