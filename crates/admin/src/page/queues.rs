//! The queues of the mail transport: what waits for whom, and what the administrator says about a queue (H1, H6).
//!
//! The list is live, and the same for everybody who may change something: its buttons belong to a form that stands outside
//! of it and brings the session's token along.

use std::cmp::Reverse;
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
use super::{Page, Shared, words};
use crate::routes::encoded;
use crate::server::failure::Failure;
use crate::server::input::Name;
use crate::server::queue;
use crate::types::QueueView;

/// How many queues are shown: those with most messages.
const TOP: usize = 200;

/// The form that the buttons of the list belong to.
const FORM: &str = "say";

/// Every queue, by next hop; nothing where no mail transport runs.
pub(super) async fn read(page: &Arc<Page>) -> Result<Option<Vec<QueueView>>, Failure> {
    if page.admin.transport.is_none() {
        return Ok(None);
    }
    queue::list(State(Arc::clone(&page.admin))).await.map(|listed| Some(listed.0.items))
}

pub(super) async fn show(
    State(page): Shared,
    Extension(viewer): Extension<Viewer>,
    Asked(asked): Asked,
) -> Result<Html<String>, Trouble> {
    let may_change = viewer.may_change();
    let body = match read(&page).await? {
        None => html! {
            p.lead { "No mail transport runs here: the mailboxes are elsewhere, and no server is named that takes mail for them." }
        },
        Some(queues) => html! {
            (notice(&asked))
            p.lead {
                "Every next hop has a queue of its own. One is in retry while none of its " a href="/servers" { "servers" }
                " answers, or while all of its messages wait for their time."
            }
            @if may_change { (form(&viewer)) }
            div data-live="/live/queues" { (list(queues, may_change)) }
        },
    };
    Ok(page.show(&viewer, Section::Queues, "Queues", &body))
}

/// What changes from second to second.
pub(super) async fn live(page: &Arc<Page>, may_change: bool) -> Result<Markup, Failure> {
    Ok(list(read(page).await?.unwrap_or_default(), may_change))
}

fn list(mut queues: Vec<QueueView>, may_change: bool) -> Markup {
    let all = queues.len();
    queues.sort_by_key(|queue| Reverse(queue.message_count));
    queues.truncate(TOP);
    queues.sort_by(|one, other| one.next_hop.cmp(&other.next_hop));
    html! {
        div #queues {
            @if queues.is_empty() { p.quiet { "Nothing waits." } } @else { (table(&queues, may_change)) }
            @if all > queues.len() {
                p.quiet { "The " (queues.len()) " with most messages, of " (all) "." }
            }
        }
    }
}

fn table(queues: &[QueueView], may_change: bool) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Queues" {
            table {
                thead {
                    tr {
                        th scope="col" { "Next hop" } th scope="col" { "State" } th.number scope="col" { "Messages" }
                        th.number scope="col" { "Connections" } th.number scope="col" { "In" } th.number scope="col" { "Out" }
                        th.number scope="col" { "Retries in vain" } th scope="col" { "Next retry" }
                        @if may_change { th scope="col" { "Say" } }
                    }
                }
                tbody { @for queue in queues { (row(queue, may_change)) } }
            }
        }
    }
}

fn row(queue: &QueueView, may_change: bool) -> Markup {
    let name = encoded(&queue.next_hop);
    html! {
        tr {
            th scope="row" {
                a id={ "q-" (name) } href={ "/queues/" (name) } { (short(queue)) }
                br; span.quiet { (queue.delivery_type) }
            }
            td {
                (state(&queue.state))
                @if let Some(error) = &queue.last_error { br; span.quiet.clip title=(error) { (error) } }
            }
            td.number { (words::count(queue.message_count)) br; span.quiet { (words::count(queue.deferred)) " deferred" } }
            td.number { (queue.connections) " of " (queue.connection_limit) }
            td.number { (rate(queue.incoming_rate)) }
            td.number { (rate(queue.outgoing_rate)) }
            td.number { (queue.retry_count) }
            td { (moment(queue.next_retry_time.as_deref())) }
            @if may_change { td { div.row.tight { (buttons(queue)) } } }
        }
    }
}

/// What a queue is called among others: its domain and its connector, or how its messages go.
fn short(queue: &QueueView) -> String {
    match (&queue.next_hop_domain, &queue.next_hop_connector) {
        (Some(domain), Some(connector)) => format!("{domain} by {connector}"),
        (Some(one), None) | (None, Some(one)) => one.clone(),
        (None, None) => queue.next_hop.clone(),
    }
}

/// A state with its colour, and in words.
pub(super) fn state(state: &str) -> Markup {
    let class = match state {
        "Active" | "Ready" => "state good",
        "Retry" => "state bad",
        _ => "state",
    };
    html! { span class=(class) { span.dot aria-hidden="true" {} (state) } }
}

/// Messages a second.
pub(super) fn rate(rate: f64) -> String {
    format!("{rate:.1}/s")
}

/// A time, where there is one.
pub(super) fn moment(at: Option<&str>) -> Markup {
    html! { @if let Some(at) = at { (words::told_moment(at)) } @else { "–" } }
}

/// What can be said about the queue.
pub(super) fn buttons(queue: &QueueView) -> Markup {
    let suspended = queue.state == "Suspended";
    let said: &[(&str, &str)] =
        if suspended { &[("resume", "Resume")] } else { &[("suspend", "Suspend"), ("retry", "Try now")] };
    html! {
        @for (change, button) in said {
            button.small type="submit" form=(FORM) formaction={ "/queues/" (encoded(&queue.next_hop)) "/" (change) }
                aria-label={ (button) ": " (queue.next_hop) } { (button) }
        }
    }
}

/// The form that [`buttons`] belong to.
pub(super) fn form(viewer: &Viewer) -> Markup {
    html! { form id=(FORM) method="post" { (form_token(viewer)) } }
}

pub(super) async fn change(
    State(page): Shared,
    Path((name, change)): Path<(String, String)>,
) -> Result<Redirect, Trouble> {
    let (admin, name) = (State(Arc::clone(&page.admin)), Name(name));
    let _told = match change.as_str() {
        "retry" => queue::retry(admin, name).await,
        "suspend" => queue::suspend(admin, name).await,
        "resume" => queue::resume(admin, name).await,
        _ => Err(Failure::not_found(format!(
            "a queue cannot be told to {change:?}; choose a button on its row"
        ))),
    }?;
    Ok(Redirect::to("/queues?done=queue"))
}
