//! What the gates on a call's way saw, exactly as they decided on it, and the verdict that follows from it (T22).
//!
//! Each gate – a place, the turn, the processor, the find count – decides on a [`Seen`], a value with every input of its
//! decision, and the call keeps those that its verdict depends on. The request log prints them, so that the verdict of a
//! line can be found again from the line alone: [`Evidence::verdict`] is a function of nothing else. What is kept is
//! bounded: of several of a kind the last says what the log says.

mod text;
mod time;

use weir_units::{Micros, Part, Percent, Refusal};

use crate::admission::OverBudget;
use crate::cpu::{Busy, cpu_delay};
use crate::verdict::Verdict;

pub use text::EvidenceError;
pub use time::{PartSeen, TimeSeen};

/// How many sights one call keeps.
pub const SEEN_MAX: usize = 8;

/// A wait that is shorter is none; a delay for the processor always counts.
pub const WAIT_LEAST: Micros = Micros::new(1000);

/// How a call is held to its owner's budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Manner {
    /// Nothing was decided about it.
    #[default]
    Unjudged,
    /// It is refused or delayed where a limit says so.
    Held,
    /// It is only told what would have been (T20).
    Observed,
}

/// What one gate saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Things that are counted: `used` of `limit` before this call's own.
    Count {
        /// What is counted.
        part: Part,
        /// How many there were.
        used: u64,
        /// How many there may be.
        limit: u64,
        /// How long the call waited for there to be fewer.
        waited: Micros,
    },
    /// A call that asks to run for the first time (T6).
    Turn {
        /// What happens where a time part has nothing left.
        over_budget: OverBudget,
        /// Calls that waited already.
        waiting: u32,
        /// The time parts.
        time: TimeSeen,
    },
    /// The end of a wait in the line.
    Line {
        /// Whether it was the call's turn.
        turn: bool,
        /// Whether it may be refused, or else runs in debt (T26).
        may_refuse: bool,
        /// What it waited for.
        why: Part,
        /// For how long.
        waited: Micros,
        /// The time parts at the end.
        time: TimeSeen,
    },
    /// A look at the processor (T9).
    Cpu {
        /// How busy it was.
        busy: Busy,
        /// From where on it delays.
        start: Percent,
    },
    /// A paged find, after it waited for something to be left (T11).
    Page {
        /// What was left.
        left: u32,
        /// How long it waited.
        waited: Micros,
    },
    /// A find that wants all at once (T12).
    Whole {
        /// How many came, as far as they were counted.
        came: u64,
        /// How many were left.
        left: u64,
    },
    /// A MAPI session, or an owner, who may be faster than the origin (R7, R9).
    Pace {
        /// Operations of the request.
        operations: u32,
        /// What is left of the back-off that is under way; zero outside any.
        left: Micros,
        /// The latency that operations are held to.
        latency: Micros,
    },
    /// A full-text search that ran out of its time.
    Search {
        /// How many seconds it had.
        seconds: u64,
    },
    /// A place at the origin, after the call waited for one (T23).
    Place {
        /// How many calls ran there before this one.
        running: u32,
        /// How many might.
        places: u32,
        /// Whether it may be refused, or else runs beyond the limit (T26).
        may_refuse: bool,
        /// How long it waited.
        waited: Micros,
    },
}

/// What a gate decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The call goes on.
    Pass,
    /// It joins the line for the sake of a part; the line's end says what became of it.
    Join(Part),
    /// It went on after a wait.
    Wait(Part),
    /// It may not go on.
    Refuse(Part),
}

impl Seen {
    /// The sight behind a refusal of something that is counted.
    pub const fn refused(refusal: &Refusal) -> Self {
        let Refusal { part, used, limit, .. } = *refusal;
        Self::Count { part, used, limit, waited: Micros::ZERO }
    }

    /// What the gate decides.
    pub fn outcome(&self) -> Outcome {
        match *self {
            Self::Count { part, used, limit, .. } if used >= limit => Outcome::Refuse(part),
            Self::Count { part, waited, .. } if waited > Micros::ZERO => Outcome::Wait(part),
            Self::Turn { over_budget, waiting, time } => turn(over_budget, waiting, &time),
            Self::Line { turn, may_refuse: true, time, .. } if !(turn && time.within()) => {
                Outcome::Refuse(Part::Time(time.part()))
            }
            Self::Line { why, waited, .. } => wait(why, waited),
            Self::Cpu { busy, start } => {
                cpu_delay(busy, Some(start)).map_or(Outcome::Pass, |_| Outcome::Wait(Part::Cpu))
            }
            Self::Page { left: 0, .. } => Outcome::Refuse(Part::FindCount),
            Self::Page { waited, .. } => wait(Part::FindCount, waited),
            Self::Whole { came, left } if came > left => Outcome::Refuse(Part::FindCount),
            Self::Pace { left, .. } if left > Micros::ZERO => Outcome::Refuse(Part::Backoff),
            Self::Count { .. } | Self::Whole { .. } | Self::Pace { .. } => Outcome::Pass,
            Self::Search { .. } => Outcome::Refuse(Part::FastSearchTimeout),
            Self::Place { running, places, may_refuse: true, .. } if running >= places => {
                Outcome::Refuse(Part::FairShare)
            }
            Self::Place { waited, .. } => wait(Part::FairShare, waited),
        }
    }
}

fn turn(over_budget: OverBudget, waiting: u32, time: &TimeSeen) -> Outcome {
    let refuses = over_budget == OverBudget::Refuse;
    if time.within() && (refuses || waiting == 0) {
        Outcome::Pass
    } else if refuses || time.is_hopeless() {
        Outcome::Refuse(Part::Time(time.part()))
    } else {
        Outcome::Join(Part::Time(time.part()))
    }
}

fn wait(part: Part, waited: Micros) -> Outcome {
    if waited < WAIT_LEAST { Outcome::Pass } else { Outcome::Wait(part) }
}

/// What a call's verdict depends on.
///
/// ```
/// use weir_throttle::evidence::Evidence;
/// use weir_throttle::Verdict;
/// use weir_units::Part;
/// let evidence: Evidence = "held,MaxConcurrency:10/10".parse()?;
/// assert_eq!(evidence.verdict(), (Verdict::Refuse, Some(Part::MaxConcurrency)));
/// let evidence: Evidence = "held,MaxConcurrency:9/10,turn:delay:0:CAS=53999999/54000000".parse()?;
/// assert_eq!(evidence.verdict(), (Verdict::Run, None));
/// # Ok::<(), weir_throttle::evidence::EvidenceError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    manner: Manner,
    seen: Vec<Seen>,
}

impl Evidence {
    /// Nothing seen yet.
    pub const fn new(manner: Manner) -> Self {
        Self { manner, seen: Vec::new() }
    }

    /// The evidence of a call that was refused before it held anything.
    pub fn refused(refusal: &Refusal) -> Self {
        Self { manner: Manner::Held, seen: vec![Seen::refused(refusal)] }
    }

    /// How the call is held to its budget.
    pub const fn manner(&self) -> Manner {
        self.manner
    }

    /// What was seen, in its order.
    pub fn seen(&self) -> &[Seen] {
        &self.seen
    }

    /// Keeps what a gate saw. Where there is no room the last one that was decided alike gives way, else the last.
    pub fn note(&mut self, seen: Seen) {
        if self.seen.len() >= SEEN_MAX {
            let kind = std::mem::discriminant(&seen.outcome());
            let alike = self.seen.iter().rposition(|old| std::mem::discriminant(&old.outcome()) == kind);
            self.seen.remove(alike.unwrap_or(SEEN_MAX - 1));
        }
        self.seen.push(seen);
    }

    /// The verdict, and the part that it names.
    pub fn verdict(&self) -> (Verdict, Option<Part>) {
        match self.manner {
            Manner::Unjudged => (Verdict::Unjudged, None),
            Manner::Observed => self.observed(),
            Manner::Held => self.held(),
        }
    }

    /// The last refusal counts, else the last wait.
    fn held(&self) -> (Verdict, Option<Part>) {
        let mut verdict = (Verdict::Run, None);
        for seen in &self.seen {
            match seen.outcome() {
                Outcome::Pass | Outcome::Join(_) => {}
                Outcome::Wait(_) if verdict.0 == Verdict::Refuse => {}
                Outcome::Wait(part) => verdict = (Verdict::Delay, Some(part)),
                Outcome::Refuse(part) => verdict = (Verdict::Refuse, Some(part)),
            }
        }
        verdict
    }

    /// The first gate that would have refused the call counts, else the first that would have made it wait.
    fn observed(&self) -> (Verdict, Option<Part>) {
        let mut verdict = (Verdict::Run, None);
        for seen in &self.seen {
            match seen.outcome() {
                Outcome::Pass => {}
                Outcome::Refuse(part) => return (Verdict::WouldRefuse, Some(part)),
                Outcome::Join(_) | Outcome::Wait(_) if verdict.0 == Verdict::WouldDelay => {}
                Outcome::Join(part) | Outcome::Wait(part) => verdict = (Verdict::WouldDelay, Some(part)),
            }
        }
        verdict
    }
}

#[cfg(test)]
mod tests;
