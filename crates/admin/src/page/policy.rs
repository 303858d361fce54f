//! One policy: what it says, what it inherits, and the editor of both (T1).
//!
//! Each parameter is one of three: inherited, no limit, or a limit. The editor shows what would be inherited beside
//! the choice, so that nobody has to look it up. What is changed is reviewed before it is done.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Html;
use maud::{Markup, html};
use weir_throttle::Parameter;
use weir_units::Component;

use super::draft::{HOW, How, Line, VALUE, lines, value_in};
use super::form::{Asked, Fields};
use super::layout::{Section, form_token};
use super::notice::notice;
use super::policies::{Policies, counted};
use super::session::Viewer;
use super::trouble::Trouble;
use super::{Shared, parameter};
use crate::server::input::Name;
use crate::server::policy;
use crate::types::{PolicyView, SettingMap};

pub(super) async fn show(
    State(page): Shared,
    Extension(viewer): Extension<Viewer>,
    Path(name): Path<String>,
    Asked(asked): Asked,
) -> Result<Html<String>, Trouble> {
    let policy = policy::show(State(page.admin.clone()), Name(name)).await?.0;
    let policies = Policies::read(&page).await?;
    let body = html! {
        (notice(&asked))
        (head(&policies, &policy))
        (editor(&viewer, &policies, &policy, &lines(&policy, &Fields::default())))
        @if viewer.may_change() { (acts(&viewer, &policies, &policy)) }
    };
    Ok(page.show(&viewer, Section::Policies, &policy.name, &body))
}

fn head(policies: &Policies, policy: &PolicyView) -> Markup {
    let (from, _) = policies.inherited(policy);
    html! {
        p.lead {
            @if policy.default { span.tag.accent { "default" } " of " (policy.organisation) ". " }
            @else { "A policy of " (policy.organisation) ", assigned to " (counted(policy.mailboxes)) ". " }
            "What it leaves out comes from " (from) "."
        }
        @if let Some(why) = &policy.unreadable {
            p.notice.bad { "What is stored cannot be read, and its mailboxes have the default policy: " (why) }
        }
    }
}

/// The editor with these lines; the helpdesk sees it switched off.
pub(super) fn editor(viewer: &Viewer, policies: &Policies, policy: &PolicyView, lines: &[Line]) -> Markup {
    let (from, inherited) = policies.inherited(policy);
    let enforced = |line: &&Line| line.parameter.enforced();
    let of = |component: Option<Component>| {
        lines.iter().filter(enforced).filter(move |line| line.parameter.component() == component)
    };
    let stored: Vec<&Line> = lines.iter().filter(|line| !line.parameter.enforced()).collect();
    let open = stored.iter().any(|line| line.error.is_some());
    let says = stored.iter().filter(|line| line.how != How::Inherit).count();
    let rows = Rows { inherited: &inherited, from: &from, off: !viewer.may_change() };
    let settings = html! {
        section aria-labelledby="ews" { h2 #ews { "Exchange Web Services" } (rows.all(of(Some(Component::Ews)))) }
        section aria-labelledby="general" { h2 #general { "Everything" } (rows.all(of(None))) }
        details open[open] {
            summary { "Not enforced by this version: " (stored.len()) " settings, " (says) " of them said here" }
            (rows.all(stored.into_iter()))
        }
    };
    html! {
        @if viewer.may_change() {
            form.editor method="post" action={ (policies.path_of(policy)) "/review" } novalidate {
                (form_token(viewer))
                (settings)
                div.actions {
                    button.primary type="submit" { "Review changes…" }
                    span.quiet { "Nothing is changed before you have seen what and whom it concerns." }
                }
            }
        } @else {
            div.editor { (settings) }
        }
    }
}

/// The rows of an editor.
struct Rows<'r> {
    inherited: &'r SettingMap,
    from: &'r str,
    off: bool,
}

impl Rows<'_> {
    fn all<'l>(&self, lines: impl Iterator<Item = &'l Line>) -> Markup {
        html! { div.settings { @for line in lines { (self.row(line)) } } }
    }

    fn row(&self, line: &Line) -> Markup {
        let name = line.parameter.name();
        let (label, error) = (format!("l-{name}"), format!("e-{name}"));
        html! {
            div.setting role="group" aria-labelledby=(label) {
                div.what { code #(label) { (name) } span.quiet { (parameter::meaning(line.parameter)) } }
                div.choice {
                    @for how in How::ALL {
                        label {
                            input type="radio" name={ (HOW) (name) } value=(how.word()) checked[how == line.how]
                                disabled[self.off];
                            span { (self.words(how, line.parameter)) }
                        }
                    }
                    (self.number(line, &error))
                }
                @if let Some(wrong) = &line.error { p.wrong #(error) role="alert" { (wrong) } }
            }
        }
    }

    fn words(&self, how: How, of: Parameter) -> Markup {
        match how {
            How::Inherit => {
                let value = parameter::value(of, value_in(self.inherited, of));
                html! { "inherit " b title={ "from " (self.from) } { (value) } }
            }
            How::NoLimit => html! { (parameter::null(of)) },
            How::Limit => html! { "set" },
        }
    }

    fn number(&self, line: &Line, error: &str) -> Markup {
        let (least, most) = line.parameter.range();
        let name = line.parameter.name();
        html! {
            span.number {
                input type="number" name={ (VALUE) (name) } value=(line.text) min=(least) max=(most) step="1"
                    inputmode="numeric" aria-label={ "Limit, " (least) " to " (most) } disabled[self.off]
                    aria-invalid=[line.error.as_ref().map(|_| "true")] aria-describedby=[line.error.as_ref().map(|_| error)];
                span.unit { (parameter::unit(line.parameter)) }
            }
        }
    }
}

/// What else can be done with a policy.
fn acts(viewer: &Viewer, policies: &Policies, policy: &PolicyView) -> Markup {
    let path = policies.path_of(policy);
    html! {
        @if !policy.default {
            section.card aria-labelledby="more" {
                h2 #more { "More" }
                div.row {
                    form method="post" action={ (path) "/default" } data-ask="Make this the default policy of the whole organisation?" {
                        (form_token(viewer))
                        button type="submit" { "Make it the default policy" }
                    }
                    form method="post" action={ (path) "/remove" } data-ask="Remove this policy?" {
                        (form_token(viewer))
                        button.danger type="submit" disabled[policy.mailboxes > 0] { "Remove" }
                    }
                    @if policy.mailboxes > 0 {
                        a href={ "/mailboxes?policy=" (crate::routes::encoded(&policy.name)) } {
                            (counted(policy.mailboxes)) " must get another policy first"
                        }
                    }
                }
            }
        }
    }
}
