//! The administration page: what the API tells and does, for people (T21).
//!
//! Pages are written by the server and work without scripts; a script of ours adds what moves: live figures and
//! plots. Whatever a page changes goes through the API's own functions, so that it is in force at once and stands in
//! the audit log. [`guard`] stands before all of it; who is logged in is kept by [`session`].
//!
//! A file is a page. [`layout`] is the frame around each, [`form`] reads what comes back.

mod assets;
mod audit;
mod bar;
mod budget;
mod bypass;
mod draft;
mod events;
mod form;
mod guard;
mod history;
mod layout;
mod live;
mod login;
mod mailboxes;
mod mapi_session;
mod mapi_sessions;
mod message;
mod notice;
mod origins;
mod overview;
mod owner;
mod owner_log;
mod owners;
mod parameter;
mod plot;
mod policies;
mod policy;
mod queue;
mod queues;
mod review;
mod servers;
mod session;
mod trouble;
mod what_if;
mod words;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::middleware::from_fn_with_state;
use axum::response::Html;
use axum::routing::{get, post};
use maud::Markup;
use tokio::sync::{Semaphore, watch};
use weir_units::Tick;

use crate::server::AdminState;
use crate::server::failure::Failure;
use layout::{Frame, Section};
use live::Live;
use session::{Bounds, Sessions, Viewer};
use trouble::Trouble;

/// How many tokens are looked at at the same time; a wrong one keeps its place for the pause.
const GUESSES: usize = 4;
/// How many changes are tried on the log at the same time.
const TRIALS: usize = 1;
/// The largest form that is read, in bytes.
const MAX_FORM: usize = 64 * 1024;

/// The limits of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageSettings {
    /// Names, besides addresses and `localhost`, by which browsers may ask for the page.
    pub names: Vec<String>,
    /// How many people may be logged in.
    pub max_sessions: usize,
    /// How long a session lives unused.
    pub session_idle: Duration,
    /// How long a session lives in all.
    pub session_lifetime: Duration,
    /// How long the answer to a wrong token is held back.
    pub failed_login_pause: Duration,
    /// How many streams of live figures are open at the same time.
    pub max_streams: usize,
}

impl Default for PageSettings {
    fn default() -> Self {
        Self {
            names: Vec::new(),
            max_sessions: 64,
            session_idle: Duration::from_hours(1),
            session_lifetime: Duration::from_hours(12),
            failed_login_pause: Duration::from_secs(1),
            max_streams: 24,
        }
    }
}

/// What every page works on.
struct Page {
    admin: Arc<AdminState>,
    sessions: Mutex<Sessions>,
    guesses: Semaphore,
    trials: Semaphore,
    live: Live,
}

type Shared = State<Arc<Page>>;

impl Page {
    fn now(&self) -> Tick {
        (self.admin.gateway.tick)()
    }

    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The document with `body` as its content.
    fn frame(&self, viewer: Option<&Viewer>, section: Section, title: &str, body: &Markup) -> String {
        let bypass = (self.admin.gateway.bypass)();
        Frame { viewer, section, title, bypass }.around(body).into_string()
    }

    fn show(&self, viewer: &Viewer, section: Section, title: &str, body: &Markup) -> Html<String> {
        Html(self.frame(Some(viewer), section, title, body))
    }
}

/// The pages over `admin`; what streams ends when `stopping` changes or is closed.
pub(crate) fn router(admin: Arc<AdminState>, stopping: watch::Receiver<()>) -> Router {
    let settings = &admin.page;
    let bounds = Bounds {
        most: settings.max_sessions,
        idle: settings.session_idle.into(),
        lifetime: settings.session_lifetime.into(),
    };
    let sessions = Mutex::new(Sessions::new(bounds));
    let streams = settings.max_streams.min(admin.settings.max_connections / 2);
    let live = Live::new(streams, stopping);
    let page = Arc::new(Page {
        admin,
        sessions,
        guesses: Semaphore::new(GUESSES),
        trials: Semaphore::new(TRIALS),
        live,
    });
    Router::new()
        .route("/", get(overview::show))
        .route("/login", get(login::show).post(login::log_in))
        .route("/logout", post(login::log_out))
        .route("/assets/{name}", get(assets::serve))
        .route("/owners", get(owners::show))
        .route("/owners/{name}", get(owner::show).post(owner::assign))
        .route("/policies", get(policies::show).post(policies::make))
        .route("/policies/{name}", get(policy::show).post(review::apply))
        .route("/policies/{name}/review", post(review::show).get(review::begin))
        .route("/policies/{name}/what-if", post(what_if::show).get(review::begin))
        .route("/policies/{name}/default", post(policies::make_default))
        .route("/policies/{name}/remove", post(policies::remove))
        .route("/mailboxes", get(mailboxes::show))
        .route("/mailboxes/repair", post(mailboxes::repair))
        .route("/queues", get(queues::show))
        .route("/queues/{name}", get(queue::show))
        .route("/queues/{name}/{change}", post(queues::change))
        .route("/messages/{name}", get(message::show))
        .route("/messages/{name}/remove", post(message::remove))
        .route("/servers", get(servers::show))
        .route("/servers/{name}/{change}", post(servers::change))
        .route("/sessions", get(mapi_sessions::show))
        .route("/sessions/{name}", get(mapi_session::show))
        .route("/sessions/{name}/close", post(mapi_session::close))
        .route("/events", get(events::show))
        .route("/audit", get(audit::show))
        .route("/live/overview", get(live::of_overview))
        .route("/live/owners", get(live::of_owners))
        .route("/live/owners/{name}", get(live::of_owner))
        .route("/live/sessions", get(live::of_sessions))
        .route("/live/queues", get(live::of_queues))
        .route("/bypass", get(bypass::show).post(bypass::set))
        .fallback(nowhere)
        .layer(from_fn_with_state(Arc::clone(&page), guard::check))
        .layer(DefaultBodyLimit::max(MAX_FORM))
        .with_state(page)
}

async fn nowhere() -> Trouble {
    Failure::not_found("there is no such page; choose one above").into()
}
