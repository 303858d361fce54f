//! `mailweir budget …`: what limits an owner at this moment, why he was slow, and who uses most (T21).

mod card;
mod top;

use clap::{Args, Subcommand};
use serde::Serialize;
use weir_admin::client::Client;
use weir_admin::types::{OwnerBudgets, OwnerLog, OwnerLogFilter};

use super::answer::{Answer, Failure};
use super::watch::watch;

/// What to do with budgets.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum BudgetCommand {
    /// Explain what an owner may use, what he used, which policy says so, and what was refused or delayed
    Show {
        /// The owner: address, alias or SHORT\alias
        owner: String,
        #[command(flatten)]
        when: When,
    },
    /// List the budgets of which most is used, the fullest first
    List {
        /// How many
        #[arg(long, value_name = "N", default_value_t = 20)]
        top: usize,
        /// Go on until Ctrl-C, with a fresh listing every two seconds
        #[arg(long, conflicts_with = "json")]
        watch: bool,
    },
}

/// Which part of the request log to look through.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub(crate) struct When {
    /// Look through the request log around this time, in UTC: 10:14, or 2026-11-30T10:14:00Z
    #[arg(long, value_name = "TIME", conflicts_with = "since")]
    at: Option<String>,
    /// Look through the request log since then: 30m, 1h, 2d, or a time as 2026-11-30T10:00:00Z
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
}

/// What is shown of an owner.
#[derive(Debug, Serialize)]
struct Shown {
    #[serde(flatten)]
    budgets: OwnerBudgets,
    /// What the request log says, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<OwnerLog>,
}

impl BudgetCommand {
    /// Asks the server.
    pub(super) async fn run(self, client: &Client) -> Result<Answer, Failure> {
        match self {
            Self::Show { owner, when } => {
                let when = OwnerLogFilter { at: when.at, since: when.since };
                let is_asked = when != OwnerLogFilter::default();
                let log = if is_asked { Some(client.owner_log(&owner, &when).await?) } else { None };
                let shown = Shown { budgets: client.budgets(&owner).await?, log };
                Answer::new(card::text(&shown), &shown)
            }
            Self::List { top, watch: false } => {
                let budgets = client.top_budgets(top).await?;
                Answer::new(top::listing(&budgets), &budgets)
            }
            Self::List { top, watch: true } => {
                watch(async || Ok(top::listing(&client.top_budgets(top).await?))).await
            }
        }
    }
}
