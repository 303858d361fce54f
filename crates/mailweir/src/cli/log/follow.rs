//! `mailweir events --follow`: events as they come.
//!
//! The server is asked again and again, each time from the last event on; what it said the time before is not said again.

use std::io::{self, ErrorKind, Write};
use std::time::Duration;

use weir_admin::client::Client;
use weir_admin::types::{EventFilter, EventRecord};

use super::event_table;
use crate::cli::answer::{Answer, Failure};

/// How often the server is asked.
const PACE: Duration = Duration::from_secs(1);
/// How far the server looks back where nothing has happened yet: longer than it takes to ask.
const OVERLAP: &str = "1m";
/// How many events may come from one time to the next.
const MOST_AT_ONCE: usize = 1000;

/// Prints the events that there are, the oldest first, and then each that comes; ends when nobody reads any more.
pub(super) async fn follow(client: &Client, filter: EventFilter, json: bool) -> Result<Answer, Failure> {
    let mut asked = filter;
    let mut known: Vec<EventRecord> = Vec::new();
    loop {
        let found = client.events(&asked).await?.items;
        for event in found.iter().rev().filter(|event| !known.contains(event)) {
            if !print(event, json)? {
                return Ok(Answer::script(String::new()));
            }
        }
        let newest = found.first().map(|newest| newest.time.clone());
        asked.since = newest.or(asked.since).or(Some(OVERLAP.to_owned()));
        asked.limit = Some(MOST_AT_ONCE);
        known = found;
        tokio::time::sleep(PACE).await;
    }
}

/// Prints one event on one line; says whether somebody reads it.
fn print(event: &EventRecord, json: bool) -> Result<bool, Failure> {
    let table = event_table(std::slice::from_ref(event)).text();
    let line = if json {
        serde_json::to_string(event).unwrap_or_default()
    } else {
        table.lines().nth(1).unwrap_or_default().to_owned()
    };
    let mut out = io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::Failed(format!("cannot write to standard output: {error}"))),
    }
}
