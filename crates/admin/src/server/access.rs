//! Who may ask: whoever holds the token, the helpdesk for what changes nothing, and everybody for what is open.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::AdminState;
use super::failure::Failure;
use crate::routes::Endpoint;
use crate::token::Role;

/// What the API's paths begin with, but for the open ones.
const API: &str = "/api/";

/// Lets `request` through where its path is open or it carries a token that allows it. What is not known to be
/// open is closed, paths that do not exist included.
pub(super) async fn check(State(state): State<Arc<AdminState>>, request: Request, next: Next) -> Response {
    if !is_open(request.uri().path()) {
        match bearer(&request).and_then(|token| state.tokens.role(token)) {
            None => return Failure::unauthorised().into_response(),
            Some(Role::Helpdesk) if !request.method().is_safe() => {
                return Failure::read_only().into_response();
            }
            Some(Role::Helpdesk | Role::Administrator) => {}
        }
    }
    next.run(request).await
}

/// Whether `path` is the API's; everything else is a page.
pub(super) fn is_api(path: &str) -> bool {
    path.starts_with(API) || is_open(path)
}

fn is_open(path: &str) -> bool {
    Endpoint::ALL.iter().any(|endpoint| endpoint.is_open() && endpoint.route().1 == path)
}

/// The token that the request carries. The scheme's name is written in any case.
fn bearer(request: &Request) -> Option<&str> {
    let header = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
