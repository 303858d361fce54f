//! One message: how it came, how it stands with each recipient and why, and its end.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{Html, Redirect};
use maud::{Markup, html};

use super::Shared;
use super::form::Fields;
use super::layout::{Section, form_token};
use super::queue::sender;
use super::queues::moment;
use super::session::Viewer;
use super::trouble::Trouble;
use super::words::{count, told_moment};
use crate::routes::encoded;
use crate::server::failure::Failure;
use crate::server::input::{Name, Options};
use crate::server::message;
use crate::types::{MessageRemoval, MessageView, RecipientView};

/// The field that says whether the sender is told.
const REPORT: &str = "report";

pub(super) async fn show(
    State(page): Shared,
    Extension(viewer): Extension<Viewer>,
    Path(name): Path<String>,
) -> Result<Html<String>, Trouble> {
    let message = message::show(State(Arc::clone(&page.admin)), Name(name)).await?.0;
    let body = html! {
        section.card aria-labelledby="came" { h2 #came { "How it came" } (facts(&message)) }
        section aria-labelledby="stands" { h2 #stands { "How it stands" } (table(&message.recipients)) }
        @if viewer.may_change() { (removal(&message, &viewer)) }
    };
    Ok(page.show(&viewer, Section::Queues, &format!("Message {}", message.id), &body))
}

fn facts(message: &MessageView) -> Markup {
    let source = &message.source;
    let came = [
        ("Client", &source.address),
        ("Receive connector", &source.connector),
        ("Logged in as", &source.owner),
        ("Handed over by", &source.server),
    ];
    html! {
        table.facts {
            tbody {
                tr { th scope="row" { "From" } td { (sender(message)) } }
                @for (name, value) in came {
                    @if let Some(value) = value { tr { th scope="row" { (name) } td { (value) } } }
                }
                tr { th scope="row" { "Bytes" } td { (count(message.size)) } }
                tr { th scope="row" { "Accepted" } td { (told_moment(&message.accepted)) } }
                tr { th scope="row" { "Given up" } td { (told_moment(&message.expires)) } }
            }
        }
    }
}

fn table(recipients: &[RecipientView]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Recipients" {
            table {
                thead {
                    tr {
                        th scope="col" { "Recipient" } th scope="col" { "State" } th.number scope="col" { "Attempts" }
                        th scope="col" { "Next try" } th scope="col" { "Queue" }
                    }
                }
                tbody { @for recipient in recipients { (row(recipient)) } }
            }
        }
    }
}

fn row(recipient: &RecipientView) -> Markup {
    html! {
        tr {
            th scope="row" { (recipient.address) }
            td {
                (recipient.state)
                @if let Some(partner) = &recipient.partner { ": " (partner) " has it" }
                @if let Some(error) = &recipient.last_error { br; span.quiet { (error) } }
            }
            td.number { (recipient.attempts) }
            td { (moment(recipient.next_try.as_deref())) }
            td { @if let Some(hop) = &recipient.next_hop { a href={ "/queues/" (encoded(hop)) } { (hop) } } @else { "–" } }
        }
    }
}

fn removal(message: &MessageView, viewer: &Viewer) -> Markup {
    let ask = format!("Remove message {}? Nobody else will get it.", message.id);
    html! {
        form.actions method="post" action={ "/messages/" (message.id) "/remove" } data-ask=(ask) {
            (form_token(viewer))
            @if !message.from.is_empty() {
                button.danger type="submit" name=(REPORT) value="true" { "Remove it, and tell the sender" }
            }
            button.danger type="submit" name=(REPORT) value="false" { "Remove it, and tell nobody" }
            a.button href="/queues" { "Leave it" }
        }
    }
}

pub(super) async fn remove(
    State(page): Shared,
    Path(name): Path<String>,
    Extension(fields): Extension<Fields>,
) -> Result<Redirect, Trouble> {
    let report = fields.one(REPORT).and_then(|report| report.parse().ok());
    let report = report.ok_or_else(|| {
        Failure::bad_request("the form does not say whether the sender is told; load the page again")
    })?;
    let how = Options(MessageRemoval { report });
    let _removed = message::remove(State(Arc::clone(&page.admin)), Name(name), how).await?;
    Ok(Redirect::to("/queues?done=message"))
}
