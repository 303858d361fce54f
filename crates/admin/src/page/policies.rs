//! Every policy, and a new one. [`Policies`] is what the pages about policies know of all of them.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{Html, Redirect};
use maud::{Markup, html};
use weir_throttle::{Parameter, Policy, Setting};

use super::form::{Asked, Fields};
use super::layout::{Section, form_token};
use super::notice::notice;
use super::session::Viewer;
use super::trouble::Trouble;
use super::{Page, Shared, draft, parameter};
use crate::names::snake_case;
use crate::routes::encoded;
use crate::server::failure::Failure;
use crate::server::input::{Body, Name};
use crate::server::{organisation, policy};
use crate::types::{NewPolicy, OrganisationView, PolicyView, SettingMap};

/// How many of a policy's own settings its row shows.
const SHOWN: usize = 4;

/// All policies and the organisations they belong to.
pub(super) struct Policies {
    pub(super) all: Vec<PolicyView>,
    pub(super) organisations: Vec<OrganisationView>,
}

/// Whom a change to a policy reaches: how many mailboxes, and why.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) mailboxes: u64,
    pub(super) because: Vec<String>,
}

impl Policies {
    pub(super) async fn read(page: &Arc<Page>) -> Result<Self, Failure> {
        let all = policy::list(State(Arc::clone(&page.admin))).await?.0.items;
        let organisations = organisation::list(State(Arc::clone(&page.admin))).await?.0.items;
        Ok(Self { all, organisations })
    }

    /// The name that means `policy` and no other.
    pub(super) fn name_of(&self, policy: &PolicyView) -> String {
        let alike = self.all.iter().filter(|other| other.name.eq_ignore_ascii_case(&policy.name));
        match self.organisation_of(policy) {
            Some(organisation) if alike.count() > 1 => {
                format!("{}\\{}", organisation.short_name, policy.name)
            }
            Some(_) | None => policy.name.clone(),
        }
    }

    /// The page of `policy`.
    pub(super) fn path_of(&self, policy: &PolicyView) -> String {
        format!("/policies/{}", encoded(&self.name_of(policy)))
    }

    /// Where `policy` inherits from, and what.
    pub(super) fn inherited(&self, policy: &PolicyView) -> (String, SettingMap) {
        match self.beside(policy).find(|other| other.default && !policy.default) {
            Some(default) => ("the default policy".to_owned(), default.effective.clone()),
            None => ("the built-in policy".to_owned(), fallback()),
        }
    }

    /// Whom a change of `changed` in `policy` reaches.
    pub(super) fn reach(&self, policy: &PolicyView, changed: &[Parameter]) -> Reach {
        let mut reach = Reach { mailboxes: policy.mailboxes, because: Vec::new() };
        if policy.mailboxes > 0 {
            reach.because.push(format!("{} assigned to it", counted(policy.mailboxes)));
        }
        if !policy.default {
            return reach;
        }
        let without = self.without_policy(policy);
        if without > 0 {
            reach.mailboxes += without;
            reach.because.push(format!("{} without a policy of their own", counted(without)));
        }
        for other in self.beside(policy).filter(|other| !other.default && other.mailboxes > 0) {
            let says = |parameter: &Parameter| other.settings.contains_key(&snake_case(parameter.name()));
            if changed.iter().any(|parameter| !says(parameter)) {
                reach.mailboxes += other.mailboxes;
                let (count, name) = (counted(other.mailboxes), &other.name);
                reach.because.push(format!("{count} of {name}, which inherits from it"));
            }
        }
        reach
    }

    /// How many mailboxes of the organisation of `policy` have no policy of their own, and so the default policy.
    fn without_policy(&self, policy: &PolicyView) -> u64 {
        let assigned: u64 = self.beside(policy).map(|other| other.mailboxes).sum();
        let all = self.organisation_of(policy).map_or(0, |organisation| organisation.mailboxes);
        all.saturating_sub(assigned)
    }

    /// The policies of the organisation of `policy`, itself among them.
    fn beside(&self, policy: &PolicyView) -> impl Iterator<Item = &PolicyView> {
        self.all.iter().filter(move |other| other.organisation == policy.organisation)
    }

    fn organisation_of(&self, policy: &PolicyView) -> Option<&OrganisationView> {
        self.organisations.iter().find(|organisation| organisation.name == policy.organisation)
    }
}

/// `1 mailbox`, `12 mailboxes`.
pub(super) fn counted(mailboxes: u64) -> String {
    format!("{mailboxes} {}", if mailboxes == 1 { "mailbox" } else { "mailboxes" })
}

/// What holds where no policy says anything.
fn fallback() -> SettingMap {
    let value = |setting| match setting {
        Setting::Value(value) => Some(i64::from(value)),
        Setting::Null | Setting::LeftOut => None,
    };
    let policy = Policy::fallback();
    policy.settings().map(|(parameter, setting)| (snake_case(parameter.name()), value(setting))).collect()
}

pub(super) async fn show(
    State(page): Shared,
    Extension(viewer): Extension<Viewer>,
    Asked(asked): Asked,
) -> Result<Html<String>, Trouble> {
    let policies = Policies::read(&page).await?;
    let body = html! {
        (notice(&asked))
        p.lead {
            "A policy holds what each owner may use. What it leaves out comes from its organisation's default policy. "
            "Choose one to see or change it."
        }
        (table(&policies))
        @if viewer.may_change() { (new_policy(&viewer, &policies)) }
    };
    Ok(page.show(&viewer, Section::Policies, "Policies", &body))
}

fn table(policies: &Policies) -> Markup {
    let several = policies.organisations.len() > 1;
    html! {
        div.scroll tabindex="0" role="region" aria-label="Policies" {
            table {
                thead {
                    tr {
                        th scope="col" { "Policy" }
                        @if several { th scope="col" { "Organisation" } }
                        th.number scope="col" { "Mailboxes" }
                        th scope="col" { "Says itself" }
                    }
                }
                tbody {
                    @for policy in &policies.all {
                        tr {
                            th scope="row" {
                                a href=(policies.path_of(policy)) { (policy.name) }
                                @if policy.default { " " span.tag.accent { "default" } }
                                @if observes(policy) { " " span.tag { "observe only" } }
                                @if policy.unreadable.is_some() { " " span.tag.bad { "unreadable" } }
                            }
                            @if several { td { (policy.organisation) } }
                            td.number { (users(policies, policy)) }
                            td { (own_settings(policy)) }
                        }
                    }
                    @if policies.all.is_empty() {
                        tr { td colspan="4" { "There is no organisation yet, and so no policy." } }
                    }
                }
            }
        }
    }
}

/// How many mailboxes have the policy.
fn users(policies: &Policies, policy: &PolicyView) -> Markup {
    let without = policies.without_policy(policy);
    html! {
        @if policy.mailboxes > 0 {
            a href={ "/mailboxes?policy=" (encoded(&policy.name)) } title="Show them" { (policy.mailboxes) }
        } @else if !policy.default { span.quiet { "0" } }
        @if policy.default {
            @if policy.mailboxes > 0 { " and " }
            span title="Mailboxes without a policy of their own" { (without) " by default" }
        }
    }
}

fn observes(policy: &PolicyView) -> bool {
    let mut parameters = Parameter::all().filter(|parameter| parameter::is_observe_only(*parameter));
    parameters.any(|parameter| draft::value_in(&policy.settings, parameter).is_some_and(|value| value > 0))
}

fn own_settings(policy: &PolicyView) -> Markup {
    let own = Parameter::all().filter_map(|parameter| {
        let value = policy.settings.get(&snake_case(parameter.name()))?;
        Some((parameter, *value))
    });
    let count = policy.settings.len();
    html! {
        @if policy.default {
            span.quiet { (count) " settings" }
        } @else if count == 0 {
            span.quiet { "nothing: everything is inherited" }
        } @else {
            @for (parameter, value) in own.take(SHOWN) {
                span.fact { (parameter.name()) " " b { (parameter::value(parameter, value)) } } " "
            }
            @if count > SHOWN { span.quiet { "and " (count - SHOWN) " more" } }
        }
    }
}

fn new_policy(viewer: &Viewer, policies: &Policies) -> Markup {
    html! {
        section.card aria-labelledby="new" {
            h2 #new { "New policy" }
            form.row method="post" action="/policies" {
                (form_token(viewer))
                div.field {
                    label for="name" { "Name" }
                    input #name name="name" required maxlength="64" autocomplete="off" spellcheck="false";
                }
                @if policies.organisations.len() > 1 {
                    div.field {
                        label for="organisation" { "Organisation" }
                        select #organisation name="organisation" {
                            @for organisation in &policies.organisations { option { (organisation.name) } }
                        }
                    }
                }
                button type="submit" { "Make it" }
            }
        }
    }
}

pub(super) async fn make(
    State(page): Shared,
    Extension(fields): Extension<Fields>,
) -> Result<Redirect, Trouble> {
    let wanted = NewPolicy {
        name: fields.one("name").unwrap_or_default().to_owned(),
        organisation: fields.filled("organisation").map(str::to_owned),
        settings: SettingMap::new(),
    };
    let made = policy::make(State(Arc::clone(&page.admin)), Body(wanted)).await?.1.0;
    let policies = Policies::read(&page).await?;
    Ok(Redirect::to(&format!("{}?done=made", policies.path_of(&made))))
}

pub(super) async fn make_default(State(page): Shared, Path(name): Path<String>) -> Result<Redirect, Trouble> {
    let path = format!("/policies/{}?done=default", encoded(&name));
    let _made = policy::make_default(State(Arc::clone(&page.admin)), Name(name)).await?;
    Ok(Redirect::to(&path))
}

pub(super) async fn remove(State(page): Shared, Path(name): Path<String>) -> Result<Redirect, Trouble> {
    let _removed = policy::remove(State(Arc::clone(&page.admin)), Name(name)).await?;
    Ok(Redirect::to("/policies?done=removed"))
}
