//! The credential of HTTP Basic authentication (RFC 7617), and of every other protocol that shows a name and a password.

use std::fmt;

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// The longest value of an Authorization header that is looked at, in bytes.
const LONGEST_HEADER: usize = 8 << 10;

/// Clients differ in whether they pad.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A user's name and password. Neither is verified by being here, and the password is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct BasicCredential {
    user: String,
    password: String,
    bytes: Vec<u8>,
}

/// Why there is no Basic credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CredentialError {
    /// Another scheme, such as NTLM or Bearer.
    #[error("the authorization scheme is not Basic")]
    OtherScheme,
    /// Longer than anything that people type.
    #[error("the authorization header is longer than {limit} bytes")]
    TooLong {
        /// The longest that is looked at.
        limit: usize,
    },
    /// Not Base64.
    #[error("the Basic credential is not Base64")]
    NotBase64,
    /// No colon between name and password, or no name.
    #[error("the Basic credential is not of the form name:password")]
    Incomplete,
    /// A colon in the name, which RFC 7617 forbids: name and password could be read in two ways.
    #[error("the name holds a colon")]
    ColonInName,
    /// A control character in it, which RFC 7617 forbids.
    #[error("the Basic credential holds a control character")]
    ControlCharacter,
}

impl BasicCredential {
    /// Reads the value of an Authorization header.
    ///
    /// The bytes are UTF-8 where they are valid UTF-8, and Latin-1 otherwise. The first colon ends the name, so a
    /// password may hold colons and a name may not; a password may be empty.
    ///
    /// # Errors
    /// Where the header is of another scheme or malformed; all but [`CredentialError::OtherScheme`] are the client's
    /// fault and no attempt to guess.
    ///
    /// ```
    /// use weir_gateway::credentials::BasicCredential;
    /// let credential = BasicCredential::parse(b"Basic am9objpwYXNzOndvcmQ=").unwrap();
    /// assert_eq!((credential.user(), credential.password()), ("john", "pass:word"));
    /// ```
    pub fn parse(header: &[u8]) -> Result<Self, CredentialError> {
        if header.len() > LONGEST_HEADER {
            return Err(CredentialError::TooLong { limit: LONGEST_HEADER });
        }
        let header = header.trim_ascii();
        let space = header.iter().position(|byte| *byte == b' ').unwrap_or(header.len());
        let (scheme, rest) = header.split_at(space);
        if !scheme.eq_ignore_ascii_case(b"basic") {
            return Err(CredentialError::OtherScheme);
        }
        let bytes = BASE64.decode(rest.trim_ascii()).map_err(|_| CredentialError::NotBase64)?;
        let text = decode(&bytes);
        let (user, password) = text.split_once(':').ok_or(CredentialError::Incomplete)?;
        Self::with(user, password, bytes)
    }

    /// The credential of a protocol that says name and password apart; the same as that of an Authorization header with
    /// both.
    ///
    /// # Errors
    /// Where no Authorization header could hold it.
    pub fn of(user: &str, password: &str) -> Result<Self, CredentialError> {
        if user.contains(':') {
            return Err(CredentialError::ColonInName);
        }
        Self::with(user, password, format!("{user}:{password}").into_bytes())
    }

    fn with(user: &str, password: &str, bytes: Vec<u8>) -> Result<Self, CredentialError> {
        if user.is_empty() {
            return Err(CredentialError::Incomplete);
        }
        if user.chars().chain(password.chars()).any(char::is_control) {
            return Err(CredentialError::ControlCharacter);
        }
        Ok(Self { user: user.to_owned(), password: password.to_owned(), bytes })
    }

    /// The name, as the client wrote it.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The password.
    pub fn password(&self) -> &str {
        &self.password
    }

    /// Name, colon and password as they came, for [`super::CredentialCache::key`].
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Debug for BasicCredential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BasicCredential").field("user", &self.user).finish_non_exhaustive()
    }
}

fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    }
}
