//! What a change to a policy would have done to the calls of the request log, before it is done (T22).
//!
//! The newest part of the log is put through the changed policy in place of the policy, and through the limits that held,
//! on pretended time. One trial runs at a time.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Html;
use maud::{Markup, html};
use weir_throttle::{Limits, Parameter, Policy, PolicyError, Setting};
use weir_units::Micros;
use weir_whatif::candidate::{Measures, OwnerReport, Report, Totals};
use weir_whatif::{Candidate, Format, Log, Reading, WhatIf};

use super::budget::part_name;
use super::draft::{Change, changes, lines, value_in};
use super::form::Fields;
use super::layout::Section;
use super::policies::Policies;
use super::review::review;
use super::session::Viewer;
use super::trouble::Trouble;
use super::words::{self, told_moment};
use super::{Page, Shared};
use crate::recent_log::recent;
use crate::routes::encoded;
use crate::server::change::blocking;
use crate::server::failure::Failure;
use crate::server::input::Name;
use crate::server::policy;
use crate::types::{PolicyView, SettingMap};

/// How much of the log is read.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// How many owners are shown.
const OWNERS: usize = 20;

/// What was read, and what the trial showed.
struct Trial {
    reading: Reading,
    report: Report,
}

pub(super) async fn show(
    State(page): Shared,
    Extension(viewer): Extension<Viewer>,
    Extension(fields): Extension<Fields>,
    Path(name): Path<String>,
) -> Result<Html<String>, Trouble> {
    let policy = policy::show(State(Arc::clone(&page.admin)), Name(name)).await?.0;
    let policies = Policies::read(&page).await?;
    let changes = changes(&policy, &lines(&policy, &fields));
    let (_, inherited) = policies.inherited(&policy);
    let candidate = candidate(&policy, &inherited, &changes, (page.admin.gateway.max_delay)())?;
    let trial = run(&page, candidate).await?;
    let body = html! {
        (review(&viewer, &policies, &policy, &changes))
        section.card #what-if aria-labelledby="what-if-title" { h2 #what-if-title { "What if" } (told(&policy, &trial)) }
    };
    let title = format!("Review: {}", policy.name);
    Ok(page.show(&viewer, Section::Policies, &title, &body))
}

/// The policy as it would be, in place of the policy as it is.
fn candidate(
    policy: &PolicyView,
    inherited: &SettingMap,
    changes: &[Change],
    max_delay: Micros,
) -> Result<Candidate, Failure> {
    let value = |parameter: Parameter| match changes.iter().find(|change| change.parameter == parameter) {
        None => value_in(&policy.effective, parameter),
        Some(Change { after: Setting::LeftOut, .. }) => value_in(inherited, parameter),
        Some(Change { after: Setting::Null, .. }) => None,
        Some(Change { after: Setting::Value(value), .. }) => Some(i64::from(*value)),
    };
    let mut whole = Policy::new();
    for parameter in Parameter::all() {
        let setting = value(parameter)
            .map_or(Setting::Null, |value| u32::try_from(value).map_or(Setting::Null, Setting::Value));
        whole
            .set(parameter, setting)
            .map_err(|error: PolicyError| Failure::bad_request(error.to_string()))?;
    }
    Ok(Candidate {
        name: policy.name.clone(),
        limits: Limits::resolve(&whole, &Policy::fallback()),
        replaces: Some(policy.name.clone()),
        max_delay,
    })
}

async fn run(page: &Arc<Page>, candidate: Candidate) -> Result<Trial, Failure> {
    // The semaphore is never closed.
    let _alone = page.trials.acquire().await;
    blocking(&page.admin, move |admin| {
        let unreadable = |error| Failure::unavailable(format!("the request log cannot be read: {error}"));
        let mut log = Log::new(Format::Mailweir, recent(&admin.logs, MOST_BYTES).map_err(unreadable)?);
        let mut what_if = WhatIf::new(candidate);
        while let Some(record) = log.read() {
            what_if.take(&record, log.names());
        }
        Ok(Trial { reading: log.reading().clone(), report: what_if.finish(log.names()) })
    })
    .await
}

fn told(policy: &PolicyView, trial: &Trial) -> Markup {
    let Trial { reading, report } = trial;
    let tried = report.candidate.measures.calls;
    html! {
        @if tried == 0 {
            p {
                "The recent log has " (words::count(reading.calls)) " calls, and after its first minute, which fills the budgets, "
                "none that was under " strong { (policy.name) } ". There is nothing to try the change on yet."
            }
        } @else {
            p {
                (words::count(tried)) " calls under " (policy.name)
                @if let (Some(from), Some(to)) = (reading.from, reading.to) {
                    ", from " (told_moment(&weir_whatif::record::rfc3339(from)))
                    " to " (told_moment(&weir_whatif::record::rfc3339(to)))
                }
                ", put through the limits that held and through the changed ones:"
            }
            (totals(report))
            (owners(&report.owners))
            (examples(report))
        }
        @if policy.default {
            p.quiet { "Calls under policies that inherit from this one are not among them." }
        }
        p.quiet { (report.estimate) }
        p.quiet { "Longer logs, and those of other servers: " code { "mailweir what-if --log FILE --policy FILE" } }
    }
}

fn totals(report: &Report) -> Markup {
    let row = |name: &str, totals: &Totals| {
        html! {
            tr {
                th scope="row" { (name) }
                td.number { (words::count(totals.owners_delayed)) } td.number { (words::count(totals.owners_refused)) }
                (measures(&totals.measures))
            }
        }
    };
    html! {
        div.scroll {
            table {
                thead {
                    tr {
                        th scope="col" { "" } th.number scope="col" { "Owners delayed" }
                        th.number scope="col" { "Owners refused" } th.number scope="col" { "Calls delayed" }
                        th.number scope="col" { "Calls refused" } th.number scope="col" { "Waited in all" }
                        th.number scope="col" { "Longest" }
                    }
                }
                tbody {
                    @if let Some(today) = &report.today { (row("So far", today)) }
                    (row("From now on", &report.candidate))
                }
            }
        }
    }
}

fn measures(measures: &Measures) -> Markup {
    html! {
        td.number { (words::count(measures.delayed)) } td.number { (words::count(measures.refused)) }
        td.number { (words::duration(measures.delay_ms)) } td.number { (words::duration(measures.longest_delay_ms)) }
    }
}

fn owners(owners: &[OwnerReport]) -> Markup {
    let pair =
        |today: u64, candidate: u64| html! { (words::count(today)) " → " b { (words::count(candidate)) } };
    html! {
        @if !owners.is_empty() {
            div.scroll {
                table {
                    thead {
                        tr {
                            th scope="col" { "Owner" } th.number scope="col" { "Calls" } th.number scope="col" { "Delayed" }
                            th.number scope="col" { "Refused" } th.number scope="col" { "Longest wait" }
                        }
                    }
                    tbody {
                        @for owner in owners.iter().take(OWNERS) {
                            tr {
                                th scope="row" { a href={ "/owners/" (encoded(&owner.owner)) } { (owner.owner) } }
                                td.number { (words::count(owner.candidate.calls)) }
                                td.number { (pair(owner.today.delayed, owner.candidate.delayed)) }
                                td.number { (pair(owner.today.refused, owner.candidate.refused)) }
                                td.number { (words::duration(owner.candidate.longest_delay_ms)) }
                            }
                        }
                    }
                }
            }
            @if owners.len() > OWNERS { p.quiet { "and " (owners.len() - OWNERS) " more owners" } }
        }
    }
}

fn examples(report: &Report) -> Markup {
    html! {
        @if !report.examples.is_empty() {
            details.more {
                summary { "The first of them" }
                div.scroll {
                    table {
                        thead {
                            tr {
                                th scope="col" { "At" } th scope="col" { "Owner" } th scope="col" { "Operation" }
                                th scope="col" { "Would be" } th scope="col" { "For the sake of" } th.number scope="col" { "Waits" }
                            }
                        }
                        tbody {
                            @for example in &report.examples {
                                tr {
                                    td { (told_moment(&example.at)) } td { (example.owner) } td { (example.operation) }
                                    td { (example.verdict) } td { (part_name(example.why)) }
                                    td.number { (words::duration(example.waited_ms)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
