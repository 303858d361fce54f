//! One element of a forwarding header, between two commas.

use std::net::{IpAddr, Ipv6Addr};

/// What may stand behind an address and a colon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Port {
    /// A port's number.
    Number,
    /// That, or a name made up for it, which begins with `_` (RFC 7239, section 6.3).
    NumberOrName,
}

/// The element as text without the space around it; nothing where it is longer than `limit`, or more than what a
/// header's value may be made of.
pub(super) fn text(element: &[u8], limit: usize) -> Option<&str> {
    let printable = |byte: &u8| matches!(byte, b'\t' | b' '..=b'~');
    let text = str::from_utf8(element).ok()?.trim_matches([' ', '\t']);
    (text.len() <= limit && text.as_bytes().iter().all(printable)).then_some(text)
}

/// The address that the one `for` of an element of `Forwarded` names; nothing where there is none, where it is
/// `unknown` or a made-up name, and where any part of the element is malformed.
pub(super) fn node(element: &str) -> Option<IpAddr> {
    let (mut found, mut rest) = (None, element);
    loop {
        rest = rest.trim_start_matches([' ', '\t']);
        if !rest.is_empty() && !rest.starts_with(';') {
            let (name, value, after) = pair(rest)?;
            if name.eq_ignore_ascii_case("for")
                && found.replace(address(&value, Port::NumberOrName)?).is_some()
            {
                return None;
            }
            rest = after.trim_start_matches([' ', '\t']);
        }
        if rest.is_empty() {
            return found;
        }
        rest = rest.strip_prefix(';')?;
    }
}

/// One `name=value` at the front of `text`, its value without quotes, and what follows it.
fn pair(text: &str) -> Option<(&str, String, &str)> {
    let (name, rest) = text.split_once('=')?;
    if name.is_empty() || !name.bytes().all(is_token) {
        return None;
    }
    if let Some(quoted) = rest.strip_prefix('"') {
        let (value, rest) = unquote(quoted)?;
        return Some((name, value, rest));
    }
    // Addresses are to be quoted where they hold a colon; many a proxy leaves the quotes out.
    let bare = |byte: u8| is_token(byte) || matches!(byte, b':' | b'[' | b']');
    let end = rest.bytes().position(|byte| !bare(byte)).unwrap_or(rest.len());
    let (value, rest) = rest.split_at_checked(end)?;
    (!value.is_empty()).then(|| (name, value.to_owned(), rest))
}

/// A quoted string whose opening quote is gone, and what follows its closing quote.
fn unquote(text: &str) -> Option<(String, &str)> {
    let (mut value, mut chars) = (String::new(), text.chars());
    loop {
        match chars.next()? {
            '"' => return Some((value, chars.as_str())),
            '\\' => value.push(chars.next()?),
            other => value.push(other),
        }
    }
}

/// Whether a byte may stand in a token (RFC 9110, section 5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// An address, with or without a port: `192.0.2.1`, `192.0.2.1:80`, `[2001:db8::1]`, `[2001:db8::1]:80`, and the bare
/// IPv6 address that `X-Forwarded-For` has.
pub(super) fn address(text: &str, ports: Port) -> Option<IpAddr> {
    if let Some(bracketed) = text.strip_prefix('[') {
        let (address, rest) = bracketed.split_once(']')?;
        let address: Ipv6Addr = address.parse().ok()?;
        let fine = rest.is_empty() || rest.strip_prefix(':').is_some_and(|port| is_port(port, ports));
        return fine.then_some(address.into());
    }
    match text.split_once(':') {
        Some((address, port)) if !port.contains(':') => {
            let address = address.parse().ok()?;
            is_port(port, ports).then_some(IpAddr::V4(address))
        }
        Some(_) | None => text.parse().ok(),
    }
}

fn is_port(text: &str, ports: Port) -> bool {
    let number = (1..=5).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && text.parse::<u16>().is_ok();
    let name = || {
        let name = text.strip_prefix('_').unwrap_or_default();
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    match ports {
        Port::Number => number,
        Port::NumberOrName => number || name(),
    }
}
