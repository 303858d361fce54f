//! How a request went, as the header `X-ResponseCode` of its answer says (MS-OXCMAPIHTTP, section 2.2.3.3.3).

#[cfg(test)]
mod tests;

use std::fmt;

/// The header that says it.
pub const X_RESPONSE_CODE: &str = "X-ResponseCode";

/// A response code. Servers have codes of their own beside the documented ones, so any number is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ResponseCode(u32);

impl ResponseCode {
    /// The request was carried out, or failed in a way that its answer's body tells.
    pub const SUCCESS: Self = Self(0);
    /// It failed in a way that has no code.
    pub const UNKNOWN_FAILURE: Self = Self(1);
    /// It used another method than POST.
    pub const INVALID_VERB: Self = Self(2);
    /// Its path is none of ours.
    pub const INVALID_PATH: Self = Self(3);
    /// A header is malformed.
    pub const INVALID_HEADER: Self = Self(4);
    /// What it asks for is not known.
    pub const INVALID_REQUEST_TYPE: Self = Self(5);
    /// Its session cookie is malformed, or another's.
    pub const INVALID_CONTEXT_COOKIE: Self = Self(6);
    /// A header is missing.
    pub const MISSING_HEADER: Self = Self(7);
    /// Nobody is logged in.
    pub const ANONYMOUS_NOT_ALLOWED: Self = Self(8);
    /// Its body, or its answer's, is too large.
    pub const TOO_LARGE: Self = Self(9);
    /// There is no such session, or no longer.
    pub const CONTEXT_NOT_FOUND: Self = Self(10);
    /// The caller may not use that session.
    pub const NO_PRIVILEGE: Self = Self(11);
    /// Its body is malformed.
    pub const INVALID_REQUEST_BODY: Self = Self(12);
    /// A cookie is missing.
    pub const MISSING_COOKIE: Self = Self(13);
    /// Its sequence cookie is not the last one given.
    pub const INVALID_SEQUENCE: Self = Self(15);
    /// The endpoint is switched off.
    pub const ENDPOINT_DISABLED: Self = Self(16);
    /// The server made an answer that it cannot send.
    pub const INVALID_RESPONSE: Self = Self(17);
    /// The server shuts down.
    pub const SHUTTING_DOWN: Self = Self(18);

    /// The code that a header's value says, if it is a number.
    pub fn from_header(value: &str) -> Option<Self> {
        value.trim_ascii().parse().ok().map(Self)
    }

    /// The number.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// Whether the answer's body is one of the protocol. With any other code it is a text for people.
    pub fn has_body(self) -> bool {
        self == Self::SUCCESS
    }
}

impl fmt::Display for ResponseCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
