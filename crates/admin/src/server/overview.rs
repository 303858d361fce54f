//! How it goes (T21).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::AdminState;
use crate::types::Overview;

pub(super) async fn show(State(state): State<Arc<AdminState>>) -> Json<Overview> {
    Json((state.gateway.overview)())
}
