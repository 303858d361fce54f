//! The client behind trusted proxies: `X-Forwarded-For` and `Forwarded` (RFC 7239), in and out (H13).
//!
//! Each proxy appends whom it was called by, so a list is believed from its right end: the peer of our connection is
//! certain; as long as the address reached is a trusted proxy's, what that proxy wrote – the next element to the left –
//! is believed, too. The first address that is no trusted proxy's is the client, and everything left of it is what a
//! stranger claims. An element that names no address, or is malformed in any way, ends the walk.
//!
//! Proxies that write only one of the two headers pass the other on as the client wrote it. Where both are there and
//! do not lead to the same client, neither is believed, and [`Doubt`] says so. Upstream goes what is believed and
//! nothing else: [`Chain`] writes both headers anew, with the peer at the end.
//!
//! Absent: `X-Forwarded-Host` and its kin, which nothing here decides by, and host names, which would have to be
//! looked up.

mod element;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::net::IpAddr;

use weir_units::AddressRange;

use element::Port;

/// The most elements of a list that are read, from its right end: more proxies than any way in has.
pub const MAX_HOPS: usize = 32;

/// The longest element that is read, in bytes; a longer one ends the walk.
pub const MAX_ELEMENT: usize = 512;

/// The proxies whose word is taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies {
    ranges: Vec<AddressRange>,
}

impl TrustedProxies {
    /// Those whose addresses are in one of `ranges`; without any, nobody is believed.
    pub const fn new(ranges: Vec<AddressRange>) -> Self {
        Self { ranges }
    }

    /// Whether what `address` says is believed, be it in a header or by the PROXY protocol.
    pub fn trusts(&self, address: IpAddr) -> bool {
        self.ranges.iter().any(|range| range.contains(address))
    }
}

/// What a request says about its way: the values of all header lines of each name, in the order received.
#[derive(Clone, Copy, Debug, Default)]
pub struct Claims<'a> {
    /// Those of `X-Forwarded-For`.
    pub x_forwarded_for: &'a [&'a [u8]],
    /// Those of `Forwarded`.
    pub forwarded: &'a [&'a [u8]],
}

/// Why less is believed than a trusted proxy passed on: worth a line in a log, since it is usually a proxy's setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Doubt {
    /// The two headers lead to different clients.
    #[error(
        "X-Forwarded-For and Forwarded of a trusted proxy name different clients and neither is believed: let the \
         proxy remove the one that it does not write"
    )]
    Disagreement,
    /// A trusted proxy passed on an element that names no address.
    #[error(
        "a trusted proxy passed on a forwarding header that names no address where its own element must be: let the \
         proxy append the address of its client"
    )]
    NoAddress,
    /// The list of trusted proxies goes on past the most that are read.
    #[error("a forwarding header names more than {MAX_HOPS} trusted proxies: look for a loop between them")]
    TooManyHops,
}

/// How a request came to its peer's proxy, as far as that is believed.
///
/// ```
/// use weir_wire::forwarded::{Chain, Claims, Scheme, TrustedProxies};
/// let trusted = TrustedProxies::new(vec!["10.0.0.0/8".parse()?]);
/// let claims = Claims { x_forwarded_for: &[b"192.0.2.66, 203.0.113.7, 10.0.0.5"], ..Claims::default() };
/// let chain = Chain::read("10.0.0.6".parse().unwrap(), &trusted, claims);
/// assert_eq!(chain.client().to_string(), "203.0.113.7");
/// assert_eq!(chain.x_forwarded_for(), "203.0.113.7, 10.0.0.5, 10.0.0.6");
/// assert_eq!(chain.forwarded(Scheme::Https), "for=203.0.113.7, for=10.0.0.5, for=10.0.0.6;proto=https");
///
/// let stranger = Chain::read("198.51.100.1".parse().unwrap(), &trusted, claims);
/// assert_eq!(stranger.client().to_string(), "198.51.100.1");
/// # Ok::<(), weir_units::AddressRangeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    peer: IpAddr,
    /// What the proxies before the peer's connection were called by, nearest first.
    hops: Vec<Hop>,
    doubt: Option<Doubt>,
}

/// What one trusted proxy wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hop {
    address: IpAddr,
    /// The whole element, where it came in `Forwarded`.
    element: Option<String>,
}

impl Hop {
    /// An element of `X-Forwarded-For`.
    fn listed(element: &str) -> Option<Self> {
        Some(Self { address: element::address(element, Port::Number)?.to_canonical(), element: None })
    }

    /// An element of `Forwarded`.
    fn described(element: &str) -> Option<Self> {
        let address = element::node(element)?.to_canonical();
        Some(Self { address, element: Some(element.to_owned()) })
    }
}

/// How the request reached us, for `proto` in `Forwarded`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// In the clear.
    Http,
    /// Over TLS.
    Https,
}

impl Chain {
    /// The way of a request that `peer` sent and that carries `claims`.
    ///
    /// `peer` is the other end of the connection or, where a trusted proxy announced one by the PROXY protocol, the
    /// client that it named.
    pub fn read(peer: IpAddr, trusted: &TrustedProxies, claims: Claims<'_>) -> Self {
        let peer = peer.to_canonical();
        let chain = |(hops, doubt)| Self { peer, hops, doubt };
        let listed = || walk(peer, trusted, claims.x_forwarded_for, Hop::listed);
        let described = || walk(peer, trusted, claims.forwarded, Hop::described);
        match (claims.x_forwarded_for.is_empty(), claims.forwarded.is_empty()) {
            (true, true) => chain((Vec::new(), None)),
            (false, true) => chain(listed()),
            (true, false) => chain(described()),
            (false, false) => {
                // What `Forwarded` says beyond addresses goes upstream, so it is the one that is kept.
                let (one, other) = (chain(described()), chain(listed()));
                let agree = one.client() == other.client();
                if agree { one } else { chain((Vec::new(), Some(Doubt::Disagreement))) }
            }
        }
    }

    /// The client: the nearest address that is no trusted proxy's, or the farthest that a trusted proxy named.
    /// An IPv4 address is never given as IPv6.
    pub fn client(&self) -> IpAddr {
        self.hops.last().map_or(self.peer, |hop| hop.address)
    }

    /// Why less is believed than was passed on, if so.
    pub const fn doubt(&self) -> Option<Doubt> {
        self.doubt
    }

    /// The one value of `X-Forwarded-For` that goes upstream in place of all that came in.
    pub fn x_forwarded_for(&self) -> String {
        let mut value = String::new();
        for hop in self.hops.iter().rev() {
            push(&mut value, format_args!("{}", hop.address));
        }
        push(&mut value, format_args!("{}", self.peer));
        value
    }

    /// The one value of `Forwarded` that goes upstream in place of all that came in; `scheme` is how the request
    /// reached us.
    ///
    /// What trusted proxies wrote stays word for word, so that the `proto` of the outermost reaches the origin.
    pub fn forwarded(&self, scheme: Scheme) -> String {
        let mut value = String::new();
        for hop in self.hops.iter().rev() {
            match &hop.element {
                Some(element) => push(&mut value, format_args!("{element}")),
                None => push(&mut value, format_args!("for={}", node(hop.address))),
            }
        }
        let proto = match scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        push(&mut value, format_args!("for={};proto={proto}", node(self.peer)));
        value
    }
}

/// Follows the lines of one header from their right end, as long as trusted proxies wrote it.
fn walk(
    peer: IpAddr,
    trusted: &TrustedProxies,
    lines: &[&[u8]],
    read: fn(&str) -> Option<Hop>,
) -> (Vec<Hop>, Option<Doubt>) {
    // A comma inside a quoted string cuts, too: seen from the right an opening quote cannot be told from a closing one,
    // and a stranger's must not swallow what a proxy appended. The pieces are malformed and end the walk.
    let mut elements = lines.iter().rev().flat_map(|line| line.rsplit(|byte| *byte == b','));
    let (mut hops, mut reached) = (Vec::new(), peer);
    while trusted.trusts(reached) {
        let Some(element) = elements.next() else { break };
        if hops.len() >= MAX_HOPS {
            return (hops, Some(Doubt::TooManyHops));
        }
        let Some(hop) = element::text(element, MAX_ELEMENT).and_then(read) else {
            return (hops, Some(Doubt::NoAddress));
        };
        reached = hop.address;
        hops.push(hop);
    }
    (hops, None)
}

/// An address as `Forwarded` spells it.
fn node(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("\"[{address}]\""),
    }
}

/// Appends one element to a list.
fn push(list: &mut String, element: std::fmt::Arguments<'_>) {
    let separator = if list.is_empty() { "" } else { ", " };
    // Writing to a string cannot fail.
    let _ = write!(list, "{separator}{element}");
}
