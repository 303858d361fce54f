//! One call, as any log tells it.
//!
//! What a log does not say is nothing here: who only knows how long a request took has a cost in CAS and no verdict. The
//! moment is the arrival, in microseconds of the world's time; of most logs it is the moment of writing less what the
//! request took.

use jiff::Timestamp;
use weir_throttle::{OverBudget, Verdict};
use weir_units::{Component, Micros, Part, Tick, WallTime};

pub use crate::names::{Name, Names};

/// Where a call stands in the logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Which of the files, counted from 0.
    pub file: usize,
    /// The line, counted from 1.
    pub line: u64,
}

/// One call.
#[derive(Clone, Debug)]
pub struct Record {
    /// When it arrived.
    pub arrived: WallTime,
    /// The same on the clock of the process that logged it, where the log says it.
    pub tick: Option<Tick>,
    /// Where it stands.
    pub place: Place,
    /// Who is charged: the user, or the address of a client without a name.
    pub owner: Name,
    /// What the client says that it is.
    pub agent: Name,
    /// What it asked for.
    pub operation: Name,
    /// The policy that was in force.
    pub policy: Name,
    /// Whose limits hold; nothing where the path says nothing.
    pub component: Option<Component>,
    /// From its first byte to the last of its answer.
    pub taken: Micros,
    /// How long it was made to wait.
    pub waited: Micros,
    /// What it cost, by [`weir_units::TimePart::index`].
    pub cost: [Micros; 4],
    /// How many items and folders its finds brought, and whether the client pages.
    pub found: Option<(u64, bool)>,
    /// Whether it asked for one more subscription, and how many there were.
    pub subscribes: Option<u32>,
    /// Whether it waited for events and held no place (T25).
    pub hangs: bool,
    /// What was decided, and the part that it names.
    pub verdict: Option<(Verdict, Option<Part>)>,
    /// What was allowed.
    pub allowed: Allowed,
}

/// What the policy in force allowed, as far as a log says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    /// The allowance of each time part in a minute.
    pub time: [Option<Micros>; 4],
    /// Calls at the same time.
    pub places: Option<u32>,
    /// Items and folders.
    pub find_count: Option<u32>,
    /// Subscriptions.
    pub subscriptions: Option<u32>,
    /// What happened to who was over budget in time.
    pub over_budget: OverBudget,
}

impl Record {
    /// Whether it was refused before it cost anything.
    pub fn was_refused(&self) -> bool {
        self.verdict.is_some_and(|(verdict, _)| verdict == Verdict::Refuse)
    }
}

/// A moment for people: RFC 3339 in UTC, to the millisecond.
pub fn rfc3339(at: WallTime) -> String {
    let at = Timestamp::from_microsecond(at.unix_micros()).unwrap_or_default();
    format!("{at:.3}")
}
