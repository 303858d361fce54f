//! `mailweir organisation …`: who shares domains, aliases and a default policy.

use clap::Subcommand;
use weir_admin::client::Client;
use weir_admin::types::{NewOrganisation, OrganisationView};

use super::answer::{Answer, Failure};
use super::table::Table;

/// What to do with organisations.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum OrganisationCommand {
    /// Make an organisation and its default policy
    New {
        /// Its name
        name: String,
        /// A domain whose mail it accepts; may be given several times
        #[arg(long = "domain", value_name = "DOMAIN", required = true)]
        domains: Vec<String>,
        /// The name before the backslash, as S in S\john
        #[arg(long, value_name = "S")]
        short_name: String,
    },
    /// List all organisations
    List,
    /// Remove an organisation without mailboxes
    Remove {
        /// The organisation
        name: String,
    },
}

impl OrganisationCommand {
    /// Asks the server.
    pub(super) async fn run(self, client: &Client) -> Result<Answer, Failure> {
        match self {
            Self::New { name, domains, short_name } => {
                let organisation =
                    client.new_organisation(&NewOrganisation { name, short_name, domains }).await?;
                Answer::new(format!("made the organisation {}", organisation.name), &organisation)
            }
            Self::List => {
                let organisations = client.organisations().await?;
                Answer::new(listing(&organisations), &organisations)
            }
            Self::Remove { name } => {
                client.remove_organisation(&name).await?;
                Ok(Answer::done(format!("removed the organisation {name}")))
            }
        }
    }
}

fn listing(organisations: &[OrganisationView]) -> String {
    let mut table = Table::new(&["NAME", "SHORT NAME", "DOMAINS", "MAILBOXES", "DEFAULT POLICY"]);
    for organisation in organisations {
        table.row([
            organisation.name.clone(),
            organisation.short_name.clone(),
            organisation.domains.join(", "),
            organisation.mailboxes.to_string(),
            organisation.default_policies.join(", "),
        ]);
    }
    table.text_or("there are no organisations")
}
