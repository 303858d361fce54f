//! One queue: its servers, and the messages in it, page by page.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Html;
use maud::{Markup, html};

use super::form::Asked;
use super::layout::Section;
use super::queues::{buttons, form, moment, rate, state};
use super::session::Viewer;
use super::trouble::Trouble;
use super::{Shared, servers, words};
use crate::routes::encoded;
use crate::server::input::{Name, Options};
use crate::server::queue;
use crate::types::{MessageView, QueueFilter, QueueMessages, QueueView, RecipientView};

/// How many messages a page has.
const MESSAGES: usize = 50;

pub(super) async fn show(
    State(page): Shared,
    Extension(viewer): Extension<Viewer>,
    Path(name): Path<String>,
    Asked(asked): Asked,
) -> Result<Html<String>, Trouble> {
    let after = asked.one("after").and_then(|after| after.parse().ok());
    let which = QueueFilter { after, top: Some(MESSAGES) };
    let shown = queue::show(State(Arc::clone(&page.admin)), Name(name), Options(which)).await?.0;
    let QueueMessages { queue, messages, next } = &shown;
    let body = html! {
        p.lead { code { (queue.next_hop) } }
        section.card aria-labelledby="stands" { h2 #stands { "How it stands" } (facts(queue)) }
        @if viewer.may_change() {
            (form(&viewer))
            div.actions { (buttons(queue)) }
        }
        @if !queue.targets.is_empty() {
            section aria-labelledby="targets" {
                h2 #targets { "Servers" }
                (servers::table(&queue.targets, Some(&viewer)))
            }
        }
        section aria-labelledby="messages" {
            h2 #messages { "Messages" }
            @if messages.is_empty() { p.quiet { "None" @if after.is_some() { " behind that one" } "." } }
            @else { (table(messages, queue)) }
            @if let Some(next) = next {
                p.pages { a href={ "/queues/" (encoded(&queue.next_hop)) "?after=" (next) } { "Later ones" } }
            }
        }
    };
    Ok(page.show(&viewer, Section::Queues, "Queue", &body))
}

fn facts(queue: &QueueView) -> Markup {
    let messages = format!(
        "{}: {} ready, {} being sent, {} deferred",
        words::count(queue.message_count),
        words::count(queue.ready),
        words::count(queue.sending),
        words::count(queue.deferred)
    );
    html! {
        table.facts {
            tbody {
                tr { th scope="row" { "State" } td { (state(&queue.state)) } }
                tr { th scope="row" { "Messages" } td { (messages) } }
                tr { th scope="row" { "Connections" } td { (queue.connections) " of " (queue.connection_limit) } }
                tr { th scope="row" { "In the last minute" } td { (rate(queue.incoming_rate)) " in, " (rate(queue.outgoing_rate)) " out" } }
                tr { th scope="row" { "Failing since" } td { (moment(queue.first_retry_time.as_deref())) } }
                tr { th scope="row" { "Retries in vain" } td { (queue.retry_count) } }
                tr { th scope="row" { "Last retry" } td { (moment(queue.last_retry_time.as_deref())) } }
                tr { th scope="row" { "Next retry" } td { (moment(queue.next_retry_time.as_deref())) } }
                tr { th scope="row" { "Last error" } td { (queue.last_error.as_deref().unwrap_or("–")) } }
            }
        }
    }
}

fn table(messages: &[MessageView], queue: &QueueView) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Messages" {
            table {
                thead {
                    tr {
                        th scope="col" { "Message" } th scope="col" { "Accepted" } th scope="col" { "From" } th scope="col" { "For" }
                        th.number scope="col" { "Bytes" } th.number scope="col" { "Attempts" } th scope="col" { "Next try" }
                    }
                }
                tbody { @for message in messages { (row(message, queue)) } }
            }
        }
    }
}

fn row(message: &MessageView, queue: &QueueView) -> Markup {
    let waits = |recipient: &&RecipientView| recipient.next_hop.as_ref() == Some(&queue.next_hop);
    let waiting: Vec<&RecipientView> = message.recipients.iter().filter(waits).collect();
    let first = waiting.first();
    html! {
        tr {
            th scope="row" { a href={ "/messages/" (message.id) } { (message.id) } }
            td { (words::told_moment(&message.accepted)) }
            td { (sender(message)) }
            td {
                @if let Some(first) = first {
                    (first.address)
                    @if waiting.len() > 1 { " and " (waiting.len() - 1) " more" }
                    @if let Some(error) = &first.last_error { br; span.quiet { (error) } }
                }
            }
            td.number { (words::count(message.size)) }
            td.number { (first.map_or(0, |first| first.attempts)) }
            td { (moment(first.and_then(|first| first.next_try.as_deref()))) }
        }
    }
}

/// Whom a message is from; a report is from nobody.
pub(super) fn sender(message: &MessageView) -> &str {
    if message.from.is_empty() { "nobody (a report)" } else { &message.from }
}
