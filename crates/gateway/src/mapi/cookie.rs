//! Our own cookies: which session a request belongs to (R15), and, at the embedded mailbox server, which of its requests it
//! is. The mailbox server's have other names than the gateway's, so that one may stand in front of the other.
//!
//! A session's cookie is 128 random bits: who has not been given it does not find it. Everything else in a request's
//! cookies is the origin's and stays as it is, to the byte.

use std::fmt;

use hyper::HeaderMap;
use hyper::header::{COOKIE, HeaderValue};

/// The cookie that names a session of the gateway, beside those of the origin.
const GATEWAY: &str = "MailweirMapi";

/// The cookie that names a session of the embedded mailbox server.
const MAILBOX: &str = "MapiContext";

/// The cookie that numbers a session's requests there.
const SEQUENCE: &str = "MapiSequence";

/// Whose session a cookie names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// The gateway's, before a remote origin.
    Gateway,
    /// The embedded mailbox server's.
    Mailbox,
}

impl Endpoint {
    const fn cookie(self) -> &'static str {
        match self {
            Self::Gateway => GATEWAY,
            Self::Mailbox => MAILBOX,
        }
    }
}

/// What names a session.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SessionKey(pub(crate) [u8; 16]);

/// The number of a request in its session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Sequence(pub(crate) u64);

/// The session at `endpoint` that a request's cookies name.
pub(crate) fn session(headers: &HeaderMap, endpoint: Endpoint) -> Option<SessionKey> {
    let text = std::str::from_utf8(value(headers, endpoint.cookie())?).ok()?;
    let whole = text.len() == 32 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    let number = u128::from_str_radix(text, 16).ok().filter(|_| whole)?;
    Some(SessionKey(number.to_be_bytes()))
}

/// The number that a request's cookies give it.
pub(crate) fn sequence(headers: &HeaderMap) -> Option<Sequence> {
    let text = std::str::from_utf8(value(headers, SEQUENCE)?).ok()?;
    text.parse().ok().map(Sequence)
}

/// Takes the gateway's cookie out of a request: the origin sees its own ones only.
pub(crate) fn strip(headers: &mut HeaderMap) {
    if !headers.get_all(COOKIE).iter().any(|line| pairs(line).any(is_ours)) {
        return;
    }
    let lines: Vec<HeaderValue> = headers.get_all(COOKIE).iter().cloned().collect();
    headers.remove(COOKIE);
    for line in lines {
        if !pairs(&line).any(is_ours) {
            headers.append(COOKIE, line);
            continue;
        }
        let kept: Vec<&[u8]> = pairs(&line).filter(|pair| !is_ours(pair)).map(<[u8]>::trim_ascii).collect();
        let kept = HeaderValue::from_bytes(&kept.join(&b"; "[..]));
        if let Some(kept) = kept.ok().filter(|kept| !kept.is_empty()) {
            headers.append(COOKIE, kept);
        }
    }
}

impl SessionKey {
    /// The cookie of this session at `endpoint`, for a client that came by TLS or not.
    pub(crate) fn set(self, endpoint: Endpoint, secure: bool) -> Option<HeaderValue> {
        set(endpoint.cookie(), &format!("{:032x}", u128::from_be_bytes(self.0)), secure)
    }
}

impl fmt::Debug for SessionKey {
    /// Without the key, which is a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionKey")
    }
}

impl Sequence {
    /// The cookie with this number.
    pub(crate) fn set(self, secure: bool) -> Option<HeaderValue> {
        set(SEQUENCE, &self.0.to_string(), secure)
    }
}

fn set(name: &str, value: &str, secure: bool) -> Option<HeaderValue> {
    let secure = if secure { "; Secure" } else { "" };
    HeaderValue::try_from(format!("{name}={value}; Path=/mapi; HttpOnly{secure}")).ok()
}

/// The value of the first cookie of that name.
fn value<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a [u8]> {
    headers.get_all(COOKIE).iter().flat_map(pairs).find_map(|pair| named(pair, name))
}

/// The cookies of one header, as they stand between its semicolons.
fn pairs(line: &HeaderValue) -> impl Iterator<Item = &[u8]> {
    line.as_bytes().split(|byte| *byte == b';')
}

fn named<'a>(pair: &'a [u8], name: &str) -> Option<&'a [u8]> {
    pair.trim_ascii().strip_prefix(name.as_bytes())?.strip_prefix(b"=")
}

fn is_ours(pair: &[u8]) -> bool {
    named(pair, GATEWAY).is_some()
}

#[cfg(test)]
mod tests;
