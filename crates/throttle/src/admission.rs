//! The questions that a call puts to its owner's budget, and the answers (T6).

use weir_units::{Refusal, Tick};

use crate::call::Call;

/// What happens to a call whose owner is over budget in time (T6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OverBudget {
    /// It waits until the remainder is positive.
    #[default]
    Delay,
    /// It is refused at once.
    Refuse,
}

/// How budgets are enforced: the settings that are no part of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// What happens to a call whose owner is over budget in time.
    pub over_budget: OverBudget,
    /// How many calls of one owner may wait in one component.
    pub max_waiting: u32,
}

/// How many calls of one owner may wait in one component, unless the settings say otherwise.
pub const WAITING_MAX: u32 = 100;

impl Default for Rules {
    fn default() -> Self {
        Self { over_budget: OverBudget::Delay, max_waiting: WAITING_MAX }
    }
}

/// The answer to a call that asks to run.
#[derive(Debug)]
pub enum Admission {
    /// It runs.
    Run(Call),
    /// It waits in the line, and looks again at that moment or when it is woken.
    Wait(Call, Tick),
    /// It may not run; nothing was taken.
    Refuse(Refusal),
}

/// The answer to a call that looks again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// It runs.
    Run,
    /// It waits, and looks again at that moment or when it is woken.
    Wait(Tick),
}
