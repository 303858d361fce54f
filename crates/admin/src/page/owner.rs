//! One owner: which policy holds and why, how his budgets stand, and another policy for him (T21).

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{Html, Redirect};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::form::{Asked, Fields};
use super::layout::{Section, form_token};
use super::live::Span;
use super::notice::notice;
use super::policies::Policies;
use super::session::Viewer;
use super::trouble::Trouble;
use super::{Page, Shared, budget, history, mapi_sessions, origins, owner_log, words};
use crate::routes::encoded;
use crate::server::failure::Failure;
use crate::server::input::{Body, Name};
use crate::server::{self, mailbox};
use crate::types::{MailboxChange, MailboxView, MapiSession, OwnerBudgets, PolicyInForce};

/// How many minutes a live frame repeats, so that the one that ended is told whole.
const REPEATED: usize = 2;
/// The field that names the policy; empty for the organisation's default policy.
const POLICY: &str = "policy";

pub(super) async fn show(
    State(page): Shared,
    Extension(viewer): Extension<Viewer>,
    Path(name): Path<String>,
    Asked(asked): Asked,
) -> Result<Html<String>, Trouble> {
    let budgets = server::budget::show(State(Arc::clone(&page.admin)), Name(name)).await?.0;
    let mailbox = mailbox_of(&page.admin, &budgets).await?;
    let policies = Policies::read(&page).await?;
    let body = html! {
        (notice(&asked))
        (person(&budgets, mailbox.as_ref()))
        section.card aria-labelledby="policy" {
            h2 #policy { "Policy in force" }
            (in_force(&budgets.policy))
            @if let Some(mailbox) = &mailbox {
                @if viewer.may_change() { (assignment(&viewer, &policies, mailbox)) }
            }
        }
        div data-live={ "/live/owners/" (encoded(&budgets.owner)) } {
            (components(&budgets))
            (sessions(&budgets.sessions))
            (history::hour(&budgets.history))
            (history::told(&budgets.owner, &budgets.history))
        }
        (owner_log::section(&page, &budgets.owner, &asked).await?)
    };
    let title = mailbox.as_ref().map_or(&budgets.owner, |mailbox| &mailbox.display_name);
    Ok(page.show(&viewer, Section::Owners, title, &body))
}

/// What changes from second to second: fragments of the page, and the last minutes for its plots.
pub(super) async fn live(page: &Arc<Page>, name: &str, span: Span) -> Result<(Markup, Value), Failure> {
    let budgets = server::budget::show(State(Arc::clone(&page.admin)), Name(name.to_owned())).await?.0;
    let fragments = html! { (components(&budgets)) (sessions(&budgets.sessions)) (history::told(&budgets.owner, &budgets.history)) };
    let last = span.of(&budgets.history.minutes, REPEATED);
    let moments = json!({
        "calls": last.iter().map(history::calls).collect::<Vec<_>>(),
        "time": last.iter().map(history::time).collect::<Vec<_>>(),
    });
    Ok((fragments, moments))
}

/// The owner's mailbox, where the directory has one.
async fn mailbox_of(
    admin: &Arc<server::AdminState>,
    budgets: &OwnerBudgets,
) -> Result<Option<MailboxView>, Failure> {
    if !budgets.in_directory {
        return Ok(None);
    }
    mailbox::show(State(Arc::clone(admin)), Name(budgets.owner.clone())).await.map(|found| Some(found.0))
}

fn person(budgets: &OwnerBudgets, mailbox: Option<&MailboxView>) -> Markup {
    html! {
        p.lead {
            @match mailbox {
                Some(mailbox) => {
                    @for (place, address) in mailbox.addresses.iter().enumerate() {
                        @if place > 0 { ", " } (address)
                    }
                    " · alias " (mailbox.alias) " · " (mailbox.organisation)
                    @if mailbox.may_impersonate { " " span.tag { "may act for others" } }
                    " · " a href={ "/events?owner=" (encoded(&mailbox.address)) } { "events" }
                    " · " a href={ "/audit?target=" (encoded(&mailbox.address)) } { "changes" }
                }
                None => { (budgets.owner) " is not in the directory, and has the built-in policy." }
            }
        }
    }
}

fn in_force(policy: &PolicyInForce) -> Markup {
    let why = match policy.source.as_str() {
        "assigned" => "assigned to the mailbox",
        "default" => "the organisation's default policy",
        _ => "the built-in policy",
    };
    html! {
        p {
            strong { (policy.name) } " – " (why)
            @if policy.observe_only { " " span.tag { "observe only" } }
        }
        @if !policy.reasons.is_empty() {
            ul.reasons { @for reason in &policy.reasons { li { (reason) } } }
        }
        p.quiet {
            "Loaded " (words::duration(policy.age_ms)) " ago, read again in " (words::duration(policy.rereads_in_ms))
            " at the latest; what is changed here holds at once."
        }
    }
}

fn assignment(viewer: &Viewer, policies: &Policies, mailbox: &MailboxView) -> Markup {
    let assigned = mailbox.throttling_policy.as_deref();
    let of_organisation = policies.all.iter().filter(|policy| policy.organisation == mailbox.organisation);
    html! {
        form.row method="post" action={ "/owners/" (encoded(&mailbox.address)) } {
            (form_token(viewer))
            div.field {
                label for="assigned" { "Assigned to the mailbox" }
                select #assigned name=(POLICY) {
                    option value="" selected[assigned.is_none()] { "none: the default policy" }
                    @if mailbox.policy_deleted {
                        option value="" selected disabled { "one that was deleted" }
                    }
                    @for policy in of_organisation {
                        option value=(policies.name_of(policy)) selected[assigned == Some(policy.name.as_str())] {
                            (policy.name)
                        }
                    }
                }
            }
            button type="submit" { "Assign" }
        }
    }
}

/// His budgets, component by component, and what he has sent.
fn components(budgets: &OwnerBudgets) -> Markup {
    html! {
        div #budgets { @for component in &budgets.components {
            section.card aria-labelledby={ "c-" (component.component) } {
                h2 id={ "c-" (component.component) } {
                    "Budget: " (component.component)
                    @if !component.active { " " span.tag { "not seen lately" } }
                }
                (budget::whole(component))
            }
        }
        (origins::of_owner(&budgets.origins))
        section.card aria-labelledby="mail-sent" {
            h2 #mail-sent { "Mail sent" }
            (budget::sent(&budgets.submission))
        } }
    }
}

/// His MAPI sessions, where he has any.
fn sessions(sessions: &[MapiSession]) -> Markup {
    html! {
        div #mapi { @if !sessions.is_empty() {
            section.card aria-labelledby="mapi-sessions" {
                h2 #mapi-sessions { "MAPI sessions" }
                (mapi_sessions::table(sessions))
            }
        } }
    }
}

pub(super) async fn assign(
    State(page): Shared,
    Extension(fields): Extension<Fields>,
    Path(name): Path<String>,
) -> Result<Redirect, Trouble> {
    let policy = fields.filled(POLICY).map(str::to_owned);
    let path = format!("/owners/{}?done=assigned", encoded(&name));
    let change = MailboxChange { throttling_policy: Some(policy), ..MailboxChange::default() };
    let _changed = mailbox::change(State(Arc::clone(&page.admin)), Name(name), Body(change)).await?;
    Ok(Redirect::to(&path))
}
