//! How many connections a next hop bears, found by feedback.
//!
//! Each message that is delivered adds a part of a connection to a balance, each sign of overload takes five parts
//! away; the part is one over the window. A full balance widens the window by one, a full debt narrows it by one – or
//! halves it, when nothing was delivered meanwhile. So a window settles where about one message in six is turned away;
//! in one of more than five, where the balance has to swing before anything happens, a failure here and there changes
//! nothing.
//!
//! Overload is what a next hop says about itself: 421, or a temporary refusal of the whole connection. A target that is
//! dead is another matter: the selector leaves it out, and the window stays.

use super::settings::QueueSettings;

/// One connection, in the units of the balance.
const WHOLE: i64 = 1 << 40;

/// How many deliveries weigh as much as one sign of overload.
const OVERLOAD: i64 = 5;

/// What a connection taught about its next hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feedback {
    /// A message was delivered.
    Delivered,
    /// The next hop has too much to do.
    Overloaded,
}

/// How many connections to a next hop may be open at once.
///
/// ```
/// use weir_transport::queue::{Feedback, QueueSettings, Window};
/// let mut window = Window::new(&QueueSettings::default());
/// assert_eq!(window.size(), 5);
/// for _ in 0..5 {
///     window.learn(Feedback::Delivered);
/// }
/// assert_eq!(window.size(), 6, "five deliveries at a window of five");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    initial: u32,
    most: u32,
    size: u32,
    /// From one whole connection owed to one whole connection earned.
    balance: i64,
    /// Nothing was delivered since the size last changed.
    barren: bool,
}

impl Window {
    /// A window of the initial size.
    pub fn new(settings: &QueueSettings) -> Self {
        let most = settings.max_per_domain_outbound_connections.max(1);
        let initial = settings.initial_connections.clamp(1, most);
        Self { initial, most, size: initial, balance: 0, barren: true }
    }

    /// How many connections may be open.
    pub const fn size(&self) -> u32 {
        self.size
    }

    /// Takes one lesson.
    pub fn learn(&mut self, feedback: Feedback) {
        // Rounded up, so that a window's worth is never a hair less than one.
        let part = (WHOLE + i64::from(self.size) - 1) / i64::from(self.size);
        match feedback {
            Feedback::Delivered => {
                self.balance += part;
                self.barren = false;
            }
            Feedback::Overloaded => self.balance -= OVERLOAD * part,
        }
        if self.balance >= WHOLE {
            self.resize(self.size + 1);
        } else if self.balance <= -WHOLE {
            self.resize(if self.barren { self.size / 2 } else { self.size - 1 });
        }
    }

    /// Begins anew, after the next hop was out altogether: what it bore before says little.
    pub fn restart(&mut self) {
        self.resize(self.initial.min(self.size));
    }

    fn resize(&mut self, size: u32) {
        self.size = size.clamp(1, self.most);
        self.balance = 0;
        self.barren = true;
    }
}

#[cfg(test)]
mod tests;
