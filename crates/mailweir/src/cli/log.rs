//! `mailweir events` and `mailweir audit`: what happened, and who changed what (T16).

mod follow;

use std::fmt::Write;

use clap::Args;
use serde::Serialize;
use serde_json::Value;
use weir_admin::client::Client;
use weir_admin::types::{AuditFilter, AuditRecord, EventFilter, EventRecord, Excerpt};

use super::answer::{Answer, Failure};
use super::table::Table;

/// The longest value of a change that a listing for people shows, in letters.
const MOST_SHOWN: usize = 40;

/// Which events to list.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub(crate) struct EventArgs {
    /// Only events of this number, as 2914
    #[arg(long, value_name = "N")]
    id: Option<u16>,
    /// Only events since then: 30m, 1h, 2d, or a time as 2026-11-30T10:00:00Z
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only events that speak of this owner
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// How many at most [default: 100]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Go on printing events as they come, each on a line, the oldest first
    #[arg(long)]
    follow: bool,
}

/// Which changes to list.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub(crate) struct AuditArgs {
    /// Only changes since then: 30m, 1h, 2d, or a time as 2026-11-30T10:00:00Z
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only changes to the policy, mailbox … of this name
    #[arg(long, value_name = "NAME")]
    target: Option<String>,
    /// How many at most [default: 100]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

/// Asks the server for events, which are followed in JSON where `json` says so.
pub(super) async fn events(client: &Client, args: EventArgs, json: bool) -> Result<Answer, Failure> {
    let EventArgs { id, since, owner, limit, follow } = args;
    let filter = EventFilter { id, since, owner, limit };
    if follow {
        return follow::follow(client, filter, json).await;
    }
    let found = client.events(&filter).await?;
    answer(&found, event_table(&found.items).text_or("there are no such events"))
}

/// Asks the server for changes.
pub(super) async fn changes(client: &Client, args: AuditArgs) -> Result<Answer, Failure> {
    let AuditArgs { since, target, limit } = args;
    let found = client.changes(&AuditFilter { since, target, limit }).await?;
    answer(&found, change_table(&found.items).text_or("there are no such changes"))
}

fn answer<T: Serialize>(found: &Excerpt<T>, mut text: String) -> Result<Answer, Failure> {
    if !found.complete {
        text.push_str("older ones are not shown; ask for more with --limit, or for fewer with --since\n");
    }
    if found.broken > 0 {
        let _ = writeln!(text, "{} lines of the log could not be read and were passed over", found.broken);
    }
    Answer::new(text, &found.items)
}

fn event_table(events: &[EventRecord]) -> Table {
    let mut table = Table::new(&["TIME", "ID", "LEVEL", "TEXT"]);
    for event in events {
        let left_out = match event.suppressed {
            0 => String::new(),
            count => format!(" ({count} more like it before)"),
        };
        table.row([
            event.time.clone(),
            event.id.to_string(),
            event.level.clone(),
            format!("{}{left_out}", event.text),
        ]);
    }
    table
}

fn change_table(changes: &[AuditRecord]) -> Table {
    let mut table = Table::new(&["TIME", "WHO", "ACTION", "TARGET", "CHANGE"]);
    for change in changes {
        table.row([
            change.time.clone(),
            change.who.clone(),
            change.action.clone(),
            change.target.clone(),
            difference(change.before.as_ref(), change.after.as_ref()),
        ]);
    }
    table
}

/// What differs between before and after, field by field; a thing that was made or removed is told by the action.
fn difference(before: Option<&Value>, after: Option<&Value>) -> String {
    let (Some(before), Some(after)) = (before, after) else { return String::new() };
    let mut found = Vec::new();
    compare("", before, after, &mut found);
    found.join(", ")
}

fn compare(name: &str, before: &Value, after: &Value, found: &mut Vec<String>) {
    if let (Value::Object(before), Value::Object(after)) = (before, after) {
        let names = before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
        for field in names {
            // What is in force follows from the settings, and is long.
            if field == "effective" || before.get(field) == after.get(field) {
                continue;
            }
            let path = if name.is_empty() { field.clone() } else { format!("{name}.{field}") };
            match (before.get(field), after.get(field)) {
                (Some(before), Some(after)) => compare(&path, before, after, found),
                (before, after) => found.push(format!("{path}: {} → {}", shown(before), shown(after))),
            }
        }
        return;
    }
    found.push(format!("{name}: {} → {}", shown(Some(before)), shown(Some(after))));
}

/// A value in short; a dash where there is none.
fn shown(value: Option<&Value>) -> String {
    let text = value.map_or_else(|| "-".to_owned(), ToString::to_string);
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests;
