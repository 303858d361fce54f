//! Live figures: a stream of server-sent events for each page that is looked at.
//!
//! A stream begins with everything; then, once a second, it writes what changed: fragments of the page as the
//! server writes them, and moments for the plots. Pages that show the same share the work of a second. The number
//! of streams is bounded; one ends when its session does, with its connection's lifetime, and when the server stops.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderName;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use hyper::body::Frame;
use maud::Markup;
use serde_json::Value;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::form::Asked;
use super::session::{Key, Viewer};
use super::trouble::Trouble;
use super::{Page, Shared, mapi_sessions, overview, owner, owners, queues};
use crate::server::failure::Failure;
use crate::types::SessionSort;

/// What tells a proxy such as nginx to pass on what comes as it comes.
const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");
/// How often a stream writes.
const EVERY: Duration = Duration::from_secs(1);
/// What a stream begins with: how long a browser waits before it asks again.
const RETRY: &[u8] = b"retry: 2000\n\n";
/// Microseconds in a second.
const SECOND: u64 = 1_000_000;

/// What a stream tells of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Topic {
    Overview,
    Owners(usize),
    Owner(String),
    Sessions(SessionSort),
    /// For one who may change something, or may not.
    Queues(bool),
}

/// How much of a plot is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Span {
    /// All that there is.
    Whole,
    /// What may have changed since the last second.
    Latest,
}

impl Span {
    /// Of `moments` those that are told: all, or the last `repeated`.
    pub(super) fn of<T>(self, moments: &[T], repeated: usize) -> &[T] {
        match self {
            Self::Whole => moments,
            Self::Latest => moments.get(moments.len().saturating_sub(repeated)..).unwrap_or_default(),
        }
    }
}

/// The streams of a server.
pub(super) struct Live {
    places: Arc<Semaphore>,
    stopping: watch::Receiver<()>,
    /// What was written of each topic, and in which second.
    written: Mutex<BTreeMap<Topic, (u64, Bytes)>>,
}

impl Live {
    /// At most `most` streams, which end when `stopping` changes or is closed.
    pub(super) fn new(most: usize, stopping: watch::Receiver<()>) -> Self {
        Self { places: Arc::new(Semaphore::new(most)), stopping, written: Mutex::default() }
    }
}

pub(super) async fn of_overview(page: Shared, key: Extension<Key>) -> Result<Response, Trouble> {
    open(page, key, Topic::Overview)
}

pub(super) async fn of_owners(
    page: Shared,
    key: Extension<Key>,
    Asked(asked): Asked,
) -> Result<Response, Trouble> {
    open(page, key, Topic::Owners(owners::count(&asked)))
}

pub(super) async fn of_owner(
    page: Shared,
    key: Extension<Key>,
    Path(name): Path<String>,
) -> Result<Response, Trouble> {
    open(page, key, Topic::Owner(name))
}

pub(super) async fn of_sessions(
    page: Shared,
    key: Extension<Key>,
    Asked(asked): Asked,
) -> Result<Response, Trouble> {
    open(page, key, Topic::Sessions(mapi_sessions::order(&asked)))
}

pub(super) async fn of_queues(
    page: Shared,
    key: Extension<Key>,
    Extension(viewer): Extension<Viewer>,
) -> Result<Response, Trouble> {
    open(page, key, Topic::Queues(viewer.may_change()))
}

fn open(State(page): Shared, Extension(key): Extension<Key>, topic: Topic) -> Result<Response, Trouble> {
    let place = Arc::clone(&page.live.places).try_acquire_owned().map_err(|_| {
        Failure::unavailable(
            "too many pages with live figures are open; close one, or raise admin.max_streams",
        )
    })?;
    let (sender, receiver) = mpsc::channel(1);
    let lifetime = page.admin.settings.lifetime;
    tokio::spawn(async move {
        // Whether it ended by itself or with its time makes no difference.
        let _ended = timeout(lifetime, write(&page, key, &topic, &sender, place)).await;
    });
    Ok(([(CONTENT_TYPE, "text/event-stream"), (UNBUFFERED, "no")], Body::new(Stream(receiver)))
        .into_response())
}

/// Writes once a second for as long as somebody reads, the session lives and the server goes on.
async fn write(
    page: &Arc<Page>,
    key: Key,
    topic: &Topic,
    reader: &mpsc::Sender<Bytes>,
    _place: OwnedSemaphorePermit,
) {
    let mut stopping = page.live.stopping.clone();
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut next = page.beginning(topic).await;
    // What others were told earlier in this second may be older than the beginning.
    ticks.reset();
    while let Some(bytes) = next {
        let sent = tokio::select! {
            sent = reader.send(bytes) => sent.is_ok(),
            _ = stopping.changed() => false,
        };
        let going_on = sent
            && tokio::select! {
                _ = ticks.tick() => page.sessions().lives(&key, page.now()),
                () = reader.closed() => false,
                _ = stopping.changed() => false,
            };
        next = if going_on { page.second(topic).await } else { None };
    }
}

impl Page {
    /// What a stream begins with: everything, so that plots which stood still have no gap.
    async fn beginning(self: &Arc<Self>, topic: &Topic) -> Option<Bytes> {
        let whole = self.tell(topic, Span::Whole).await.ok()?;
        Some([RETRY, &whole].concat().into())
    }

    /// What is written of `topic` in this second; nothing, where it cannot be told.
    async fn second(self: &Arc<Self>, topic: &Topic) -> Option<Bytes> {
        let second = self.now().micros() / SECOND;
        let mut written = self.live.written.lock().await;
        if let Some((_, bytes)) = written.get(topic).filter(|(when, _)| *when == second) {
            return Some(bytes.clone());
        }
        let bytes = self.tell(topic, Span::Latest).await.ok()?;
        written.retain(|_, (when, _)| *when == second);
        written.insert(topic.clone(), (second, bytes.clone()));
        Some(bytes)
    }

    async fn tell(self: &Arc<Self>, topic: &Topic, span: Span) -> Result<Bytes, Failure> {
        let (fragments, moments) = match topic {
            Topic::Overview => overview::live(self, span).await?,
            Topic::Owners(most) => (owners::live(self, *most).await?, Value::Null),
            Topic::Owner(name) => owner::live(self, name, span).await?,
            Topic::Sessions(sort) => (mapi_sessions::live(self, *sort).await?, Value::Null),
            Topic::Queues(may_change) => (queues::live(self, *may_change).await?, Value::Null),
        };
        Ok(events(&fragments, &moments))
    }
}

/// The events of one second.
fn events(fragments: &Markup, moments: &Value) -> Bytes {
    let mut text = event("page", &fragments.0);
    if !moments.is_null() {
        text += &event("plot", &moments.to_string());
    }
    text.into()
}

/// One event; a line of its data is a line of its own.
fn event(name: &str, data: &str) -> String {
    let mut text = format!("event: {name}\n");
    for line in data.split(['\n', '\r']) {
        text += "data: ";
        text += line;
        text.push('\n');
    }
    text.push('\n');
    text
}

/// What a stream's task writes, as the body of an answer.
struct Stream(mpsc::Receiver<Bytes>);

impl hyper::body::Body for Stream {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}
