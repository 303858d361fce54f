//! Exchange's budgets, as its servers write them into the query column.
//!
//! Exchange 2010 before and after its first service pack differ in which members a budget has – `HangingConn`, `Policy`,
//! `Norm` came later – and in where it stands: `Init>>` and `End(…ms)>>` around the fields of EWS, or `Budget:(D)` among
//! those of `ActiveSync`. So a budget is read member by member, and what is not known is passed over.

use std::borrow::Cow;

use weir_units::Micros;

use crate::record::Allowed;

/// A budget at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Budget<'a> {
    pub(super) allowed: Allowed,
    /// Subscriptions in use.
    pub(super) subscriptions: Option<u32>,
    /// Whether a call of it hangs.
    pub(super) hangs: bool,
    pub(super) policy: Cow<'a, str>,
}

/// Reads `Conn:0,AD:30000/30000/0%,…`; nothing where that is no budget.
pub(super) fn budget(text: &str) -> Option<Budget<'_>> {
    let mut budget = Budget::default();
    let mut known = false;
    for member in text.split(',') {
        let Some((name, value)) = member.split_once(':') else { continue };
        let name = name.strip_prefix("(D)").unwrap_or(name);
        known = true;
        match name {
            "AD" => allowance(value, &mut budget.allowed.time[0])?,
            "CAS" => allowance(value, &mut budget.allowed.time[1])?,
            "AB" => allowance(value, &mut budget.allowed.time[2])?,
            "RPC" => allowance(value, &mut budget.allowed.time[3])?,
            "FC" => budget.allowed.find_count = limit(value)?.0,
            "Sub" => {
                let (most, used) = limit(value)?;
                (budget.allowed.subscriptions, budget.subscriptions) = (most, Some(used));
            }
            "HangingConn" => budget.hangs = value != "0",
            "Policy" => budget.policy = Cow::Borrowed(value.rsplit('^').next().unwrap_or(value)),
            _ => {}
        }
    }
    known.then_some(budget)
}

/// Takes the X of `X/Y/Z%`, in milliseconds.
fn allowance(value: &str, allowance: &mut Option<Micros>) -> Option<()> {
    let most = value.split('/').next()?;
    if most != "$null" {
        *allowance = Some(Micros::new(most.parse::<u64>().ok()?.checked_mul(1000)?));
    }
    Some(())
}

/// The limit of `limit/in use`, and what is in use.
fn limit(value: &str) -> Option<(Option<u32>, u32)> {
    let (most, used) = value.split_once('/')?;
    let most = if most == "$null" { None } else { Some(most.parse().ok()?) };
    Some((most, used.parse().ok()?))
}
