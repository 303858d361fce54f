//! `mailweir mailbox import FILE.csv`: many mailboxes at once, most of all owners at a remote origin.
//!
//! Everything is checked before anything is changed: the file ([`rows`]), then what it asks for against what there is
//! ([`plan`]). Every mistake is told with its line. An import can be run again: a mailbox that exists is changed where
//! the file says otherwise, and left as it is where a cell is empty. Nothing is ever removed.

mod plan;
mod rows;
#[cfg(test)]
mod tests;

use std::fmt::Write;
use std::path::Path;

use serde::Serialize;
use weir_admin::client::{Client, ClientError};
use weir_admin::types::{MailboxFilter, PasswordChange};

use super::answer::{Answer, Failure};
use super::file;
use plan::{Present, Step, What, plan};
use rows::rows;

/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 32 << 20;
/// The most mailboxes in one file.
const MOST_ROWS: usize = 100_000;
/// How many mistakes are told; the rest is counted.
const MOST_TOLD: usize = 100;

/// One mistake in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Problem {
    line: usize,
    why: String,
}

/// What an import did, by primary address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
struct Imported {
    made: Vec<String>,
    changed: Vec<String>,
    unchanged: Vec<String>,
}

/// Imports the mailboxes that `file` lists.
pub(super) async fn run(client: &Client, file: &Path) -> Result<Answer, Failure> {
    let text = file::read(file, MOST_BYTES)?;
    let rows = rows(&text).map_err(|problems| refused(file, &problems))?;
    let present = Present {
        organisations: client.organisations().await?,
        policies: client.policies().await?,
        mailboxes: client.mailboxes(&MailboxFilter::default()).await?,
    };
    let steps = plan(&rows, &present).map_err(|problems| refused(file, &problems))?;
    let (total, mut imported) = (steps.len(), Imported::default());
    for (done, step) in steps.into_iter().enumerate() {
        let line = step.line;
        carry_out(client, step, &mut imported).await.map_err(|error| {
            Failure::Failed(format!(
                "{}:{line}: {error}; {done} of {total} mailboxes are as the file says, run the import again for the rest",
                file.display()
            ))
        })?;
    }
    Answer::new(imported.summary(), &imported)
}

/// Nothing was done, because of these mistakes; one a line.
fn refused(file: &Path, problems: &[Problem]) -> Failure {
    let mut text = String::new();
    for Problem { line, why } in problems.iter().take(MOST_TOLD) {
        let _ = writeln!(text, "{}:{line}: {why}", file.display());
    }
    let more = problems.len().saturating_sub(MOST_TOLD);
    if more > 0 {
        let _ = writeln!(text, "and {more} more");
    }
    Failure::Failed(format!("{}; nothing was imported", text.trim_end()))
}

async fn carry_out(client: &Client, step: Step, imported: &mut Imported) -> Result<(), ClientError> {
    let Step { address, what, change, password, line: _ } = step;
    let listed = match what {
        What::Make(wanted) => {
            client.new_mailbox(&wanted).await?;
            &mut imported.made
        }
        What::Keep if change.is_none() && password.is_none() => &mut imported.unchanged,
        What::Keep => &mut imported.changed,
    };
    if let Some(change) = change {
        client.change_mailbox(&address, &change).await?;
    }
    if password.is_some() {
        client.change_password(&address, &PasswordChange { password }).await?;
    }
    listed.push(address);
    Ok(())
}

impl Imported {
    fn summary(&self) -> String {
        let mailboxes =
            |count: usize| if count == 1 { "1 mailbox".to_owned() } else { format!("{count} mailboxes") };
        let Self { made, changed, unchanged } = self;
        format!(
            "made {}, changed {}, left {} as before",
            mailboxes(made.len()),
            changed.len(),
            unchanged.len()
        )
    }
}
