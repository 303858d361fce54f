//! The calls of one MAPI session, without input or output: what to send, when, and what came of it (R11).
//!
//! A caller hands over batches of ROPs and then does what [`Session::next`] says until it has the answers. ROPs of several
//! batches go together as far as they fit. Where a server holds some back they are sent again when the time is over, those
//! and no others, with the handles that there are by then; what was answered before stays answered. A server that is too
//! busy for the whole session is asked again as often and as fast as its answer to `Connect` advised, and then given up.
//!
//! Batches are independent: one that may go does not wait for one that may not. Within a batch the order holds. A call of
//! which it is not known whether it arrived is not repeated: the session ends with an error.

mod answer;
#[cfg(test)]
pub(super) mod captured;
mod composing;
mod error;
#[cfg(test)]
mod model;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::mem;

use weir_units::{Micros, Millis, Tick};
use weir_wire::mapi::body::{Answer, ExecuteRequest, Executed, STATUS_TOO_BUSY};
use weir_wire::mapi::call::Call;
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::payload::Form;
use weir_wire::mapi::reply::Reply;
use weir_wire::mapi::rop::{Backoff, RopBuffer, RopId};

use super::batch::{Batch, BatchId, Replies};
use super::holds::Holds;
use super::objects::Objects;
use super::seen::Seen;
use answer::Asked;
pub use error::SessionError;

/// The longest payload of a request, in bytes: its ROPs and its handles (MS-OXCRPC, section 3.1.4.2).
pub const MAX_PAYLOAD: usize = 0x8000;

/// The longest ROP buffer of an answer that is asked for, in bytes.
pub const MAX_ANSWER: u32 = 0x1_0008;

/// The most ROPs that wait in a session, of all batches together.
pub const MAX_WAITING: usize = 0x4000;

/// The most notifications that wait to be taken; of more, the first are lost.
pub const MAX_NOTIFICATIONS: usize = 1024;

/// What a server advised a client to do that finds it too busy, in its answer to `Connect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// How often in a row it is refused before it gives up.
    pub count: u32,
    /// How long it waits each time.
    pub delay: Millis,
}

/// What is to be done next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Send this body of an `Execute`, and hand its answer to [`Session::answered`].
    Send(Vec<u8>),
    /// An answer is awaited.
    Answer,
    /// Ask again at that time: all that waits is held back until then.
    Wait(Tick),
    /// A batch was carried out.
    Done(BatchId, Replies),
    /// There is nothing to do.
    Idle,
}

/// What a session has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionCounts {
    /// Requests that were sent.
    pub requests: u64,
    /// ROPs that were carried out.
    pub rops: u64,
    /// Requests that were answered with a back-off.
    pub back_offs: u64,
    /// Requests for which the server was too busy.
    pub too_busy: u64,
    /// How long nothing was sent because all was held back.
    pub waited: Micros,
}

/// The calls of one session.
///
/// # Examples
///
/// ```
/// use weir_client::mapi::wire::call::property::GetPropertiesList;
/// use weir_client::mapi::wire::rop::{Logons, back_off};
/// use weir_client::mapi::wire::body::ExecuteRequest;
/// use weir_client::mapi::{Batch, Retry, Session, Step};
/// use weir_units::{Millis, Tick};
///
/// let mut session = Session::new(Retry { count: 60, delay: Millis::new(1000) }, Millis::new(600_000));
/// session.submit(Batch::new(0).with(GetPropertiesList { input: 0 }))?;
/// let now = Tick::START;
/// let Step::Send(body) = session.next(now)? else { panic!("a request is sent") };
/// // The server answers that the client is to wait for 40 ms, and so it does.
/// let answer = back_off(ExecuteRequest::read(&body)?.rops, Logons::default(), Millis::new(40))?;
/// session.answered(&answer, now)?;
/// let later = now.plus(Millis::new(40).micros());
/// assert_eq!(session.next(now)?, Step::Wait(later));
/// assert!(matches!(session.next(later)?, Step::Send(again) if again.len() > body.len()), "with a report of the first");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    retry: Retry,
    patience: Millis,
    waiting: VecDeque<Waiting>,
    done: VecDeque<(BatchId, Replies)>,
    sent: Option<Sent>,
    objects: Objects,
    holds: Holds,
    seen: Seen,
    notifications: VecDeque<Reply>,
    /// Whether an `Execute` shall be made though nothing waits.
    fetch: bool,
    /// The most ROPs of a request, where more had answers that did not fit.
    window: usize,
    /// How often in a row the server was too busy.
    refusals: u32,
    /// Since when nothing was carried out because all was held back.
    stuck: Option<Tick>,
    /// Since when nothing was sent because all was held back.
    still: Option<Tick>,
    counts: SessionCounts,
    next_id: u64,
    ended: bool,
}

/// A batch, and the answers that there are.
#[derive(Clone, Debug)]
struct Waiting {
    id: BatchId,
    batch: Batch,
    replies: Replies,
}

/// A request that is under way.
#[derive(Clone, Debug)]
struct Sent {
    at: Tick,
    /// For each ROP the place of its batch among those that wait, in rising order, and its length.
    rops: Vec<(usize, usize)>,
}

impl Session {
    /// A session with that advice, which waits for at most `patience` without getting on.
    pub fn new(retry: Retry, patience: Millis) -> Self {
        Self {
            retry,
            patience,
            waiting: VecDeque::new(),
            done: VecDeque::new(),
            sent: None,
            objects: Objects::default(),
            holds: Holds::default(),
            seen: Seen::default(),
            notifications: VecDeque::new(),
            fetch: false,
            window: MAX_WAITING,
            refusals: 0,
            stuck: None,
            still: None,
            counts: SessionCounts::default(),
            next_id: 0,
            ended: false,
        }
    }

    /// Takes a place for an object, which ROPs name by its number. It is the caller's until he frees it.
    ///
    /// # Errors
    ///
    /// [`SessionError::TooManyObjects`].
    pub fn take_place(&mut self) -> Result<u8, SessionError> {
        self.objects.take().ok_or(SessionError::TooManyObjects)
    }

    /// Gives a place back: its object was released, or never opened.
    pub fn free_place(&mut self, place: u8) {
        self.objects.free(place);
    }

    /// Whether there is an object at a place.
    pub fn is_open(&self, place: u8) -> bool {
        self.objects.is_open(place)
    }

    /// Hands over a batch. What it needs of other batches, such as objects that they open, has to be there.
    ///
    /// # Errors
    ///
    /// [`SessionError::TooLong`] and [`SessionError::Full`]: nothing of the batch is sent.
    pub fn submit(&mut self, batch: Batch) -> Result<BatchId, SessionError> {
        let waiting: usize = self.waiting.iter().map(|waiting| waiting.rest().len()).sum();
        if waiting + batch.len() > MAX_WAITING {
            return Err(SessionError::Full);
        }
        if let Some(rop) = composing::too_long(&batch) {
            return Err(SessionError::TooLong { rop });
        }
        let id = BatchId(self.next_id);
        self.next_id += 1;
        self.waiting.push_back(Waiting { id, batch, replies: Vec::new() });
        self.move_done();
        Ok(id)
    }

    /// Forgets the batches that wait, so that they are not sent. Those under way, and their answers, stay.
    pub fn withdraw(&mut self) {
        if self.sent.is_none() {
            self.waiting.clear();
            self.stuck = None;
            self.still = None;
        }
    }

    /// Has notifications fetched with the next request, or with one of their own.
    pub fn fetch(&mut self) {
        self.fetch = true;
    }

    /// The notifications that came, in their order.
    pub fn take_notifications(&mut self) -> Vec<Reply> {
        self.notifications.drain(..).collect()
    }

    /// What the session has done so far.
    pub const fn counts(&self) -> SessionCounts {
        self.counts
    }

    /// What is to be done next.
    ///
    /// # Errors
    ///
    /// [`SessionError::OutOfPatience`], and [`SessionError::Ended`] after any other.
    pub fn next(&mut self, now: Tick) -> Result<Step, SessionError> {
        if self.ended {
            return Err(SessionError::Ended);
        }
        if let Some((id, replies)) = self.done.pop_front() {
            return Ok(Step::Done(id, replies));
        }
        if self.sent.is_some() {
            return Ok(Step::Answer);
        }
        let handles = self.objects.handles().count();
        let composed = composing::compose(&self.waiting, &self.holds, handles, self.window, now);
        if !composed.rops.is_empty() || self.fetch && self.holds.of_all() <= now {
            return Ok(Step::Send(self.send(composed, now)));
        }
        if self.waiting.is_empty() && !self.fetch {
            return Ok(Step::Idle);
        }
        let until = if self.fetch { self.holds.of_all().min(composed.next) } else { composed.next };
        self.still.get_or_insert(now);
        let wait = until.since(*self.stuck.get_or_insert(now)).ceil_millis();
        if wait > self.patience {
            self.ended = true;
            return Err(SessionError::OutOfPatience { wait, patience: self.patience });
        }
        Ok(Step::Wait(until))
    }

    fn send(&mut self, composed: composing::Composed, now: Tick) -> Vec<u8> {
        let (mut payload, mut rops, mut body) = (Vec::new(), Vec::new(), Vec::new());
        RopBuffer::write(&composed.list, self.objects.handles(), &mut payload);
        Form::default().write(&payload, true, &mut rops);
        let flags = ExecuteRequest::NO_MIXING;
        let auxiliary = self.seen.report(now);
        ExecuteRequest { flags, rops: &rops, max_answer: MAX_ANSWER, auxiliary: &auxiliary }.write(&mut body);
        self.sent = Some(Sent { at: now, rops: composed.rops });
        self.fetch = false;
        self.counts.requests += 1;
        let still = self.still.take().map_or(Micros::ZERO, |since| now.since(since));
        self.counts.waited = self.counts.waited.plus(still);
        body
    }

    /// Takes the body of the answer to what was sent.
    ///
    /// # Errors
    ///
    /// Why the session cannot go on. What was answered before is not taken back, but no longer given out.
    pub fn answered(&mut self, body: &[u8], now: Tick) -> Result<(), SessionError> {
        let taken = self.take_answer(body, now);
        self.ended |= taken.is_err();
        self.move_done();
        taken
    }

    fn take_answer(&mut self, body: &[u8], now: Tick) -> Result<(), SessionError> {
        let sent = self.sent.take().ok_or(SessionError::Ended)?;
        self.seen.answered(sent.at, now);
        match Answer::<Executed<'_>>::read(body)? {
            Answer::Failed(failure) if failure.status == STATUS_TOO_BUSY => self.too_busy(now),
            Answer::Failed(failure) => Err(SessionError::Failed { status: failure.status }),
            Answer::Done(executed) if executed.error_code != 0 => {
                Err(SessionError::Refused { code: ErrorCode(executed.error_code) })
            }
            Answer::Done(executed) => {
                self.refusals = 0;
                self.executed(executed.rops, &sent, now)
            }
        }
    }

    /// Everything waits, until it has been refused too often in a row (R11).
    fn too_busy(&mut self, now: Tick) -> Result<(), SessionError> {
        self.refusals += 1;
        self.counts.too_busy += 1;
        if self.refusals >= self.retry.count {
            return Err(SessionError::GaveUp { refusals: self.refusals, delay: self.retry.delay });
        }
        // Nobody asks again at once, whatever he was advised.
        self.holds.all(self.retry.delay.max(Millis::new(1)), now);
        Ok(())
    }

    fn executed(&mut self, rops: &[u8], sent: &Sent, now: Tick) -> Result<(), SessionError> {
        let outcome = answer::read(rops, &asked(&self.waiting, sent), &mut self.objects)?;
        let done = outcome.replies.len();
        self.counts.rops = self.counts.rops.saturating_add(done.try_into().unwrap_or(u64::MAX));
        if done > 0 || outcome.back_offs.is_empty() {
            self.stuck = None;
        }
        for ((place, _), reply) in sent.rops.iter().zip(outcome.replies) {
            if let Some(waiting) = self.waiting.get_mut(*place) {
                waiting.replies.push(reply);
            }
        }
        self.note(outcome.notifications);
        self.back_off(&outcome.back_offs, outcome.next, now);
        self.window = match (outcome.no_room, outcome.next) {
            (Some(needed), Some((_, rop))) if done == 0 => return Err(SessionError::NoRoom { rop, needed }),
            (Some(_), _) => done.max(1),
            (None, _) => (self.window * 2).min(MAX_WAITING),
        };
        Ok(())
    }

    /// Holds back what the server says, and in any case the next ROP, since that is what it did not carry out.
    fn back_off(&mut self, back_offs: &[Backoff], next: Option<(u8, RopId)>, now: Tick) {
        for back_off in back_offs {
            self.holds.back_off(back_off, now);
        }
        self.counts.back_offs += u64::from(!back_offs.is_empty());
        if let Some((logon, rop)) = next.filter(|_| !back_offs.is_empty())
            && self.holds.of(logon, rop) <= now
        {
            let named = back_offs.iter().flat_map(|back_off| {
                back_off.rop_types.iter().map(|(_, duration)| *duration).chain([back_off.duration])
            });
            self.holds.logon(logon, named.max().unwrap_or_default().max(Millis::new(1)), now);
        }
    }

    fn note(&mut self, notifications: Vec<Reply>) {
        self.notifications.extend(notifications);
        let surplus = self.notifications.len().saturating_sub(MAX_NOTIFICATIONS);
        self.notifications.drain(..surplus);
    }

    /// Batches of which nothing waits any more.
    fn move_done(&mut self) {
        if self.waiting.iter().all(|waiting| !waiting.rest().is_empty()) {
            return;
        }
        for waiting in mem::take(&mut self.waiting) {
            if waiting.rest().is_empty() {
                self.done.push_back((waiting.id, waiting.replies));
            } else {
                self.waiting.push_back(waiting);
            }
        }
    }
}

impl Waiting {
    /// What was not answered yet, each with its logon.
    fn rest(&self) -> &[(u8, Call)] {
        self.batch.calls.get(self.replies.len()..).unwrap_or_default()
    }
}

/// The ROPs of a request, with their batches' words.
fn asked<'w>(waiting: &'w VecDeque<Waiting>, sent: &Sent) -> Vec<Asked<'w>> {
    let mut passed = vec![0; waiting.len()];
    let rops = sent.rops.iter().filter_map(|(place, length)| {
        let nth = passed.get_mut(*place)?;
        let (logon, call) = waiting.get(*place)?.rest().get(*nth)?;
        *nth += 1;
        Some(Asked { logon: *logon, call, length: *length })
    });
    rops.collect()
}
