//! One MAPI session: everything that is known of it, and its end.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{Html, Redirect};
use maud::{Markup, html};

use super::Shared;
use super::layout::{Section, form_token};
use super::mapi_sessions::{latency, program};
use super::session::Viewer;
use super::trouble::Trouble;
use super::words::{count, duration, told_moment};
use crate::routes::encoded;
use crate::server::change::blocking;
use crate::server::input::Name;
use crate::server::session;
use crate::types::MapiSession;

pub(super) async fn show(
    State(page): Shared,
    Extension(viewer): Extension<Viewer>,
    Path(name): Path<String>,
) -> Result<Html<String>, Trouble> {
    let session = blocking(&page.admin, move |admin| session::find(admin, &name)).await?;
    let body = html! {
        p.lead {
            "Of " a href={ "/owners/" (encoded(&session.owner)) } { (session.owner) }
            @if !session.origin.is_empty() { ", at " (session.origin) }
            ", since "
            (told_moment(&session.since)) "."
        }
        section.card aria-labelledby="does" { h2 #does { "What it does" } (table(&does(&session))) }
        section.card aria-labelledby="says" { h2 #says { "What its client says of itself" } (table(&says(&session))) }
        @if viewer.may_change() {
            form.actions method="post" action={ "/sessions/" (session.id) "/close" } {
                (form_token(&viewer))
                button.danger type="submit" { "End the session" }
                a.button href="/sessions" { "Leave it" }
            }
            p.quiet {
                "Its client is told that the session is unknown, and opens another one, as after a start of the server. To keep "
                "a program out, put it on the block list of the configuration."
            }
        }
    };
    Ok(page.show(&viewer, Section::Sessions, &format!("MAPI session {}", session.id), &body))
}

fn does(session: &MapiSession) -> [(&'static str, String); 9] {
    let owes = if session.owes_ms > 0 { duration(session.owes_ms) } else { "nothing".to_owned() };
    [
        ("Operations in the last minute", count(session.rops_last_minute)),
        ("Mean gap between them", latency(session.mean_gap_us)),
        ("Operations since it was opened", count(session.rops)),
        ("Latency of the server's last answer", latency(session.rpc_latency_us)),
        ("Back-offs", count(session.backoffs)),
        ("Time of all back-offs", duration(session.backoff_ms)),
        ("Owes", owes),
        ("Mailboxes", session.mailboxes.to_string()),
        ("Idle", duration(session.idle_ms)),
    ]
}

fn says(session: &MapiSession) -> [(&'static str, String); 6] {
    let said = |what: Option<&String>| what.map_or("does not say", String::as_str).to_owned();
    [
        ("Program", program(session).to_owned()),
        ("Version that it was judged by", said(session.version.as_ref())),
        ("Process", said(session.process.as_ref())),
        ("Machine", said(session.machine.as_ref())),
        ("Address", session.address.clone()),
        ("Latency that it sees", latency(session.seen_latency_us)),
    ]
}

fn table(rows: &[(&str, String)]) -> Markup {
    html! {
        table.facts {
            tbody { @for (name, value) in rows { tr { th scope="row" { (name) } td { (value) } } } }
        }
    }
}

pub(super) async fn close(State(page): Shared, Path(name): Path<String>) -> Result<Redirect, Trouble> {
    let _closed = session::close(State(Arc::clone(&page.admin)), Name(name)).await?;
    Ok(Redirect::to("/sessions?done=session"))
}
