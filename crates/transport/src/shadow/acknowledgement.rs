//! How long the last 250 waits for peers without shadows (H12).
//!
//! Such a peer forgets a message once it was taken. A connector may hold that answer back until the message went
//! onward, or was deferred, so that a server that dies meanwhile has acknowledged nothing it did not pass on.

use weir_units::{Micros, Tick};

/// When the last 250 is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acknowledge {
    /// At once.
    Now,
    /// Then at the latest; sooner when the message goes onward or is deferred.
    At(Tick),
}

/// When a message that was taken at `taken` is acknowledged.
///
/// `decided` says that it went onward or was deferred; `max_acknowledgement_delay` of zero never waits. A peer that
/// keeps a shadow itself never waits either.
pub fn acknowledge(
    keeps_shadow: bool,
    decided: bool,
    max_acknowledgement_delay: Micros,
    taken: Tick,
    now: Tick,
) -> Acknowledge {
    let latest = taken.plus(max_acknowledgement_delay);
    if keeps_shadow || decided || now >= latest { Acknowledge::Now } else { Acknowledge::At(latest) }
}

#[cfg(test)]
mod tests;
