//! `mailweir budget …`: what limits an owner at this moment, and why (T21).

use std::fmt::Write;

use clap::Subcommand;
use weir_admin::client::Client;
use weir_admin::types::{ComponentBudget, OwnerBudgets};

use super::answer::{Answer, Failure};
use super::table::Table;

/// What to do with budgets.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum BudgetCommand {
    /// Explain what an owner may use, what he used, and which policy says so
    Show {
        /// The owner: address, alias or SHORT\alias
        owner: String,
    },
}

impl BudgetCommand {
    /// Asks the server.
    pub(super) async fn run(self, client: &Client) -> Result<Answer, Failure> {
        match self {
            Self::Show { owner } => {
                let budgets = client.budgets(&owner).await?;
                Answer::new(card(&budgets), &budgets)
            }
        }
    }
}

fn card(budgets: &OwnerBudgets) -> String {
    let policy = &budgets.policy;
    let mut head = Table::new(&["Owner", &budgets.owner]);
    let in_directory = if budgets.in_directory { "yes" } else { "no: outside every organisation" };
    head.row(["In the directory".to_owned(), in_directory.to_owned()]);
    head.row(["Policy".to_owned(), format!("{} ({})", policy.name, policy.source)]);
    for reason in &policy.reasons {
        head.row(["Because".to_owned(), reason.clone()]);
    }
    if policy.observe_only {
        head.row(["Observe only".to_owned(), "yes: measured, never refused or delayed".to_owned()]);
    }
    let cached = if policy.cached { "from the cache" } else { "just looked up" };
    let (age, rereads) = (seconds(policy.age_ms), seconds(policy.rereads_in_ms));
    head.row([
        "Loaded".to_owned(),
        format!("{age} s ago ({cached}), read again in {rereads} s at the latest"),
    ]);
    budgets.components.iter().fold(head.text(), |text, component| text + "\n" + &section(component))
}

/// One component: how many calls, then the time parts.
fn section(component: &ComponentBudget) -> String {
    let mut text = String::new();
    let seen = if component.active { "" } else { " (not seen lately)" };
    let _ = writeln!(text, "{}{seen}", component.component);
    let mut counts = Table::new(&["COUNT", "IN USE", "LIMIT"]);
    for (name, used, limit) in [
        ("running calls", component.running, component.max_concurrency),
        ("waiting calls", component.waiting, None),
        ("hanging calls", component.hanging, component.max_hanging),
        ("found items", component.find_count, component.find_count_limit),
        ("subscriptions", component.subscriptions, component.max_subscriptions),
    ] {
        counts.row([name.to_owned(), used.to_string(), or_null(limit)]);
    }
    let mut parts = Table::new(&["TIME PART", "ALLOWANCE", "USED", "REMAINDER", "SHARE"]);
    for part in &component.parts {
        parts.row([
            part.part.clone(),
            part.allowance_ms.map_or_else(|| "null".to_owned(), |ms| format!("{ms} ms")),
            format!("{} ms", part.used_ms),
            part.remainder_ms.map_or_else(|| "null".to_owned(), |ms| format!("{ms} ms")),
            format!("{} %", part.used_percent),
        ]);
    }
    text + &counts.text() + &parts.text()
}

fn or_null(limit: Option<u32>) -> String {
    limit.map_or_else(|| "null".to_owned(), |limit| limit.to_string())
}

/// Whole seconds, rounded down.
fn seconds(millis: u64) -> u64 {
    millis / 1_000
}
