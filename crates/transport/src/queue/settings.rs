//! Intervals and bounds of queues.

use weir_units::Micros;

const HOUR: Micros = Micros::MINUTE.times(60);

/// Intervals and bounds of queues; the names are those of the configuration, as far as it has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueSettings {
    /// How long a message waits that its next hop deferred.
    pub message_retry_interval: Micros,
    /// How old a message is when its sender hears that it is late.
    pub delay_notification_timeout: Micros,
    /// How old a message is when it is given up.
    pub message_expiration_timeout: Micros,
    /// How long a queue whose next hop never answers keeps its messages before they are routed again.
    pub max_idle_time_before_resubmit: Micros,
    /// How long an empty queue is kept.
    pub queue_max_idle_time: Micros,
    /// Connections to a next hop that has not shown what it bears.
    pub initial_connections: u32,
    /// The most connections to one next hop.
    pub max_per_domain_outbound_connections: u32,
    /// The most connections of the process.
    pub max_outbound_connections: u32,
    /// Messages that one connection carries before the next target's turn (H1).
    pub smtp_max_messages_per_connection: u32,
    /// The most messages of one queue.
    pub queue_messages: usize,
}

/// Settings that contradict one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueSettingsError {
    /// A number of zero, which would stop all mail.
    #[error("{key} must be at least 1")]
    Zero {
        /// Which.
        key: &'static str,
    },
    /// Senders would hear that a message is late after it was given up.
    #[error("delay_notification_timeout must be shorter than message_expiration_timeout")]
    NoticeAfterExpiry,
    /// One next hop could have more connections than the process.
    #[error("max_per_domain_outbound_connections must not exceed max_outbound_connections")]
    MoreThanAll,
}

impl Default for QueueSettings {
    fn default() -> Self {
        Self {
            message_retry_interval: Micros::MINUTE.times(5),
            delay_notification_timeout: HOUR.times(4),
            message_expiration_timeout: HOUR.times(48),
            max_idle_time_before_resubmit: HOUR.times(12),
            queue_max_idle_time: Micros::MINUTE.times(3),
            initial_connections: 5,
            max_per_domain_outbound_connections: 20,
            max_outbound_connections: 1_000,
            smtp_max_messages_per_connection: 20,
            queue_messages: 1_000_000,
        }
    }
}

impl QueueSettings {
    /// The settings, if they make sense.
    ///
    /// # Errors
    /// [`QueueSettingsError`] for the first that does not.
    pub fn checked(self) -> Result<Self, QueueSettingsError> {
        let counts = [
            ("initial_connections", self.initial_connections),
            ("max_per_domain_outbound_connections", self.max_per_domain_outbound_connections),
            ("max_outbound_connections", self.max_outbound_connections),
            ("smtp_max_messages_per_connection", self.smtp_max_messages_per_connection),
        ];
        if let Some((key, _)) = counts.into_iter().find(|(_, count)| *count == 0) {
            return Err(QueueSettingsError::Zero { key });
        }
        if self.message_retry_interval == Micros::ZERO {
            return Err(QueueSettingsError::Zero { key: "message_retry_interval" });
        }
        if self.delay_notification_timeout >= self.message_expiration_timeout {
            return Err(QueueSettingsError::NoticeAfterExpiry);
        }
        if self.max_per_domain_outbound_connections > self.max_outbound_connections {
            return Err(QueueSettingsError::MoreThanAll);
        }
        Ok(self)
    }
}
