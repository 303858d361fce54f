//! Version 2: a signature, what it is about, and how long it is, in 16 bytes; then the addresses, then extensions.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::error::ProxyError;
use super::{Announced, Step};

/// The byte that a header begins with.
pub(super) const FIRST: u8 = b'\r';

/// What every header begins with: nothing that the first line of another protocol begins with.
const SIGNATURE: &[u8; 12] = b"\r\n\r\n\0\r\nQUIT\n";

/// Signature, version and command, family and transport, and the length of the rest.
const HEAD: usize = 16;

/// Addresses and ports of TCP over IPv4, and over IPv6.
const IPV4: u16 = 12;
const IPV6: u16 = 36;

/// The most bytes kept: what follows the addresses is only counted.
const KEPT: usize = HEAD + 36;

/// A header as far as it is read.
#[derive(Debug)]
pub(super) struct Binary {
    max_extensions: u16,
    kept: Vec<u8>,
    /// What the head says, once it is read.
    head: Option<Head>,
}

#[derive(Clone, Copy, Debug)]
struct Head {
    about: About,
    /// Bytes still to come.
    left: u16,
}

/// What the addresses are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    Tcp4,
    Tcp6,
    Nobody,
}

impl Binary {
    /// A header of which the first byte is read.
    pub(super) fn new(max_extensions: u16) -> Self {
        let mut kept = Vec::with_capacity(KEPT);
        kept.push(FIRST);
        Self { max_extensions, kept, head: None }
    }

    /// Takes one byte more.
    pub(super) fn step(&mut self, byte: u8) -> Result<Step, ProxyError> {
        if SIGNATURE.get(self.kept.len()).is_some_and(|expected| *expected != byte) {
            return Err(ProxyError::NoHeader);
        }
        if self.kept.len() < KEPT {
            self.kept.push(byte);
        }
        let head = match self.head {
            Some(head) => Head { left: head.left.saturating_sub(1), ..head },
            None => match self.kept.get(SIGNATURE.len()..) {
                Some(&[command, family, high, low]) => {
                    self.head(command, family, u16::from_be_bytes([high, low]))?
                }
                _ => return Ok(Step::More),
            },
        };
        self.head = Some(head);
        if head.left > 0 {
            return Ok(Step::More);
        }
        Ok(Step::Done(self.announced(head.about)))
    }

    /// How many bytes are kept.
    #[cfg(test)]
    pub(super) fn kept_bytes(&self) -> usize {
        self.kept.capacity()
    }

    fn head(&self, command: u8, family: u8, length: u16) -> Result<Head, ProxyError> {
        let (version, command) = (command >> 4, command & 0x0f);
        if version != 2 {
            return Err(ProxyError::Version { version });
        }
        let (about, needed) = match (command, family) {
            // LOCAL, whatever family it names; AF_UNSPEC; UNIX sockets, which say nothing about a client of ours.
            (0, _) | (1, 0x00 | 0x31) => (About::Nobody, 0),
            (1, 0x11) => (About::Tcp4, IPV4),
            (1, 0x21) => (About::Tcp6, IPV6),
            (1, _) => return Err(ProxyError::Family { family }),
            _ => return Err(ProxyError::Command { command }),
        };
        let Some(extensions) = length.checked_sub(needed) else {
            return Err(ProxyError::Short { length, needed });
        };
        if extensions > self.max_extensions {
            return Err(ProxyError::ExtensionsTooLong { length: extensions, limit: self.max_extensions });
        }
        Ok(Head { about, left: length })
    }

    fn announced(&self, about: About) -> Announced {
        let addresses = self.kept.get(HEAD..).unwrap_or_default();
        let proxied = match about {
            About::Tcp4 => pair::<4>(addresses, |octets| Ipv4Addr::from(octets).into()),
            About::Tcp6 => pair::<16>(addresses, |octets| Ipv6Addr::from(octets).into()),
            About::Nobody => None,
        };
        proxied.map_or(Announced::Local, |(client, server)| Announced::Proxied { client, server })
    }
}

/// Two addresses of `N` bytes, then their ports; nothing where there are too few bytes, which a checked head rules out.
fn pair<const N: usize>(bytes: &[u8], address: fn([u8; N]) -> IpAddr) -> Option<(SocketAddr, SocketAddr)> {
    let (client, rest) = bytes.split_first_chunk::<N>()?;
    let (server, rest) = rest.split_first_chunk::<N>()?;
    let (client_port, rest) = rest.split_first_chunk::<2>()?;
    let (server_port, _) = rest.split_first_chunk::<2>()?;
    Some((
        SocketAddr::new(address(*client), u16::from_be_bytes(*client_port)),
        SocketAddr::new(address(*server), u16::from_be_bytes(*server_port)),
    ))
}
