//! Intervals and bounds of shadow redundancy.

use weir_units::Micros;

/// Intervals and bounds of shadow redundancy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShadowSettings {
    /// How long a partner may be silent before it is asked, and asked again.
    pub shadow_heartbeat_timeout_interval: Micros,
    /// Heartbeats in vain after which its messages are taken over.
    pub shadow_heartbeat_retry_count: u32,
    /// How long a shadow and a notice are kept at most.
    pub shadow_message_auto_discard_interval: Micros,
    /// The most shadows kept, of all partners together.
    pub shadows: usize,
    /// The most notices kept for one holder.
    pub notices: usize,
    /// The most notices in one answer.
    pub notices_in_answer: usize,
}

impl Default for ShadowSettings {
    fn default() -> Self {
        Self {
            shadow_heartbeat_timeout_interval: Micros::MINUTE.times(15),
            shadow_heartbeat_retry_count: 12,
            shadow_message_auto_discard_interval: Micros::MINUTE.times(60 * 48),
            shadows: 1_000_000,
            notices: 1_000_000,
            notices_in_answer: 100,
        }
    }
}
