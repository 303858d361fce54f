//! Who uses most of what he may, and the way to anybody else (T21).

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};

use super::form::{Asked, Fields};
use super::layout::Section;
use super::session::Viewer;
use super::trouble::Trouble;
use super::{Page, Shared, budget};
use crate::routes::encoded;
use crate::server::budget::top_budget;
use crate::server::change::blocking;
use crate::server::failure::Failure;
use crate::types::TopBudget;

/// How many owners can be asked for; the first is usual.
const COUNTS: [usize; 3] = [20, 50, 200];

/// So many of the budgets of which most is used, the fullest first.
pub(super) async fn top(page: &Arc<Page>, most: usize) -> Result<Vec<TopBudget>, Failure> {
    blocking(&page.admin, move |admin| {
        Ok((admin.gateway.spenders)(most).into_iter().map(top_budget).collect())
    })
    .await
}

/// How many owners `asked` wants.
pub(super) fn count(asked: &Fields) -> usize {
    let [usual, ..] = COUNTS;
    let wanted = asked.number("top", usual);
    COUNTS.into_iter().find(|count| *count == wanted).unwrap_or(usual)
}

pub(super) async fn show(
    State(page): Shared,
    Extension(viewer): Extension<Viewer>,
    Asked(asked): Asked,
) -> Result<Response, Trouble> {
    if let Some(name) = asked.filled("name") {
        return Ok(Redirect::to(&format!("/owners/{}", encoded(name))).into_response());
    }
    let count = count(&asked);
    let budgets = top(&page, count).await?;
    let body = html! {
        form.row method="get" action="/owners" role="search" {
            div.field.wide {
                label for="name" { "Look at one owner, by any name or alias" }
                input #name name="name" type="search" required autocomplete="off" spellcheck="false"
                    placeholder="john.doe@example.com, JohnDoe or EXAMPLE\\john";
            }
            button type="submit" { "Look" }
        }
        nav.counts aria-label="How many owners" {
            span.quiet { "The fullest budgets of the last minute: " }
            @for each in COUNTS {
                a href={ "/owners?top=" (each) } aria-current=[(each == count).then_some("true")] { (each) } " "
            }
        }
        div data-live={ "/live/owners?top=" (count) } { (list(&budgets)) }
    };
    Ok(page.show(&viewer, Section::Owners, "Owners", &body).into_response())
}

/// What changes from second to second.
pub(super) async fn live(page: &Arc<Page>, most: usize) -> Result<Markup, Failure> {
    Ok(list(&top(page, most).await?))
}

fn list(budgets: &[TopBudget]) -> Markup {
    html! {
        div #owners {
            @if budgets.is_empty() { p.quiet { "Nobody was here in the last minutes." } }
            @else { (table(budgets)) }
        }
    }
}

/// A row for each budget, with a bar for each time part.
pub(super) fn table(budgets: &[TopBudget]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Owners" {
            table.owners {
                thead {
                    tr {
                        th scope="col" { "Owner" } th scope="col" { "Policy" } th scope="col" { "Fullest part" }
                        th.number scope="col" { "Used" }
                        th scope="col" { span.unseen { "Each part" } span.quiet { "directory · gateway · addresses · mailbox" } }
                        th.number scope="col" { "Running" } th.number scope="col" { "Waiting" }
                    }
                }
                tbody { @for budget in budgets { (row(budget)) } }
            }
        }
    }
}

fn row(top: &TopBudget) -> Markup {
    let used = top.share_percent.is_some_and(|share| share > 0);
    let id = format!("o-{}-{}", top.budget.component, top.owner);
    html! {
        tr {
            th scope="row" {
                a id=(id) href={ "/owners/" (encoded(&top.owner)) } { (top.owner) }
                " " span.tag { (top.budget.component) }
            }
            td {
                @if let Some(policy) = &top.policy { span.clip title=(policy) { (policy) } } @else { span.quiet { "–" } }
                @if top.observe_only { " " span.tag { "observe only" } }
            }
            td { @if let Some(part) = top.part.as_deref().filter(|_| used) { (budget::part_name(part)) } }
            td.number { @if let Some(share) = top.share_percent { (share) "\u{a0}%" } }
            td.bars { div.stack { @for part in &top.budget.parts { (budget::time_bar(part)) } } }
            td.number {
                (top.budget.running)
                @if let Some(most) = top.budget.max_concurrency { span.quiet { " / " (most) } }
            }
            td.number { (top.budget.waiting) }
        }
    }
}
