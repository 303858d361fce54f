//! The process itself: alive, ready, its metrics, its configuration.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use prometheus_client::encoding::text::encode;
use serde_json::{Value, json};
use weir_directory::Directory;

use super::AdminState;
use super::change::blocking;
use super::failure::Failure;
use crate::audit::Actor;
use crate::types::Reloaded;

type Shared = State<Arc<AdminState>>;

/// The type of the text that the metrics are written in.
const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The process lives: it answered.
pub(super) async fn health() -> Json<Value> {
    Json(json!({"status": "alive"}))
}

/// Every listener is bound and the directory answers.
pub(super) async fn ready(State(state): Shared) -> Result<Json<Value>, Failure> {
    (state.gateway.ready)().map_err(|why| Failure::unavailable(format!("not ready: {why}")))?;
    blocking(&state, |state| Ok(state.store.version()?)).await?;
    Ok(Json(json!({"status": "ready"})))
}

pub(super) async fn metrics(State(state): Shared) -> Result<Response, Failure> {
    (state.gateway.before_scrape)();
    let mut text = String::new();
    encode(&mut text, &state.registry)
        .map_err(|error| Failure::unavailable(format!("the metrics cannot be written: {error}")))?;
    Ok(([(CONTENT_TYPE, METRICS_TYPE)], text).into_response())
}

pub(super) async fn reload(State(state): Shared) -> Result<Json<Reloaded>, Failure> {
    let reloaded = blocking(&state, |state| state.reload(Actor::AdminToken).map_err(refused)).await?;
    Ok(Json(reloaded))
}

#[allow(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
fn refused(why: String) -> Failure {
    Failure::conflict(format!("the configuration is refused and the one before stays in force: {why}"))
}
