//! What a change to a policy would do, before it is done: from what to what, and to how many mailboxes. From here it can
//! be tried on the log ([`what_if`](super::what_if)).

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};
use maud::{Markup, html};
use ring::digest::{SHA256, digest};
use weir_throttle::{Parameter, Setting};

use super::draft::{Change, HOW, How, VALUE, changes, lines, request, value_in};
use super::form::Fields;
use super::layout::{Section, form_token};
use super::policies::{Policies, Reach, counted};
use super::policy::editor;
use super::session::Viewer;
use super::trouble::Trouble;
use super::{Shared, parameter};
use crate::routes::encoded;
use crate::server::failure::Failure;
use crate::server::input::{Body, Name};
use crate::server::policy;
use crate::token::hexadecimal;
use crate::types::{PolicyView, SettingMap};

/// The field that says which state of the policy was reviewed.
const REVIEWED: &str = "reviewed";

pub(super) async fn show(
    State(page): Shared,
    Extension(viewer): Extension<Viewer>,
    Extension(fields): Extension<Fields>,
    Path(name): Path<String>,
) -> Result<Response, Trouble> {
    let policy = policy::show(State(Arc::clone(&page.admin)), Name(name)).await?.0;
    let policies = Policies::read(&page).await?;
    let lines = lines(&policy, &fields);
    let wrong = lines.iter().filter(|line| line.error.is_some()).count();
    if wrong > 0 {
        let body = html! {
            p.notice.bad role="alert" { (wrong) " of the limits cannot be; see below. Nothing is changed." }
            (editor(&viewer, &policies, &policy, &lines))
        };
        let body = page.frame(Some(&viewer), Section::Policies, &policy.name, &body);
        return Ok((StatusCode::UNPROCESSABLE_ENTITY, Html(body)).into_response());
    }
    let changes = changes(&policy, &lines);
    if changes.is_empty() {
        let path = format!("{}?done=unchanged", policies.path_of(&policy));
        return Ok(Redirect::to(&path).into_response());
    }
    let body = review(&viewer, &policies, &policy, &changes);
    let title = format!("Review: {}", policy.name);
    Ok(page.show(&viewer, Section::Policies, &title, &body).into_response())
}

/// Whoever comes back to a review without its form begins anew.
pub(super) async fn begin(Path(name): Path<String>) -> Redirect {
    Redirect::to(&format!("/policies/{}", encoded(&name)))
}

pub(super) async fn apply(
    State(page): Shared,
    Extension(fields): Extension<Fields>,
    Path(name): Path<String>,
) -> Result<Redirect, Trouble> {
    let before = policy::show(State(Arc::clone(&page.admin)), Name(name.clone())).await?.0;
    let policies = Policies::read(&page).await?;
    let path = policies.path_of(&before);
    if fields.one(REVIEWED) != Some(state_of(&before).as_str()) {
        return Err(Failure::conflict(
            "the policy was changed by somebody else after you had reviewed it, and nothing is done; open it again and \
             look at what it says by now",
        )
        .into());
    }
    let changes = changes(&before, &lines(&before, &fields));
    let _changed =
        policy::change(State(Arc::clone(&page.admin)), Name(name), Body(request(&changes))).await?;
    Ok(Redirect::to(&format!("{path}?done=changed")))
}

/// A short word for what the policy says at this moment.
fn state_of(policy: &PolicyView) -> String {
    let text = format!("{:?}", (&policy.organisation, &policy.name, &policy.settings));
    hexadecimal(digest(&SHA256, text.as_bytes()).as_ref())
}

/// What changes, whom it concerns, and the buttons to do it, to try it, or to leave it.
pub(super) fn review(
    viewer: &Viewer,
    policies: &Policies,
    policy: &PolicyView,
    changes: &[Change],
) -> Markup {
    let (from, inherited) = policies.inherited(policy);
    let parameters: Vec<Parameter> = changes.iter().map(|change| change.parameter).collect();
    let path = policies.path_of(policy);
    html! {
        (reached(&policies.reach(policy, &parameters)))
        div.scroll tabindex="0" role="region" aria-label="What changes" {
            table.review {
                thead {
                    tr { th scope="col" { "Parameter" } th scope="col" { "So far" } th scope="col" { "From now on" } }
                }
                tbody {
                    @for change in changes {
                        tr {
                            th scope="row" {
                                code { (change.parameter.name()) }
                                @if !change.parameter.enforced() { " " span.tag { "not enforced" } }
                                br;
                                span.quiet { (parameter::meaning(change.parameter)) }
                            }
                            td.before { (said(change.parameter, change.before, &inherited)) }
                            td.after { (said(change.parameter, change.after, &inherited)) }
                        }
                    }
                }
            }
        }
        p.quiet { "What is inherited comes from " (from) "." }
        form.actions method="post" action=(path) {
            (form_token(viewer))
            input type="hidden" name=(REVIEWED) value=(state_of(policy));
            @for change in changes { (hidden(change)) }
            button.primary type="submit" autofocus { "Change it" }
            button type="submit" formaction={ (path) "/what-if" } { "Try it on the recent log" }
            a.button href=(path) { "Leave it as it is" }
        }
    }
}

fn reached(reach: &Reach) -> Markup {
    html! {
        p.lead {
            @if reach.mailboxes == 0 {
                "This concerns no mailbox at this moment."
            } @else {
                "This concerns " strong { (counted(reach.mailboxes)) } ": " (reach.because.join(", ")) "."
            }
        }
    }
}

/// A setting as it reads: `inherits 10`, `no limit`, `5`.
fn said(of: Parameter, setting: Setting, inherited: &SettingMap) -> Markup {
    match setting {
        Setting::LeftOut => html! { "inherits " b { (parameter::value(of, value_in(inherited, of))) } },
        Setting::Null => html! { b { (parameter::null(of)) } },
        Setting::Value(value) => html! { b { (parameter::value(of, Some(value.into()))) } },
    }
}

/// The change as fields of the form that carries it out.
fn hidden(change: &Change) -> Markup {
    let (how, value) = match change.after {
        Setting::LeftOut => (How::Inherit, None),
        Setting::Null => (How::NoLimit, None),
        Setting::Value(value) => (How::Limit, Some(value)),
    };
    let name = change.parameter.name();
    html! {
        input type="hidden" name={ (HOW) (name) } value=(how.word());
        @if let Some(value) = value { input type="hidden" name={ (VALUE) (name) } value=(value); }
    }
}
