//! How long a back-off is: the latency times a factor (R8), and the latency below which there is none (R4).
//!
//! The factor is in thousandths, so that 1000 makes a back-off as long as the origin takes over a packet, and a session
//! that obeys makes one operation in that time. Both settings may change while sessions run: they are an argument of
//! each decision. A factor of 0 switches RPC throttling off, which is worth a warning.

use weir_units::{Event, EventId, Level, Micros};

use super::queue::{BACKOFF_MAX, BACKOFF_MIN};

/// The RPC throttling factor, 0–5000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RpcFactor(u16);

/// A factor that is not one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "an RPC throttling factor of {given} is out of range; allowed is 0–5000, 0 to switch RPC throttling off"
)]
pub struct FactorOutOfRange {
    /// What was given.
    pub given: u64,
}

impl RpcFactor {
    /// Nobody is backed off.
    pub const OFF: Self = Self(0);
    /// The highest.
    pub const MAX: Self = Self(5000);

    /// A factor of so many thousandths.
    ///
    /// # Errors
    /// [`FactorOutOfRange`] above 5000.
    pub fn new(thousandths: u64) -> Result<Self, FactorOutOfRange> {
        match u16::try_from(thousandths).map(Self) {
            Ok(factor) if factor <= Self::MAX => Ok(factor),
            Ok(_) | Err(_) => Err(FactorOutOfRange { given: thousandths }),
        }
    }

    /// Thousandths.
    pub const fn thousandths(self) -> u16 {
        self.0
    }

    /// Whether RPC throttling is switched off.
    pub const fn is_off(self) -> bool {
        self.0 == 0
    }

    /// How long a session is to back off for one operation while the RPC average latency is `latency`; nothing while
    /// RPC throttling is off.
    ///
    /// ```
    /// use weir_throttle::rpc::RpcFactor;
    /// use weir_units::Millis;
    /// let millis = |factor, latency| {
    ///     let backoff = RpcFactor::new(factor).unwrap().backoff(Millis::new(latency).micros());
    ///     backoff.map(|backoff| backoff.ceil_millis().count())
    /// };
    /// assert_eq!(millis(1000, 50), Some(50));
    /// assert_eq!(millis(2000, 50), Some(100));
    /// assert_eq!(millis(5000, 900), Some(2000), "never more");
    /// assert_eq!(millis(0, 50), None);
    /// ```
    #[inline]
    pub fn backoff(self, latency: Micros) -> Option<Micros> {
        let length = Micros::new(latency.times(u64::from(self.0)).count() / 1000);
        (!self.is_off()).then(|| length.clamp(BACKOFF_MIN, BACKOFF_MAX))
    }

    /// The event that RPC throttling was switched off, to be told whenever the factor becomes 0 and at each start
    /// with it.
    pub fn off_event(self) -> Option<Event> {
        let text = "RPC throttling is off, since rpc_throttling_factor is 0: one session with too many operations can \
                    slow the server down for all. Find the server's bottleneck, and set the factor to 1000 again";
        let fields = vec![("rpc_throttling_factor", self.0.to_string())];
        let (id, level) = (EventId::RPC_THROTTLING_OFF, Level::Warning);
        self.is_off().then(|| Event { id, level, text: text.to_owned(), fields })
    }
}

impl Default for RpcFactor {
    /// A back-off is exactly as long as the latency.
    fn default() -> Self {
        Self(1000)
    }
}

/// What sessions are judged by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RpcRules {
    /// How long a back-off is.
    pub factor: RpcFactor,
    /// The RPC average latency below which nobody is told to back off.
    pub floor: Micros,
}

impl RpcRules {
    /// How long a back-off for one operation is at this latency, if anybody is to be backed off at all.
    #[inline]
    pub(crate) fn backoff(&self, latency: Micros) -> Option<Micros> {
        self.factor.backoff(latency).filter(|_| latency >= self.floor)
    }
}

#[cfg(test)]
mod tests;
