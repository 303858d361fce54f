//! What a 401 asks for: its `WWW-Authenticate` headers (RFC 9110 §11.6.1).
//!
//! There may be several of them, and several challenges in one; a scheme is followed by nothing, by a token, or by
//! parameters, of which any after the first look like list elements of their own.

use hyper::HeaderMap;
use hyper::header::WWW_AUTHENTICATE;

use super::list::elements;
use super::{MAX_CREDENTIAL_BYTES, Scheme, negotiate};

/// How a 401 continues a handshake, if it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Continuation {
    /// It does not: it asks for credentials, or says that they are wrong.
    #[default]
    None,
    /// By the second message of NTLM.
    Ntlm,
    /// By another token, of SPNEGO.
    Other,
}

/// What the `WWW-Authenticate` headers of one answer say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Challenge {
    /// Whether NTLM or Negotiate is among them, so that the client may bind the connection.
    pub binds_connection: bool,
    /// Whether the answer is the second leg of such a handshake.
    pub continuation: Continuation,
}

impl Challenge {
    /// Reads the headers of an answer.
    pub fn of(headers: &HeaderMap) -> Self {
        let mut challenge = Self::default();
        for value in headers.get_all(WWW_AUTHENTICATE) {
            for element in elements(value.as_bytes()) {
                challenge.add(element);
            }
        }
        challenge
    }

    fn add(&mut self, element: &[u8]) {
        let end = element.iter().position(u8::is_ascii_whitespace).unwrap_or(element.len());
        let Some((name, token)) = element.split_at_checked(end) else { return };
        let scheme = Scheme::of(name);
        self.binds_connection |= scheme.is_bound_to_connection();
        let token = token.trim_ascii();
        if token.is_empty() || token.len() > MAX_CREDENTIAL_BYTES {
            return;
        }
        let continuation = match scheme {
            Scheme::Ntlm => negotiate::continuation_bare(token),
            Scheme::Negotiate => negotiate::continuation(token),
            Scheme::Basic | Scheme::Bearer | Scheme::Digest | Scheme::Other => Continuation::None,
        };
        self.continuation = self.continuation.max(continuation);
    }
}

#[cfg(test)]
mod tests;
