//! The bodies of `Disconnect` and `NotificationWait` (MS-OXCMAPIHTTP, sections 2.2.4.3 and 2.2.4.4).

use super::super::Malformed;
use super::super::reader::Reader;
use super::{Body, auxiliary, put, put_sized};

/// The body of a request to end a session: an auxiliary buffer and nothing else.
///
/// # Errors
///
/// What is no such body.
pub fn read_disconnect(body: &[u8]) -> Result<&[u8], Malformed> {
    auxiliary(Reader::new(body))
}

/// Appends the body of a request to end a session.
pub fn write_disconnect(auxiliary: &[u8], body: &mut Vec<u8>) {
    put_sized(body, auxiliary);
}

/// The body of the answer to `Disconnect`, behind its status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disconnected<'a> {
    /// Why the session did not end, or 0.
    pub error_code: u32,
    /// The auxiliary buffer.
    pub auxiliary: &'a [u8],
}

impl<'a> Body<'a> for Disconnected<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        Ok(Self { error_code: reader.u32("a fixed part")?, auxiliary: auxiliary(reader)? })
    }

    fn write(&self, body: &mut Vec<u8>) {
        put(body, &[self.error_code]);
        put_sized(body, self.auxiliary);
    }
}

/// The body of a request that waits for notifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotificationWaitRequest<'a> {
    /// Always 0.
    pub flags: u32,
    /// The auxiliary buffer.
    pub auxiliary: &'a [u8],
}

impl<'a> NotificationWaitRequest<'a> {
    /// Reads a body.
    ///
    /// # Errors
    ///
    /// What is no such body.
    pub fn read(body: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(body);
        Ok(Self { flags: reader.u32("a fixed part")?, auxiliary: auxiliary(reader)? })
    }

    /// Appends it.
    pub fn write(&self, body: &mut Vec<u8>) {
        put(body, &[self.flags]);
        put_sized(body, self.auxiliary);
    }
}

/// The body of the answer to `NotificationWait`, behind its status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waited<'a> {
    /// Why the wait ended early, or 0.
    pub error_code: u32,
    /// Whether there is something that an `Execute` will fetch.
    pub event_pending: bool,
    /// The auxiliary buffer.
    pub auxiliary: &'a [u8],
}

impl<'a> Body<'a> for Waited<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let error_code = reader.u32("a fixed part")?;
        let event_pending = reader.u32("a fixed part")? != 0;
        Ok(Self { error_code, event_pending, auxiliary: auxiliary(reader)? })
    }

    fn write(&self, body: &mut Vec<u8>) {
        put(body, &[self.error_code, u32::from(self.event_pending)]);
        put_sized(body, self.auxiliary);
    }
}
