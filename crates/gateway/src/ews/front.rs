//! One EWS request from its head to its answer, in five acts.
//!
//! Who – the credentials, before anything is charged (T8). Admit – a place in his budget, taken before the body is
//! read, so that the bodies of one owner are bounded too (T7). What – the body, pushed into the parser as it comes.
//! Go through – step by step before the origin. Settle – the place given back, the time charged, the line logged,
//! before the answer's last bytes can be read. A client that goes away at any point drops this future, and with it
//! everything that the request held.

use std::sync::Arc;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::{Method, Request, Response, StatusCode};
use tokio::sync::mpsc;
use weir_mailbox::MailboxServer;
use weir_units::{Component, Refusal};
use weir_wire::ews::fault::fault;
use weir_wire::ews::refusal::{access_denied, busy};
use weir_wire::ews::request::{Envelope, Version};
use weir_wire::ews::xml::Limits;
use weir_wire::ews::{RefusalAnswer, RequestError, RequestReader};

use super::batch::{Batch, Progress, Stopped};
use crate::answers::{and_close, method_not_allowed, soap, soap_body, text, unauthorized};
use crate::body::{Answer, Arriving, BodyError, Piece, discard, pipe};
use crate::gateway::Gateway;
use crate::listener::Connection;
use crate::metrics::Front;
use crate::settings::ConnectionLimits;
use crate::visit::{Visit, client_gone};
use crate::who::Identity;

/// The path of EWS; clients differ in case.
pub(crate) const PATH: &str = "/EWS/Exchange.asmx";

/// Answers one request.
pub(crate) async fn answer(
    gateway: Arc<Gateway>,
    mailbox: MailboxServer,
    request: Request<Incoming>,
    connection: Arc<Connection>,
) -> Response<Answer> {
    let (head, body) = request.into_parts();
    let mut visit = Visit::begin(Arc::clone(&gateway), connection, &head, Front::Ews, Some(Component::Ews));
    visit.goes_to(&gateway.embedded_places);
    match visit.identify(&head.headers).await {
        Identity::Known(caller, lookup) => visit.known(caller, lookup),
        Identity::Anonymous | Identity::Rejected => return visit.turn_away(body, unauthorized()).await,
        Identity::Unverifiable => {
            return visit.turn_away(body, failed(busy(None))).await;
        }
    }
    if head.method == Method::GET || head.method == Method::HEAD {
        let greeting = text(StatusCode::OK, "Exchange Web Services are called here by POST.\n");
        return visit.turn_away(body, greeting).await;
    }
    if head.method != Method::POST {
        return visit.turn_away(body, method_not_allowed()).await;
    }
    if let Some(why) = visit.keeps_out_http() {
        visit.slow_down_repeats().await;
        return visit.turn_away(body, failed(access_denied(&why))).await;
    }
    if let Err(refusal) = visit.admit().await {
        visit.refused(&refusal);
        visit.slow_down_repeats().await;
        let words = words(&refusal, Version::Unstated);
        return visit.turn_away(body, failed(words)).await;
    }
    visit.connection().refused.store(false, std::sync::atomic::Ordering::Relaxed);
    match read(&mut visit, body).await {
        Ok(envelope) => carry_out(visit, mailbox, envelope).await,
        Err(Unread { response, whole }) => {
            visit.settle(response.status());
            if whole { response } else { and_close(response) }
        }
    }
}

/// A request that was not understood.
struct Unread {
    response: Response<Answer>,
    /// Whether its body was read to its end, so that the connection can go on.
    whole: bool,
}

/// Reads the body, pushing it into the parser as it comes; the clock stands still while the client sends (T4).
async fn read(visit: &mut Visit, body: Incoming) -> Result<Envelope, Unread> {
    visit.pause();
    let gateway = visit.gateway();
    let limits = visit.limits().clone();
    let mut arriving = match Arriving::new(body, visit.settings(), gateway.clock, gateway.room.clone()) {
        Ok(arriving) => arriving,
        Err((error, body)) => {
            discard(body, &limits, &gateway.clock).await;
            return Err(not_taken(error));
        }
    };
    let mut reader = RequestReader::new(document_limits(&limits));
    loop {
        match arriving.next().await {
            Ok(Some(piece)) => {
                if let Err(error) = reader.feed(&piece) {
                    let whole = discard(arriving.into_rest(), &limits, &gateway.clock).await;
                    return Err(not_understood(&error, whole));
                }
            }
            Ok(None) => break,
            Err(error) => {
                // There is no rest of what never comes.
                if matches!(error, BodyError::TooLarge { .. } | BodyError::NoRoom) {
                    discard(arriving.into_rest(), &limits, &gateway.clock).await;
                }
                return Err(not_taken(error));
            }
        }
    }
    visit.resume();
    let envelope = reader.finish().map_err(|error| not_understood(&error, true))?;
    visit.asks(envelope.request.operation());
    if envelope.request.steps() > limits.batch_items {
        let most = limits.batch_items;
        let text = format!("The request names more than {most} items. Split it into several requests.");
        return Err(Unread { response: failed(fault("ErrorInvalidRequest", &text, &[])), whole: true });
    }
    Ok(envelope)
}

fn document_limits(limits: &ConnectionLimits) -> Limits {
    let body = usize::try_from(limits.body_bytes).unwrap_or(usize::MAX);
    Limits { body, depth: limits.depth, nodes: limits.elements, ..Limits::default() }
}

fn failed(document: Vec<u8>) -> Response<Answer> {
    soap(StatusCode::INTERNAL_SERVER_ERROR, document)
}

fn not_understood(error: &RequestError, whole: bool) -> Unread {
    Unread { response: failed(error.fault()), whole }
}

/// The answer to a body that was not taken.
fn not_taken(error: BodyError) -> Unread {
    let text = format!("The request was refused: {error}.");
    let response = match error {
        BodyError::TooLarge { .. } => failed(fault("ErrorMessageSizeExceeded", &text, &[])),
        BodyError::TooSlow { .. } => {
            soap(StatusCode::REQUEST_TIMEOUT, fault("ErrorTimeoutExpired", &text, &[]))
        }
        BodyError::NoRoom => failed(busy(None)),
        BodyError::Gone => soap(client_gone(), Vec::new()),
    };
    Unread { response, whole: false }
}

/// Carries the request out and answers: in one write where the answer is small, piece by piece where it is not.
async fn carry_out(mut visit: Visit, mailbox: MailboxServer, envelope: Envelope) -> Response<Answer> {
    let version = envelope.version;
    let session = match visit.open_mailbox(&envelope).await {
        Ok(session) => session,
        Err(document) => {
            visit.settle(StatusCode::INTERNAL_SERVER_ERROR);
            return failed(document);
        }
    };
    let enough = visit.limits().answer_bytes;
    let mut batch = Batch::new(visit, mailbox, envelope, session);
    match batch.fill(enough).await {
        Err(stopped) => {
            let document = match stopped {
                Stopped::Refused(refusal) => {
                    batch.visit.refused(&refusal);
                    words(&refusal, version)
                }
                Stopped::OriginBusy => busy(None),
            };
            batch.visit.settle(StatusCode::INTERNAL_SERVER_ERROR);
            failed(document)
        }
        Ok(Progress::Done) => {
            let document = batch.take();
            batch.visit.settle(StatusCode::OK);
            soap(StatusCode::OK, document)
        }
        Ok(Progress::More) => {
            let (pieces, body) = pipe();
            tokio::spawn(pour(batch, pieces, enough));
            soap_body(StatusCode::OK, body)
        }
    }
}

/// Sends an answer piece by piece until it is whole or the client has gone.
async fn pour(mut batch: Batch, pieces: mpsc::Sender<Piece>, enough: usize) {
    let gone = pieces.clone();
    tokio::select! {
        biased;
        () = gone.closed() => {}
        () = pour_all(&mut batch, pieces, enough) => {}
    }
}

async fn pour_all(batch: &mut Batch, pieces: mpsc::Sender<Piece>, enough: usize) {
    let mut progress = Progress::More;
    loop {
        batch.visit.pause();
        let Ok(slot) = pieces.reserve().await else { return };
        batch.visit.resume();
        let piece = Bytes::from(batch.take());
        if progress == Progress::Done {
            batch.visit.settle(StatusCode::OK);
            slot.send(Piece::Last(piece));
            return;
        }
        slot.send(Piece::More(piece));
        match batch.fill(enough).await {
            Ok(more) => progress = more,
            Err(stopped) => {
                // A batch that has begun to answer is never stopped; should it happen, the answer does not look whole.
                tracing::error!(?stopped, "an answer broke off");
                return;
            }
        }
    }
}

/// A refusal of the whole request, as a document.
fn words(refusal: &Refusal, version: Version) -> Vec<u8> {
    match RefusalAnswer::new(refusal, version) {
        RefusalAnswer::Fault(document) => document,
        RefusalAnswer::Message(message) => fault(message.code, &message.text, &message.values),
    }
}
