//! What an answer says of the ROPs that were sent.

use weir_wire::mapi::Malformed;
use weir_wire::mapi::call::Call;
use weir_wire::mapi::payload::Payloads;
use weir_wire::mapi::reply::{Reply, Success};
use weir_wire::mapi::rop::{Backoff, NO_HANDLE, RopBuffer, RopId};

use super::super::batch::Replies;
use super::super::objects::Objects;
use super::SessionError;

/// A ROP that was sent.
pub(super) struct Asked<'a> {
    pub(super) logon: u8,
    pub(super) call: &'a Call,
    pub(super) length: usize,
}

/// What came of a request.
#[derive(Default)]
pub(super) struct Outcome {
    /// One for each ROP that was carried out.
    pub(super) replies: Replies,
    /// What says that the others wait.
    pub(super) back_offs: Vec<Backoff>,
    /// The room that the next answer needs, where that is why the others were not carried out.
    pub(super) no_room: Option<u16>,
    pub(super) notifications: Vec<Reply>,
    /// The first ROP that was not carried out, and its logon.
    pub(super) next: Option<(u8, RopId)>,
}

/// Reads the ROP buffer of an answer; what was opened is noted among the objects.
pub(super) fn read(rops: &[u8], asked: &[Asked<'_>], objects: &mut Objects) -> Result<Outcome, SessionError> {
    let mut payloads = Payloads::new(rops);
    let payload = payloads.next().ok_or(Malformed::Ends("a ROP buffer"))??;
    if payloads.next().is_some() {
        // Nobody allowed the server to send a chain.
        return Err(Malformed::Left("the only payload").into());
    }
    let buffer = RopBuffer::read(&payload.bytes)?;
    let handles = buffer.handles().collect();
    let length = asked.iter().map(|asked| asked.length).sum();
    let mut reading = Reading { asked, length, handles, objects, outcome: Outcome::default() };
    let mut list = buffer.list();
    while !list.is_empty() {
        list = reading.step(list)?;
    }
    reading.end()
}

struct Reading<'r, 'a> {
    /// What was not carried out as far as is known, and how many bytes that is.
    asked: &'r [Asked<'a>],
    length: usize,
    handles: Vec<u32>,
    objects: &'r mut Objects,
    outcome: Outcome,
}

impl Reading<'_, '_> {
    /// Takes the first response of the list and gives the rest.
    fn step<'l>(&mut self, list: &'l [u8]) -> Result<&'l [u8], SessionError> {
        if let Some((reply, rest)) = Reply::read_unasked(list)? {
            match reply {
                Reply::Backoff(back_off) => self.outcome.back_offs.push(back_off),
                Reply::BufferTooSmall(too_small) => {
                    self.pass_releases(too_small.requests.len());
                    self.outcome.no_room = Some(too_small.size_needed);
                }
                Reply::Notify(_) | Reply::Pending { .. } | Reply::Done { .. } | Reply::Failed { .. } => {
                    self.outcome.notifications.push(reply);
                }
            }
            return Ok(rest);
        }
        if !self.outcome.back_offs.is_empty() {
            return Err(Malformed::Left("a back-off").into());
        }
        self.pass_releases(0);
        let call = self.asked.first().ok_or(Malformed::Left("the last response"))?.call;
        let (reply, rest) = Reply::read(list, call, self.objects.columns(call.answered_at()))?;
        self.follow(call, &reply);
        self.push(Some(reply));
        Ok(rest)
    }

    /// The next ROP was carried out.
    fn push(&mut self, reply: Option<Reply>) {
        if let Some((first, rest)) = self.asked.split_first() {
            self.length = self.length.saturating_sub(first.length);
            self.asked = rest;
            self.outcome.replies.push(reply);
        }
    }

    /// `RopRelease` has no response: those before the next response were carried out, as long as more than `left` bytes of
    /// ROPs are left.
    fn pass_releases(&mut self, left: usize) {
        while let [Asked { call: Call::Release(release), .. }, ..] = self.asked
            && self.length > left
        {
            self.objects.set(release.input, NO_HANDLE);
            self.push(None);
        }
    }

    /// Notes what is at the place that the answer names, and what a table or a message shows from here on.
    fn follow(&mut self, call: &Call, reply: &Reply) {
        let Reply::Done { success, .. } = reply else { return };
        let place = call.answered_at();
        if let Some(handle) = self.handles.get(usize::from(place)) {
            self.objects.set(place, *handle);
        }
        match (call, success) {
            (Call::SetColumns(set), _) => self.objects.show(place, &set.columns),
            (_, Success::OpenMessage(opened)) => self.objects.show(place, &opened.recipients.columns),
            _ => {}
        }
    }

    fn end(mut self) -> Result<Outcome, SessionError> {
        // Whether a release right before a back-off was carried out nobody knows. It is sent again: a handle that is gone
        // already names nothing.
        let refused = !self.outcome.back_offs.is_empty();
        if self.outcome.no_room.is_none() && !refused {
            self.pass_releases(0);
        }
        self.outcome.next = self.asked.first().map(|asked| (asked.logon, asked.call.rop()));
        if self.outcome.next.is_some() && !refused && self.outcome.no_room.is_none() {
            let answered = self.outcome.replies.len();
            return Err(SessionError::Unanswered { answered, sent: answered + self.asked.len() });
        }
        Ok(self.outcome)
    }
}
