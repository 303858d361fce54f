//! The two answers that make a MAPI client wait (R11, R14, R15).
//!
//! Both are bodies of an answer to `Execute`, with response code 0 and behind an envelope like any other. Nothing of
//! the request is carried out, no cookie changes, the handles come back as they were, and so the client can send the
//! same again.

#[cfg(test)]
mod tests;

use weir_units::Millis;

use super::super::Malformed;
use super::super::body::{Answer, Executed, Failure, STATUS_TOO_BUSY};
use super::super::payload::{Form, Payloads};
use super::backoff::Backoff;
use super::buffer::{MAX_HANDLES, RopBuffer};
use super::length::Logons;
use super::tally::Tally;

/// Tells a client that understands it to wait for `duration`: a `RopBackoff` for each logon that the request's ROP
/// buffer names. `logons` is what is known of the session's logons.
///
/// Where the buffer is a chain of payloads they are parts of one upload (MS-OXCRPC, section 3.1.4.2.1.2.1), and there is
/// one answer, with the handles of the first.
///
/// # Errors
///
/// What is no ROP buffer.
pub fn back_off(buffer: &[u8], logons: Logons, duration: Millis) -> Result<Vec<u8>, Malformed> {
    let mut tally = Tally::knowing(logons);
    let mut handles = None;
    for payload in Payloads::new(buffer) {
        let payload = payload?;
        let request = RopBuffer::read(&payload.bytes)?;
        tally.add(request);
        handles.get_or_insert_with(|| request.handles().take(MAX_HANDLES).collect::<Vec<_>>());
    }
    let mut list = Vec::new();
    for logon in tally.named().iter() {
        Backoff::logon(logon, duration).write(&mut list);
    }
    let (mut answer, mut rops) = (Vec::new(), Vec::new());
    RopBuffer::write(&list, handles.into_iter().flatten(), &mut answer);
    Form::default().write(&answer, true, &mut rops);
    Ok(body(&Answer::Done(Executed { error_code: 0, flags: 0, rops: &rops, auxiliary: &[] })))
}

/// Tells an older client to wait: the server is too busy. It knows from `Connect` how long.
pub fn too_busy() -> Vec<u8> {
    body(&Answer::Failed(Failure { status: STATUS_TOO_BUSY, auxiliary: &[] }))
}

fn body(answer: &Answer<'_, Executed<'_>>) -> Vec<u8> {
    let mut body = Vec::new();
    answer.write(&mut body);
    body
}
