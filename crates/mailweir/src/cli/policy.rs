//! `mailweir policy …`: what owners may use (T1, T2, T15).

mod file;
mod transfer;

use std::fmt::Write;
use std::path::PathBuf;

use clap::Subcommand;
use weir_admin::client::Client;
use weir_admin::names::snake_case;
use weir_admin::types::{NewPolicy, PolicyChange, PolicyView};
use weir_throttle::Parameter;

use super::answer::{Answer, Failure};
use super::assignment::{Assignment, parameter, settings};
use super::table::Table;

/// What to do with policies.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Make a policy
    New {
        /// Its name
        name: String,
        /// A setting, as EWSFindCountLimit=1 or CPUStartPercent=null (no limit); may be given several times
        #[arg(long, value_name = "NAME=LIMIT", value_parser = Assignment::parse)]
        set: Vec<Assignment>,
        /// The organisation it belongs to [default: the only one there is]
        #[arg(long, value_name = "NAME")]
        organisation: Option<String>,
    },
    /// Change a policy's settings
    Set {
        /// The policy
        name: String,
        /// A setting, as EWSFindCountLimit=1 or CPUStartPercent=null (no limit); may be given several times
        #[arg(long, value_name = "NAME=LIMIT", value_parser = Assignment::parse)]
        set: Vec<Assignment>,
        /// A parameter to leave to the default policy; may be given several times
        #[arg(long, value_name = "NAME", value_parser = parameter)]
        leave_out: Vec<&'static str>,
    },
    /// List all policies
    List,
    /// Show one policy with all its parameters
    Show {
        /// The policy
        name: String,
    },
    /// Make a policy its organisation's default policy
    Default {
        /// The policy
        name: String,
    },
    /// Remove a policy that no mailbox uses
    Remove {
        /// The policy
        name: String,
    },
    /// Write policies as TOML, for version control
    Export {
        /// The policies [default: all]
        #[arg(value_name = "NAME")]
        names: Vec<String>,
        /// The file to write [default: standard output]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Make policies what a TOML file says, all of them or none
    ///
    /// Each policy in the file has exactly the settings that the file gives it; other policies stay. What differs is
    /// printed. Importing the same file again changes nothing.
    Import {
        /// The file, as `policy export` writes it
        file: PathBuf,
        /// Only print what would differ
        #[arg(long)]
        dry_run: bool,
        /// Remove policies of the same organisations that the file does not name; default policies stay
        #[arg(long)]
        prune: bool,
    },
}

impl PolicyCommand {
    /// Asks the server.
    pub(super) async fn run(self, client: &Client) -> Result<Answer, Failure> {
        match self {
            Self::New { name, set, organisation } => {
                let settings = settings(&set).map_err(Failure::Usage)?;
                let policy = client.new_policy(&NewPolicy { name, organisation, settings }).await?;
                Answer::new(format!("made the policy {}", policy.name), &policy)
            }
            Self::Set { name, set, leave_out } => change(client, &name, &set, &leave_out).await,
            Self::List => {
                let policies = client.policies().await?;
                Answer::new(listing(&policies), &policies)
            }
            Self::Show { name } => {
                let policy = client.policy(&name).await?;
                Answer::new(card(&policy), &policy)
            }
            Self::Default { name } => {
                let policy = client.make_default(&name).await?;
                Answer::new(
                    format!("{} is the default policy of {}", policy.name, policy.organisation),
                    &policy,
                )
            }
            Self::Remove { name } => {
                client.remove_policy(&name).await?;
                Ok(Answer::done(format!("removed the policy {name}")))
            }
            Self::Export { names, out } => transfer::export(client, &names, out.as_deref()).await,
            Self::Import { file, dry_run, prune } => transfer::import(client, &file, dry_run, prune).await,
        }
    }
}

async fn change(
    client: &Client,
    name: &str,
    set: &[Assignment],
    leave_out: &[&'static str],
) -> Result<Answer, Failure> {
    let settings = settings(set).map_err(Failure::Usage)?;
    if settings.is_empty() && leave_out.is_empty() {
        let text = "nothing to change: add --set NAME=LIMIT or --leave-out NAME";
        return Err(Failure::Usage(text.to_owned()));
    }
    let leave_out = leave_out.iter().map(|name| (*name).to_owned()).collect();
    let policy = client.change_policy(name, &PolicyChange { settings, leave_out }).await?;
    Answer::new(format!("changed the policy {}", policy.name), &policy)
}

fn listing(policies: &[PolicyView]) -> String {
    let mut table = Table::new(&["NAME", "ORGANISATION", "DEFAULT", "MAILBOXES", "SETTINGS"]);
    for policy in policies {
        table.row([
            policy.name.clone(),
            policy.organisation.clone(),
            if policy.default { "yes" } else { "no" }.to_owned(),
            policy.mailboxes.to_string(),
            policy
                .unreadable
                .as_ref()
                .map_or_else(|| policy.settings.len().to_string(), |_| "unreadable".to_owned()),
        ]);
    }
    table.text_or("there are no policies")
}

/// One policy with every parameter: what it says itself, and what holds.
fn card(policy: &PolicyView) -> String {
    let mut head = Table::new(&["Name", &policy.name]);
    head.row(["Organisation".to_owned(), policy.organisation.clone()]);
    head.row(["Default policy".to_owned(), if policy.default { "yes" } else { "no" }.to_owned()]);
    head.row(["Mailboxes".to_owned(), policy.mailboxes.to_string()]);
    let mut text = head.text();
    if let Some(why) = &policy.unreadable {
        let _ = writeln!(
            text,
            "\nits settings cannot be read, so its mailboxes get the next policy in line: {why}"
        );
    }
    let mut table = Table::new(&["PARAMETER", "SETTING", "IN FORCE", "NOTE"]);
    for parameter in Parameter::all() {
        let key = snake_case(parameter.name());
        let own = policy.settings.get(&key);
        let in_force = policy.effective.get(&key).copied().flatten();
        let note = if policy.not_enforced.contains(&key) { "not enforced" } else { "" };
        table.row([
            parameter.name().to_owned(),
            own.map_or_else(|| "-".to_owned(), |own| limit(*own)),
            limit(in_force),
            note.to_owned(),
        ]);
    }
    text + "\n" + &table.text()
}

fn limit(limit: Option<i64>) -> String {
    limit.map_or_else(|| "null".to_owned(), |limit| limit.to_string())
}
