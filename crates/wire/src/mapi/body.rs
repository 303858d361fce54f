//! The bodies of requests and answers, as far as their parts are fixed (MS-OXCMAPIHTTP, section 2.2.4).
//!
//! Every one ends with an auxiliary buffer. An answer begins with a status: where it is not 0 the request failed, and
//! nothing but the auxiliary buffer follows. What is within ROP and auxiliary buffers is read elsewhere: here they are
//! bytes. `PING` has no bodies.
//!
//! What is read can be written again, to the same bytes. Numbers that mean something to clients and servers alone stay
//! numbers.

mod connect;
mod execute;
mod retry_advice;
mod short;
#[cfg(test)]
mod tests;

pub use connect::{ConnectRequest, Connected};
pub use execute::{ExecuteRequest, Executed};
pub use retry_advice::RetryAdvice;
pub use short::{Disconnected, NotificationWaitRequest, Waited, read_disconnect, write_disconnect};

use super::Malformed;
use super::reader::Reader;

/// The longest ROP buffer of a request, in bytes.
pub const MAX_ROP_BUFFER: usize = 0x4_0000;

/// The longest auxiliary buffer, in bytes.
pub const MAX_AUXILIARY: usize = 0x1008;

/// The longest distinguished name in a `Connect`, in bytes.
pub const MAX_USER_DN: usize = 1024;

/// The longest body of a request, in bytes: an `Execute` with all it may have.
pub const MAX_REQUEST_BODY: usize = MAX_ROP_BUFFER + MAX_AUXILIARY + 16;

/// The status of a server that has too much to do: a client waits and tries again (R11).
pub const STATUS_TOO_BUSY: u32 = 0x0000_06BB;

/// An answer's body: what was asked for, or why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<'a, T> {
    /// The request was carried out.
    Done(T),
    /// It was not.
    Failed(Failure<'a>),
}

/// The body of an answer to a request that was not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure<'a> {
    /// Why; never 0.
    pub status: u32,
    /// The auxiliary buffer.
    pub auxiliary: &'a [u8],
}

/// A body that an answer has when all went well, behind its status.
pub trait Body<'a>: Sized {
    /// Reads it.
    ///
    /// # Errors
    ///
    /// What is no such body.
    fn read(bytes: &'a [u8]) -> Result<Self, Malformed>;

    /// Appends it.
    fn write(&self, body: &mut Vec<u8>);
}

impl<'a, T: Body<'a>> Answer<'a, T> {
    /// Reads the body of an answer.
    ///
    /// # Errors
    ///
    /// What is no such body.
    pub fn read(body: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(body);
        match reader.u32("the status of an answer")? {
            0 => T::read(reader.rest()).map(Self::Done),
            status => Ok(Self::Failed(Failure { status, auxiliary: auxiliary(reader)? })),
        }
    }

    /// Appends it.
    pub fn write(&self, body: &mut Vec<u8>) {
        match self {
            Self::Done(done) => {
                put(body, &[0]);
                done.write(body);
            }
            Self::Failed(failure) => {
                put(body, &[failure.status]);
                put_sized(body, failure.auxiliary);
            }
        }
    }
}

/// The auxiliary buffer that ends every body.
fn auxiliary(mut reader: Reader<'_>) -> Result<&[u8], Malformed> {
    let auxiliary = reader.sized32("an auxiliary buffer")?;
    reader.end("the body")?;
    at_most(auxiliary, MAX_AUXILIARY, "an auxiliary buffer")
}

fn at_most<'a>(bytes: &'a [u8], limit: usize, what: &'static str) -> Result<&'a [u8], Malformed> {
    if bytes.len() > limit { Err(Malformed::TooLong { what, limit }) } else { Ok(bytes) }
}

fn put(body: &mut Vec<u8>, numbers: &[u32]) {
    body.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

/// Appends bytes behind their number. What has more than four bytes can count was never read and is built by nobody.
fn put_sized(body: &mut Vec<u8>, bytes: &[u8]) {
    put(body, &[u32::try_from(bytes.len()).unwrap_or(u32::MAX)]);
    body.extend(bytes);
}
