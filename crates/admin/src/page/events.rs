//! The event log: what an administrator should hear about, the newest first (T16).

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Html;
use maud::{Markup, html};

use super::Shared;
use super::form::{Asked, Fields};
use super::layout::Section;
use super::session::Viewer;
use super::trouble::Trouble;
use super::words::told_moment;
use crate::server::failure::Failure;
use crate::server::input::Options;
use crate::server::log;
use crate::types::{EventFilter, EventRecord, Excerpt};

/// How many lines a page of a log shows.
const LINES: usize = 200;

/// How far back a log is shown: the word that the log is asked with, and what the choice is called.
const SPANS: [(&str, &str); 5] = [
    ("", "any time"),
    ("1h", "the last hour"),
    ("1d", "the last day"),
    ("7d", "the last week"),
    ("30d", "the last 30 days"),
];

pub(super) async fn show(
    State(page): Shared,
    Extension(viewer): Extension<Viewer>,
    Asked(asked): Asked,
) -> Result<Html<String>, Trouble> {
    let filter = EventFilter {
        id: id(&asked)?,
        since: asked.filled("since").map(str::to_owned),
        owner: asked.filled("owner").map(str::to_owned),
        limit: Some(LINES),
    };
    let found = log::events(State(Arc::clone(&page.admin)), Options(filter)).await?.0;
    let body = html! {
        form.row method="get" action="/events" role="search" {
            div.field {
                label for="id" { "Event" }
                input.short #id name="id" inputmode="numeric" value=(asked.one("id").unwrap_or_default()) autocomplete="off";
            }
            div.field {
                label for="owner" { "Owner" }
                input #owner name="owner" value=(asked.one("owner").unwrap_or_default()) autocomplete="off" spellcheck="false";
            }
            (span(&asked))
            button type="submit" { "Find" }
        }
        (list(&found.items))
        (end_of(&found, "events"))
    };
    Ok(page.show(&viewer, Section::Events, "Events", &body))
}

fn id(asked: &Fields) -> Result<Option<u16>, Failure> {
    let Some(text) = asked.filled("id") else { return Ok(None) };
    let number = text.parse();
    number.map(Some).map_err(|_| {
        Failure::bad_request(format!(
            "{text:?} is no event's number; write one such as 2915, or leave the field empty"
        ))
    })
}

/// The choice of how far back a log is shown.
pub(super) fn span(asked: &Fields) -> Markup {
    let chosen = asked.one("since").unwrap_or_default();
    html! {
        div.field {
            label for="since" { "Since" }
            select #since name="since" {
                @for (word, name) in SPANS { option value=(word) selected[word == chosen] { (name) } }
            }
        }
    }
}

/// What stands below what was found.
pub(super) fn end_of<T>(found: &Excerpt<T>, what: &str) -> Markup {
    html! {
        p.quiet role="status" {
            @if found.items.is_empty() { "There are no such " (what) "." }
            @else if found.complete { (found.items.len()) " in all." }
            @else { "The latest " (found.items.len()) "; narrow the search to see older ones." }
            @if found.broken > 0 { " " (found.broken) " lines of the log cannot be read." }
        }
    }
}

fn list(events: &[EventRecord]) -> Markup {
    html! {
        ol.log {
            @for event in events {
                li class=(level_class(&event.level)) {
                    (told_moment(&event.time))
                    span.id { a href={ "/events?id=" (event.id) } title="Events of this kind" { (event.id) } }
                    div {
                        p { span.level { (event.level) ": " } (event.text) }
                        @if !event.fields.is_empty() {
                            p.facts {
                                @for (name, value) in &event.fields { span.fact { (name) " " b { (value) } } " " }
                            }
                        }
                        @if event.suppressed > 0 {
                            p.quiet { "and " (event.suppressed) " more of this kind within the minute" }
                        }
                    }
                }
            }
        }
    }
}

fn level_class(level: &str) -> &'static str {
    match level {
        "error" => "bad",
        "warning" => "warn",
        _ => "",
    }
}
