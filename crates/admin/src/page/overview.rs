//! How it goes, on one page: figures and plots of the last minutes, who uses most, and the servers.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Html;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::layout::Section;
use super::live::Span;
use super::owners::{self, top};
use super::plot::{Plot, Series, Shape, rows, seconds};
use super::session::Viewer;
use super::trouble::Trouble;
use super::{Page, Shared, origins, queues, servers, words};
use crate::server::failure::Failure;
use crate::types::{Overview, QueueView, SecondView, TargetView, TopBudget};

/// How many owners the overview shows.
const TOP: usize = 8;
/// How many seconds the plots show.
const SECONDS: usize = 600;
/// How many seconds a live frame repeats, so that a late one loses nothing.
const REPEATED: usize = 5;
/// From which load on the figure stands out, in percent.
const BUSY: f64 = 75.0;

/// What the page shows.
struct View {
    overview: Overview,
    top: Vec<TopBudget>,
    targets: Vec<TargetView>,
    /// Nothing where no mail transport runs.
    queues: Option<Vec<QueueView>>,
}

impl View {
    async fn read(page: &Arc<Page>) -> Result<Self, Failure> {
        let top = top(page, TOP).await?;
        let queues = queues::read(page).await?;
        let gateway = &page.admin.gateway;
        Ok(Self { overview: (gateway.overview)(), top, targets: (gateway.targets)(), queues })
    }
}

pub(super) async fn show(
    State(page): Shared,
    Extension(viewer): Extension<Viewer>,
) -> Result<Html<String>, Trouble> {
    let view = View::read(&page).await?;
    let [traffic, load, connections] = plots(&view.overview);
    let body = html! {
        @if !view.overview.enforces && !view.overview.bypass {
            p.notice { "Owners are only observed: nobody is refused or delayed until " code { "throttle.enforce = true" } "." }
        }
        div data-live="/live/overview" {
            (figures(&view.overview))
            section.card aria-labelledby="traffic" { h2 #traffic { "Requests a second" } (traffic.frame()) }
            div.columns {
                section.card aria-labelledby="load" { h2 #load { "Processor, %" } (load.frame()) }
                section.card aria-labelledby="connections" { h2 #connections { "Connections" } (connections.frame()) }
            }
            section aria-labelledby="most" {
                h2 #most { "Who uses most" }
                (owners_of(&view))
            }
            section aria-labelledby="serving" { h2 #serving { "Servers" } (origins::table(&view.overview.origins)) (servers_of(&view)) }
            @if view.queues.is_some() { section aria-labelledby="waiting" { h2 #waiting { "Mail" } (mail_of(&view)) } }
            @if viewer.may_change() && !view.overview.bypass {
                p { a href="/bypass" { "Let everybody pass…" } span.quiet { " – the bypass, for an emergency" } }
            }
        }
    };
    Ok(page.show(&viewer, Section::Overview, "Overview", &body))
}

/// What changes from second to second: fragments of the page, and a few moments for its plots.
pub(super) async fn live(page: &Arc<Page>, span: Span) -> Result<(Markup, Value), Failure> {
    let view = View::read(page).await?;
    let fragments = html! { (figures(&view.overview)) (owners_of(&view)) (origins::table(&view.overview.origins)) (servers_of(&view)) (mail_of(&view)) };
    let last = span.of(&view.overview.seconds, REPEATED);
    let enforces = view.overview.enforces;
    let moments = json!({
        "traffic": last.iter().map(|second| traffic(second, enforces)).collect::<Vec<_>>(),
        "load": last.iter().map(load).collect::<Vec<_>>(),
        "connections": last.iter().map(connections).collect::<Vec<_>>(),
    });
    Ok((fragments, moments))
}

fn figures(overview: &Overview) -> Markup {
    let minute = &overview.last_minute;
    let under = |would: u64, what: &str| {
        if would > 0 {
            format!("{} more would be {what}", words::count(would))
        } else {
            "in the last minute".to_owned()
        }
    };
    let held = if overview.enforces { "held to their budgets" } else { "only observed" };
    html! {
        dl.figures #figures {
            (figure("Requests", &format!("{:.1}", overview.requests_per_second), "/s", "in the last minute", ""))
            (figure("Refused", &words::count(minute.refused), "", &under(minute.would_refuse, "refused"),
                if minute.refused > 0 { "bad" } else { "" }))
            (figure("Delayed", &words::count(minute.delayed), "", &under(minute.would_delay, "delayed"),
                if minute.delayed > 0 { "warn" } else { "" }))
            (waiting(overview))
            (figure("Processor", &format!("{:.0}", overview.cpu_percent), "%", "of all cores, over 10 s",
                if overview.cpu_percent >= BUSY { "warn" } else { "" }))
            (figure("Connections", &words::count(overview.connections), "", "open", ""))
            (figure("Owners", &words::count(u64::try_from(overview.budgets).unwrap_or(u64::MAX)), "", held, ""))
        }
    }
}

/// Calls that wait for their owner's budget, and those that wait for a place at an origin.
fn waiting(overview: &Overview) -> Markup {
    let for_places: u64 = overview.origins.iter().map(|origin| u64::from(origin.load.waiting)).sum();
    let all = u64::from(overview.waiting).saturating_add(for_places);
    let under = match for_places {
        0 => "at this moment".to_owned(),
        _ => format!("{} of them for a server", words::count(for_places)),
    };
    figure("Waiting", &words::count(all), "", &under, "")
}

/// One figure with its name, its unit, and what it is about.
pub(super) fn figure(name: &str, value: &str, unit: &str, under: &str, class: &str) -> Markup {
    html! {
        div class={ "figure " (class) } {
            dt { (name) }
            dd { (value) @if !unit.is_empty() { small { (unit) } } span.under { (under) } }
        }
    }
}

fn owners_of(view: &View) -> Markup {
    html! {
        div #owners {
            @if view.top.is_empty() { p.quiet { "Nobody was here in the last minutes." } }
            @else { (owners::table(&view.top)) p { a #all-owners href="/owners" { "More of them" } } }
        }
    }
}

fn servers_of(view: &View) -> Markup {
    html! {
        div #servers {
            @if view.targets.is_empty() { p.quiet { "The embedded mailbox server." } }
            @else { (servers::table(&view.targets, None)) }
        }
    }
}

/// How much mail waits, in a line.
fn mail_of(view: &View) -> Markup {
    let queues = view.queues.as_deref().unwrap_or_default();
    let messages = queues.iter().map(|queue| queue.message_count).fold(0, u64::saturating_add);
    let in_state = |state: &str| queues.iter().filter(|queue| queue.state == state).count();
    html! {
        p #mail {
            "Messages that wait: " (words::count(messages)) ". " a #all-queues href="/queues" { "Queues" } ": "
            (queues.len()) ", of which " (in_state("Retry")) " in retry and " (in_state("Suspended")) " suspended."
        }
    }
}

fn plots(overview: &Overview) -> [Plot; 3] {
    let line = |label, colour, unit| Series { label, colour, shape: Shape::Line, unit };
    let area = |label, colour, unit| Series { label, colour, shape: Shape::Area, unit };
    let (refused, delayed) =
        if overview.enforces { ("refused", "delayed") } else { ("would be refused", "would be delayed") };
    let plot = |name, title, least, series: Vec<Series>, moments: Vec<Vec<Value>>| {
        let data = rows(&moments, series.len());
        Plot { name, title, every: 1, most: SECONDS, least, series, data }
    };
    let seconds = &overview.seconds;
    let of = |moment: &dyn Fn(&SecondView) -> Vec<Value>| seconds.iter().map(moment).collect::<Vec<_>>();
    [
        plot(
            "traffic",
            "Requests a second in the last ten minutes, and how many of them were refused or delayed",
            5,
            vec![
                area("requests", "--fill", "/s"),
                line(delayed, "--warn-fill", "/s"),
                line(refused, "--bad", "/s"),
            ],
            of(&|second| traffic(second, overview.enforces)),
        ),
        plot(
            "load",
            "Load of the processors in the last ten minutes",
            100,
            vec![area("processor", "--fill", " %")],
            of(&load),
        ),
        plot(
            "connections",
            "Open connections in the last ten minutes",
            10,
            vec![area("connections", "--fill", "")],
            of(&connections),
        ),
    ]
}

fn traffic(second: &SecondView, enforces: bool) -> Vec<Value> {
    let done = second.traffic;
    let (delayed, refused) =
        if enforces { (done.delayed, done.refused) } else { (done.would_delay, done.would_refuse) };
    vec![seconds(&second.at), done.requests.into(), delayed.into(), refused.into()]
}

fn load(second: &SecondView) -> Vec<Value> {
    vec![seconds(&second.at), second.cpu_percent.into()]
}

fn connections(second: &SecondView) -> Vec<Value> {
    vec![seconds(&second.at), second.connections.into()]
}
