//! What both sides write down: opaque bytes for the durable queue.
//!
//! Each record begins with its kind and version; names are short and have a length before them. Bytes that make no
//! sense – cut, of a later version, too long – are an error and never a guess.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use weir_units::WallTime;

/// The most letters of an identity or a name: what the protocol lets through.
pub const MAX_TOKEN: usize = 64;

/// The identity that a holder gives to a message, or that a server gives to its queue database.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShadowId(Arc<str>);

/// Text that is no identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an identity is 1 to {MAX_TOKEN} letters, digits, dots, hyphens and underscores")]
pub struct TokenError;

/// What a server promised when it took a message from a holder: to tell it when the message went onward.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Promise {
    /// Who holds the shadow.
    pub holder: ShadowId,
    /// What the holder calls the message.
    pub shadow: ShadowId,
}

/// A promise that can be kept: the message went onward.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// To whom, about what.
    pub promise: Promise,
    /// Its place in the order of that holder's notices.
    pub cursor: u64,
    /// When the message went onward.
    pub since: WallTime,
}

/// A message that a holder keeps for a partner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shadow {
    /// Who has the message.
    pub partner: ShadowId,
    /// What it is called there.
    pub shadow: ShadowId,
    /// The partner's queue database that it is in.
    pub database: ShadowId,
    /// Since when.
    pub since: WallTime,
}

/// Bytes that are no such record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// Another kind of record, or one of a later version.
    #[error("the record begins with {0:#04x}, which is not the kind that was asked for")]
    Kind(u8),
    /// The bytes end too soon, or go on too long.
    #[error("the record has {0} bytes, which is too few or too many for what it says")]
    Length(usize),
    /// An identity in it is none.
    #[error(transparent)]
    Token(#[from] TokenError),
}

const PROMISE: u8 = 0x11;
const NOTICE: u8 = 0x21;
const SHADOW: u8 = 0x31;

impl ShadowId {
    /// The identity as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ShadowId {
    type Err = TokenError;

    fn from_str(text: &str) -> Result<Self, TokenError> {
        let fine = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
        let good = (1..=MAX_TOKEN).contains(&text.len()) && text.bytes().all(fine);
        if good { Ok(Self(text.into())) } else { Err(TokenError) }
    }
}

impl fmt::Display for ShadowId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Promise {
    /// The record of it.
    pub fn to_bytes(&self) -> Vec<u8> {
        Writer::new(PROMISE).token(&self.holder).token(&self.shadow).0
    }

    /// Reads a record.
    ///
    /// # Errors
    /// [`RecordError`] where the bytes are no promise.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RecordError> {
        let mut reader = Reader::new(bytes, PROMISE)?;
        let promise = Self { holder: reader.token()?, shadow: reader.token()? };
        reader.end().map(|()| promise)
    }
}

impl Notice {
    /// The record of it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let writer = Writer::new(NOTICE).token(&self.promise.holder).token(&self.promise.shadow);
        writer.number(self.cursor.to_le_bytes()).number(self.since.unix_micros().to_le_bytes()).0
    }

    /// Reads a record.
    ///
    /// # Errors
    /// [`RecordError`] where the bytes are no notice.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RecordError> {
        let mut reader = Reader::new(bytes, NOTICE)?;
        let promise = Promise { holder: reader.token()?, shadow: reader.token()? };
        let cursor = u64::from_le_bytes(reader.number()?);
        let since = WallTime::from_unix_micros(i64::from_le_bytes(reader.number()?));
        reader.end().map(|()| Self { promise, cursor, since })
    }
}

impl Shadow {
    /// The record of it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let writer = Writer::new(SHADOW).token(&self.partner).token(&self.shadow).token(&self.database);
        writer.number(self.since.unix_micros().to_le_bytes()).0
    }

    /// Reads a record.
    ///
    /// # Errors
    /// [`RecordError`] where the bytes are no shadow.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RecordError> {
        let mut reader = Reader::new(bytes, SHADOW)?;
        let (partner, shadow, database) = (reader.token()?, reader.token()?, reader.token()?);
        let since = WallTime::from_unix_micros(i64::from_le_bytes(reader.number()?));
        reader.end().map(|()| Self { partner, shadow, database, since })
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn new(kind: u8) -> Self {
        Self(vec![kind])
    }

    fn token(mut self, token: &ShadowId) -> Self {
        self.0.push(u8::try_from(token.0.len()).unwrap_or(u8::MAX));
        self.0.extend_from_slice(token.0.as_bytes());
        self
    }

    fn number(mut self, bytes: [u8; 8]) -> Self {
        self.0.extend_from_slice(&bytes);
        self
    }
}

struct Reader<'a> {
    whole: usize,
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8], kind: u8) -> Result<Self, RecordError> {
        match bytes.split_first() {
            Some((first, rest)) if *first == kind => Ok(Self { whole: bytes.len(), rest }),
            Some((first, _)) => Err(RecordError::Kind(*first)),
            None => Err(RecordError::Length(0)),
        }
    }

    fn token(&mut self) -> Result<ShadowId, RecordError> {
        let (length, rest) = self.rest.split_first().ok_or(RecordError::Length(self.whole))?;
        let (token, rest) =
            rest.split_at_checked(usize::from(*length)).ok_or(RecordError::Length(self.whole))?;
        self.rest = rest;
        let text = std::str::from_utf8(token).map_err(|_| TokenError)?;
        Ok(text.parse()?)
    }

    fn number(&mut self) -> Result<[u8; 8], RecordError> {
        let (number, rest) = self.rest.split_first_chunk().ok_or(RecordError::Length(self.whole))?;
        self.rest = rest;
        Ok(*number)
    }

    const fn end(&self) -> Result<(), RecordError> {
        if self.rest.is_empty() { Ok(()) } else { Err(RecordError::Length(self.whole)) }
    }
}

#[cfg(test)]
mod tests;
