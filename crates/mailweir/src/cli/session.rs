//! `mailweir session …`: MAPI sessions, what they do, and how slow their servers are (R13, R17).

mod listing;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use weir_admin::client::Client;
use weir_admin::types::{SessionFilter, SessionSort};

use super::answer::{Answer, Failure};
use super::watch::watch;

pub(super) use listing::of_owner;
#[cfg(test)]
pub(super) use listing::tests;

/// What to do with MAPI sessions.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum SessionCommand {
    /// List the servers with their latency, and the MAPI sessions with what each does
    List {
        #[command(flatten)]
        which: Which,
        /// Go on until Ctrl-C, with a fresh listing every two seconds
        #[arg(long, conflicts_with = "json")]
        watch: bool,
    },
    /// End a MAPI session; its client opens another one
    Close {
        /// The number of the session, as the listing has it
        id: u64,
    },
}

/// Which sessions, in which order.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Which {
    /// Those of this owner alone: address, alias or SHORT\alias
    #[arg(long)]
    owner: Option<String>,
    /// How many
    #[arg(long, value_name = "N", default_value_t = 50)]
    top: usize,
    /// What the first ones are: most operations or back-offs, the highest latency seen; or by owner
    #[arg(long, value_name = "ORDER", default_value = "rops", value_parser = orders())]
    sort: SessionSort,
}

fn orders() -> impl TypedValueParser<Value = SessionSort> {
    PossibleValuesParser::new(SessionSort::ALL.map(SessionSort::name))
        .map(|name| SessionSort::from_name(&name).unwrap_or_default())
}

impl SessionCommand {
    /// Asks the server.
    pub(super) async fn run(self, client: &Client) -> Result<Answer, Failure> {
        match self {
            Self::List { which, watch: false } => {
                let sessions = client.sessions(&which.filter()).await?;
                Answer::new(listing::text(&sessions), &sessions)
            }
            Self::List { which, watch: true } => {
                let filter = which.filter();
                watch(async || Ok(listing::text(&client.sessions(&filter).await?))).await
            }
            Self::Close { id } => {
                let closed = client.close_session(id).await?;
                let told = format!("ended session {id} of {}; its client opens another one", closed.owner);
                Answer::new(told, &closed)
            }
        }
    }
}

impl Which {
    fn filter(self) -> SessionFilter {
        SessionFilter { owner: self.owner, top: Some(self.top), sort: self.sort }
    }
}
