//! Queues and messages for people.

use std::fmt::Write;

use weir_admin::types::{MessageView, QueueMessages, QueueView};

use crate::cli::table::{Table, shortened};
use crate::cli::target;
use crate::cli::words::to_the_second;

/// Letters that are shown of an address in a row …
const ADDRESS: usize = 32;
/// … and of an error.
const ERROR: usize = 60;

/// A row a queue.
pub(super) fn queues(queues: &[QueueView]) -> String {
    let mut table = Table::new(&[
        "NEXT HOP",
        "STATE",
        "MESSAGES",
        "SENDING",
        "DEFERRED",
        "CONNECTIONS",
        "IN/S",
        "OUT/S",
        "RETRIES",
        "NEXT RETRY",
        "LAST ERROR",
    ]);
    for queue in queues {
        table.row([
            queue.next_hop.clone(),
            queue.state.clone(),
            queue.message_count.to_string(),
            queue.sending.to_string(),
            queue.deferred.to_string(),
            format!("{}/{}", queue.connections, queue.connection_limit),
            format!("{:.1}", queue.incoming_rate),
            format!("{:.1}", queue.outgoing_rate),
            queue.retry_count.to_string(),
            moment(queue.next_retry_time.as_deref()),
            error(queue.last_error.as_deref()),
        ]);
    }
    table.text_or("nothing waits: there is no queue")
}

/// A queue, its targets, and its messages.
pub(super) fn queue(shown: &QueueMessages) -> String {
    let QueueMessages { queue, messages, next } = shown;
    let mut text = facts(&queue_facts(queue));
    if !queue.targets.is_empty() {
        let _ = write!(text, "\n{}", target::listing(&queue.targets));
    }
    let mut table = Table::new(&["ID", "ACCEPTED", "FROM", "TO", "BYTES", "TRIED", "NEXT TRY", "LAST ERROR"]);
    for message in messages {
        table.row(row(message, &queue.next_hop));
    }
    let _ = write!(text, "\n{}", table.text_or("it has no messages"));
    if let Some(next) = next {
        let _ = writeln!(text, "There are more; --after {next} shows them.");
    }
    text
}

/// A message, and how it stands with each recipient.
pub(super) fn message(message: &MessageView) -> String {
    let source = &message.source;
    let came: Vec<String> = [
        ("from ", &source.address),
        ("by ", &source.connector),
        ("sent by ", &source.owner),
        ("handed over by ", &source.server),
    ]
    .into_iter()
    .filter_map(|(how, what)| Some(format!("{how}{}", what.as_deref()?)))
    .collect();
    let came = if came.is_empty() { "written by this server".to_owned() } else { came.join(", ") };
    let mut text = facts(&[
        ("Message", message.id.to_string()),
        ("From", sender(message)),
        ("Came", came),
        ("Bytes", message.size.to_string()),
        ("Accepted", to_the_second(&message.accepted)),
        ("Expires", to_the_second(&message.expires)),
    ]);
    let mut table = Table::new(&["RECIPIENT", "STATE", "TRIED", "NEXT TRY", "NEXT HOP", "LAST ERROR"]);
    for recipient in &message.recipients {
        let partner = recipient.partner.as_ref().map(|partner| format!("{} at {partner}", recipient.state));
        table.row([
            recipient.address.clone(),
            partner.unwrap_or_else(|| recipient.state.clone()),
            recipient.attempts.to_string(),
            moment(recipient.next_try.as_deref()),
            recipient.next_hop.clone().unwrap_or_else(|| "-".to_owned()),
            recipient.last_error.clone().unwrap_or_else(|| "-".to_owned()),
        ]);
    }
    let _ = write!(text, "\n{}", table.text());
    text
}

fn queue_facts(queue: &QueueView) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("Next hop", queue.next_hop.clone()),
        ("State", queue.state.clone()),
        (
            "Messages",
            format!(
                "{}: {} ready, {} being sent, {} deferred",
                queue.message_count, queue.ready, queue.sending, queue.deferred
            ),
        ),
        ("Connections", format!("{} of {}", queue.connections, queue.connection_limit)),
        (
            "A second",
            format!(
                "{:.2} in, {:.2} out, velocity {:.2}",
                queue.incoming_rate, queue.outgoing_rate, queue.velocity
            ),
        ),
    ];
    if let Some(first) = &queue.first_retry_time {
        let last = moment(queue.last_retry_time.as_deref());
        let (retries, first) = (queue.retry_count, to_the_second(first));
        facts.push(("Failing", format!("since {first}, {retries} retries in vain, the last at {last}")));
    }
    if let Some(next) = &queue.next_retry_time {
        facts.push(("Next retry", to_the_second(next)));
    }
    if let Some(error) = &queue.last_error {
        facts.push(("Last error", error.clone()));
    }
    facts
}

/// A message among others, as it stands with those of its recipients that wait in the queue of `next_hop`.
fn row(message: &MessageView, next_hop: &str) -> [String; 8] {
    let waiting =
        || message.recipients.iter().filter(|recipient| recipient.next_hop.as_deref() == Some(next_hop));
    let first = waiting().next().or_else(|| message.recipients.first());
    let others = waiting().count().saturating_sub(1);
    let to = first.map_or_else(String::new, |recipient| shortened(&recipient.address, ADDRESS));
    let to = if others > 0 { format!("{to} and {others} more") } else { to };
    [
        message.id.to_string(),
        to_the_second(&message.accepted),
        shortened(&sender(message), ADDRESS),
        to,
        message.size.to_string(),
        first.map_or(0, |recipient| recipient.attempts).to_string(),
        moment(first.and_then(|recipient| recipient.next_try.as_deref())),
        error(first.and_then(|recipient| recipient.last_error.as_deref())),
    ]
}

/// Whom a message is from; a report is from nobody.
fn sender(message: &MessageView) -> String {
    if message.from.is_empty() { "<>".to_owned() } else { message.from.clone() }
}

/// Names and values, a line each, the values below one another.
fn facts(facts: &[(&str, String)]) -> String {
    let mut table = Table::headless();
    for (name, value) in facts {
        table.row([(*name).to_owned(), value.clone()]);
    }
    table.text()
}

fn moment(at: Option<&str>) -> String {
    at.map_or_else(|| "-".to_owned(), to_the_second)
}

fn error(error: Option<&str>) -> String {
    error.map_or_else(|| "-".to_owned(), |error| shortened(error, ERROR))
}
