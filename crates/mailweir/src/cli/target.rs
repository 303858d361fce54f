//! `mailweir target …`: the servers that calls and mail go to, how they are, and what is said about them (H4, H10).

use clap::Subcommand;
use weir_admin::client::Client;
use weir_admin::gateway::TargetChange;
use weir_admin::types::{ChangedTarget, TargetView};

use super::answer::{Answer, Failure};
use super::table::Table;

/// What to do with the servers that calls and mail go to.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum TargetCommand {
    /// List all servers and how they are
    List,
    /// Take a server out: nothing goes there until it is enabled
    Disable {
        /// The server: its address, or its name as the listing writes it
        #[arg(value_name = "ADDR")]
        target: String,
    },
    /// Let a server run empty: no further connection goes there
    Drain {
        /// The server: its address, or its name as the listing writes it
        #[arg(value_name = "ADDR")]
        target: String,
    },
    /// Put a server back
    Enable {
        /// The server: its address, or its name as the listing writes it
        #[arg(value_name = "ADDR")]
        target: String,
    },
    /// Try an unhealthy server at once, not at its next retry
    Retry {
        /// The server: its address, or its name as the listing writes it
        #[arg(value_name = "ADDR")]
        target: String,
    },
}

impl TargetCommand {
    /// Asks the server.
    pub(super) async fn run(self, client: &Client) -> Result<Answer, Failure> {
        let (target, change) = match self {
            Self::List => {
                let targets = client.targets().await?;
                return Answer::new(listing(&targets), &targets);
            }
            Self::Disable { target } => (target, TargetChange::Disable),
            Self::Drain { target } => (target, TargetChange::Drain),
            Self::Enable { target } => (target, TargetChange::Enable),
            Self::Retry { target } => (target, TargetChange::Retry),
        };
        let changed = client.change_target(&target, change).await?;
        Answer::new(told_of(&changed, change), &changed)
    }
}

/// What was done, for people.
fn told_of(changed: &ChangedTarget, change: TargetChange) -> String {
    let ChangedTarget { target, also } = changed;
    let Some(also) = also else { return told(target, change) };
    format!(
        "{}: {}\n{}: {}",
        target.used_by.name(),
        told(target, change),
        also.used_by.name(),
        told(also, change)
    )
}

fn told(target: &TargetView, change: TargetChange) -> String {
    let address = &target.address;
    match change {
        TargetChange::Disable => format!("disabled {address}: nothing goes there"),
        TargetChange::Drain => format!("draining {address}: no further connection goes there"),
        TargetChange::Enable => format!("enabled {address}: it is {}", target.state),
        TargetChange::Retry if target.state == "unhealthy" => format!("{address} is tried at once"),
        // It may have been so before, or the retry was that quick.
        TargetChange::Retry => format!("{address} is {}", target.state),
    }
}

/// A row a target.
pub(super) fn listing(targets: &[TargetView]) -> String {
    let mut table =
        Table::new(&["ADDRESS", "NAME", "USED BY", "STATE", "RETRIES", "NEXT RETRY", "LAST ERROR"]);
    for target in targets {
        let next = if target.probing {
            "now".to_owned()
        } else {
            target.next_retry_ms.map_or_else(|| "-".to_owned(), |ms| format!("in {} s", ms.div_ceil(1_000)))
        };
        table.row([
            target.address.clone(),
            target.name.clone(),
            target.used_by.name().to_owned(),
            target.state.clone(),
            target.retries.to_string(),
            next,
            target.error.clone().unwrap_or_else(|| "-".to_owned()),
        ]);
    }
    table.text_or(
        "there are no targets: the origin is the embedded mailbox server, and no mail goes elsewhere",
    )
}

#[cfg(test)]
mod tests;
