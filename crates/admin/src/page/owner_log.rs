//! What the request log says of an owner around a time: "why was John slow at 10:14?" (T21).

use std::sync::Arc;

use axum::extract::State;
use maud::{Markup, html};

use super::Page;
use super::form::Fields;
use super::words::{self, told_moment};
use crate::routes::encoded;
use crate::server::failure::Failure;
use crate::server::input::{Name, Options};
use crate::server::owner_log;
use crate::types::{OwnerLog, OwnerLogFilter};

/// The field that holds the time.
const AT: &str = "at";

/// How many lines are shown without being asked for.
const MOST_OPEN: usize = 10;

/// The form that asks for a time, and what the log says of it where one was asked for.
pub(super) async fn section(page: &Arc<Page>, owner: &str, asked: &Fields) -> Result<Markup, Failure> {
    let at = asked.filled(AT);
    let found = match at {
        None => None,
        Some(at) => {
            let when = OwnerLogFilter { at: Some(at.to_owned()), since: None };
            let (admin, name) = (State(Arc::clone(&page.admin)), Name(owner.to_owned()));
            Some(owner_log::show(admin, name, Options(when)).await?.0)
        }
    };
    Ok(html! {
        section.card #log aria-labelledby="log-title" {
            h2 #log-title { "Why was it slow?" }
            form.row method="get" action={ "/owners/" (encoded(owner)) "#log" } {
                div.field {
                    label for="at" { "At this time (UTC), today or before" }
                    input #at name=(AT) value=(at.unwrap_or_default()) placeholder="10:14" required autocomplete="off";
                }
                button type="submit" { "Look into the log" }
            }
            @if let Some(found) = &found { (told(found)) }
        }
    })
}

/// The page of `owner` with what the log says of the minute that begins at `at`.
pub(super) fn path(owner: &str, at: &str) -> String {
    format!("/owners/{}?{AT}={}#log", encoded(owner), encoded(at))
}

fn told(found: &OwnerLog) -> Markup {
    let count = |count: u64, what: &str| html! { span.fact { b { (words::count(count)) } " " (what) } " " };
    html! {
        p {
            "From " (told_moment(&found.from)) " to " (told_moment(&found.to)) ": "
            (count(found.requests, "requests"))
            (count(found.refused, "refused"))
            (count(found.delayed, "delayed"))
            @if found.would_refuse + found.would_delay > 0 {
                (count(found.would_refuse, "would have been refused"))
                (count(found.would_delay, "would have been delayed"))
            }
        }
        @if !found.complete { p.quiet { "This part of the log is too long to be read to its end." } }
        (lines("Refused or delayed", &found.throttled))
        (lines("Took longest", &found.slowest))
    }
}

fn lines(title: &str, lines: &[String]) -> Markup {
    html! {
        @if !lines.is_empty() {
            details.more open[lines.len() <= MOST_OPEN] {
                summary { (title) ": " (lines.len()) " lines of the request log" }
                @for line in lines { pre.line { (line) } }
            }
        }
    }
}
