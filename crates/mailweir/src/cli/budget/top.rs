//! `mailweir budget list`: who uses most at this moment.

use weir_admin::types::TopBudget;

use crate::cli::table::{Table, shortened};

/// Letters of a name that are shown.
const NAME: usize = 26;

/// The listing, for people.
pub(super) fn listing(budgets: &[TopBudget]) -> String {
    let mut table = Table::new(&["OWNER", "IN", "SHARE", "OF", "CAS", "RPC", "RUN", "WAIT"]);
    for top in budgets {
        let used = |name: &str| {
            let part = top.budget.parts.iter().find(|part| part.part == name);
            part.map_or_else(|| "-".to_owned(), |part| format!("{} ms", part.used_ms))
        };
        table.row([
            shortened(&top.owner, NAME),
            top.budget.component.clone(),
            share(top),
            top.part.clone().unwrap_or_else(|| "-".to_owned()),
            used("PercentTimeInCAS"),
            used("PercentTimeInMailboxRPC"),
            top.budget.running.to_string(),
            top.budget.waiting.to_string(),
        ]);
    }
    let mut text = table.text_or("nobody has used anything in the last minute");
    if budgets.iter().any(|top| top.observe_only) {
        text.push_str("Shares in brackets are of owners who are only observed.\n");
    }
    text
}

fn share(top: &TopBudget) -> String {
    let share = top.share_percent.map_or_else(|| "-".to_owned(), |share| format!("{share} %"));
    if top.observe_only { format!("({share})") } else { share }
}

#[cfg(test)]
mod tests;
