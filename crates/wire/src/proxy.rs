//! The PROXY protocol, versions 1 and 2, as a receiver reads it (H13).
//!
//! A load balancer that passes a connection on says first whose connection it was: one line of text, or a block of
//! bytes. [`ProxyReader`] takes that header from the front of a connection in pieces of any size, and not a byte more,
//! so that what follows stays the client's. Whether the one who sent it is to be believed is not decided here: a
//! header is read from trusted addresses alone, and from those always, since a header that may be left out can be
//! written by the client.
//!
//! A proxy may also speak for itself (`LOCAL`, a health check) or not know (`UNKNOWN`, `AF_UNSPEC`): then the
//! connection's own addresses stand. Extensions behind the addresses (TLVs) are counted and dropped, so that a reader
//! never holds more than one line. Absent: sending headers, datagrams, and the extensions' checksum.

mod binary;
mod error;
#[cfg(test)]
mod tests;
mod text;

use std::net::SocketAddr;

pub use error::ProxyError;

use binary::Binary;
use text::Text;

/// Whose connection it is, by the word of the proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announced {
    /// That of a client behind the proxy.
    Proxied {
        /// The client's address.
        client: SocketAddr,
        /// The address that the client connected to.
        server: SocketAddr,
    },
    /// The proxy's own, or one whose addresses it cannot name: the connection's own addresses stand.
    Local,
}

/// How far a header is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The whole piece belongs to the header, and more of it is to come.
    NeedMore,
    /// The header is complete.
    Done {
        /// What it says.
        announced: Announced,
        /// How many bytes of the piece just fed belong to it. The rest is the client's.
        used: usize,
    },
}

/// Reads the header at the front of one connection.
///
/// ```
/// use weir_wire::proxy::{DEFAULT_MAX_EXTENSIONS, Announced, Progress, ProxyReader};
/// let mut reader = ProxyReader::new(DEFAULT_MAX_EXTENSIONS);
/// assert_eq!(reader.feed(b"PROXY TCP4 192.0.2.7 198.51.100")?, Progress::NeedMore);
/// let piece = b".1 50000 443\r\nGET / HTTP/1.1\r\n";
/// let Progress::Done { announced: Announced::Proxied { client, .. }, used } = reader.feed(piece)? else { panic!() };
/// assert_eq!(client.to_string(), "192.0.2.7:50000");
/// assert_eq!(&piece[used..], b"GET / HTTP/1.1\r\n");
/// # Ok::<(), weir_wire::proxy::ProxyError>(())
/// ```
#[derive(Debug)]
pub struct ProxyReader {
    max_extensions: u16,
    state: State,
}

/// How many bytes behind the addresses a version 2 header may carry unless stated otherwise: enough for the common
/// name of a client's certificate and an identifier, far from the 64 KiB that the format allows.
pub const DEFAULT_MAX_EXTENSIONS: u16 = 2048;

#[derive(Debug)]
enum State {
    Start,
    Text(Text),
    Binary(Binary),
    Over(Result<Announced, ProxyError>),
}

/// What a reader of one version makes of one byte more.
enum Step {
    More,
    Done(Announced),
}

impl ProxyReader {
    /// A reader that has read nothing and refuses a version 2 header with more than `max_extensions` bytes behind its
    /// addresses.
    pub const fn new(max_extensions: u16) -> Self {
        Self { max_extensions, state: State::Start }
    }

    /// Takes the next piece of the connection, of any size. Once the header is complete no further byte is used, and
    /// once it is refused it stays refused.
    ///
    /// # Errors
    /// [`ProxyError`] as soon as this can no longer be a header, or one within the bounds: the connection is to be
    /// closed without an answer, since nobody knows which protocol its other end speaks.
    pub fn feed(&mut self, piece: &[u8]) -> Result<Progress, ProxyError> {
        if let State::Over(outcome) = &self.state {
            return outcome.clone().map(|announced| Progress::Done { announced, used: 0 });
        }
        for (place, &byte) in piece.iter().enumerate() {
            match self.step(byte) {
                Ok(Step::More) => {}
                Ok(Step::Done(announced)) => {
                    self.state = State::Over(Ok(announced));
                    return Ok(Progress::Done { announced, used: place + 1 });
                }
                Err(error) => {
                    self.state = State::Over(Err(error.clone()));
                    return Err(error);
                }
            }
        }
        Ok(Progress::NeedMore)
    }

    fn step(&mut self, byte: u8) -> Result<Step, ProxyError> {
        match &mut self.state {
            State::Start if byte == text::FIRST => {
                self.state = State::Text(Text::new());
                Ok(Step::More)
            }
            State::Start if byte == binary::FIRST => {
                self.state = State::Binary(Binary::new(self.max_extensions));
                Ok(Step::More)
            }
            State::Start => Err(ProxyError::NoHeader),
            State::Text(text) => text.step(byte),
            State::Binary(binary) => binary.step(byte),
            State::Over(outcome) => outcome.clone().map(Step::Done),
        }
    }
}
