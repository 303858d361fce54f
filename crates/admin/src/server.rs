//! The API and, beside it, the administration page, from a listener (contract: "admin").
//!
//! The API's router is built from [`Endpoint::ALL`]. Every request but the open ones must carry the token. What touches
//! the directory runs where blocking is allowed; changes go one at a time, and before a change is answered the
//! policy cache and the gateway hear of it and it stands in the audit log. Whatever is refused is answered in one
//! JSON form. Bodies, heads, connections and their times are bounded by [`AdminSettings`].

mod access;
pub(crate) mod budget;
pub(crate) mod bypass;
pub(crate) mod change;
mod connection;
pub(crate) mod failure;
pub(crate) mod input;
pub(crate) mod log;
pub(crate) mod mailbox;
pub(crate) mod message;
pub(crate) mod organisation;
mod overview;
pub(crate) mod owner_log;
pub(crate) mod policy;
mod policy_import;
mod process;
pub(crate) mod queue;
pub(crate) mod session;
pub(crate) mod target;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter, on};
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use prometheus_client::registry::Registry;
use tokio::sync::watch;
use weir_directory::{PolicyCache, Store};
use weir_units::EventSink;

use crate::audit::AuditLog;
use crate::gateway::GatewayView;
use crate::page::{self, PageSettings};
use crate::routes::{Endpoint, Method};
use crate::token::Tokens;
use crate::transport::TransportView;

pub use connection::serve;

/// The limits of the API's listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdminSettings {
    /// The largest request body, in bytes.
    pub max_body: usize,
    /// The largest request head, in bytes.
    pub max_head: usize,
    /// How many header fields a request has at most.
    pub max_headers: usize,
    /// How many connections are served at the same time; further ones wait to be accepted.
    pub max_connections: usize,
    /// How long a request's head, and then its body, may take to arrive; and how long a connection may idle.
    pub arrival: Duration,
    /// How long a connection is used before it is closed after the request that runs.
    pub lifetime: Duration,
    /// How long a running request may go on when its connection's lifetime is over, or the server stops.
    pub grace: Duration,
}

impl Default for AdminSettings {
    fn default() -> Self {
        Self {
            max_body: 1024 * 1024,
            max_head: 16 * 1024,
            max_headers: 64,
            max_connections: 64,
            arrival: Duration::from_secs(10),
            lifetime: Duration::from_mins(10),
            grace: Duration::from_secs(10),
        }
    }
}

/// What the API works on.
pub struct AdminState {
    /// The directory.
    pub store: Arc<Store>,
    /// The policy cache, which hears of every change (T14).
    pub cache: Arc<PolicyCache>,
    /// What it sees of the gateway.
    pub gateway: GatewayView,
    /// What it sees of the mail transport; nothing where none runs.
    pub transport: Option<TransportView>,
    /// Every metric of the process.
    pub registry: Arc<Registry>,
    /// Where changes are written down.
    pub audit: AuditLog,
    /// The folder of the event log and the audit log.
    pub logs: PathBuf,
    /// Where events go.
    pub events: EventSink,
    /// What a presented token is compared with.
    pub tokens: Tokens,
    /// The limits of the listener.
    pub settings: AdminSettings,
    /// The limits of the page.
    pub page: PageSettings,
    /// Held while a change is made, so that the audit log's "before" and "after" belong together.
    pub changing: Mutex<()>,
}

impl fmt::Debug for AdminState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdminState").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// The page and the API over `state`; what streams ends when `stopping` changes or is closed.
pub(crate) fn router(state: Arc<AdminState>, stopping: watch::Receiver<()>) -> Router {
    let pages = page::router(Arc::clone(&state), stopping);
    pages.layer(from_fn_with_state(TowerToHyperService::new(api(state)), divide))
}

/// Leads what is asked of the API there, and everything else to the pages.
async fn divide(State(api): State<TowerToHyperService<Router>>, request: Request, next: Next) -> Response {
    if !access::is_api(request.uri().path()) {
        return next.run(request).await;
    }
    match api.call(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

fn api(state: Arc<AdminState>) -> Router {
    let max_body = state.settings.max_body;
    Endpoint::ALL
        .into_iter()
        .fold(Router::new(), |router, endpoint| router.route(endpoint.route().1, handler(endpoint)))
        .fallback(failure::no_such_endpoint)
        .method_not_allowed_fallback(failure::no_such_method)
        .layer(from_fn_with_state(Arc::clone(&state), access::check))
        .layer(DefaultBodyLimit::max(max_body))
        .with_state(state)
}

fn handler(endpoint: Endpoint) -> MethodRouter<Arc<AdminState>> {
    let method = match endpoint.route().0 {
        Method::Get => MethodFilter::GET,
        Method::Post => MethodFilter::POST,
        Method::Put => MethodFilter::PUT,
        Method::Patch => MethodFilter::PATCH,
        Method::Delete => MethodFilter::DELETE,
    };
    match endpoint {
        Endpoint::Health => on(method, process::health),
        Endpoint::Ready => on(method, process::ready),
        Endpoint::Metrics => on(method, process::metrics),
        Endpoint::OrganisationList => on(method, organisation::list),
        Endpoint::OrganisationNew => on(method, organisation::make),
        Endpoint::OrganisationRemove => on(method, organisation::remove),
        Endpoint::PolicyList => on(method, policy::list),
        Endpoint::PolicyNew => on(method, policy::make),
        Endpoint::PolicyShow => on(method, policy::show),
        Endpoint::PolicyChange => on(method, policy::change),
        Endpoint::PolicyRemove => on(method, policy::remove),
        Endpoint::PolicyDefault => on(method, policy::make_default),
        Endpoint::PolicyImport => on(method, policy_import::import),
        Endpoint::MailboxList => on(method, mailbox::list),
        Endpoint::MailboxNew => on(method, mailbox::make),
        Endpoint::MailboxShow => on(method, mailbox::show),
        Endpoint::MailboxChange => on(method, mailbox::change),
        Endpoint::MailboxRemove => on(method, mailbox::remove),
        Endpoint::MailboxPassword => on(method, mailbox::set_password),
        Endpoint::MailboxRepair => on(method, mailbox::repair),
        Endpoint::BudgetList => on(method, budget::list),
        Endpoint::BudgetShow => on(method, budget::show),
        Endpoint::BudgetLog => on(method, owner_log::show),
        Endpoint::Overview => on(method, overview::show),
        Endpoint::TargetList => on(method, target::list),
        Endpoint::TargetDisable => on(method, target::disable),
        Endpoint::TargetDrain => on(method, target::drain),
        Endpoint::TargetEnable => on(method, target::enable),
        Endpoint::TargetRetry => on(method, target::retry),
        Endpoint::QueueList => on(method, queue::list),
        Endpoint::QueueShow => on(method, queue::show),
        Endpoint::QueueRetry => on(method, queue::retry),
        Endpoint::QueueSuspend => on(method, queue::suspend),
        Endpoint::QueueResume => on(method, queue::resume),
        Endpoint::MessageShow => on(method, message::show),
        Endpoint::MessageRemove => on(method, message::remove),
        Endpoint::SessionList => on(method, session::list),
        Endpoint::SessionClose => on(method, session::close),
        Endpoint::BypassShow => on(method, bypass::show),
        Endpoint::BypassSet => on(method, bypass::set),
        Endpoint::Reload => on(method, process::reload),
        Endpoint::EventList => on(method, log::events),
        Endpoint::AuditList => on(method, log::changes),
    }
}
