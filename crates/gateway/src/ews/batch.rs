//! One EWS request, carried out step by step before the embedded origin (T10–T12, T26).
//!
//! The processor and the budget are looked at before each step. As long as nothing has happened – no effect at the
//! origin, no byte of the answer sent – the request can still be refused whole; from then on it is only delayed.

use weir_mailbox::{MailboxServer, Session};
use weir_throttle::Seen;
use weir_throttle::find::page_limit;
use weir_units::{Micros, Refusal, TimePart};
use weir_wire::ews::refusal::too_many_found;
use weir_wire::ews::request::{Envelope, FindFolder, FindItem, Request, View};
use weir_wire::ews::response::{Answer, ErrorMessage, Found, ResponseMessage};
use weir_wire::ews::{RefusalAnswer, ResponseWriter};

use super::find::{self, Allowance, Judgement};
use crate::subscriptions::Opened;
use crate::visit::Visit;

/// A request under way.
pub(crate) struct Batch {
    pub(crate) visit: Visit,
    mailbox: MailboxServer,
    envelope: Envelope,
    session: Session,
    writer: ResponseWriter,
    /// The step that comes next.
    step: usize,
    /// What each folder of a paged find may bring; found out once, before the first.
    page: Option<Allowance>,
    /// Something has happened that cannot be taken back.
    committed: bool,
    /// The part of the answer that has not been sent.
    buffer: Vec<u8>,
}

/// Why a request ends without an answer of its own; nothing of it has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// The caller's budget refuses it.
    Refused(Refusal),
    /// The origin has no room for it at the moment (T27).
    OriginBusy,
}

impl From<Refusal> for Stopped {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// How far the answer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The buffer is full, and there is more.
    More,
    /// The buffer holds the end of the answer.
    Done,
}

impl Batch {
    pub(crate) fn new(visit: Visit, mailbox: MailboxServer, envelope: Envelope, session: Session) -> Self {
        let writer = ResponseWriter::new(&envelope.request);
        let mut buffer = Vec::with_capacity(4 << 10);
        writer.start(&mut buffer);
        Self { visit, mailbox, envelope, session, writer, step: 0, page: None, committed: false, buffer }
    }

    /// Goes on until the buffer holds `enough` bytes or the answer is whole.
    ///
    /// # Errors
    ///
    /// Why the whole request ends here; never once [`Batch::take`] was called or a step had an effect.
    pub(crate) async fn fill(&mut self, enough: usize) -> Result<Progress, Stopped> {
        while self.step < self.envelope.request.steps() {
            if self.buffer.len() >= enough {
                return Ok(Progress::More);
            }
            self.visit.permit().turn(!self.committed).await?;
            if self.step == 0 {
                self.keep_pace()?;
            }
            let message = self.carry_out(self.step).await?;
            if !self.committed && matches!(&message, Err(error) if error.code == ORIGIN_BUSY) {
                return Err(Stopped::OriginBusy);
            }
            self.committed |= self.envelope.request.has_effect();
            self.writer.message(&message, &mut self.buffer);
            self.step += 1;
        }
        self.writer.finish(&mut self.buffer);
        Ok(Progress::Done)
    }

    /// Looks whether the owner's operations come faster than the mailbox server carries them out.
    fn keep_pace(&mut self) -> Result<(), Refusal> {
        let operations = u32::try_from(self.envelope.request.steps()).unwrap_or(u32::MAX);
        let (mean, rules) =
            (self.visit.gateway().embedded_latency.mean(), self.visit.settings().throttle.http);
        self.visit.permit().keep_pace(operations, mean, &rules)
    }

    /// Takes what the buffer holds, to be sent: from here on nothing is refused.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        self.committed = true;
        std::mem::take(&mut self.buffer)
    }

    async fn carry_out(&mut self, step: usize) -> Result<ResponseMessage, Refusal> {
        match &self.envelope.request {
            Request::FindItem(find) => self.find(step, find.view.clone(), find.parents.len()).await,
            Request::FindFolder(find) => self.find(step, find.view.clone(), find.parents.len()).await,
            Request::Subscribe(subscribe) => {
                let timeout = Micros::MINUTE.times(subscribe.timeout_minutes.into());
                self.subscribe(step, timeout).await
            }
            Request::GetEvents(get) => {
                let subscription = get.subscription.clone();
                let message = self.origin(TimePart::MailboxRpc, step).await?;
                self.note_events(&subscription, &message);
                Ok(message)
            }
            Request::Unsubscribe(unsubscribe) => {
                let subscription = unsubscribe.subscription.clone();
                let message = self.origin(TimePart::MailboxRpc, step).await?;
                if message.is_ok() || is_forgotten(&message) {
                    self.visit.permit().subscription_closed(&subscription);
                }
                Ok(message)
            }
            Request::ResolveNames(_) => self.origin(TimePart::AddressBook, step).await,
            Request::GetFolder(_)
            | Request::GetItem(_)
            | Request::CreateItem(_)
            | Request::SendItem(_)
            | Request::UpdateItem(_)
            | Request::DeleteItem(_)
            | Request::MoveItem(_)
            | Request::CopyItem(_)
            | Request::CreateFolder(_)
            | Request::UpdateFolder(_)
            | Request::DeleteFolder(_)
            | Request::SyncFolderHierarchy(_)
            | Request::SyncFolderItems(_)
            | Request::GetServerTimeZones(_)
            | Request::ConvertId(_)
            | Request::GetDelegate(_) => self.origin(TimePart::MailboxRpc, step).await,
        }
    }

    /// Asks the origin for one step of the request as it came.
    async fn origin(&mut self, part: TimePart, step: usize) -> Result<ResponseMessage, Refusal> {
        let asked = (&self.envelope.request, step);
        self.visit.origin(&self.mailbox, part, &self.session, asked, !self.committed).await
    }

    /// One folder of a find, held to what is left of the find count.
    async fn find(&mut self, step: usize, view: View, folders: usize) -> Result<ResponseMessage, Refusal> {
        let allowance = self.allowance(&view, folders).await?;
        let narrowed = with_view(&self.envelope.request, allowance.view(&view));
        let (part, asked, may_refuse) = (TimePart::MailboxRpc, (&narrowed, step), !self.committed);
        let mut message = self.visit.origin(&self.mailbox, part, &self.session, asked, may_refuse).await?;
        let judgement = match &mut message {
            Ok(Answer::FoundItems(found)) => self.judge(allowance, &view, found),
            Ok(Answer::FoundFolders(found)) => self.judge(allowance, &view, found),
            Ok(_) => Judgement::Pass,
            Err(error) => {
                self.note_search(error);
                Judgement::Pass
            }
        };
        Ok(match judgement {
            Judgement::Pass => message,
            Judgement::TooMany => {
                let refusal = self.visit.permit().find_refusal();
                self.visit.refused(&refusal);
                Err(too_many_found(refusal.limit, self.envelope.version))
            }
        })
    }

    /// What this folder may bring. A paged find with nothing left waits, once, before its first folder (T11).
    async fn allowance(&mut self, view: &View, folders: usize) -> Result<Allowance, Refusal> {
        if !find::is_paged(view) {
            return Ok(Allowance::new(self.visit.permit().find_left()));
        }
        if let Some(page) = self.page {
            return Ok(page);
        }
        let left = self.visit.permit().wait_for_find().await?;
        let folders = u32::try_from(folders).unwrap_or(u32::MAX);
        let page = Allowance::new(page_limit(left, folders));
        self.page = Some(page);
        Ok(page)
    }

    /// Counts what came (T10), and says whether the client gets it. One item stays on every page, so that it makes
    /// progress.
    fn judge<T>(&mut self, allowance: Allowance, view: &View, found: &mut Found<T>) -> Judgement {
        let permit = self.visit.permit();
        let came = u32::try_from(found.page.len()).unwrap_or(u32::MAX);
        let all = if *view == View::Unpaged { came.max(found.total) } else { came };
        if let Some(left) = permit.spared_find_left().filter(|_| !find::is_paged(view)) {
            permit.spare(Seen::Whole { came: all.into(), left: left.into() });
        }
        if allowance.judge(view, found) == Judgement::TooMany {
            permit.saw_too_many(all.into(), allowance.left().unwrap_or(u32::MAX).into());
            return Judgement::TooMany;
        }
        let paged = find::is_paged(view);
        let taken = permit.take_found(came, paged);
        if taken < came && !paged {
            permit.release_found(taken);
            permit.saw_too_many(came.into(), taken.into());
            return Judgement::TooMany;
        }
        find::keep(view, found, taken);
        Judgement::Pass
    }

    /// A full-text search that ran out of its time is a refusal of the policy (T1).
    fn note_search(&mut self, error: &ErrorMessage) {
        if error.code != "ErrorTimeoutExpired" {
            return;
        }
        if let Some(refusal) = self.visit.permit().search_refusal() {
            self.visit.refused(&refusal);
        }
    }

    async fn subscribe(&mut self, step: usize, timeout: Micros) -> Result<ResponseMessage, Refusal> {
        if let Err(refusal) = self.visit.permit().take_subscription() {
            self.visit.refused(&refusal);
            return Ok(match RefusalAnswer::new(&refusal, self.envelope.version) {
                RefusalAnswer::Message(message) => Err(message),
                RefusalAnswer::Fault(_) => {
                    Err(ErrorMessage::new("ErrorExceededSubscriptionCount", refusal.to_string()))
                }
            });
        }
        let message = self.origin(TimePart::MailboxRpc, step).await?;
        let opened = match &message {
            Ok(Answer::Subscribed { subscription, .. }) => {
                self.visit.permit().subscription_opened(subscription, timeout)
            }
            Ok(_) | Err(_) => Opened::Untracked,
        };
        if opened != Opened::Counted {
            self.visit.permit().give_back_subscription();
        }
        Ok(message)
    }

    fn note_events(&mut self, subscription: &str, message: &ResponseMessage) {
        if message.is_ok() {
            self.visit.permit().subscription_used(subscription);
        } else if is_forgotten(message) {
            self.visit.permit().subscription_closed(subscription);
        }
    }
}

/// What the embedded origin says of a step that it had no room for, and did not begin.
const ORIGIN_BUSY: &str = "ErrorMailboxStoreUnavailable";

/// Whether the origin says that it knows a subscription no more (T7).
fn is_forgotten(message: &ResponseMessage) -> bool {
    matches!(message, Err(error) if error.code == "ErrorSubscriptionNotFound")
}

/// The same find with another view.
fn with_view(request: &Request, view: View) -> Request {
    if let Request::FindItem(find) = request {
        return Request::FindItem(FindItem { view, ..find.clone() });
    }
    if let Request::FindFolder(find) = request {
        return Request::FindFolder(FindFolder { view, ..find.clone() });
    }
    request.clone()
}
