//! What could not be done, as a page: what happened, why, what to do, and the way back.
//!
//! A page hands its failure on within the answer; [`check`](super::guard::check) dresses it, because that knows who
//! looks.

use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use maud::html;

use super::Page;
use super::layout::Section;
use super::session::Viewer;
use crate::server::failure::Failure;

/// A page that says what could not be done.
#[derive(Clone, Debug)]
pub(super) struct Trouble(Failure);

impl<F: Into<Failure>> From<F> for Trouble {
    fn from(failure: F) -> Self {
        Self(failure.into())
    }
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        let mut response = self.0.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// The answer as it is, or the page that tells of the trouble in it.
pub(super) fn dress(page: &Page, viewer: Option<&Viewer>, mut response: Response) -> Response {
    let Some(Trouble(failure)) = response.extensions_mut().remove::<Trouble>() else { return response };
    let status = failure.status();
    let title = match status {
        StatusCode::NOT_FOUND => "Not found",
        StatusCode::FORBIDDEN => "Not allowed",
        StatusCode::SERVICE_UNAVAILABLE => "Not available at this moment",
        _ => "Not done",
    };
    let body = html! {
        div.notice.bad role="alert" { p { (sentence(failure.message())) } }
        p { a.button href="/" { "To the overview" } }
    };
    (status, Html(page.frame(viewer, Section::None, title, &body))).into_response()
}

/// `message` as a sentence of its own.
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str().trim_end_matches('.'))
}
