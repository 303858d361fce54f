//! Who may ask: whoever holds the token, and everybody for what is open.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::AdminState;
use super::failure::Failure;
use crate::routes::Endpoint;

/// Lets `request` through where its path is open or it carries the token. What is not known to be open is
/// closed, paths that do not exist included.
pub(super) async fn check(State(state): State<Arc<AdminState>>, request: Request, next: Next) -> Response {
    if is_open(request.uri().path()) || bearer(&request).is_some_and(|token| state.token.accepts(token)) {
        return next.run(request).await;
    }
    Failure::unauthorised().into_response()
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
