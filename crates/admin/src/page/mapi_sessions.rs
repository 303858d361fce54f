//! MAPI sessions: how slow their servers are, and which of them do most (R2, R12, R13, R17).

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Html;
use maud::{Markup, html};

use super::form::{Asked, Fields};
use super::layout::Section;
use super::notice::notice;
use super::overview::figure;
use super::session::Viewer;
use super::trouble::Trouble;
use super::{Page, Shared, words};
use crate::routes::encoded;
use crate::server::failure::Failure;
use crate::server::input::Options;
use crate::server::session;
use crate::types::{MapiOrigin, MapiSession, MapiSessions, SessionFilter, SessionSort};

/// How many sessions are shown.
const TOP: usize = 100;

/// What the links say that sort the table.
const ORDERS: [(SessionSort, &str); 4] = [
    (SessionSort::Rops, "operations"),
    (SessionSort::Backoffs, "back-offs"),
    (SessionSort::Latency, "latency seen"),
    (SessionSort::Owner, "owner"),
];

/// The order that `asked` wants.
pub(super) fn order(asked: &Fields) -> SessionSort {
    asked.one("sort").and_then(SessionSort::from_name).unwrap_or_default()
}

async fn read(page: &Arc<Page>, sort: SessionSort) -> Result<MapiSessions, Failure> {
    let which = SessionFilter { owner: None, top: Some(TOP), sort };
    session::list(State(Arc::clone(&page.admin)), Options(which)).await.map(|listed| listed.0)
}

pub(super) async fn show(
    State(page): Shared,
    Extension(viewer): Extension<Viewer>,
    Asked(asked): Asked,
) -> Result<Html<String>, Trouble> {
    let sort = order(&asked);
    let sessions = read(&page, sort).await?;
    let body = html! {
        (notice(&asked))
        p.lead {
            "A session is told to back off while the mean gap between its operations (ROPs) is below its server's latency. What "
            "it sees is the latency that its client reports."
        }
        nav.counts aria-label="Order" {
            span.quiet { "Sorted by " }
            @for (each, name) in ORDERS {
                a href={ "/sessions?sort=" (each.name()) } aria-current=[(each == sort).then_some("true")] { (name) } " "
            }
        }
        div data-live={ "/live/sessions?sort=" (sort.name()) } { (list(&sessions)) }
    };
    Ok(page.show(&viewer, Section::Sessions, "MAPI sessions", &body))
}

/// What changes from second to second.
pub(super) async fn live(page: &Arc<Page>, sort: SessionSort) -> Result<Markup, Failure> {
    Ok(list(&read(page, sort).await?))
}

fn list(sessions: &MapiSessions) -> Markup {
    html! {
        div #sessions {
            @for origin in &sessions.origins { (figures(origin)) }
            @if sessions.items.is_empty() { p.quiet { "There is no MAPI session at this moment." } }
            @else { (table(&sessions.items)) }
            @if sessions.total > sessions.items.len() {
                p.quiet { "The first " (sessions.items.len()) " of " (words::count(number(sessions.total))) "." }
            }
        }
    }
}

/// One server in figures.
fn figures(origin: &MapiOrigin) -> Markup {
    let latency = origin.average_latency_us.map_or_else(|| "–".to_owned(), words::latency);
    let slow = origin.average_latency_us.is_some_and(|latency| latency > origin.goal_us);
    let goal = format!("goal {}, over the last 1024 packets", words::latency(origin.goal_us));
    let many = origin.backed_off > 0 && origin.backed_off.saturating_mul(2) >= origin.active;
    html! {
        h2 { (origin.origin) }
        dl.figures {
            (figure("RPC average latency", &latency, "", &goal, if slow { "warn" } else { "" }))
            (figure("Sessions", &words::count(number(origin.sessions)), "", "open", ""))
            (figure("Active", &words::count(origin.active), "", "in the last minute", ""))
            (figure("Backed off", &words::count(origin.backed_off), "", "in the last minute", if many { "bad" } else { "" }))
        }
    }
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// A row for each session.
pub(super) fn table(sessions: &[MapiSession]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="MAPI sessions" {
            table {
                thead {
                    tr {
                        th scope="col" { "Owner" } th scope="col" { "Program" } th scope="col" { "From" }
                        th.number scope="col" { "Mailboxes" } th.number scope="col" { "ROPs a minute" }
                        th.number scope="col" { "Mean gap" } th.number scope="col" { "Back-offs" }
                        th.number scope="col" { "Owes" } th.number scope="col" { "Sees" } th.number scope="col" { "Idle" }
                    }
                }
                tbody { @for session in sessions { (row(session)) } }
            }
        }
    }
}

fn row(session: &MapiSession) -> Markup {
    html! {
        tr {
            th scope="row" {
                a id={ "s-" (session.id) } href={ "/owners/" (encoded(&session.owner)) } { (session.owner) }
                @if session.backed_off { " " span.tag.warn { "backed off" } }
            }
            td {
                a.clip href={ "/sessions/" (session.id) } title=(session.client) { (program(session)) }
                @if let Some(process) = &session.process { br; span.quiet.clip title=(process) { (process) } }
            }
            td {
                (session.address)
                @if let Some(machine) = &session.machine { br; span.quiet.clip title=(machine) { (machine) } }
            }
            td.number { (session.mailboxes) }
            td.number { (words::count(session.rops_last_minute)) }
            td.number { (latency(session.mean_gap_us)) }
            td.number {
                (words::count(session.backoffs))
                @if session.backoff_ms > 0 { br; span.quiet { (words::duration(session.backoff_ms)) } }
            }
            td.number { @if session.owes_ms > 0 { (words::duration(session.owes_ms)) } @else { "–" } }
            td.number { (latency(session.seen_latency_us)) }
            td.number { (words::duration(session.idle_ms)) }
        }
    }
}

/// The program, or that it does not say.
pub(super) fn program(session: &MapiSession) -> &str {
    if session.client.is_empty() { "does not say" } else { &session.client }
}

/// A latency, where there is one.
pub(super) fn latency(latency_us: Option<u64>) -> String {
    latency_us.map_or_else(|| "–".to_owned(), words::latency)
}
