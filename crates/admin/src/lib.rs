//! HTTP API, its typed client, events and metrics.
