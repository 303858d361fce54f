//! `mailweir budget list`: who uses most at this moment, once or again and again.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use weir_admin::client::Client;
use weir_admin::types::TopBudget;

use crate::cli::answer::{Answer, Failure};
use crate::cli::table::{Table, shortened};

/// How often a listing that is watched is made anew.
const REFRESH: Duration = Duration::from_secs(2);
/// Letters of a name that are shown.
const NAME: usize = 26;
/// Clears a terminal, and goes to its upper left corner.
const CLEAR: &str = "\x1b[H\x1b[2J";

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

/// Prints the listing again and again until Ctrl-C, or until nobody reads it any more.
pub(super) async fn watch(client: &Client, top: usize) -> Result<Answer, Failure> {
    let mut ticks = tokio::time::interval(REFRESH);
    let interrupted = tokio::signal::ctrl_c();
    tokio::pin!(interrupted);
    loop {
        tokio::select! {
            biased;
            _ = &mut interrupted => return Ok(Answer::script(String::new())),
            _ = ticks.tick() => {}
        }
        let listing = listing(&client.top_budgets(top).await?);
        if print(&listing).is_err() {
            return Ok(Answer::script(String::new()));
        }
    }
}

/// On a terminal in the place of the one before, elsewhere below it.
fn print(listing: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let (before, after) = if out.is_terminal() { (CLEAR, "") } else { ("", "\n") };
    write!(out, "{before}{listing}{after}")?;
    out.flush()
}

#[cfg(test)]
mod tests;
