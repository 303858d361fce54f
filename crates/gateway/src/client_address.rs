//! Whose word about the client is taken, and which address a request is held to.
//!
//! The other end of a connection is certain. Where it is a trusted proxy, the client that it names is believed instead:
//! by the PROXY header that its connection begins with, or by `X-Forwarded-For` and `Forwarded` of each request. From
//! anybody else both are noise. Guessed passwords (T8), connections per address and the log go by the believed
//! address, so that a proxy's clients are told apart and a stranger cannot borrow an address.
//!
//! Absent: what goes upstream, which is the remote front's; syntax, which is `weir_wire`'s.

use std::net::IpAddr;

use hyper::HeaderMap;
use hyper::header::{FORWARDED, HeaderName, HeaderValue};
use weir_wire::forwarded::{Chain, Claims, TrustedProxies};

use crate::settings::Listen;

/// Which proxies are believed, and how they say whose connection it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trust {
    proxies: TrustedProxies,
    proxy_protocol: bool,
}

impl Trust {
    /// As the settings say.
    pub(crate) fn new(listen: &Listen) -> Self {
        let proxies = TrustedProxies::new(listen.trusted_proxies.clone());
        Self { proxies, proxy_protocol: listen.proxy_protocol }
    }

    /// Whether `address` is a trusted proxy's: it speaks for many clients, so bounds per address are not for it.
    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        self.proxies.trusts(address)
    }

    /// The trusted proxies.
    pub(crate) const fn proxies(&self) -> &TrustedProxies {
        &self.proxies
    }

    /// Whether a connection that `peer` opened begins with a PROXY header. One that may be left out could be written
    /// by a client, so it is always there or never.
    pub(crate) fn expects_header(&self, peer: IpAddr) -> bool {
        self.proxy_protocol && self.trusts(peer)
    }

    /// The client that a request with these headers is from; `peer` is the other end of its connection, or the client
    /// that a PROXY header announced. An IPv4 address is never given as IPv6.
    pub(crate) fn client(&self, headers: &HeaderMap, peer: IpAddr) -> IpAddr {
        if !self.trusts(peer) {
            return peer.to_canonical();
        }
        let chain = self.chain(headers, peer);
        if let Some(doubt) = chain.doubt() {
            // A client behind the proxy can cause it with every request, so it must not fill a log.
            tracing::debug!(%peer, "{doubt}");
        }
        chain.client()
    }

    fn chain(&self, headers: &HeaderMap, peer: IpAddr) -> Chain {
        let listed = lines(headers, &X_FORWARDED_FOR);
        let described = lines(headers, &FORWARDED);
        let claims = Claims { x_forwarded_for: &listed, forwarded: &described };
        Chain::read(peer, &self.proxies, claims)
    }
}

/// The list that proxies wrote before RFC 7239, and most still write.
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The values of one header in the order received; a head's bounds are theirs.
fn lines<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Vec<&'h [u8]> {
    headers.get_all(name).iter().map(HeaderValue::as_bytes).collect()
}

#[cfg(test)]
mod tests;
