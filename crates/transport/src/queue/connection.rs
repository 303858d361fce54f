//! When a connection is opened, and when it has carried enough.

use weir_balance::Service;

use super::settings::QueueSettings;

/// The connections of the process.
///
/// The last tenth of them is for next hops that have none yet, so that a few large queues cannot lock out all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connections {
    most: u32,
    open: u32,
}

/// What follows when a message has been sent over a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// The next message.
    Send,
    /// The connection ends with QUIT.
    Close(Ending),
}

/// Why a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It has carried as many messages as one may: the next target's turn (H1).
    Spent,
    /// No message is ready.
    NothingLeft,
    /// The administrator took its target out, or lets it run empty.
    OutOfService,
}

impl Connections {
    /// None open, of as many as `settings` allow.
    pub fn new(settings: &QueueSettings) -> Self {
        Self { most: settings.max_outbound_connections.max(1), open: 0 }
    }

    /// How many are open, or being opened.
    pub const fn open(&self) -> u32 {
        self.open
    }

    /// Whether a next hop that has `of_hop` connections may have one more.
    pub const fn may_open(&self, of_hop: u32) -> bool {
        let kept = if of_hop == 0 { 0 } else { self.most / 10 };
        self.open < self.most - kept
    }

    /// Counts one more; false where there may be no more.
    #[must_use = "a connection that was not counted must not be opened"]
    pub const fn take(&mut self, of_hop: u32) -> bool {
        let may = self.may_open(of_hop);
        if may {
            self.open += 1;
        }
        may
    }

    /// Counts one less.
    pub const fn give_back(&mut self) {
        self.open = self.open.saturating_sub(1);
    }
}

/// What follows when a connection has sent its message number `sent`, and `ready` more wait.
pub fn after_message(sent: u32, ready: usize, service: Service, settings: &QueueSettings) -> After {
    match service {
        Service::Draining | Service::Disabled => After::Close(Ending::OutOfService),
        Service::Enabled if sent >= settings.smtp_max_messages_per_connection => After::Close(Ending::Spent),
        Service::Enabled if ready == 0 => After::Close(Ending::NothingLeft),
        Service::Enabled => After::Send,
    }
}

#[cfg(test)]
mod tests;
