//! The heads of requests and answers on their way through, as pure functions.
//!
//! What belongs to one connection alone is left out, both ways; everything else keeps its spelling and its order, so that
//! before a remote origin nothing changes until told to (T20). Fields of one name that stand apart are brought together at
//! the first one's place, which HTTP declares to be the same.
//!
//! | left out | save |
//! |---|---|
//! | `Connection` and what it names, `Keep-Alive`, `TE`, `Trailer`, `Proxy-*` | `Host` and `Content-Length`, which it may not name |
//! | `Upgrade` | that of a web socket, with its `Connection: Upgrade` |
//! | `Content-Length` beside `Transfer-Encoding` | |
//!
//! | added to a request | where |
//! |---|---|
//! | `X-Forwarded-For` | always, unless a setting says no; what is believed of it – what trusted proxies wrote – is kept in front, all else dropped |
//! | `Forwarded` | where a setting says so, in the same way |
//! | `client-request-id` | where the client sent none. It is what Exchange logs of a request and what its own clients send; a client that sent one keeps it, and the correlation id goes into `X-Request-Id` – unless that is taken as well |
//!
//! No `Connection` is written to the origin: HTTP/1.1 keeps connections open by itself, which NTLM needs.

use std::net::IpAddr;

use hyper::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, Entry, FORWARDED, HOST, HeaderMap, HeaderName, HeaderValue,
    PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use hyper::http::{request, response};
use hyper::{StatusCode, Uri, Version};

use weir_wire::forwarded::{Chain, Claims, Scheme, TrustedProxies};

use super::settings::{ForwardingSettings, HostHeader};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const CLIENT_REQUEST_ID: HeaderName = HeaderName::from_static("client-request-id");
const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
const PROXY_CONNECTION: HeaderName = HeaderName::from_static("proxy-connection");

/// What is to be said to the origin about a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forwarding<'a> {
    /// Who sent it: the client, or the trusted proxy before it.
    pub(crate) from: IpAddr,
    /// Whose word about the client is passed on; nobody's where absent.
    pub(crate) trusted: Option<&'a TrustedProxies>,
    /// Whether it came by TLS.
    pub(crate) secure: bool,
    /// The correlation id: T17's `RC`.
    pub(crate) id: &'a str,
    /// Whether the answer is read on its way, so that it has to come uncompressed (E7).
    pub(crate) answer_is_read: bool,
    /// What the server is called, where the client does not say or the setting wants it.
    pub(crate) server: &'a str,
    /// What is added, and which `Host` the origin sees.
    pub(crate) settings: ForwardingSettings,
}

/// Whether a request asks to become a web socket.
pub(crate) fn asks_for_web_socket(headers: &HeaderMap) -> bool {
    names_token(headers, &CONNECTION, "upgrade") && names_token(headers, &UPGRADE, "websocket")
}

/// Makes of the head that the client sent the one that the origin gets.
///
/// The target becomes a path: a client that names a whole address means its host, whatever its `Host` says.
pub(crate) fn for_origin(head: &mut request::Parts, forwarding: &Forwarding<'_>) {
    let upgrade = asks_for_web_socket(&head.headers);
    let way = way(&head.headers, forwarding);
    let host = host(head, forwarding);
    let drop_named = named_by_connection(&head.headers);
    let framed = head.headers.contains_key(TRANSFER_ENCODING);
    rebuild(&mut head.headers, |name, value| {
        let dropped = name == X_FORWARDED_FOR && forwarding.settings.x_forwarded_for
            || name == FORWARDED && forwarding.settings.forwarded
            || name == ACCEPT_ENCODING && forwarding.answer_is_read
            || name == CONTENT_LENGTH && framed;
        if dropped { None } else { end_to_end(name, value, &drop_named, upgrade) }
    });
    if let Some(host) = host {
        head.headers.insert(HOST, host);
    }
    add(&mut head.headers, &way, forwarding);
    head.uri = path_of(&head.uri);
    head.version = Version::HTTP_11;
}

/// Makes of the head that the origin sent the one that the client gets.
pub(crate) fn for_client(head: &mut response::Parts) {
    let upgrade = head.status == StatusCode::SWITCHING_PROTOCOLS;
    let drop_named = named_by_connection(&head.headers);
    let framed = head.headers.contains_key(TRANSFER_ENCODING);
    rebuild(&mut head.headers, |name, value| {
        if name == CONTENT_LENGTH && framed { None } else { end_to_end(name, value, &drop_named, upgrade) }
    });
    head.version = Version::HTTP_11;
}

/// The way that the request has come, as far as it is believed.
fn way(headers: &HeaderMap, forwarding: &Forwarding<'_>) -> Chain {
    let lines = |name: &HeaderName| -> Vec<&[u8]> {
        headers.get_all(name).into_iter().map(HeaderValue::as_bytes).collect()
    };
    let (listed, described) = (lines(&X_FORWARDED_FOR), lines(&FORWARDED));
    let claims = Claims { x_forwarded_for: &listed, forwarded: &described };
    let nobody = TrustedProxies::default();
    Chain::read(forwarding.from, forwarding.trusted.unwrap_or(&nobody), claims)
}

fn add(headers: &mut HeaderMap, way: &Chain, forwarding: &Forwarding<'_>) {
    if forwarding.settings.x_forwarded_for {
        append(headers, X_FORWARDED_FOR, way.x_forwarded_for().into());
    }
    if forwarding.settings.forwarded {
        let scheme = if forwarding.secure { Scheme::Https } else { Scheme::Http };
        append(headers, FORWARDED, way.forwarded(scheme).into());
    }
    let id = if headers.contains_key(CLIENT_REQUEST_ID) { X_REQUEST_ID } else { CLIENT_REQUEST_ID };
    if !headers.contains_key(&id) {
        append(headers, id, forwarding.id.into());
    }
}

/// Adds a field behind all others. A value that HTTP has no way to write is left out.
fn append(headers: &mut HeaderMap, name: HeaderName, value: Vec<u8>) {
    if let Ok(value) = HeaderValue::try_from(value) {
        headers.append(name, value);
    }
}

/// The `Host` that is to replace the client's; none where that one stays.
fn host(head: &request::Parts, forwarding: &Forwarding<'_>) -> Option<HeaderValue> {
    let servers_own = || HeaderValue::try_from(forwarding.server).ok();
    match forwarding.settings.host {
        HostHeader::Server => servers_own(),
        HostHeader::AsSent => match head.uri.authority() {
            Some(authority) => HeaderValue::try_from(authority.as_str()).ok(),
            None if head.headers.contains_key(HOST) => None,
            None => servers_own(),
        },
    }
}

fn path_of(uri: &Uri) -> Uri {
    uri.path_and_query().map_or_else(|| Uri::from_static("/"), |path| Uri::from(path.clone()))
}

/// The fields that `Connection` says to belong to the connection.
fn named_by_connection(headers: &HeaderMap) -> Vec<HeaderName> {
    let named = tokens(headers, &CONNECTION).filter_map(|token| HeaderName::try_from(token).ok());
    named.filter(|name| name != HOST && name != CONTENT_LENGTH && name != TRANSFER_ENCODING).collect()
}

/// The value to pass on; none where the field belongs to the connection.
///
/// `Transfer-Encoding` stays: it says how the body is framed, on the next connection just so.
fn end_to_end(
    name: &HeaderName,
    value: HeaderValue,
    named: &[HeaderName],
    upgrade: bool,
) -> Option<HeaderValue> {
    if upgrade && name == CONNECTION {
        return Some(HeaderValue::from_static("Upgrade"));
    }
    if upgrade && name == UPGRADE {
        return Some(value);
    }
    let of_connection = [
        CONNECTION,
        UPGRADE,
        KEEP_ALIVE,
        PROXY_CONNECTION,
        PROXY_AUTHENTICATE,
        PROXY_AUTHORIZATION,
        TE,
        TRAILER,
    ];
    if of_connection.contains(name) || named.contains(name) { None } else { Some(value) }
}

/// Passes all fields through `keep`, in their order. Removing fields one by one would move others to their place.
fn rebuild(headers: &mut HeaderMap, keep: impl Fn(&HeaderName, HeaderValue) -> Option<HeaderValue>) {
    let old = std::mem::take(headers);
    headers.reserve(old.keys_len() + 3);
    let mut last = None;
    for (name, value) in old {
        // A name is said once, for the first of its values.
        last = name.or(last);
        let Some(name) = &last else { continue };
        let Some(value) = keep(name, value) else { continue };
        match headers.entry(name) {
            Entry::Occupied(_) if name == CONNECTION => {}
            Entry::Occupied(mut same) => same.append(value),
            Entry::Vacant(first) => {
                first.insert(value);
            }
        }
    }
}

fn names_token(headers: &HeaderMap, name: &HeaderName, token: &str) -> bool {
    tokens(headers, name).any(|other| other.eq_ignore_ascii_case(token))
}

fn tokens<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}

#[cfg(test)]
mod tests;
