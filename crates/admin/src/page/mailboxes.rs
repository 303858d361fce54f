//! Every mailbox: found by a word, narrowed to a policy, a page at a time; each leads to its owner.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::{Html, Redirect};
use maud::{Markup, html};
use weir_directory::{Link, Mailbox};

use super::Shared;
use super::form::{Asked, Fields};
use super::layout::{Section, form_token};
use super::notice::notice;
use super::policies::{Policies, counted};
use super::session::Viewer;
use super::trouble::Trouble;
use crate::routes::encoded;
use crate::server::change::blocking;
use crate::server::mailbox;

/// How many mailboxes a page shows.
const PAGE: usize = 50;
/// The filter's word for mailboxes without a policy of their own.
const NO_POLICY: &str = "-";
/// The filter's word for mailboxes whose policy was deleted.
const DELETED: &str = "--";

/// What a page shows of all mailboxes.
struct Found {
    mailboxes: Vec<Mailbox>,
    /// How many there are.
    all: usize,
    /// How many match.
    matching: usize,
    /// How many have a policy that was deleted.
    deleted: usize,
    page: usize,
}

pub(super) async fn show(
    State(page): Shared,
    Extension(viewer): Extension<Viewer>,
    Asked(asked): Asked,
) -> Result<Html<String>, Trouble> {
    let policies = Policies::read(&page).await?;
    let filter = asked.clone();
    let found = blocking(&page.admin, move |admin| Ok(find(admin.store.mailboxes()?, &filter))).await?;
    let body = html! {
        (notice(&asked))
        @if found.deleted > 0 { (deleted(&viewer, found.deleted)) }
        (filters(&policies, &asked))
        div #found { (table(&found)) (pages(&found, &asked)) }
    };
    Ok(page.show(&viewer, Section::Mailboxes, "Mailboxes", &body))
}

fn find(mailboxes: Vec<Mailbox>, asked: &Fields) -> Found {
    let word = asked.one("search").unwrap_or_default().to_lowercase();
    let policy = asked.one("policy").unwrap_or_default();
    let page = asked.number("page", 1).max(1);
    let is_deleted =
        |mailbox: &Mailbox| matches!(mailbox.policy, Link::Deleted { .. } | Link::Missing { .. });
    let (all, deleted) = (mailboxes.len(), mailboxes.iter().filter(|mailbox| is_deleted(mailbox)).count());
    let mut matching: Vec<Mailbox> = mailboxes
        .into_iter()
        .filter(|mailbox| holds(mailbox, &word) && has_policy(mailbox, policy))
        .collect();
    let count = matching.len();
    let mailboxes = matching.drain(..).skip((page - 1).saturating_mul(PAGE)).take(PAGE).collect();
    Found { mailboxes, all, matching: count, deleted, page }
}

fn holds(mailbox: &Mailbox, word: &str) -> bool {
    let account = &mailbox.account;
    let names = [&account.display_name, &account.alias];
    names.into_iter().chain(&account.addresses).any(|name| name.to_lowercase().contains(word))
}

fn has_policy(mailbox: &Mailbox, wanted: &str) -> bool {
    match &mailbox.policy {
        Link::Default => wanted.is_empty() || wanted == NO_POLICY,
        Link::Policy(policy) => wanted.is_empty() || policy.name.eq_ignore_ascii_case(wanted),
        Link::Deleted { .. } | Link::Missing { .. } => wanted.is_empty() || wanted == DELETED,
    }
}

fn deleted(viewer: &Viewer, count: usize) -> Markup {
    html! {
        div.notice.bad {
            p {
                (count) " of the mailboxes point to a policy that was deleted in the database itself. They have the default "
                "policy meanwhile. " a href={ "/mailboxes?policy=" (DELETED) } { "Show them" }
            }
            @if viewer.may_change() {
                form method="post" action="/mailboxes/repair" {
                    (form_token(viewer))
                    button type="submit" { "Give them the default policy" }
                }
            }
        }
    }
}

fn filters(policies: &Policies, asked: &Fields) -> Markup {
    let policy = asked.one("policy").unwrap_or_default();
    html! {
        form.row method="get" action="/mailboxes" role="search" data-into="#found" {
            div.field.wide {
                label for="search" { "Name or address" }
                input #search name="search" type="search" value=(asked.one("search").unwrap_or_default())
                    autocomplete="off" spellcheck="false";
            }
            div.field {
                label for="policy" { "Policy" }
                select #policy name="policy" {
                    option value="" { "any" }
                    option value=(NO_POLICY) selected[policy == NO_POLICY] { "none of their own" }
                    option value=(DELETED) selected[policy == DELETED] { "a deleted one" }
                    @for known in &policies.all {
                        option selected[known.name.eq_ignore_ascii_case(policy)] { (known.name) }
                    }
                }
            }
            button type="submit" { "Find" }
        }
    }
}

fn table(found: &Found) -> Markup {
    html! {
        p.quiet role="status" {
            @if found.matching == found.all { (counted(number(found.all))) }
            @else { (found.matching) " of " (counted(number(found.all))) }
        }
        div.scroll tabindex="0" role="region" aria-label="Mailboxes" {
            table {
                thead {
                    tr {
                        th scope="col" { "Owner" } th scope="col" { "Address" } th scope="col" { "Alias" }
                        th scope="col" { "Policy" }
                    }
                }
                tbody {
                    @for mailbox in &found.mailboxes { (row(mailbox)) }
                    @if found.mailboxes.is_empty() { tr { td colspan="4" { "No mailbox matches." } } }
                }
            }
        }
    }
}

fn row(mailbox: &Mailbox) -> Markup {
    let account = &mailbox.account;
    html! {
        tr {
            th scope="row" {
                a href={ "/owners/" (encoded(&account.address)) } { (account.display_name) }
                @if account.may_impersonate { " " span.tag { "may act for others" } }
            }
            td { (account.address) }
            td { (account.alias) }
            td { (policy_of(&mailbox.policy)) }
        }
    }
}

/// The policy that a mailbox points to.
fn policy_of(link: &Link) -> Markup {
    match link {
        Link::Default => html! { span.quiet { "default" } },
        Link::Policy(policy) => html! { (policy.name) },
        Link::Deleted { tombstone } => {
            let name = tombstone.lines().next().unwrap_or_default();
            html! { (name) " " span.tag.bad { "deleted" } }
        }
        Link::Missing { .. } => html! { span.tag.bad { "deleted" } },
    }
}

fn pages(found: &Found, asked: &Fields) -> Markup {
    let last = found.matching.div_ceil(PAGE).max(1);
    let path = |page: usize| {
        let field = |name| encoded(asked.one(name).unwrap_or_default());
        format!("/mailboxes?search={}&policy={}&page={page}", field("search"), field("policy"))
    };
    html! {
        @if last > 1 {
            nav.pages aria-label="Pages of mailboxes" {
                @if found.page > 1 { a rel="prev" href=(path(found.page - 1)) { "← Before" } }
                span.quiet { "page " (found.page) " of " (last) }
                @if found.page < last { a rel="next" href=(path(found.page + 1)) { "Further →" } }
            }
        }
    }
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

pub(super) async fn repair(State(page): Shared) -> Result<Redirect, Trouble> {
    let _repaired = mailbox::repair(State(Arc::clone(&page.admin))).await?;
    Ok(Redirect::to("/mailboxes?done=repaired"))
}
