//! The fields that Mailweir writes behind Exchange's.

use std::borrow::Cow;

use weir_throttle::{Evidence, OverBudget, PLACES_MAX, Seen, Verdict};
use weir_units::{Component, Micros, Part};

use super::{Call, said};

/// Whether a line has them.
#[derive(Debug, Default)]
pub(super) struct Own<'a> {
    verdict: Option<&'a str>,
    why: Option<&'a str>,
}

impl<'a> Own<'a> {
    /// Takes one field.
    ///
    /// # Errors
    /// What is wrong with its value.
    pub(super) fn field(
        &mut self,
        name: &str,
        value: &'a str,
        call: &mut Call<'a>,
    ) -> Result<(), &'static str> {
        match name {
            "Waited" => {
                let waited = value.strip_suffix("ms").and_then(super::millis);
                call.waited = waited.ok_or("Waited is no time in ms")?;
            }
            "Policy" => call.policy = Cow::Borrowed(said(value)),
            "Verdict" => self.verdict = Some(value),
            "Why" => self.why = Some(value),
            "Tick" => call.tick = Some(value.parse().map_err(|_| "Tick is no number")?),
            "Component" => call.component = Component::from_name(value),
            "Cost" => call.cost = cost(value).ok_or("Cost is no four times")?,
            "Found" => call.found = Some(found(value).ok_or("Found is no count")?),
            "Saw" => see(value, call)?,
            _ => {}
        }
        Ok(())
    }

    /// The line has no more fields.
    ///
    /// # Errors
    /// Where it has a verdict that does not exist.
    pub(super) fn end(self, call: &mut Call<'a>) -> Result<(), &'static str> {
        let Some(verdict) = self.verdict else { return Ok(()) };
        let verdict = Verdict::from_name(verdict).ok_or("Verdict is none that there is")?;
        let why = match self.why {
            None | Some("-") => None,
            Some(why) => Some(Part::from_name(why).ok_or("Why is no part of a budget")?),
        };
        call.verdict = Some((verdict, why));
        Ok(())
    }
}

fn see(value: &str, call: &mut Call<'_>) -> Result<(), &'static str> {
    let evidence: Evidence = value.parse().map_err(|_| "Saw is no evidence")?;
    for seen in evidence.seen() {
        match seen {
            Seen::Count { part: Part::MaxConcurrency, limit, .. } => {
                let limit = u32::try_from(*limit).unwrap_or(u32::MAX);
                call.allowed.places = (limit < PLACES_MAX).then_some(limit);
            }
            Seen::Count { part: Part::HangingConnections, .. } => call.hangs = true,
            Seen::Turn { over_budget: OverBudget::Refuse, .. } => {
                call.allowed.over_budget = OverBudget::Refuse;
            }
            Seen::Count { .. }
            | Seen::Turn { .. }
            | Seen::Line { .. }
            | Seen::Cpu { .. }
            | Seen::Page { .. }
            | Seen::Whole { .. }
            | Seen::Pace { .. }
            | Seen::Search { .. }
            | Seen::Place { .. } => {}
        }
    }
    call.evidence = Some(evidence);
    Ok(())
}

fn cost(value: &str) -> Option<[Micros; 4]> {
    let mut numbers = value.split('/').map(|number| number.parse().ok().map(Micros::new));
    let cost = [numbers.next()??, numbers.next()??, numbers.next()??, numbers.next()??];
    numbers.next().is_none().then_some(cost)
}

fn found(value: &str) -> Option<(u64, bool)> {
    let (count, how) = value.split_once('/')?;
    let paged = match how {
        "paged" => true,
        "whole" => false,
        _ => return None,
    };
    Some((count.parse().ok()?, paged))
}
