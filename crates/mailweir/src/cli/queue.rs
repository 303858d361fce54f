//! `mailweir queue …`: what waits in the mail transport, why, and what is said about it (H1, H6, H15).

mod listing;

use clap::{ArgAction, Args, Subcommand};
use weir_admin::client::Client;
use weir_admin::transport::QueueChange;
use weir_admin::types::{MessageRemoval, QueueFilter, QueueView, RemovedMessage};

use super::answer::{Answer, Failure};
use super::watch::watch;

/// What to do with the queues of the mail transport.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum QueueCommand {
    /// List all queues: one for each next hop
    List {
        /// Go on until Ctrl-C, with a fresh listing every two seconds
        #[arg(long, conflicts_with = "json")]
        watch: bool,
    },
    /// Show a message, or a queue with its targets and messages
    Show {
        /// The number of a message; or a queue: its next hop, or a domain or connector that only one has
        #[arg(value_name = "ID")]
        name: String,
        #[command(flatten)]
        which: Which,
    },
    /// Try a queue at once, deferred messages too
    Retry {
        /// The queue: its next hop, or a domain or connector that only one has
        #[arg(value_name = "NEXTHOP")]
        queue: String,
    },
    /// Send nothing from a queue until it is resumed
    Suspend {
        /// The queue: its next hop, or a domain or connector that only one has
        #[arg(value_name = "NEXTHOP")]
        queue: String,
    },
    /// Let a suspended queue go on
    Resume {
        /// The queue: its next hop, or a domain or connector that only one has
        #[arg(value_name = "NEXTHOP")]
        queue: String,
    },
    /// Remove a message, and tell its sender
    Remove {
        /// The number of the message, as `queue show NEXTHOP` lists it
        id: u64,
        /// Tell nobody
        #[arg(long = "no-report", action = ArgAction::SetFalse)]
        report: bool,
    },
}

/// Which messages of a queue.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Which {
    /// How many messages of a queue
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(super) top: usize,
    /// Those behind the message of this number
    #[arg(long, value_name = "ID")]
    pub(super) after: Option<u64>,
}

impl Default for Which {
    fn default() -> Self {
        Self { top: 50, after: None }
    }
}

impl QueueCommand {
    /// Asks the server.
    pub(super) async fn run(self, client: &Client) -> Result<Answer, Failure> {
        match self {
            Self::List { watch: false } => {
                let queues = client.queues().await?;
                Answer::new(listing::queues(&queues), &queues)
            }
            Self::List { watch: true } => watch(async || Ok(listing::queues(&client.queues().await?))).await,
            Self::Show { name, which } => show(client, &name, &which).await,
            Self::Retry { queue } => change(client, &queue, QueueChange::Retry).await,
            Self::Suspend { queue } => change(client, &queue, QueueChange::Suspend).await,
            Self::Resume { queue } => change(client, &queue, QueueChange::Resume).await,
            Self::Remove { id, report } => {
                let removed = client.remove_message(id, MessageRemoval { report }).await?;
                Answer::new(removal(&removed), &removed)
            }
        }
    }
}

async fn show(client: &Client, name: &str, which: &Which) -> Result<Answer, Failure> {
    if let Ok(id) = name.parse() {
        let message = client.message(id).await?;
        return Answer::new(listing::message(&message), &message);
    }
    let filter = QueueFilter { after: which.after, top: Some(which.top) };
    let queue = client.queue(name, &filter).await?;
    Answer::new(listing::queue(&queue), &queue)
}

async fn change(client: &Client, name: &str, change: QueueChange) -> Result<Answer, Failure> {
    let queue = client.change_queue(name, change).await?;
    Answer::new(told(&queue, change), &queue)
}

/// What was done, for people.
fn told(queue: &QueueView, change: QueueChange) -> String {
    let QueueView { next_hop, message_count, .. } = queue;
    match change {
        QueueChange::Retry => format!("{next_hop} is tried at once; {message_count} messages wait"),
        QueueChange::Suspend => {
            format!("suspended {next_hop}: nothing is sent from it until `mailweir queue resume`")
        }
        QueueChange::Resume => format!("resumed {next_hop}: {message_count} messages wait"),
    }
}

fn removal(removed: &RemovedMessage) -> String {
    let RemovedMessage { message, report } = removed;
    let told = match (report, message.from.as_str()) {
        (true, "") => "it has no sender who could be told".to_owned(),
        (true, sender) => format!("{sender} is told"),
        (false, _) => "nobody is told".to_owned(),
    };
    format!("removed message {}; {told}", message.id)
}

#[cfg(test)]
mod tests;
