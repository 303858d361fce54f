//! The name of one request.

use std::fmt;

use ring::rand::SecureRandom;

/// A random GUID (RFC 9562, version 4) that goes with a request everywhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestId([u8; 16]);

impl RequestId {
    /// An id out of `random`; the nil one where the system gives no randomness, since no request should fail for want
    /// of a name.
    pub fn random(random: &dyn SecureRandom) -> Self {
        let mut bytes = [0; 16];
        if random.fill(&mut bytes).is_err() {
            return Self([0; 16]);
        }
        Self::from_bytes(bytes)
    }

    /// The id with these bytes, but for the six bits that say its version and variant.
    pub const fn from_bytes(mut bytes: [u8; 16]) -> Self {
        bytes[6] = bytes[6] & 0x0F | 0x40;
        bytes[8] = bytes[8] & 0x3F | 0x80;
        Self(bytes)
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, byte) in self.0.iter().enumerate() {
            if matches!(nth, 4 | 6 | 8 | 10) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
