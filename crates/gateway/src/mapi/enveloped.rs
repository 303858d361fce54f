//! What a request comes to, behind an envelope: in one write where that is soon, else as the work lasts.

use std::pin::Pin;

use bytes::Bytes;
use hyper::header::{HeaderValue, RETRY_AFTER, SET_COOKIE};
use hyper::{Response, StatusCode};
use tokio::sync::mpsc;
use weir_units::{Micros, Tick, WallTime};
use weir_wire::mapi::ResponseCode;
use weir_wire::mapi::envelope::{PENDING, PROCESSING};

use super::answer::{self, code};
use super::head::MapiHead;
use crate::answers::text;
use crate::body::{Answer, Piece, pipe};
use crate::visit::Visit;
use weir_clock::Clock;

/// What becomes of a request that was carried out.
#[derive(Debug)]
pub(super) enum Outcome {
    /// A body of the protocol.
    Body(Vec<u8>),
    /// A response code, with a sentence.
    Code(ResponseCode, &'static str),
    /// The mailbox server has too much to do.
    Unavailable,
}

/// A request's work, which has the visit while it lasts.
pub(super) type Work<W> = Pin<Box<W>>;

/// Answers with what `work` comes to: in one write where that is soon, else as it lasts.
pub(super) async fn enveloped<W>(
    clock: Clock,
    period: Micros,
    head: MapiHead,
    mut work: Work<W>,
) -> Response<Answer>
where
    W: Future<Output = (Visit, Outcome)> + Send + 'static,
{
    let (began, since) = (clock.wall(), clock.tick());
    let done = tokio::select! {
        biased;
        done = work.as_mut() => Some(done),
        () = clock.sleep_until(since.plus(SOON)) => None,
    };
    if let Some((visit, outcome)) = done {
        return whole(visit, &head, began, clock.tick().since(since), outcome);
    }
    let (pieces, body) = pipe();
    tokio::spawn(async move {
        let gone = pieces.clone();
        tokio::select! {
            biased;
            () = gone.closed() => {}
            _ = pour(clock, period, (began, since), work, pieces) => {}
        }
    });
    answer::with_body(&head, body)
}

/// Says that the work goes on until it is done, and then what came of it; nothing where the client has gone.
async fn pour<W>(
    clock: Clock,
    period: Micros,
    (began, since): (WallTime, Tick),
    mut work: Work<W>,
    pieces: mpsc::Sender<Piece>,
) -> Option<()>
where
    W: Future<Output = (Visit, Outcome)> + Send + 'static,
{
    pieces.send(Piece::More(Bytes::from_static(PROCESSING))).await.ok()?;
    let mut due = since.plus(period);
    let (mut visit, outcome) = loop {
        tokio::select! {
            biased;
            done = work.as_mut() => break done,
            () = clock.sleep_until(due) => {}
        }
        pieces.send(Piece::More(Bytes::from_static(PENDING))).await.ok()?;
        due = clock.tick().plus(period);
    };
    let took = clock.tick().since(since);
    let bytes = match outcome {
        Outcome::Body(body) => [answer::done(began, took), body].concat(),
        Outcome::Code(number, sentence) => answer::done_with_code(began, took, number, sentence),
        Outcome::Unavailable => answer::done_with_code(began, took, ResponseCode::UNKNOWN_FAILURE, BUSY),
    };
    visit.pause();
    let slot = pieces.reserve().await.ok()?;
    visit.settle(StatusCode::OK);
    slot.send(Piece::Last(bytes.into()));
    Some(())
}

/// An answer in one write.
pub(super) fn whole(
    mut visit: Visit,
    head: &MapiHead,
    began: WallTime,
    took: Micros,
    outcome: Outcome,
) -> Response<Answer> {
    let response = match outcome {
        Outcome::Body(body) => answer::body(head, began, took, &body),
        Outcome::Code(number, sentence) => code(head, number, sentence),
        Outcome::Unavailable => unavailable(),
    };
    visit.settle(response.status());
    response
}

pub(super) fn with_cookies(
    mut response: Response<Answer>,
    cookies: impl IntoIterator<Item = Option<HeaderValue>>,
) -> Response<Answer> {
    for cookie in cookies.into_iter().flatten() {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

/// 503: the mailbox server has too much to do, or nobody can be asked who the caller is.
pub(super) fn unavailable() -> Response<Answer> {
    let mut response = text(StatusCode::SERVICE_UNAVAILABLE, BUSY);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
    response
}

/// A request that takes longer is told that it is being worked on.
const SOON: Micros = Micros::new(100_000);

const BUSY: &str = "The mailbox server has too much to do. Try again later.\n";
