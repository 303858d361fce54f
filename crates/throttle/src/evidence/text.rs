//! Evidence as the request log prints it, and as it is read back.
//!
//! ```text
//! held,MaxConcurrency:0/10,turn:delay:0:AD=0/30000000:CAS=54100000/54000000@250000
//! ```
//!
//! Times are microseconds. `@` is how long until something is left, `@-` never; `+` how long the call waited.

use std::fmt;
use std::str::FromStr;

use weir_units::{Micros, Part, Percent};

use super::{Evidence, Manner, PartSeen, SEEN_MAX, Seen, TimeSeen};
use crate::admission::OverBudget;
use crate::cpu::Busy;

/// A text that is no evidence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no evidence of a verdict")]
pub struct EvidenceError {
    /// The piece that cannot be read.
    pub text: String,
}

/// The names of the time parts, as snapshots print them.
const TIME_PARTS: [&str; 4] = ["AD", "CAS", "AB", "RPC"];

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.manner {
            Manner::Unjudged => "-",
            Manner::Held => "held",
            Manner::Observed => "observed",
        })?;
        self.seen.iter().try_for_each(|seen| write!(f, ",{seen}"))
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { part, used, limit, waited } => {
                write!(f, "{part}:{used}/{limit}")?;
                plus(*waited, f)
            }
            Self::Turn { over_budget, waiting, time } => {
                let word = match over_budget {
                    OverBudget::Delay => "delay",
                    OverBudget::Refuse => "refuse",
                };
                write!(f, "turn:{word}:{waiting}{time}")
            }
            Self::Line { turn, may_refuse, why, waited, time } => {
                let turn = if *turn { "turn" } else { "behind" };
                let may = if *may_refuse { "refuse" } else { "run" };
                write!(f, "line:{turn}:{may}:{why}:{}{time}", waited.count())
            }
            Self::Cpu { busy, start } => write!(f, "cpu:{}/{}", busy.hundredths(), start.count()),
            Self::Page { left, waited } => {
                write!(f, "page:{left}")?;
                plus(*waited, f)
            }
            Self::Whole { came, left } => write!(f, "whole:{came}/{left}"),
            Self::Pace { operations, left, latency } => {
                write!(f, "pace:{operations}:{}:{}", left.count(), latency.count())
            }
            Self::Search { seconds } => write!(f, "search:{seconds}"),
            Self::Place { running, places, may_refuse, waited } => {
                let may = if *may_refuse { "refuse" } else { "run" };
                write!(f, "place:{may}:{running}/{places}")?;
                plus(*waited, f)
            }
        }
    }
}

impl fmt::Display for TimeSeen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, seen) in TIME_PARTS.into_iter().zip(self.0) {
            let Some(seen) = seen else { continue };
            write!(f, ":{name}={}/{}", seen.used.count(), seen.allowance.count())?;
            match seen.clear {
                PartSeen::NEVER => f.write_str("@-")?,
                Micros::ZERO => {}
                clear => write!(f, "@{}", clear.count())?,
            }
        }
        Ok(())
    }
}

fn plus(waited: Micros, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if waited == Micros::ZERO { Ok(()) } else { write!(f, "+{}", waited.count()) }
}

impl FromStr for Evidence {
    type Err = EvidenceError;

    fn from_str(text: &str) -> Result<Self, EvidenceError> {
        let (manner, sights) =
            text.split_once(',').map_or((text, None), |(manner, sights)| (manner, Some(sights)));
        let wrong = |text: &str| EvidenceError { text: text.to_owned() };
        let manner = match manner {
            "-" => Manner::Unjudged,
            "held" => Manner::Held,
            "observed" => Manner::Observed,
            _ => return Err(wrong(manner)),
        };
        let mut seen = Vec::new();
        for sight in sights.into_iter().flat_map(|sights| sights.split(',')) {
            if seen.len() >= SEEN_MAX {
                return Err(wrong(sight));
            }
            seen.push(read(sight).ok_or_else(|| wrong(sight))?);
        }
        Ok(Self { manner, seen })
    }
}

fn read(sight: &str) -> Option<Seen> {
    let (kind, rest) = sight.split_once(':')?;
    match kind {
        "turn" => read_turn(rest),
        "line" => read_line(rest),
        "cpu" => {
            let (busy, start) = rest.split_once('/')?;
            Some(Seen::Cpu { busy: Busy::new(busy.parse().ok()?), start: Percent::new(start.parse().ok()?) })
        }
        "page" => {
            let (left, waited) = waited(rest)?;
            Some(Seen::Page { left: left.parse().ok()?, waited })
        }
        "whole" => {
            let (came, left) = rest.split_once('/')?;
            Some(Seen::Whole { came: came.parse().ok()?, left: left.parse().ok()? })
        }
        "pace" => {
            let mut words = rest.split(':');
            let operations = words.next()?.parse().ok()?;
            let (left, latency) = (micros(words.next()?)?, micros(words.next()?)?);
            words.next().is_none().then_some(Seen::Pace { operations, left, latency })
        }
        "search" => Some(Seen::Search { seconds: rest.parse().ok()? }),
        "place" => read_place(rest),
        part => {
            let (numbers, waited) = waited(rest)?;
            let (used, limit) = numbers.split_once('/')?;
            let (used, limit) = (used.parse().ok()?, limit.parse().ok()?);
            Some(Seen::Count { part: Part::from_name(part)?, used, limit, waited })
        }
    }
}

fn read_place(rest: &str) -> Option<Seen> {
    let (may, rest) = rest.split_once(':')?;
    let may_refuse = one_of(may, "run", "refuse")?;
    let (numbers, waited) = waited(rest)?;
    let (running, places) = numbers.split_once('/')?;
    Some(Seen::Place { running: running.parse().ok()?, places: places.parse().ok()?, may_refuse, waited })
}

fn read_turn(rest: &str) -> Option<Seen> {
    let mut words = rest.split(':');
    let over_budget = match words.next()? {
        "delay" => OverBudget::Delay,
        "refuse" => OverBudget::Refuse,
        _ => return None,
    };
    let waiting = words.next()?.parse().ok()?;
    Some(Seen::Turn { over_budget, waiting, time: read_time(words)? })
}

fn read_line(rest: &str) -> Option<Seen> {
    let mut words = rest.split(':');
    let turn = one_of(words.next()?, "behind", "turn")?;
    let may_refuse = one_of(words.next()?, "run", "refuse")?;
    let why = Part::from_name(words.next()?)?;
    let waited = micros(words.next()?)?;
    Some(Seen::Line { turn, may_refuse, why, waited, time: read_time(words)? })
}

fn read_time<'a>(words: impl Iterator<Item = &'a str>) -> Option<TimeSeen> {
    let mut time = TimeSeen::default();
    for word in words {
        let (name, numbers) = word.split_once('=')?;
        let index = TIME_PARTS.iter().position(|known| *known == name)?;
        let (numbers, clear) = match numbers.split_once('@') {
            None => (numbers, Micros::ZERO),
            Some((numbers, "-")) => (numbers, PartSeen::NEVER),
            Some((numbers, clear)) => (numbers, micros(clear)?),
        };
        let (used, allowance) = numbers.split_once('/')?;
        *time.0.get_mut(index)? =
            Some(PartSeen { used: micros(used)?, allowance: micros(allowance)?, clear });
    }
    Some(time)
}

/// The text before a `+`, and the wait behind it.
fn waited(text: &str) -> Option<(&str, Micros)> {
    match text.split_once('+') {
        None => Some((text, Micros::ZERO)),
        Some((text, waited)) => Some((text, micros(waited)?)),
    }
}

fn micros(text: &str) -> Option<Micros> {
    text.parse().ok().map(Micros::new)
}

fn one_of(word: &str, no: &str, yes: &str) -> Option<bool> {
    if word == yes { Some(true) } else { (word == no).then_some(false) }
}
