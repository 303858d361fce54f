//! What a request asks of a server that is not ours, learned while the request passes (E7).
//!
//! [`Peek`] reads a request no further than it must: most operations are known by the start tag in the SOAP body, and
//! what follows is only counted. Finds, subscriptions and their events are read to the operation's end, since what they
//! ask decides how they are charged (T10–T12, T25) and a find may have to be rewritten ([`FindRequest::rewritten`]).
//! Everything that was fed is kept until then, within [`PeekLimits`].
//!
//! It knows elements by their local names alone, as servers do that are easier than their schema. It refuses nothing: a
//! request that cannot be read is one whose bytes go on as they came, for the origin to answer.
//!
//! What is absent: whether the request is valid, and what its items hold.

mod find;
mod learner;
#[cfg(test)]
mod tests;

use super::request::Version;
use super::scan::{ScanLimits, Scanner, Token};
use super::xml::Malformed;
pub(super) use find::number;
pub use find::{FindRequest, FindView, FindWhat};
use learner::Learner;

/// The bounds of what a peek keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeekLimits {
    /// Bytes of a request that are kept until it is known what it asks; the piece that exceeds it is the last.
    pub kept: usize,
    /// Of its tags and names.
    pub scan: ScanLimits,
}

impl Default for PeekLimits {
    fn default() -> Self {
        Self { kept: 256 << 10, scan: ScanLimits::default() }
    }
}

/// How far a peek has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It must read on.
    NeedMore,
    /// It is known what is asked: [`Peek::asked`].
    Known,
}

/// Why it cannot be known what a request asks. Its bytes go on unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It is no XML, or its parts exceed a bound.
    #[error("the request cannot be read: {0}")]
    Malformed(#[from] Malformed),
    /// It is longer than what may be kept.
    #[error("it is not known what the request asks after {limit} bytes")]
    TooLong {
        /// The bound.
        limit: usize,
    },
    /// It is no SOAP envelope, or has no operation.
    #[error("the request has no operation in a SOAP body")]
    NoOperation,
}

/// What a request asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The version it speaks; [`Version::Unstated`] also where it states one that nobody knows.
    pub version: Version,
    /// Whom the caller acts as. The caller is charged (T3).
    pub impersonated: Option<String>,
    /// The operation's local name, as `FindItem`, also where this build knows none of that name.
    pub operation: String,
    /// What matters beyond its name.
    pub detail: Detail,
}

/// What matters of an operation beyond its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Nothing.
    None,
    /// `FindItem` or `FindFolder`.
    Find(FindRequest),
    /// `Subscribe`.
    Subscribe {
        /// How events are delivered; none where it is none of the three ways.
        delivery: Option<Delivery>,
        /// How many minutes without a question it lives, where it is said.
        timeout_minutes: Option<u32>,
    },
    /// `GetStreamingEvents`: a hanging call (T25).
    StreamingEvents {
        /// Of which subscriptions.
        subscriptions: Vec<String>,
        /// How many minutes it hangs at most.
        timeout_minutes: Option<u32>,
    },
    /// `GetEvents`.
    Events {
        /// Of which subscription; empty where it is not said.
        subscription: String,
    },
    /// `Unsubscribe`.
    Unsubscribe {
        /// From which subscription; empty where it is not said.
        subscription: String,
    },
}

/// How the events of a subscription are delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The client asks for them.
    Pull,
    /// The server calls the client.
    Push,
    /// A call of the client hangs until there are some.
    Streaming,
}

/// Reads what a request asks out of the pieces of its body.
///
/// ```
/// use weir_wire::ews::peek::{Peek, PeekLimits, Progress};
/// let mut peek = Peek::new(PeekLimits::default());
/// let body = b"<s:Envelope xmlns:s='x'><s:Body><m:GetItem xmlns:m='y'><m:ItemIds><t:ItemId Id='1'";
/// assert_eq!(peek.feed(body)?, Progress::Known);
/// assert_eq!(peek.asked().map(|asked| asked.operation.as_str()), Some("GetItem"));
/// assert_eq!(peek.take_kept(), body);
/// peek.feed(b"/></m:ItemIds></m:GetItem></s:Body></s:Envelope>")?;
/// assert_eq!((peek.named(), peek.kept()), (1, &b""[..]));
/// # Ok::<(), weir_wire::ews::peek::Unreadable>(())
/// ```
#[derive(Debug)]
pub struct Peek {
    limits: PeekLimits,
    scanner: Scanner,
    learner: Learner,
    kept: Vec<u8>,
    failed: Option<Unreadable>,
}

impl Peek {
    /// A peek that has read nothing.
    pub fn new(limits: PeekLimits) -> Self {
        Self {
            scanner: Scanner::new(limits.scan.clone()),
            limits,
            learner: Learner::default(),
            kept: Vec::new(),
            failed: None,
        }
    }

    /// Takes the next piece of the body, of any size. It is kept ([`Peek::kept`]) unless it was known before what is
    /// asked.
    ///
    /// # Errors
    /// [`Unreadable`] where it will never be known what is asked; every later call says the same, and keeps nothing
    /// more.
    pub fn feed(&mut self, piece: &[u8]) -> Result<Progress, Unreadable> {
        if let (Some(failed), None) = (&self.failed, self.asked()) {
            return Err(failed.clone());
        }
        let known = self.asked().is_some();
        if !known {
            self.kept.extend_from_slice(piece);
        }
        if self.failed.is_none() {
            self.failed = self.read(piece).err();
        }
        let too_long = self.kept.len() > self.limits.kept && !known;
        match (&self.failed, self.asked()) {
            (_, Some(_)) => Ok(Progress::Known),
            (Some(failed), None) => Err(failed.clone()),
            (None, None) if too_long => {
                Err(self.failed.insert(Unreadable::TooLong { limit: self.limits.kept }).clone())
            }
            (None, None) => Ok(Progress::NeedMore),
        }
    }

    /// Says that the body has ended.
    ///
    /// # Errors
    /// [`Unreadable`] where it ended before it was known what it asks.
    pub fn end(&mut self) -> Result<(), Unreadable> {
        match (&self.failed, self.asked()) {
            (_, Some(_)) => Ok(()),
            (Some(failed), None) => Err(failed.clone()),
            (None, None) => Err(self.failed.insert(Malformed::Unfinished.into()).clone()),
        }
    }

    /// What is asked, once it is known.
    pub const fn asked(&self) -> Option<&Asked> {
        self.learner.asked()
    }

    /// How many items, folders, changes or subscriptions the request has named so far (T26); goes on counting once the
    /// rest is known, as far as the request can be read.
    pub const fn named(&self) -> u32 {
        self.learner.named()
    }

    /// What was fed until it was known what is asked, or that it never will be.
    pub fn kept(&self) -> &[u8] {
        &self.kept
    }

    /// The same, taken out.
    pub fn take_kept(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.kept)
    }

    fn read(&mut self, mut piece: &[u8]) -> Result<(), Unreadable> {
        while let Some(token) = self.scanner.next(&mut piece)? {
            match token {
                Token::Bytes(_) => {}
                Token::Start { tag, at, .. } => self.learner.start(tag, at)?,
                Token::End { raw, at, .. } => self.learner.end(at, raw.len(), &self.kept)?,
            }
        }
        Ok(())
    }
}
