//! Errors, logon failures, hops, sizes, patience, tarpit: what one session may do.

use weir_units::{Micros, Tick};

use super::permission::Standing;
use super::settings::ReceiveLimits;
use super::words::Words;

/// What one session has done.
#[derive(Clone, Copy, Debug)]
pub struct Session {
    limits: ReceiveLimits,
    begun: Tick,
    last_command: Tick,
    protocol_errors: u32,
    logon_failures: u32,
}

/// How long a session may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// Until then, if nothing happens before.
    Until(Tick),
    /// It is over, in these words.
    Over(Words),
}

impl Session {
    /// A session that begins.
    pub const fn new(limits: ReceiveLimits, now: Tick) -> Self {
        Self { limits, begun: now, last_command: now, protocol_errors: 0, logon_failures: 0 }
    }

    /// The client sent something.
    pub const fn heard(&mut self, now: Tick) {
        self.last_command = now;
    }

    /// How long it may go on.
    pub fn patience(&self, now: Tick) -> Patience {
        let end = self.begun.plus(self.limits.connection_timeout);
        let silence = self.last_command.plus(self.limits.inactivity_timeout);
        if now >= end {
            Patience::Over(Words::SESSION_TIMEOUT)
        } else if now >= silence {
            Patience::Over(Words::INACTIVE)
        } else {
            Patience::Until(end.min(silence))
        }
    }

    /// A command was wrong, unknown or out of order.
    ///
    /// # Errors
    /// The last words, when it was one too many.
    pub const fn protocol_error(&mut self) -> Result<(), Words> {
        self.protocol_errors += 1;
        if self.protocol_errors > self.limits.max_protocol_errors {
            Err(Words::TOO_MANY_ERRORS)
        } else {
            Ok(())
        }
    }

    /// A password was wrong.
    ///
    /// # Errors
    /// The last words, when it was one too many.
    pub const fn logon_failure(&mut self) -> Result<(), Words> {
        self.logon_failures += 1;
        if self.logon_failures >= self.limits.max_logon_failures {
            Err(Words::TOO_MANY_LOGONS)
        } else {
            Ok(())
        }
    }

    /// Whether a message that has `accepted` recipients may have one more.
    ///
    /// # Errors
    /// What the client is told; he sends the rest in another transaction.
    pub const fn one_more_recipient(&self, accepted: u32) -> Result<(), Words> {
        if accepted < self.limits.max_recipients_per_message {
            Ok(())
        } else {
            Err(Words::TOO_MANY_RECIPIENTS)
        }
    }

    /// Whether a message may be so large, as announced or as received so far.
    ///
    /// # Errors
    /// What the client is told.
    pub const fn size(&self, bytes: u64) -> Result<(), Words> {
        if bytes <= self.limits.max_message_size { Ok(()) } else { Err(Words::TOO_LARGE) }
    }

    /// Whether a message may have come through so many servers, with a header of so many bytes.
    ///
    /// # Errors
    /// What the client is told.
    pub const fn header(&self, hops: u32, bytes: u64) -> Result<(), Words> {
        if bytes > self.limits.max_header_size {
            Err(Words::HEADER_TOO_LARGE)
        } else if hops > self.limits.max_hop_count {
            Err(Words::TOO_MANY_HOPS)
        } else {
            Ok(())
        }
    }
}

/// How long a reply is held back: a stranger's refusals are, so that guessing takes time.
pub const fn tarpit(limits: &ReceiveLimits, standing: Standing, code: u16) -> Micros {
    match (standing, code) {
        (Standing::Stranger, 500..600) => limits.tarpit_interval,
        (Standing::Stranger | Standing::OwnClient | Standing::OwnServer, _) => Micros::ZERO,
    }
}

#[cfg(test)]
mod tests;
