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
/// A request of several payloads gets as many, each for its own logons and with its own handles.
///
/// # Errors
///
/// What is no ROP buffer.
pub fn back_off(buffer: &[u8], logons: Logons, duration: Millis) -> Result<Vec<u8>, Malformed> {
    let mut rops = Vec::new();
    let mut logons = logons;
    let mut payloads = Payloads::new(buffer).peekable();
    while let Some(payload) = payloads.next() {
        let payload = payload?;
        let request = RopBuffer::read(&payload.bytes)?;
        let mut tally = Tally::knowing(logons);
        tally.add(request);
        logons = tally.logons();
        let mut list = Vec::new();
        for logon in tally.named().iter() {
            Backoff::logon(logon, duration).write(&mut list);
        }
        let mut answer = Vec::new();
        RopBuffer::write(&list, request.handles().take(MAX_HANDLES), &mut answer);
        Form::default().write(&answer, payloads.peek().is_none(), &mut rops);
    }
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
