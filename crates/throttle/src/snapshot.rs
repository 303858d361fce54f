//! A budget at one moment, as the request log prints it (T17) and explaining shows it (T21).

use std::fmt;

use weir_units::{Micros, Millis, Owner, Part, Percent, TimePart};

use crate::limits::ComponentLimits;

/// One time part of a budget at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartState {
    /// What the policy allows in a minute; nothing: no limit.
    pub allowance: Option<Micros>,
    /// What was used in the last minute.
    pub used: Micros,
}

impl PartState {
    /// What is left of the allowance in milliseconds, negative in debt; nothing without a limit.
    pub fn remainder(&self) -> Option<i64> {
        Some(signed(self.allowance?.floor_millis()) - signed(self.used.floor_millis()))
    }
}

/// Prints `allowance/remainder/used share of a minute`, the times in milliseconds.
impl fmt::Display for PartState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.allowance.zip(self.remainder()) {
            None => f.write_str("$null/$null/0%"),
            Some((allowance, left)) => {
                let share = Percent::of_minute_used(self.used);
                write!(f, "{}/{left}/{share}%", allowance.floor_millis().count())
            }
        }
    }
}

/// A budget at one moment.
///
/// ```
/// use weir_throttle::{Budget, Limits, Policy};
/// use weir_units::{Component, Tick};
/// let limits = Limits::resolve(&Policy::new(), &Policy::fallback());
/// let snapshot = Budget::new().snapshot(limits.component(Component::Ews), Tick::START);
/// assert_eq!(
///     snapshot.to_string(),
///     "Conn:0,AD:30000/30000/0%,CAS:54000/54000/0%,AB:30000/30000/0%,RPC:36000/36000/0%,FC:1000/0,Hash:0,Sub:5000/0",
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Places taken.
    pub connections: u32,
    /// The time parts, by [`weir_units::TimePart::index`].
    pub time: [PartState; 4],
    /// The find count: limit and in use.
    pub find_count: (Option<u32>, u32),
    /// A number that stands for the owner, the same for ever.
    pub hash: u32,
    /// Subscriptions: limit and in use.
    pub subscriptions: (Option<u32>, u32),
    /// Calls that wait in the line. Not printed.
    pub waiting: u32,
    /// Hanging calls. Not printed.
    pub hanging: u32,
}

impl Snapshot {
    /// The part of which most is used, and how much of what `limits` allow that is, in percent and rounded down (T21). A
    /// part of which nothing is allowed is used up; nothing where no part has a limit. Of parts that are equally full it is
    /// the whole time in the gateway, which includes the others.
    pub fn fullest(&self, limits: &ComponentLimits) -> Option<(Part, u64)> {
        let times = TimePart::ALL
            .into_iter()
            .zip(&self.time)
            .map(|(part, state)| (Part::Time(part), state.used.count(), state.allowance.map(Micros::count)));
        let count = |(limit, used): (Option<u32>, u32)| (u64::from(used), limit.map(u64::from));
        let hanging = Some(limits.hanging).filter(|most| *most < u32::MAX);
        let counts = [
            (Part::MaxConcurrency, count((limits.max_concurrency, self.connections))),
            (Part::HangingConnections, count((hanging, self.hanging))),
            (Part::FindCount, count(self.find_count)),
            (Part::MaxSubscriptions, count(self.subscriptions)),
        ];
        let counts = counts.map(|(part, (used, limit))| (part, used, limit));
        let shares = times.chain(counts).filter_map(|(part, used, limit)| Some((part, share(used, limit?))));
        shares.max_by_key(|(part, share)| (*share, *part == Part::Time(TimePart::Cas)))
    }

    /// The same snapshot with the hash of `owner`.
    #[must_use]
    pub fn of_owner(self, owner: &Owner) -> Self {
        Self { hash: owner_hash(owner), ..self }
    }
}

/// Prints the form of the request log (T17).
impl fmt::Display for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [ad, cas, address_book, mailbox_rpc] = &self.time;
        write!(f, "Conn:{},AD:{ad},CAS:{cas},AB:{address_book},RPC:{mailbox_rpc}", self.connections)?;
        write!(f, ",FC:{},Hash:{},Sub:{}", InUse(self.find_count), self.hash, InUse(self.subscriptions))
    }
}

/// Prints `limit/in use`.
struct InUse((Option<u32>, u32));

impl fmt::Display for InUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (limit, used) = self.0;
        match limit {
            None => write!(f, "$null/{used}"),
            Some(limit) => write!(f, "{limit}/{used}"),
        }
    }
}

/// How much of `limit` is `used`, in percent.
fn share(used: u64, limit: u64) -> u64 {
    used.saturating_mul(100).checked_div(limit).unwrap_or(100)
}

/// A number that stands for `owner` in logs, the same in every process and version: FNV-1a over the name's bytes.
pub fn owner_hash(owner: &Owner) -> u32 {
    owner.name().bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

fn signed(millis: Millis) -> i64 {
    i64::try_from(millis.count()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
