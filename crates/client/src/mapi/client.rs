//! One session with a server: connecting, carrying out batches, waiting for events.
//!
//! The [`Session`] decides, a link sends and waits. What a mailbox holds is in the modules beneath.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use weir_units::Millis;
use weir_wire::mapi::RequestType;
use weir_wire::mapi::auxiliary::{ClientMode, Reports};
use weir_wire::mapi::body::{
    Answer, Body, ConnectRequest, Connected, Disconnected, NotificationWaitRequest, Waited, write_disconnect,
};
use weir_wire::mapi::error_code::ErrorCode;

use super::batch::{Batch, Replies};
use super::error::MapiError;
use super::identity::Guid;
use super::link::Link;
use super::session::{Retry, Session, SessionCounts, SessionError, Step};
use super::settings::Settings;
use crate::clock::Clock;

/// The code page of text that is not Unicode: Windows' for western Europe, which every server knows.
const CODE_PAGE: u32 = 1252;
/// The language by whose rules names are sorted and written: English as in the United States.
const LOCALE: u32 = 0x0409;

/// A session with a server.
///
/// One call is made at a time. A call whose future is dropped on its way ends the session: whether it was carried out is not
/// known. A client that is dropped without [`MapiClient::disconnect`] leaves its session to the server, which forgets it
/// when it was idle for some time.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use weir_client::mapi::{Credentials, MapiClient, Settings, legacy_dn};
/// let settings = Settings::new("http://127.0.0.1:8080".parse()?, Credentials::new("jane.doe@example.com", "secret"));
/// let dn = legacy_dn("jane.doe@example.com").ok_or("no address")?;
/// let mut client = MapiClient::connect(settings, &dn).await?;
/// let mailbox = client.log_on(&dn).await?;
/// for folder in client.folders(&mailbox).await? {
///     println!("{} has {} messages", folder.name, folder.messages);
/// }
/// client.disconnect().await?;
/// # Ok(()) }
/// ```
pub struct MapiClient {
    pub(super) session: Session,
    link: Link,
    /// Waits for events.
    waiting: Link,
    clock: Clock,
    display_name: String,
}

impl MapiClient {
    /// Begins a session of the user with that distinguished name.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub async fn connect(settings: Settings, user_dn: &str) -> Result<Self, MapiError> {
        Self::over(Link::new(settings)?, user_dn).await
    }

    async fn over(mut link: Link, user_dn: &str) -> Result<Self, MapiError> {
        let auxiliary = introduction(link.settings());
        let mut body = Vec::new();
        ConnectRequest {
            user_dn: user_dn.as_bytes(),
            flags: 0,
            code_page: CODE_PAGE,
            sort_locale: LOCALE,
            string_locale: LOCALE,
            auxiliary: &auxiliary,
        }
        .write(&mut body);
        let answer = link.call(RequestType::Connect, body).await?;
        let connected: Connected<'_> = done(RequestType::Connect, "connect", &answer)?;
        succeeded("connect", connected.error_code)?;
        let retry = Retry { count: connected.retry_count, delay: Millis::new(connected.retry_delay.into()) };
        let session = Session::new(retry, link.settings().limits.patience);
        let display_name = text16(connected.display_name);
        let waiting = link.another();
        Ok(Self { session, link, waiting, clock: Clock::start(), display_name })
    }

    /// The user's name, as the server has it.
    pub fn display_name(&self) -> &str {
        &self.display_name
    }

    /// What the session has done so far, and how long it was made to wait.
    pub const fn counts(&self) -> SessionCounts {
        self.session.counts()
    }

    /// Takes a place for an object, which the ROPs of a batch name by its number.
    ///
    /// # Errors
    ///
    /// [`SessionError::TooManyObjects`].
    pub fn take_place(&mut self) -> Result<u8, MapiError> {
        Ok(self.session.take_place()?)
    }

    /// Gives a place back: its object was released, or never opened.
    pub fn free_place(&mut self, place: u8) {
        self.session.free_place(place);
    }

    /// Has a batch carried out, however long the server makes it wait.
    ///
    /// # Errors
    ///
    /// Why not all of it was answered. A ROP that fails is no error: its reply says so.
    pub async fn execute(&mut self, batch: Batch) -> Result<Replies, MapiError> {
        let mut replies = self.execute_all([batch]).await?;
        Ok(replies.pop().unwrap_or_default())
    }

    /// The same with several, of which one that may go does not wait for one that may not.
    ///
    /// # Errors
    ///
    /// See [`MapiClient::execute`].
    pub async fn execute_all(
        &mut self,
        batches: impl IntoIterator<Item = Batch>,
    ) -> Result<Vec<Replies>, MapiError> {
        // What a caller handed over who then went away.
        self.session.withdraw();
        let ids: Result<Vec<_>, SessionError> =
            batches.into_iter().map(|batch| self.session.submit(batch)).collect();
        let ids = ids?;
        let mut answered = BTreeMap::new();
        loop {
            match self.session.next(self.clock.tick())? {
                Step::Send(body) => {
                    let answer = self.link.call(RequestType::Execute, body).await?;
                    self.session.answered(&answer, self.clock.tick())?;
                }
                Step::Wait(until) => self.clock.sleep_until(until).await,
                Step::Done(id, replies) => drop(answered.insert(id, replies)),
                Step::Answer => return Err(SessionError::Ended.into()),
                Step::Idle => break,
            }
        }
        Ok(ids.iter().map(|id| answered.remove(id).unwrap_or_default()).collect())
    }

    /// Waits until the server has notifications, for a few minutes at most; says whether it has.
    ///
    /// # Errors
    ///
    /// Why it does not wait.
    pub(super) async fn event(&mut self) -> Result<bool, MapiError> {
        let mut body = Vec::new();
        NotificationWaitRequest { flags: 0, auxiliary: &[] }.write(&mut body);
        let answer = self.waiting.call(RequestType::NotificationWait, body).await?;
        let waited: Waited<'_> = done(RequestType::NotificationWait, "wait", &answer)?;
        succeeded("wait", waited.error_code)?;
        Ok(waited.event_pending)
    }

    /// Keeps a session alive that has nothing to do.
    ///
    /// # Errors
    ///
    /// The server knows the session no longer, or cannot be reached.
    pub async fn ping(&mut self) -> Result<(), MapiError> {
        self.link.call(RequestType::Ping, Vec::new()).await.map(drop)
    }

    /// Ends the session; the server forgets all that is open.
    ///
    /// # Errors
    ///
    /// The server knows the session no longer, or cannot be reached. Either way it is over.
    pub async fn disconnect(mut self) -> Result<(), MapiError> {
        let mut body = Vec::new();
        write_disconnect(&[], &mut body);
        let answer = self.link.call(RequestType::Disconnect, body).await?;
        let disconnected: Disconnected<'_> = done(RequestType::Disconnect, "disconnect", &answer)?;
        succeeded("disconnect", disconnected.error_code)
    }
}

/// What the client tells about itself (R17). The machine's and the user's names there are nobody's business.
fn introduction(settings: &Settings) -> Vec<u8> {
    let mut reports = Reports::default();
    let [low, high, ..] = std::process::id().to_le_bytes();
    reports.process(u16::from_le_bytes([low, high]), Guid::random().wire(), &settings.process);
    reports.client("", "", ClientMode::Classic);
    reports.buffer()
}

/// The body of an answer to a call that was carried out.
fn done<'a, T: Body<'a>>(call: RequestType, what: &'static str, answer: &'a [u8]) -> Result<T, MapiError> {
    match Answer::read(answer).map_err(|why| MapiError::Malformed { call, why })? {
        Answer::Done(body) => Ok(body),
        Answer::Failed(failure) => Err(MapiError::Refused { what, code: ErrorCode(failure.status) }),
    }
}

const fn succeeded(what: &'static str, code: u32) -> Result<(), MapiError> {
    if code == 0 { Ok(()) } else { Err(MapiError::Refused { what, code: ErrorCode(code) }) }
}

/// Text of two-byte characters; what is none becomes replacement characters.
pub(super) fn text16(bytes: &[u8]) -> String {
    let units = bytes.as_chunks().0.iter().map(|pair| u16::from_le_bytes(*pair));
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}
