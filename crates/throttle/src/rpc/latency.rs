//! The RPC average latency of one origin server: the mean over its last 1024 packets (R2).
//!
//! All sessions of the origin share it, and none waits for another: a packet takes the next place of a ring by one
//! atomic addition, puts its time there, and adds to the sum what that is more than the time it replaces. Each time is
//! added once and taken away once, so the sum is exact as soon as nobody is in the middle of this, and out by no more
//! than the packets that are. A reader divides; it never sees a packet in the sum that is not counted.
//!
//! [`LatencyWatch`] says when the mean stays above the goal: users are content below 100 ms.

use std::array;

use weir_units::{Event, EventId, Level, Micros, Tick};

use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// How many packets the mean is taken over.
pub const PACKETS: usize = 1024;
/// The mean below which users are content.
pub const GOAL: Micros = Micros::new(100_000);
/// How long the mean is above the goal before that is worth an event.
pub const PATIENCE: Micros = Micros::MINUTE;

/// How long one origin server took over its last `LAST` RPC packets, of all sessions.
///
/// ```
/// use weir_throttle::rpc::RpcLatency;
/// use weir_units::Micros;
/// let latency = RpcLatency::default();
/// assert_eq!(latency.mean(), Micros::ZERO);
/// latency.record(Micros::new(20_000));
/// latency.record(Micros::new(30_000));
/// assert_eq!(latency.mean(), Micros::new(25_000));
/// ```
#[derive(Debug)]
pub struct RpcLatency<const LAST: usize = PACKETS> {
    /// The sum of the ring.
    sum: AtomicU64,
    /// Packets ever recorded.
    packets: AtomicU64,
    ring: [AtomicU32; LAST],
}

impl<const LAST: usize> RpcLatency<LAST> {
    /// An origin that has not answered yet.
    pub fn new() -> Self {
        Self {
            sum: AtomicU64::new(0),
            packets: AtomicU64::new(0),
            ring: array::from_fn(|_| AtomicU32::new(0)),
        }
    }

    /// The origin took `took` over one packet, of which 71 minutes count at most.
    pub fn record(&self, took: Micros) {
        let took = u32::try_from(took.count()).unwrap_or(u32::MAX);
        let place = self.packets.fetch_add(1, Ordering::Relaxed).checked_rem(Self::places()).unwrap_or(0);
        let Some(slot) = usize::try_from(place).ok().and_then(|place| self.ring.get(place)) else { return };
        let replaced = slot.swap(took, Ordering::Relaxed);
        self.sum.fetch_add(u64::from(took).wrapping_sub(u64::from(replaced)), Ordering::Release);
    }

    /// The mean, rounded down; zero before the first packet, so that nobody is backed off.
    #[inline]
    pub fn mean(&self) -> Micros {
        // Two packets that meet in one place may add in the wrong order, so that the sum is below zero for a moment.
        let sum = u64::try_from(self.sum.load(Ordering::Acquire).cast_signed()).unwrap_or(0);
        let packets = self.packets.load(Ordering::Relaxed).min(Self::places());
        Micros::new(sum.checked_div(packets).unwrap_or(0))
    }

    /// How many packets there ever were.
    pub fn packets(&self) -> u64 {
        self.packets.load(Ordering::Relaxed)
    }

    fn places() -> u64 {
        u64::try_from(LAST).unwrap_or(u64::MAX)
    }
}

impl Default for RpcLatency {
    fn default() -> Self {
        Self::new()
    }
}

/// Says once when an origin's mean stays above [`GOAL`], and again only after it has been met.
#[derive(Clone, Copy, Debug, Default)]
pub struct LatencyWatch {
    above: Option<Above>,
}

#[derive(Clone, Copy, Debug)]
struct Above {
    since: Tick,
    told: bool,
}

impl LatencyWatch {
    /// Looks at the `mean` of the server `origin` at `now`: the event, if it has been above the goal at each look for
    /// [`PATIENCE`].
    pub fn look(&mut self, origin: &str, mean: Micros, now: Tick) -> Option<Event> {
        if mean <= GOAL {
            self.above = None;
            return None;
        }
        let above = self.above.get_or_insert(Above { since: now, told: false });
        if above.told || now.since(above.since) < PATIENCE {
            return None;
        }
        above.told = true;
        Some(above_goal(origin, mean))
    }
}

fn above_goal(origin: &str, mean: Micros) -> Event {
    let (mean, goal) = (mean.floor_millis(), GOAL.floor_millis());
    let text = format!(
        "the RPC average latency of {origin} has been above {goal} for a minute and is {mean}: users notice. Look for \
         the server's bottleneck – disk, processor, memory – and for the sessions with the most operations"
    );
    let fields = vec![
        ("origin", origin.to_owned()),
        ("latency_ms", mean.count().to_string()),
        ("goal_ms", goal.count().to_string()),
    ];
    Event { id: EventId::RPC_LATENCY_ABOVE_GOAL, level: Level::Warning, text, fields }
}

#[cfg(test)]
mod tests;
