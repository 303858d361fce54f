//! `mailweir bypass …`: everybody passes, at once, until it is taken back (T20).

use clap::Subcommand;
use weir_admin::client::Client;
use weir_admin::types::Bypass;

use super::answer::{Answer, Failure};

/// What to do with the bypass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum BypassCommand {
    /// Refuse, delay and rewrite nothing, for anybody, until `bypass off` or the next start
    On,
    /// Let configuration and policies hold again
    Off,
    /// Say whether it is on
    Status,
}

impl BypassCommand {
    /// Asks the server.
    pub(super) async fn run(self, client: &Client) -> Result<Answer, Failure> {
        let bypass = match self {
            Self::On => client.set_bypass(Bypass { on: true }).await?,
            Self::Off => client.set_bypass(Bypass { on: false }).await?,
            Self::Status => client.bypass().await?,
        };
        Answer::new(told(bypass).to_owned(), &bypass)
    }
}

const fn told(bypass: Bypass) -> &'static str {
    if bypass.on {
        "the bypass is on: nothing is refused, delayed or rewritten, for anybody"
    } else {
        "the bypass is off: configuration and policies hold"
    }
}
