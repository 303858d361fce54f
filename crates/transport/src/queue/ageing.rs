//! Retry, delay notice, expiry (H15).
//!
//! A message that was deferred is tried again after an interval, and once more at the moment it expires, never later.
//! After four hours its sender hears once that it is late, after two days that it is given up – unless he asked not to
//! hear, or the message has no sender: then it is a notification itself, and nobody hears of it.

use weir_units::WallTime;

use super::settings::QueueSettings;

/// What a sender wants to hear (RFC 3461).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notify {
    /// That the message failed.
    pub failure: bool,
    /// That it is late.
    pub delay: bool,
}

/// What the age of a message is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageAge {
    /// When it was accepted.
    pub accepted: WallTime,
    /// It has no sender.
    pub null_sender: bool,
    /// What its sender wants to hear.
    pub notify: Notify,
    /// He heard already that it is late.
    pub delay_noticed: bool,
}

/// What the sender is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Notice {
    /// The message is late, and is tried on.
    Delay,
    /// The message is given up.
    Failure,
}

/// What a message's age asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// It is given up.
    pub expired: bool,
    /// What its sender is told now.
    pub notice: Option<Notice>,
    /// When it is to be judged again; nothing once it expired.
    pub again: Option<WallTime>,
}

impl Default for Notify {
    /// What RFC 3461 lets a server do where the sender said nothing.
    fn default() -> Self {
        Self { failure: true, delay: true }
    }
}

impl MessageAge {
    /// When a message is tried again that was deferred at `now`.
    pub fn next_retry(&self, settings: &QueueSettings, now: WallTime) -> WallTime {
        let expiry = self.expiry(settings);
        let retry = now.plus(settings.message_retry_interval);
        if now < expiry { retry.min(expiry) } else { retry }
    }

    /// What its age asks for at `now`.
    pub fn judge(&self, settings: &QueueSettings, now: WallTime) -> Judgement {
        if now >= self.expiry(settings) {
            return Judgement { expired: true, notice: self.failure(), again: None };
        }
        let late = self.accepted.plus(settings.delay_notification_timeout);
        if self.null_sender || !self.notify.delay || self.delay_noticed {
            return Judgement { expired: false, notice: None, again: Some(self.expiry(settings)) };
        }
        if now >= late {
            let again = Some(self.expiry(settings));
            return Judgement { expired: false, notice: Some(Notice::Delay), again };
        }
        Judgement { expired: false, notice: None, again: Some(late) }
    }

    /// What its sender is told when it cannot be delivered.
    pub const fn failure(&self) -> Option<Notice> {
        if self.notify.failure && !self.null_sender { Some(Notice::Failure) } else { None }
    }

    fn expiry(&self, settings: &QueueSettings) -> WallTime {
        self.accepted.plus(settings.message_expiration_timeout)
    }
}

#[cfg(test)]
mod tests;
