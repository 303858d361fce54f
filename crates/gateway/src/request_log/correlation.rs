//! The name of one request.

use std::fmt;

use ring::error::Unspecified;
use ring::rand::SecureRandom;

/// A GUID (RFC 9562, version 4) that goes with a request everywhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestId([u8; 16]);

/// What the ids of one process are made of: its own randomness, which sets them apart from every other process's.
#[derive(Clone, Copy, Debug)]
pub struct RequestIds([u64; 2]);

impl RequestIds {
    /// Ids out of `random`, which is asked once.
    ///
    /// # Errors
    ///
    /// The system gives no randomness.
    pub fn new(random: &dyn SecureRandom) -> Result<Self, Unspecified> {
        let mut seeds = [[0; 8]; 2];
        for seed in &mut seeds {
            random.fill(seed)?;
        }
        Ok(Self(seeds.map(u64::from_ne_bytes)))
    }

    /// The id of the request with this number.
    pub fn of(&self, sequence: u64) -> RequestId {
        let [low, high] = self.0;
        let (low, high) = (mixed(low.wrapping_add(sequence)), mixed(high.wrapping_sub(sequence)));
        RequestId::from_bytes((u128::from(high) << 64 | u128::from(low)).to_be_bytes())
    }
}
impl RequestId {
    /// The id with these bytes, but for the six bits that say its version and variant.
    pub const fn from_bytes(mut bytes: [u8; 16]) -> Self {
        bytes[6] = bytes[6] & 0x0F | 0x40;
        bytes[8] = bytes[8] & 0x3F | 0x80;
        Self(bytes)
    }
}

/// Every bit of `number` moves half the bits of the result, and no two numbers meet (the finalizer of `SplitMix64`).
const fn mixed(number: u64) -> u64 {
    let number = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [b'-'; 36];
        let places = (0..36).filter(|place| !matches!(place, 8 | 13 | 18 | 23));
        let digits = self.0.iter().flat_map(|byte| [byte >> 4, byte & 0x0F]);
        for (place, digit) in places.zip(digits) {
            if let Some(letter) = text.get_mut(place) {
                *letter = if digit < 10 { b'0' + digit } else { b'a' - 10 + digit };
            }
        }
        f.write_str(str::from_utf8(&text).unwrap_or_default())
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
