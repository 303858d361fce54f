//! Who a client is and which of its requests this is: `{GUID}:n`, n rising.
//!
//! A server knows a client by its `X-ClientInfo`, and asks for a request again by its `X-RequestId`. Both begin with an
//! identifier that the client makes up when it begins.

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, Ordering};

use ring::rand::{SecureRandom, SystemRandom};

/// A random identifier, as people write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Guid([u8; 16]);

impl Guid {
    /// A random one; where the system has no randomness left, one that others may have too, which does no harm.
    pub(super) fn random() -> Self {
        let mut bytes = [0; 16];
        let _ = SystemRandom::new().fill(&mut bytes);
        Self::of(bytes)
    }

    /// Version 4, variant 1, as they stand in the text's order.
    fn of(mut bytes: [u8; 16]) -> Self {
        let [_, _, _, _, _, _, version, _, variant, ..] = &mut bytes;
        *version = *version & 0x0F | 0x40;
        *variant = *variant & 0x3F | 0x80;
        Self(bytes)
    }

    /// The bytes, in the order in which the protocol has them: the first three groups with their last byte first.
    pub(super) fn wire(self) -> [u8; 16] {
        let mut bytes = self.0;
        for group in [0..4, 4..6, 6..8] {
            bytes.get_mut(group).unwrap_or_default().reverse();
        }
        bytes
    }

    fn text(self) -> String {
        let hex = format!("{:032X}", u128::from_be_bytes(self.0));
        let group = |from, to| hex.get(from..to).unwrap_or_default();
        let groups = [group(0, 8), group(8, 12), group(12, 16), group(16, 20), group(20, 32)];
        format!("{{{}}}", groups.join("-"))
    }
}

/// Numbers requests.
#[derive(Debug)]
pub(super) struct Identity {
    client: String,
    requests: String,
    next: AtomicU64,
}

impl Identity {
    /// One that nobody else has.
    pub(super) fn random() -> Self {
        Self {
            client: format!("{}:1", Guid::random().text()),
            requests: Guid::random().text(),
            next: AtomicU64::new(1),
        }
    }

    /// The value of `X-ClientInfo`.
    pub(super) fn client(&self) -> &str {
        &self.client
    }

    /// The value of the next request's `X-RequestId`.
    pub(super) fn request(&self) -> String {
        format!("{}:{}", self.requests, self.next.fetch_add(1, Ordering::Relaxed))
    }
}
