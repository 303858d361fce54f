//! Network addresses: ranges of them, and what counts as one source.
//!
//! [`AddressRange`] is the word for "whom": whose forwarding headers are believed, who may use a connector. It is
//! written in CIDR form and compared by value; an IPv4 address that arrives inside an IPv6 one (`::ffff:192.0.2.1`) is
//! the IPv4 address it means, on both sides.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::str::FromStr;

/// Addresses that share their first bits: `10.0.0.0/8`, `2001:db8::/32`, or one address alone.
///
/// ```
/// use weir_units::AddressRange;
/// let range: AddressRange = "10.0.0.0/8".parse()?;
/// assert!(range.contains("10.20.30.40".parse().unwrap()));
/// assert!(range.contains("::ffff:10.20.30.40".parse().unwrap()));
/// assert!(!range.contains("11.0.0.0".parse().unwrap()));
/// # Ok::<(), weir_units::AddressRangeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AddressRange {
    first: IpAddr,
    bits: u8,
}

impl AddressRange {
    /// The first address of the range.
    pub const fn first(self) -> IpAddr {
        self.first
    }

    /// How many leading bits its addresses share: at most 32 for IPv4, 128 for IPv6. Of two ranges that hold an
    /// address, the one with more is the more specific.
    pub const fn bits(self) -> u8 {
        self.bits
    }

    /// Whether `address` is one of the range.
    pub fn contains(self, address: IpAddr) -> bool {
        match (self.first, address.to_canonical()) {
            (IpAddr::V4(_), address @ IpAddr::V4(_)) | (IpAddr::V6(_), address @ IpAddr::V6(_)) => {
                prefix(address, self.bits) == self.first
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

/// The part of an address that one client cannot change at will: an IPv4 address, or the first half of an IPv6 one.
///
/// An IPv4 address mapped into IPv6 is that IPv4 address, so that the kind of the listening socket makes no
/// difference.
///
/// ```
/// use weir_units::Source;
/// let of = |address: &str| Source::of(address.parse().unwrap());
/// assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
/// assert_eq!(of("2001:db8::1"), of("2001:db8::2"));
/// assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
/// ```
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

/// Text that is no range of addresses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressRangeError {
    /// Neither an address nor an address with a prefix.
    #[error("{text:?} is not a range of addresses, such as \"10.0.0.0/8\" or \"2001:db8::/32\"")]
    Malformed {
        /// What was written.
        text: String,
    },
    /// The prefix has more bits than the address.
    #[error("{text:?}: a prefix of {bits} bits is too long; at most {most}")]
    PrefixTooLong {
        /// What was written.
        text: String,
        /// The bits of the prefix.
        bits: u8,
        /// The bits of the address.
        most: u8,
    },
    /// Bits are set behind the prefix, which is where a slip of the hand shows.
    #[error("{text:?} has bits set behind its prefix; write \"{meant}\"")]
    BitsBehindPrefix {
        /// What was written.
        text: String,
        /// The range with those bits cleared.
        meant: AddressRange,
    },
    /// An IPv4 range in IPv6 clothes, which no address compares equal to.
    #[error("{text:?} is an IPv4 range written as IPv6; write it as IPv4, such as \"10.0.0.0/8\"")]
    MappedIpv4 {
        /// What was written.
        text: String,
    },
}

impl FromStr for AddressRange {
    type Err = AddressRangeError;

    fn from_str(text: &str) -> Result<Self, AddressRangeError> {
        let malformed = || AddressRangeError::Malformed { text: text.to_owned() };
        let (address, bits) =
            text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let address: IpAddr = address.parse().map_err(|_| malformed())?;
        if address.to_canonical() != address {
            return Err(AddressRangeError::MappedIpv4 { text: text.to_owned() });
        }
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), |bits| number(bits).ok_or_else(malformed))?;
        if bits > most {
            return Err(AddressRangeError::PrefixTooLong { text: text.to_owned(), bits, most });
        }
        let range = Self { first: prefix(address, bits), bits };
        if range.first == address {
            Ok(range)
        } else {
            Err(AddressRangeError::BitsBehindPrefix { text: text.to_owned(), meant: range })
        }
    }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.first, self.bits)
    }
}

/// A number in plain digits; the standard library would take a sign, too.
fn number(text: &str) -> Option<u8> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// `address` with every bit behind the first `bits` cleared.
fn prefix(address: IpAddr, bits: u8) -> IpAddr {
    let bits = u32::from(bits);
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(u32::BITS.saturating_sub(bits)).unwrap_or(0);
            IpAddr::V4((address.to_bits() & mask).into())
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(u128::BITS.saturating_sub(bits)).unwrap_or(0);
            IpAddr::V6((address.to_bits() & mask).into())
        }
    }
}

#[cfg(test)]
mod tests;
