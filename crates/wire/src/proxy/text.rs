//! Version 1: one line of text.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use super::error::ProxyError;
use super::{Announced, Step};

/// The byte that a line begins with.
pub(super) const FIRST: u8 = b'P';

/// What every line begins with.
const START: &[u8] = b"PROXY ";

/// The most bytes of a line, its CR LF included: the longest that two IPv6 addresses, or `UNKNOWN` with them, make.
pub(super) const MAX_LINE: usize = 107;

/// A line as far as it is read.
#[derive(Debug)]
pub(super) struct Text {
    line: Vec<u8>,
}

impl Text {
    /// A line of which the first byte is read.
    pub(super) fn new() -> Self {
        let mut line = Vec::with_capacity(MAX_LINE);
        line.push(FIRST);
        Self { line }
    }

    /// Takes one byte more.
    pub(super) fn step(&mut self, byte: u8) -> Result<Step, ProxyError> {
        if START.get(self.line.len()).is_some_and(|expected| *expected != byte) {
            return Err(ProxyError::NoHeader);
        }
        self.line.push(byte);
        match self.line.strip_suffix(b"\r\n") {
            Some(line) => read(line.strip_prefix(START).unwrap_or(line)).map(Step::Done),
            None if self.line.len() >= MAX_LINE => Err(ProxyError::LineTooLong { limit: MAX_LINE }),
            None => Ok(Step::More),
        }
    }
}

/// What a line says, given without `PROXY ` and its end.
fn read(line: &[u8]) -> Result<Announced, ProxyError> {
    let line = str::from_utf8(line).map_err(|_| ProxyError::Line { part: "text" })?;
    let (protocol, rest) = line.split_once(' ').unwrap_or((line, ""));
    match protocol {
        "TCP4" => addresses::<Ipv4Addr>(rest),
        "TCP6" => addresses::<Ipv6Addr>(rest),
        // Whatever follows is to be ignored.
        "UNKNOWN" => Ok(Announced::Local),
        _ => Err(ProxyError::Line { part: "protocol" }),
    }
}

fn addresses<A: FromStr + Into<IpAddr>>(rest: &str) -> Result<Announced, ProxyError> {
    let mut parts = rest.split(' ');
    let client = address::<A>(parts.next(), "source address")?;
    let server = address::<A>(parts.next(), "destination address")?;
    let client = SocketAddr::new(client, port(parts.next(), "source port")?);
    let server = SocketAddr::new(server, port(parts.next(), "destination port")?);
    match parts.next() {
        None => Ok(Announced::Proxied { client, server }),
        Some(_) => Err(ProxyError::Line { part: "end" }),
    }
}

fn address<A: FromStr + Into<IpAddr>>(text: Option<&str>, part: &'static str) -> Result<IpAddr, ProxyError> {
    text.and_then(|text| text.parse::<A>().ok()).map(Into::into).ok_or(ProxyError::Line { part })
}

/// A port in plain digits, without leading zeros.
fn port(text: Option<&str>, part: &'static str) -> Result<u16, ProxyError> {
    text.filter(|text| {
        text.bytes().all(|byte| byte.is_ascii_digit()) && (*text == "0" || !text.starts_with('0'))
    })
    .and_then(|text| text.parse().ok())
    .ok_or(ProxyError::Line { part })
}
