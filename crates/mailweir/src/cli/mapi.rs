//! `mailweir mapi …`: a mailbox as a MAPI client sees it, through a gateway or at any other server (R11).
//!
//! No API is asked: it is a client like others, is charged like others, and waits where it is told to wait.

mod login;
mod text;

use clap::{Args, Subcommand};
use serde::Serialize;
use weir_client::mapi::{Folder, Mailbox, MapiClient, MapiError, MessageSummary};
use weir_whatif::record::rfc3339;

use super::answer::{Answer, Failure};
use login::Login;

/// What to do as a MAPI client.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum MapiCommand {
    /// List the folders of a mailbox, or the messages of one folder, the newest first
    Ls(LsArgs),
}

/// What to list.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub(crate) struct LsArgs {
    /// The folder: its name, or its path as in `Inbox/Projects` [default: list the folders]
    folder: Option<String>,
    /// At most so many messages
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    top: u32,
    #[command(flatten)]
    login: Login,
}

/// A folder, for programs.
#[derive(Serialize)]
struct FolderRow {
    path: String,
    messages: u32,
    unread: u32,
    id: String,
}

/// A message, for programs.
#[derive(Serialize)]
struct MessageRow {
    /// When it came, or was last changed; in RFC 3339.
    time: Option<String>,
    from: String,
    subject: String,
    size: u64,
    read: bool,
    id: String,
}

/// A folder's messages, for programs.
#[derive(Serialize)]
struct MessageRows {
    folder: String,
    total: u32,
    messages: Vec<MessageRow>,
}

/// Carries out the command.
pub(super) fn run(command: MapiCommand) -> Result<Answer, Failure> {
    let MapiCommand::Ls(args) = command;
    let plan = args.login.plan()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Failed(format!("cannot start: {error}")))?;
    runtime.block_on(async {
        let mut client = MapiClient::connect(plan.settings, &plan.user_dn).await?;
        let answer = match client.log_on(&plan.mailbox_dn).await {
            Ok(mailbox) => list(&mut client, &mailbox, &args).await,
            Err(error) => Err(error.into()),
        };
        // What was listed is listed, whatever becomes of the session.
        let _ = client.disconnect().await;
        answer
    })
}

async fn list(client: &mut MapiClient, mailbox: &Mailbox, args: &LsArgs) -> Result<Answer, Failure> {
    let folders = paths(&client.folders(mailbox).await?);
    let Some(wanted) = &args.folder else {
        let rows: Vec<FolderRow> =
            folders.into_iter().map(|(path, folder)| folder_row(path, &folder)).collect();
        return Answer::new(text::folders(&rows), &rows);
    };
    let (path, folder) = find(&folders, wanted)?;
    let found = client.messages(mailbox, folder.id, 0..args.top).await?;
    let messages = found.rows.into_iter().map(message_row).collect();
    let rows = MessageRows { folder: path.clone(), total: found.total, messages };
    Answer::new(text::messages(&rows), &rows)
}

/// The folders with their paths, in the order of the tree.
fn paths(folders: &[Folder]) -> Vec<(String, Folder)> {
    let mut above: Vec<&str> = Vec::new();
    let with_path = folders.iter().map(|folder| {
        above.truncate(usize::try_from(folder.depth).unwrap_or(usize::MAX));
        above.push(&folder.name);
        (above.join("/"), folder.clone())
    });
    with_path.collect()
}

/// The folder of that path, or the one of that name if there is only one.
fn find<'f>(folders: &'f [(String, Folder)], wanted: &str) -> Result<&'f (String, Folder), Failure> {
    let lower = wanted.trim_matches('/').to_lowercase();
    if let Some(found) = folders.iter().find(|(path, _)| path.to_lowercase() == lower) {
        return Ok(found);
    }
    let named: Vec<_> = folders.iter().filter(|(_, folder)| folder.name.to_lowercase() == lower).collect();
    match &named[..] {
        [found] => Ok(found),
        [] => Err(Failure::Failed(format!(
            "there is no folder {wanted}; `mailweir mapi ls` without a folder lists those that there are"
        ))),
        several => {
            let paths: Vec<&str> = several.iter().map(|(path, _)| path.as_str()).collect();
            Err(Failure::Failed(format!(
                "several folders are named {wanted}; write one of {}",
                paths.join(", ")
            )))
        }
    }
}

fn folder_row(path: String, folder: &Folder) -> FolderRow {
    FolderRow { path, messages: folder.messages, unread: folder.unread, id: format!("{:016x}", folder.id) }
}

fn message_row(message: MessageSummary) -> MessageRow {
    MessageRow {
        time: message.time.map(rfc3339),
        from: message.from,
        subject: message.subject,
        size: message.size,
        read: message.read,
        id: format!("{:016x}", message.id),
    }
}

impl From<MapiError> for Failure {
    fn from(error: MapiError) -> Self {
        Self::Failed(error.to_string())
    }
}

#[cfg(test)]
mod tests;
