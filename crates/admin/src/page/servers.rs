//! The servers that calls and mail go to: their state, and what the administrator says about one (H4, H10).

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{Html, Redirect};
use maud::{Markup, html};

use super::form::Asked;
use super::layout::{Section, form_token};
use super::notice::notice;
use super::session::Viewer;
use super::trouble::Trouble;
use super::{Shared, words};
use crate::routes::encoded;
use crate::server::failure::Failure;
use crate::server::input::Name;
use crate::server::target;
use crate::types::{TargetView, UsedBy};

/// What can be said about a server: the word in the address, and on the button.
const CHANGES: [(&str, &str); 4] =
    [("retry", "Try now"), ("drain", "Drain"), ("disable", "Disable"), ("enable", "Enable")];

pub(super) async fn show(
    State(page): Shared,
    Extension(viewer): Extension<Viewer>,
    Asked(asked): Asked,
) -> Html<String> {
    let servers = target::list(State(Arc::clone(&page.admin))).await.0.items;
    let none = servers.is_empty();
    let (origin, transport): (Vec<_>, Vec<_>) =
        servers.into_iter().partition(|server| server.used_by == UsedBy::Origin);
    let body = html! {
        (notice(&asked))
        @if origin.is_empty() {
            p.lead { "Calls go to the embedded mailbox server; there are no others to choose from." }
        } @else {
            p.lead { "Calls go to the healthy ones; an owner stays with one while it is healthy." }
            (table(&origin, Some(&viewer)))
        }
        @if !transport.is_empty() {
            section aria-labelledby="mail" {
                h2 #mail { "Mail" }
                p.lead { "Mail goes to the healthy ones, which take turns. What waits for them is in their " a href="/queues" { "queues" } "." }
                (table(&transport, Some(&viewer)))
            }
        }
        @if !none && viewer.may_change() {
            p.quiet {
                "Disabled: nothing goes there. Drained: no further connection goes there, those it has go on. What is said "
                "here holds until the next start."
            }
        }
    };
    page.show(&viewer, Section::Servers, "Servers", &body)
}

/// The servers with their states; with buttons for a `viewer` who may change them.
pub(super) fn table(servers: &[TargetView], viewer: Option<&Viewer>) -> Markup {
    let viewer = viewer.filter(|viewer| viewer.may_change());
    html! {
        div.scroll tabindex="0" role="region" aria-label="Servers" {
            table {
                thead {
                    tr {
                        th scope="col" { "Server" } th scope="col" { "State" } th.number scope="col" { "Retries in vain" }
                        th scope="col" { "Last attempt" } th scope="col" { "Next retry" }
                        @if viewer.is_some() { th scope="col" { "Say" } }
                    }
                }
                tbody { @for server in servers { (row(server, viewer)) } }
            }
        }
    }
}

fn row(server: &TargetView, viewer: Option<&Viewer>) -> Markup {
    html! {
        tr {
            th scope="row" { (server.name) br; span.quiet { (server.address) } }
            td {
                (state(&server.state))
                @if server.probing { " " span.tag { "being tried" } }
                @if let Some(error) = &server.error { br; span.quiet { (error) } }
            }
            td.number { (server.retries) }
            td { @if let Some(ago) = server.last_attempt_ms { (words::duration(ago)) " ago" } @else { "–" } }
            td { @if let Some(left) = server.next_retry_ms { "in " (words::duration(left)) } @else { "–" } }
            @if let Some(viewer) = viewer { td { (buttons(server, viewer)) } }
        }
    }
}

/// A state with its colour, and in words.
fn state(state: &str) -> Markup {
    let class = match state {
        "healthy" => "state good",
        "unhealthy" => "state bad",
        _ => "state",
    };
    html! { span class=(class) { span.dot aria-hidden="true" {} (state) } }
}

fn buttons(server: &TargetView, viewer: &Viewer) -> Markup {
    let out = matches!(server.state.as_str(), "disabled" | "draining");
    let makes_sense = |change: &str| match change {
        "retry" => server.next_retry_ms.is_some() && !out,
        "enable" => out,
        "drain" => !out,
        _ => server.state != "disabled",
    };
    html! {
        div.row.tight {
            @for (change, button) in CHANGES {
                @if makes_sense(change) {
                    form method="post" action={ "/servers/" (encoded(&server.address)) "/" (change) } {
                        (form_token(viewer))
                        button.small type="submit" aria-label={ (button) ": " (server.name) } { (button) }
                    }
                }
            }
        }
    }
}

pub(super) async fn change(
    State(page): Shared,
    Path((name, change)): Path<(String, String)>,
) -> Result<Redirect, Trouble> {
    let (admin, name) = (State(Arc::clone(&page.admin)), Name(name));
    let _told = match change.as_str() {
        "retry" => target::retry(admin, name).await,
        "drain" => target::drain(admin, name).await,
        "disable" => target::disable(admin, name).await,
        "enable" => target::enable(admin, name).await,
        _ => Err(Failure::not_found(format!(
            "a server cannot be told to {change:?}; choose a button on its row"
        ))),
    }?;
    Ok(Redirect::to("/servers?done=server"))
}
