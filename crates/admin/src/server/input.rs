//! What a request brings: a name in the path, options after the `?`, a JSON body. Each refusal is a
//! [`Failure`].

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::AdminState;
use super::failure::Failure;

/// The name in the path.
pub(crate) struct Name(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for Name {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let name = Path::<String>::from_request_parts(parts, state).await;
        name.map(|Path(name)| Self(name)).map_err(|_| {
            Failure::bad_request("the name in the path is no UTF-8; encode it as UTF-8, then in %XX")
        })
    }
}

/// The options after the `?`.
pub(crate) struct Options<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Options<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let options = Query::<T>::from_request_parts(parts, state).await;
        options.map(|Query(options)| Self(options)).map_err(|error| {
            Failure::bad_request(format!(
                "an option after the ? is wrong: {}; see docs/api.md",
                error.body_text()
            ))
        })
    }
}

/// The JSON body.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Arc<AdminState>> for Body<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &Arc<AdminState>) -> Result<Self, Failure> {
        let settings = &state.settings;
        let arrived = tokio::time::timeout(settings.arrival, Bytes::from_request(request, state)).await;
        let bytes = arrived.map_err(|_| Failure::too_slow(settings.arrival.as_secs()))?.map_err(|error| {
            if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
                return Failure::too_large(settings.max_body);
            }
            Failure::bad_request("the body broke off; send it again")
        })?;
        serde_json::from_slice(&bytes).map(Self).map_err(|error| {
            Failure::bad_request(format!(
                "the body is not the JSON that is wanted here: {error}; see docs/api.md"
            ))
        })
    }
}
