//! Exact replay: the verdict that follows from a line's recorded inputs, held against the recorded one (T22).
//!
//! A line says what each gate saw ([`weir_throttle::Evidence`]); the verdict and the part that it names are found again from that alone.
//! What a gate took for the allowance must also be what the budget beside it says was allowed.

use serde::Serialize;
use weir_throttle::{Seen, Verdict};
use weir_units::{Part, TimePart};

use crate::read::Call;
use crate::record::{Allowed, Place};

/// How many lines that differ are named.
pub const DIFFERENCES_MAX: usize = 10;

/// What comparing has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Replay {
    /// Lines that were compared.
    pub compared: u64,
    /// Those whose verdict does not follow from what they say.
    pub differing: u64,
    /// The first of these.
    pub differences: Vec<Difference>,
}

/// A line whose verdict does not follow from what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Which of the files, counted from 0.
    pub file: usize,
    /// The line, counted from 1.
    pub line: u64,
    /// What it says.
    pub recorded: String,
    /// What follows.
    pub follows: String,
}

impl Replay {
    /// Compares the line at `place`; one without evidence says nothing.
    pub(crate) fn compare(&mut self, call: &Call<'_>, place: Place) {
        let Some(evidence) = &call.evidence else { return };
        self.compared += 1;
        let (follows, recorded) = (evidence.verdict(), call.verdict.unwrap_or_default());
        let same = follows == recorded;
        if same && evidence.seen().iter().all(|seen| agrees(seen, &call.allowed)) {
            return;
        }
        self.differing += 1;
        if self.differences.len() < DIFFERENCES_MAX {
            let follows = if same { "limits other than the line's own".to_owned() } else { words(follows) };
            let Place { file, line } = place;
            self.differences.push(Difference { file, line, recorded: words(recorded), follows });
        }
    }
}

/// Whether a gate's allowances are those that the line's budget names.
fn agrees(seen: &Seen, allowed: &Allowed) -> bool {
    match seen {
        Seen::Turn { time, .. } | Seen::Line { time, .. } => TimePart::ALL
            .into_iter()
            .zip(allowed.time)
            .all(|(part, allowance)| time.of(part).is_none_or(|seen| Some(seen.allowance) == allowance)),
        Seen::Count { .. }
        | Seen::Cpu { .. }
        | Seen::Page { .. }
        | Seen::Whole { .. }
        | Seen::Pace { .. }
        | Seen::Search { .. }
        | Seen::Place { .. } => true,
    }
}

fn words((verdict, part): (Verdict, Option<Part>)) -> String {
    part.map_or_else(|| verdict.name().to_owned(), |part| format!("{} {part}", verdict.name()))
}
