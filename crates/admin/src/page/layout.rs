//! The frame around every page: head, navigation, what holds for everybody, content.

use maud::{DOCTYPE, Markup, html};

use super::assets;
use super::guard::{FORM_TOKEN, LOGOUT};
use super::session::Viewer;

/// A place in the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// None of them.
    None,
    Overview,
    Owners,
    Policies,
    Mailboxes,
    Sessions,
    Queues,
    Servers,
    Events,
    Audit,
}

const NAVIGATION: [(Section, &str, &str); 9] = [
    (Section::Overview, "/", "Overview"),
    (Section::Owners, "/owners", "Owners"),
    (Section::Policies, "/policies", "Policies"),
    (Section::Mailboxes, "/mailboxes", "Mailboxes"),
    (Section::Sessions, "/sessions", "Sessions"),
    (Section::Queues, "/queues", "Queues"),
    (Section::Servers, "/servers", "Servers"),
    (Section::Events, "/events", "Events"),
    (Section::Audit, "/audit", "Audit"),
];

/// What surrounds a page's content.
pub(super) struct Frame<'f> {
    /// Who looks; nobody, before the login.
    pub(super) viewer: Option<&'f Viewer>,
    pub(super) section: Section,
    pub(super) title: &'f str,
    /// Whether everybody passes (T20).
    pub(super) bypass: bool,
}

impl Frame<'_> {
    /// The whole document.
    pub(super) fn around(&self, body: &Markup) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) " – Mailweir" }
                    link rel="icon" type="image/svg+xml" href=(assets::url("icon.svg"));
                    link rel="stylesheet" href=(assets::url("uPlot.min.css"));
                    link rel="stylesheet" href=(assets::url("page.css"));
                    @for script in ["idiomorph.min.js", "uPlot.iife.min.js", "page.js"] {
                        script defer src=(assets::url(script)) {}
                    }
                }
                body {
                    a.skip href="#content" { "Skip to the content" }
                    (self.top())
                    @if self.bypass { (bypass_banner(self.viewer)) }
                    main #content tabindex="-1" {
                        @if !self.title.is_empty() { h1 { (self.title) } }
                        (body)
                    }
                }
            }
        }
    }

    fn top(&self) -> Markup {
        html! {
            header.top {
                a.brand href="/" { (mark()) span { "Mailweir" } }
                @if let Some(viewer) = self.viewer {
                    nav aria-label="Pages" {
                        @for (section, path, name) in NAVIGATION {
                            a href=(path) aria-current=[(section == self.section).then_some("page")] { (name) }
                        }
                    }
                    div.who {
                        span.live #live hidden {
                            button type="button" #pause aria-pressed="false" title="Stop and continue live figures" {
                                span.dot aria-hidden="true" {} span.word { "Live" }
                            }
                        }
                        @if !viewer.may_change() { span.tag { "read-only" } }
                        form method="post" action=(LOGOUT) {
                            (form_token(viewer))
                            button.plain type="submit" { "Log out" }
                        }
                    }
                }
            }
        }
    }
}

/// The field that makes a form this session's own.
pub(super) fn form_token(viewer: &Viewer) -> Markup {
    html! { input type="hidden" name=(FORM_TOKEN) value=(viewer.form_token); }
}

fn bypass_banner(viewer: Option<&Viewer>) -> Markup {
    html! {
        div.banner role="status" {
            strong { "The bypass is on." }
            " Nobody is refused, delayed or rewritten until it is switched off, or until the next start. "
            @if viewer.is_some_and(Viewer::may_change) { a href="/bypass" { "Switch it off…" } }
        }
    }
}

/// A weir: water that is held and let through.
fn mark() -> Markup {
    html! {
        svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" {
            path d="M3 5v9m6-9v9m6-9v9m6-9v9" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" {}
            path d="M2 19c2 0 2-1.6 4-1.6S8 19 10 19s2-1.6 4-1.6 2 1.6 4 1.6 2-1.6 4-1.6" fill="none"
                stroke="currentColor" stroke-width="2" stroke-linecap="round" opacity=".55" {}
        }
    }
}
