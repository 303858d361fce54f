//! `mailweir budget …`: what limits an owner at this moment, why he was slow, and who uses most (T21).

mod card;
mod top;

use clap::Subcommand;
use weir_admin::client::Client;

use super::answer::{Answer, Failure};

/// What to do with budgets.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum BudgetCommand {
    /// Explain what an owner may use, what he used, which policy says so, and what was refused or delayed
    Show {
        /// The owner: address, alias or SHORT\alias
        owner: String,
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

impl BudgetCommand {
    /// Asks the server.
    pub(super) async fn run(self, client: &Client) -> Result<Answer, Failure> {
        match self {
            Self::Show { owner } => {
                let budgets = client.budgets(&owner).await?;
                Answer::new(card::text(&budgets), &budgets)
            }
            Self::List { top, watch: false } => {
                let budgets = client.top_budgets(top).await?;
                Answer::new(top::listing(&budgets), &budgets)
            }
            Self::List { top, watch: true } => top::watch(client, top).await,
        }
    }
}
