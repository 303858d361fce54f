//! One `Execute`: a list of ROPs, carried out in order, within the room that the answer has.
//!
//! All ROPs are read before the first is carried out, so that what is malformed has no effect. Before each it is certain
//! that there is room for its answer; those that may answer at length – rows, values, streams – are told how much, and
//! give less. Where there is no room the rest of the list goes back, as it came, to be sent again with more. Behind the
//! answers stands what the session is to be told, as far as it fits.

use rusqlite::Connection;
use weir_units::WallTime;
use weir_wire::mapi::Malformed;
use weir_wire::mapi::body::{Answer, ExecuteRequest, Executed};
use weir_wire::mapi::call::Call;
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::payload::{Form, Payloads};
use weir_wire::mapi::reply::Reply;
use weir_wire::mapi::rop::{BufferTooSmall, Logons, RopBuffer};

use super::rop::{Work, answer, told};
use super::session::Inner;
use crate::server::Shared;

/// The longest payload of an answer, in bytes.
const MAX_PAYLOAD: usize = 0x7FFF;
/// The header before a payload.
const HEADER: usize = 8;
/// The size before a list of ROPs.
const LIST_SIZE: usize = 2;
/// What stands before the ROPs that go back.
const TOO_SMALL: usize = 3;
/// The room that every ROP has: more than the answer to a logon, and than what stands before rows and values.
const ROOM: usize = 256;
/// The room that an answer may need beside its rows, values or bytes.
const HEAD: usize = 64;
/// The bytes of a handle.
const HANDLE: usize = 4;

/// A ROP of a request.
struct Asked {
    logon: u8,
    call: Call,
    /// Where in the list it begins.
    at: usize,
}

/// Carries out a request; gives the body of its answer.
///
/// # Errors
/// What is no such body.
pub(super) fn carry_out(
    shared: &Shared,
    db: &mut Connection,
    session: &Inner,
    (body, now): (&[u8], WallTime),
) -> Result<Vec<u8>, Malformed> {
    let request = ExecuteRequest::read(body)?;
    let mut payloads = Payloads::new(request.rops);
    let payload = payloads.next().ok_or(Malformed::Ends("the ROP buffer"))??;
    if payloads.next().is_some() {
        return Err(Malformed::Left("the first payload"));
    }
    let buffer = RopBuffer::read(&payload.bytes)?;
    let mut state = session.state();
    let (asked, kinds) = read(buffer, state.kinds)?;
    let limit = usize::try_from(request.max_answer).unwrap_or(usize::MAX).saturating_sub(HEADER);
    let mut work =
        Work { shared, db, session, state: &mut state, handles: buffer.handles().collect(), now, room: 0 };
    let answered = run(&mut work, &asked, buffer.list(), limit.min(MAX_PAYLOAD));
    let handles = std::mem::take(&mut work.handles);
    state.kinds = kinds;
    Ok(executed(answered, handles))
}

/// All ROPs of a list.
fn read(buffer: RopBuffer<'_>, kinds: Logons) -> Result<(Vec<Asked>, Logons), Malformed> {
    let mut rops = buffer.rops(kinds);
    let (mut asked, mut at) = (Vec::new(), 0);
    for rop in rops.by_ref() {
        let rop = rop?;
        asked.push(Asked { logon: rop.logon, call: Call::read(&rop)?, at });
        at += rop.bytes.len();
    }
    Ok((asked, rops.logons()))
}

/// The list of answers; nothing, where not even the list of ROPs could go back.
fn run(work: &mut Work<'_>, asked: &[Asked], requests: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut list = Vec::new();
    if LIST_SIZE + HANDLE * work.handles.len() > limit {
        return None;
    }
    for (place, one) in asked.iter().enumerate() {
        let after = asked.get(place + 1).map_or(requests.len(), |next| next.at);
        let kept = if after < requests.len() { TOO_SMALL + requests.len() - after } else { 0 };
        let used = LIST_SIZE + list.len() + HANDLE * handles(work, &one.call) + kept;
        let is_alone = list.is_empty() && limit == MAX_PAYLOAD;
        let room = limit.checked_sub(used).filter(|room| *room >= ROOM);
        let Some(written) = room.and_then(|room| written(work, one, room, is_alone)) else {
            let back = requests.get(one.at..).unwrap_or_default().to_vec();
            let used = LIST_SIZE + list.len() + HANDLE * work.handles.len() + TOO_SMALL + back.len();
            let size_needed = u16::try_from(MAX_PAYLOAD + HEADER).unwrap_or(u16::MAX);
            BufferTooSmall { size_needed, requests: back }.write(&mut list);
            return (used <= limit).then_some(list);
        };
        list.extend(written);
    }
    tell(work, &mut list, limit);
    Some(list)
}

/// Carries out a ROP, and writes its answer; nothing, where that has no room. A ROP that had all the room there can be
/// fails then: there is no more to be had by asking again.
fn written(work: &mut Work<'_>, one: &Asked, room: usize, had_all: bool) -> Option<Vec<u8>> {
    work.room = room - HEAD;
    let mut written = Vec::new();
    let answered = answer(work, one.logon, &one.call);
    if let Ok(Some(reply)) = &answered {
        reply.write(&mut written);
    }
    if answered.is_ok() && written.len() <= room {
        return Some(written);
    }
    had_all.then(|| {
        let mut failed = Vec::new();
        Reply::failed(&one.call, ErrorCode::BUFFER_TOO_SMALL).write(&mut failed);
        failed
    })
}

/// How many handles the answer has at most, once a ROP is carried out.
fn handles(work: &Work<'_>, call: &Call) -> usize {
    work.handles.len().max(usize::from(call.answered_at()) + 1)
}

/// Appends what the session is to be told, as far as there is room.
fn tell(work: &mut Work<'_>, list: &mut Vec<u8>, limit: usize) {
    while let Some(event) = work.session.mailroom.first() {
        let before = list.len();
        if let Some(notify) = told(&event) {
            Reply::Notify(notify).write(list);
        }
        if LIST_SIZE + list.len() + HANDLE * work.handles.len() > limit {
            list.truncate(before);
            return;
        }
        work.session.mailroom.take();
    }
}

fn executed(list: Option<Vec<u8>>, handles: Vec<u32>) -> Vec<u8> {
    let code = if list.is_some() { ErrorCode::SUCCESS } else { ErrorCode::BUFFER_TOO_SMALL };
    let (mut payload, mut rops) = (Vec::new(), Vec::new());
    if let Some(list) = list {
        RopBuffer::write(&list, handles.into_iter(), &mut payload);
        Form::default().write(&payload, true, &mut rops);
    }
    let mut body = Vec::new();
    Answer::Done(Executed { error_code: code.0, flags: 0, rops: &rops, auxiliary: &[] }).write(&mut body);
    body
}
