//! `mailweir mailbox …`: people, their passwords and their policies (T15).

use std::path::PathBuf;

use clap::{Args, Subcommand};
use weir_admin::client::Client;
use weir_admin::types::{MailboxChange, MailboxFilter, MailboxView, NewMailbox, PasswordChange};

use super::answer::{Answer, Failure};
use super::import;
use super::password::PasswordSource;
use super::table::Table;

/// What to do with mailboxes.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum MailboxCommand {
    /// Make a mailbox
    New {
        /// Its primary address; the domain names the organisation
        address: String,
        /// Its short name [default: what is before the @]
        #[arg(long, value_name = "NAME")]
        alias: Option<String>,
        /// The name that people read [default: the alias]
        #[arg(long, value_name = "TEXT")]
        display_name: Option<String>,
        #[command(flatten)]
        password: PasswordSource,
    },
    /// Change a mailbox
    Set {
        /// The mailbox: address, alias or SHORT\alias
        name: String,
        #[command(flatten)]
        change: Change,
    },
    /// List all mailboxes
    List {
        /// Only those whose policy was deleted
        #[arg(long, conflicts_with = "policy")]
        deleted_policy: bool,
        /// Only those that this policy is assigned to; null for those that none is
        #[arg(long, value_name = "NAME")]
        policy: Option<String>,
    },
    /// Show one mailbox
    Show {
        /// The mailbox: address, alias or SHORT\alias
        name: String,
    },
    /// Remove a mailbox
    Remove {
        /// The mailbox: address, alias or SHORT\alias
        name: String,
    },
    /// Set a mailbox's password
    Password {
        /// The mailbox: address, alias or SHORT\alias
        name: String,
        #[command(flatten)]
        password: PasswordSource,
    },
    /// Make or change the mailboxes that a CSV file lists
    ///
    /// The first line names the columns: address and, as wanted, alias, display name, password, policy. All lines are
    /// checked before anything is changed. A mailbox that exists is changed where the file says otherwise; an empty cell
    /// changes nothing, and a password that exists stays. Without a password the owner logs in at a remote origin.
    Import {
        /// The file, comma-separated and in UTF-8
        #[arg(value_name = "FILE.csv")]
        file: PathBuf,
    },
    /// Give the default policy to mailboxes whose policy was deleted
    Repair,
}

/// What to change of a mailbox; what is not named stays.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Change {
    /// Its policy; null for the organisation's default policy
    #[arg(long, value_name = "NAME")]
    pub(crate) policy: Option<String>,
    /// The name that people read
    #[arg(long, value_name = "TEXT")]
    pub(crate) display_name: Option<String>,
    /// Its short name
    #[arg(long, value_name = "NAME")]
    pub(crate) alias: Option<String>,
    /// Whether its owner may act as the other people of his organisation
    #[arg(long, value_name = "on|off", value_parser = on_or_off)]
    pub(crate) impersonation: Option<bool>,
    /// A further address for it; may be given several times
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) add_address: Vec<String>,
    /// An address to take away from it; may be given several times
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) remove_address: Vec<String>,
}

impl MailboxCommand {
    /// Asks the server.
    pub(super) async fn run(self, client: &Client) -> Result<Answer, Failure> {
        match self {
            Self::New { address, alias, display_name, password } => {
                let password = password.obtain()?;
                let mailbox =
                    client.new_mailbox(&NewMailbox { address, alias, display_name, password }).await?;
                Answer::new(format!("made the mailbox {} ({})", mailbox.address, mailbox.alias), &mailbox)
            }
            Self::Set { name, change } => change.run(client, &name).await,
            Self::List { deleted_policy, policy } => {
                let empty = match (deleted_policy, &policy) {
                    (true, _) => "no mailbox has a deleted policy",
                    (false, Some(_)) => "no mailbox has this policy",
                    (false, None) => "there are no mailboxes",
                };
                let mailboxes = client.mailboxes(&MailboxFilter { deleted_policy, policy }).await?;
                Answer::new(listing(&mailboxes, empty), &mailboxes)
            }
            Self::Show { name } => {
                let mailbox = client.mailbox(&name).await?;
                Answer::new(card(&mailbox), &mailbox)
            }
            Self::Remove { name } => {
                client.remove_mailbox(&name).await?;
                Ok(Answer::done(format!("removed the mailbox {name}")))
            }
            Self::Password { name, password } => {
                let mailbox =
                    client.change_password(&name, &PasswordChange { password: password.obtain()? }).await?;
                let done = if mailbox.has_password { "set" } else { "removed" };
                Answer::new(format!("{done} the password of {}", mailbox.address), &mailbox)
            }
            Self::Import { file } => import::run(client, &file).await,
            Self::Repair => repair(client).await,
        }
    }
}

impl Change {
    async fn run(self, client: &Client, name: &str) -> Result<Answer, Failure> {
        if self == Self::default() {
            let text = "nothing to change: add --policy NAME, --display-name TEXT, --alias NAME, --impersonation on|off, \
                        --add-address ADDRESS or --remove-address ADDRESS";
            return Err(Failure::Usage(text.to_owned()));
        }
        let change = MailboxChange {
            throttling_policy: self.policy.map(assigned),
            display_name: self.display_name,
            alias: self.alias,
            may_impersonate: self.impersonation,
            remove_addresses: self.remove_address,
            add_addresses: self.add_address,
        };
        let mailbox = client.change_mailbox(name, &change).await?;
        Answer::new(format!("changed the mailbox {}", mailbox.address), &mailbox)
    }
}

async fn repair(client: &Client) -> Result<Answer, Failure> {
    let repaired = client.repair_mailboxes().await?;
    let text = match repaired.mailboxes.as_slice() {
        [] => "no mailbox has a deleted policy".to_owned(),
        mailboxes => format!("these mailboxes have the default policy again: {}", mailboxes.join(", ")),
    };
    Answer::new(text, &repaired)
}

fn on_or_off(word: &str) -> Result<bool, String> {
    match word {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("write on or off".to_owned()),
    }
}

/// The policy that is meant by `policy`: `null` or `$null` is none, so the default policy.
fn assigned(policy: String) -> Option<String> {
    let none = policy.eq_ignore_ascii_case("null") || policy.eq_ignore_ascii_case("$null");
    (!none).then_some(policy)
}

fn listing(mailboxes: &[MailboxView], empty: &str) -> String {
    let mut table = Table::new(&["ALIAS", "ADDRESS", "ORGANISATION", "POLICY", "PASSWORD"]);
    for mailbox in mailboxes {
        table.row([
            mailbox.alias.clone(),
            mailbox.address.clone(),
            mailbox.organisation.clone(),
            policy(mailbox),
            if mailbox.has_password { "yes" } else { "no" }.to_owned(),
        ]);
    }
    table.text_or(empty)
}

fn card(mailbox: &MailboxView) -> String {
    let mut table = Table::new(&["Address", &mailbox.address]);
    for (name, value) in [
        ("Alias", mailbox.alias.clone()),
        ("Display name", mailbox.display_name.clone()),
        ("Addresses", mailbox.addresses.join(", ")),
        ("Organisation", mailbox.organisation.clone()),
        ("Policy", policy(mailbox)),
        ("Password", if mailbox.has_password { "yes" } else { "no" }.to_owned()),
        ("Impersonation", if mailbox.may_impersonate { "on" } else { "off" }.to_owned()),
        ("Legacy DN", mailbox.legacy_dn.clone()),
        ("GUID", mailbox.guid.clone()),
    ] {
        table.row([name.to_owned(), value]);
    }
    table.text()
}

/// The policy in words; the tombstone of a deleted one is shown as what it is.
fn policy(mailbox: &MailboxView) -> String {
    let Some(policy) = &mailbox.throttling_policy else { return "(default)".to_owned() };
    let name = policy.lines().next().unwrap_or_default();
    if mailbox.policy_deleted { format!("{name} (deleted)") } else { policy.clone() }
}
