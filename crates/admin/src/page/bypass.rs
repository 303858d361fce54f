//! The switch that lets everybody pass (T20), behind a page that says what it does.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::{Html, Redirect};
use maud::html;

use super::Shared;
use super::form::Fields;
use super::layout::{Section, form_token};
use super::session::Viewer;
use super::trouble::Trouble;
use crate::server::bypass;
use crate::server::failure::Failure;
use crate::server::input::Body;
use crate::types::Bypass;

/// The field that says which way.
const WANTED: &str = "on";

pub(super) async fn show(State(page): Shared, Extension(viewer): Extension<Viewer>) -> Html<String> {
    let on = bypass::show(State(Arc::clone(&page.admin))).await.0.on;
    let body = html! {
        p.lead { "The bypass is " strong { (if on { "on" } else { "off" }) } "." }
        p {
            "While it is on, nobody is refused, delayed or rewritten, whatever configuration and policies say; everything is "
            "measured and logged as before. It holds from the next request on, for everybody, until it is switched off or the "
            "server starts again. Event 5041 says that it was switched on, 5042 off."
        }
        @if viewer.may_change() {
            form.actions method="post" action="/bypass" {
                (form_token(&viewer))
                input type="hidden" name=(WANTED) value=(!on);
                @if on { button.primary type="submit" { "Switch the bypass off" } }
                @else { button.danger type="submit" { "Switch the bypass on" } }
                a.button href="/" { "Leave it as it is" }
            }
        }
    };
    page.show(&viewer, Section::Overview, "Bypass", &body)
}

pub(super) async fn set(
    State(page): Shared,
    Extension(fields): Extension<Fields>,
) -> Result<Redirect, Trouble> {
    let on = fields.one(WANTED).and_then(|wanted| wanted.parse().ok());
    let on =
        on.ok_or_else(|| Failure::bad_request("the form says neither on nor off; load the page again"))?;
    let _set = bypass::set(State(Arc::clone(&page.admin)), Body(Bypass { on })).await?;
    Ok(Redirect::to("/bypass"))
}
