//! A request on its way to the origin: read as far as it must be, no further.
//!
//! A small one is read whole, so that it goes on in one write and the checks of a batch come before it (T26). A large one
//! is read until it is known what it asks, and the rest streams behind, with back-pressure from the origin to the client;
//! its last piece waits for the checks of the items that were counted on the way. What does not say in its body what it
//! asks is not read at all: a tunnel may send a little and then wait for its answer.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Either;
use hyper::body::{Body, Incoming};
use weir_wire::ews::peek::{Asked, Peek, PeekLimits, Progress};

use super::feed::{Feeding, Source, feed};
use super::protocol::Protocol;
use super::upstream::Outgoing;
use crate::body::{Arriving, BodyError, discard, whole};
use crate::settings::{ConnectionLimits, Settings};
use crate::visit::Visit;
use weir_clock::Clock;

/// A request whose beginning has been read.
pub(super) struct Ask {
    /// What was read.
    bytes: Vec<u8>,
    /// What has been learned of an EWS request.
    peek: Option<Peek>,
    /// What is still to come.
    rest: Rest,
}

/// What of a body is still to come.
enum Rest {
    /// Nothing.
    Nothing,
    /// All behind what was read.
    Streams(Arriving),
    /// All of it.
    Untouched(Incoming),
}

impl Ask {
    /// Reads the beginning of `body`, at least until it is known what it asks; the clock stands meanwhile (T4).
    ///
    /// # Errors
    ///
    /// Why the body is not taken, and what is left of it to be thrown away.
    pub(super) async fn read(
        visit: &mut Visit,
        protocol: Protocol,
        body: Incoming,
    ) -> Result<Self, (BodyError, Option<Incoming>)> {
        if !protocol.is_read() {
            return Ok(Self { bytes: Vec::new(), peek: None, rest: Rest::Untouched(body) });
        }
        let enough = visit.limits().answer_bytes;
        let mut arriving =
            Arriving::new(body, visit.settings(), visit.gateway().clock, visit.gateway().room.clone())
                .map_err(|(error, body)| (error, Some(body)))?;
        let peek = (protocol == Protocol::Ews).then(|| Peek::new(PeekLimits::default()));
        let mut ask = Self { bytes: Vec::new(), peek, rest: Rest::Nothing };
        visit.pause();
        let read = loop {
            match arriving.next().await {
                Ok(Some(piece)) => {
                    let settled = ask.take(&piece);
                    if settled && ask.bytes.len() >= enough {
                        ask.rest = Rest::Streams(arriving);
                        break Ok(ask);
                    }
                }
                Ok(None) => {
                    if let Some(peek) = &mut ask.peek {
                        // What cannot be read goes on as it came, for the origin to answer.
                        let _ = peek.end();
                    }
                    break Ok(ask);
                }
                Err(error) => {
                    let rest = matches!(error, BodyError::TooLarge { .. } | BodyError::NoRoom);
                    break Err((error, rest.then(|| arriving.into_rest())));
                }
            }
        };
        visit.resume();
        read
    }

    /// A request of which `bytes` were read elsewhere; `rest` is still to come.
    pub(super) fn read_so_far(bytes: Vec<u8>, rest: Option<Arriving>) -> Self {
        Self { bytes, peek: None, rest: rest.map_or(Rest::Nothing, Rest::Streams) }
    }

    /// What an EWS request asks, where that is known.
    pub(super) fn asked(&self) -> Option<&Asked> {
        self.peek.as_ref().and_then(Peek::asked)
    }

    /// Whether the client still sends it.
    pub(super) const fn is_streamed(&self) -> bool {
        !matches!(self.rest, Rest::Nothing)
    }

    /// How many items it names (T26), as far as it was read.
    pub(super) fn named(&self) -> u32 {
        self.peek.as_ref().map_or(1, Peek::named)
    }

    /// Makes a find's page smaller: at most `max` entries (T11, E7).
    pub(super) fn make_smaller(&mut self, max: u32) {
        let Some(peek) = &self.peek else { return };
        let Some(weir_wire::ews::peek::Detail::Find(find)) = peek.asked().map(|asked| &asked.detail) else {
            return;
        };
        let mut smaller = find.rewritten(peek.kept(), max);
        smaller.extend_from_slice(self.bytes.get(peek.kept().len()..).unwrap_or_default());
        self.bytes = smaller;
    }

    /// The beginning of the body, as far as it was read.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The length of the body, where all of it was read.
    pub(super) fn length(&self) -> Option<usize> {
        match self.rest {
            Rest::Nothing => Some(self.bytes.len()),
            Rest::Streams(_) | Rest::Untouched(_) => None,
        }
    }

    /// Throws away what is still to come; true where that was its end, so that the connection can go on.
    pub(super) async fn discard(self, limits: &ConnectionLimits, clock: &Clock) -> bool {
        match self.rest {
            Rest::Nothing => true,
            Rest::Streams(arriving) => discard(arriving.into_rest(), limits, clock).await,
            Rest::Untouched(body) => discard(body, limits, clock).await,
        }
    }

    /// The body for the origin. What is still to come streams in from a task of its own, which ends with the body.
    pub(super) fn into_body(self, settings: Arc<Settings>, clock: Clock) -> (Outgoing, Option<Feeding>) {
        let Self { bytes, peek, rest } = self;
        let source = match rest {
            Rest::Nothing => return (Either::Right(whole(bytes)), None),
            Rest::Untouched(body) if body.is_end_stream() => return (Either::Left(body), None),
            Rest::Untouched(body) => Source::Free(body),
            Rest::Streams(arriving) => Source::Bounded(arriving),
        };
        let (body, feeding) = feed(source, bytes.into(), peek, settings, clock);
        (Either::Right(body), Some(feeding))
    }

    /// Takes a piece; says whether no more need be read to know what is asked.
    fn take(&mut self, piece: &Bytes) -> bool {
        self.bytes.extend_from_slice(piece);
        match &mut self.peek {
            Some(peek) => !matches!(peek.feed(piece), Ok(Progress::NeedMore)),
            None => true,
        }
    }
}
