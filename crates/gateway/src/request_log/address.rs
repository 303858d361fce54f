//! Addresses that point to no single client.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The address without what tells one client from its neighbours: the last of four parts of an IPv4 address, and
/// of an IPv6 address all but its first 48 bits, the site's.
///
/// ```
/// use weir_gateway::request_log::anonymised;
/// assert_eq!(anonymised("203.0.113.77".parse().unwrap()).to_string(), "203.0.113.0");
/// assert_eq!(anonymised("2001:db8:1:2:3:4:5:6".parse().unwrap()).to_string(), "2001:db8:1::");
/// ```
pub fn anonymised(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            IpAddr::V4(Ipv4Addr::new(a, b, c, 0))
        }
        IpAddr::V6(address) => {
            let [a, b, c, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0))
        }
    }
}
