//! Whose failures count together.

use std::net::{IpAddr, Ipv4Addr};

/// The part of an address that one guesser cannot change at will: an IPv4 address, or the first half of an IPv6 one.
///
/// An IPv4 address mapped into IPv6 is that IPv4 address, so that the kind of the listening socket makes no
/// difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// One IPv4 address.
    V4(Ipv4Addr),
    /// One /64 of IPv6: the first four groups of its addresses.
    V6([u16; 4]),
}

impl Source {
    /// The source that `address` belongs to.
    pub fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self::V4(address),
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Self::V6([a, b, c, d])
            }
        }
    }
}
