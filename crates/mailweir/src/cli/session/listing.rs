//! MAPI sessions for people: a line a server, then a row a session.

use std::fmt::Write;

use weir_admin::types::{MapiOrigin, MapiSession, MapiSessions};

use crate::cli::table::{Table, shortened};
use crate::cli::words::{duration, latency, to_the_second};

/// Letters that are shown of an owner's name …
const OWNER: usize = 26;
/// … of a program's …
const CLIENT: usize = 24;
/// … and of a process's.
const PROCESS: usize = 18;

/// The whole listing.
pub(super) fn text(sessions: &MapiSessions) -> String {
    let mut text = sessions.origins.iter().map(head).collect::<String>();
    if !text.is_empty() {
        text.push('\n');
    }
    let mut table = Table::new(&[
        "ID",
        "OWNER",
        "CLIENT",
        "PROCESS",
        "ADDRESS",
        "BOXES",
        "ROPS/MIN",
        "GAP",
        "BACK-OFFS",
        "OWES",
        "SEES",
        "IDLE",
        "SINCE",
    ]);
    for session in &sessions.items {
        table.row([
            session.id.to_string(),
            shortened(&session.owner, OWNER),
            client(session),
            process(session),
            session.address.clone(),
            session.mailboxes.to_string(),
            session.rops_last_minute.to_string(),
            or_dash(session.mean_gap_us.map(latency)),
            backoffs(session),
            owes(session),
            or_dash(session.seen_latency_us.map(latency)),
            duration(session.idle_ms),
            to_the_second(&session.since),
        ]);
    }
    text.push_str(&table.text_or("there is no MAPI session"));
    let (shown, total) = (sessions.items.len(), sessions.total);
    if shown < total {
        let _ = writeln!(text, "These are {shown} of {total}; --top N shows more.");
    }
    text
}

/// One server in a line.
fn head(origin: &MapiOrigin) -> String {
    let MapiOrigin { origin: name, goal_us, sessions, active, backed_off, .. } = origin;
    let average = origin
        .average_latency_us
        .map_or_else(|| "not known yet".to_owned(), |average| above(average, *goal_us));
    format!(
        "{name}: RPC average latency {average} (goal {}), {sessions} sessions, {active} active, {backed_off} backed off\n",
        latency(*goal_us)
    )
}

fn above(average: u64, goal: u64) -> String {
    let told = latency(average);
    if average > goal { format!("{told}, too slow") } else { told }
}

/// The sessions of one owner, on a page of a hundred columns; nothing where he has none.
pub(in crate::cli) fn of_owner(sessions: &[MapiSession]) -> String {
    let mut table =
        Table::new(&["MAPI", "CLIENT", "PROCESS", "ROPS/MIN", "GAP", "BACK-OFFS", "OWES", "SEES"]);
    for session in sessions {
        table.row([
            session.id.to_string(),
            client(session),
            process(session),
            session.rops_last_minute.to_string(),
            or_dash(session.mean_gap_us.map(latency)),
            backoffs(session),
            owes(session),
            or_dash(session.seen_latency_us.map(latency)),
        ]);
    }
    table.text_or_nothing()
}

fn client(session: &MapiSession) -> String {
    if session.client.is_empty() { "-".to_owned() } else { shortened(&session.client, CLIENT) }
}

fn process(session: &MapiSession) -> String {
    or_dash(session.process.as_deref().map(|process| shortened(process, PROCESS)))
}

/// How often, and for how long in all.
fn backoffs(session: &MapiSession) -> String {
    match session.backoffs {
        0 => "0".to_owned(),
        count => format!("{count} ({})", duration(session.backoff_ms)),
    }
}

fn owes(session: &MapiSession) -> String {
    if session.owes_ms == 0 { "-".to_owned() } else { duration(session.owes_ms) }
}

fn or_dash(told: Option<String>) -> String {
    told.unwrap_or_else(|| "-".to_owned())
}

#[cfg(test)]
pub(in crate::cli) mod tests;
