//! MAPI requests before the embedded mailbox server.
//!
//! The gateway is the endpoint here: it says by cookies which session a request is of and which of its requests, carries
//! out one `Execute` of a session at a time, and answers what is wrong with a request by the protocol's codes. A request
//! that is soon done is answered in one write; one that lasts is told so at once, and again and again until it is done.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use hyper::body::Incoming;
use hyper::{Method, Request, Response, StatusCode};
use weir_directory::Account;
use weir_mailbox::MailboxServer;
use weir_mailbox::mapi::{MapiRefused, MapiSession};
use weir_units::{Component, Micros, Refusal, TimePart};
use weir_wire::mapi::auxiliary::told;
use weir_wire::mapi::body::{
    Answer as AnswerBody, ConnectRequest, Disconnected, ExecuteRequest, NotificationWaitRequest, Waited,
    read_disconnect,
};
use weir_wire::mapi::{RequestType, ResponseCode};

use super::answer::{NOT_HIS, SESSION_LIMIT, UNDER_WAY, code, not_connected, not_waited, written};
use super::arriving::{read, too_large};
use super::cookie::Endpoint;
use super::enveloped::{Outcome, enveloped, unavailable, whole, with_cookies};
use super::head::MapiHead;
use super::judge::{Judged, Load, admit_connect, judge};
use super::keep_out::keep_out;
use super::session::{InUse, NewSession, Session};
use crate::answers::{and_close, text, unauthorized};
use crate::body::{Answer, BodyError, discard};
use crate::gateway::Gateway;
use crate::listener::Connection;
use crate::metrics::Front;
use crate::origin::person;
use crate::visit::{Visit, client_gone};
use crate::who::Identity;

/// A request whose head and body are there, and whose caller is known.
struct Asking {
    visit: Visit,
    mailbox: MailboxServer,
    head: MapiHead,
    body: Vec<u8>,
}

/// Answers one request.
pub(crate) async fn answer(
    gateway: Arc<Gateway>,
    mailbox: MailboxServer,
    request: Request<Incoming>,
    connection: Arc<Connection>,
) -> Response<Answer> {
    let (parts, incoming) = request.into_parts();
    let head = MapiHead::of(&parts.headers, Endpoint::Mailbox);
    let mut visit = Visit::begin(Arc::clone(&gateway), connection, &parts, Front::Mapi, Some(Component::Rca));
    visit.goes_to(&gateway.embedded_places);
    visit.asks(head.name());
    match visit.identify(&parts.headers).await {
        Identity::Known(caller, lookup) => visit.known(caller, lookup),
        Identity::Anonymous | Identity::Rejected => return visit.turn_away(incoming, unauthorized()).await,
        Identity::Unverifiable => return visit.turn_away(incoming, unavailable()).await,
    }
    let wrong = if parts.method == Method::POST {
        head.asks.is_none().then_some((ResponseCode::MISSING_HEADER, NOT_ASKED))
    } else {
        Some((ResponseCode::INVALID_VERB, NOT_POSTED))
    };
    if let Some((number, sentence)) = wrong {
        let response = code(&head, number, sentence);
        return visit.turn_away(incoming, response).await;
    }
    match read(&mut visit, incoming).await {
        Ok((body, None)) => Box::pin(Asking { visit, mailbox, head, body }.answer()).await,
        Ok((_, Some(more))) => too_large(visit, &head, more).await,
        Err((error, rest)) => not_taken(visit, error, rest).await,
    }
}

impl Asking {
    async fn answer(self) -> Response<Answer> {
        match self.head.asks {
            Some(RequestType::Connect) => self.connect().await,
            Some(RequestType::Execute) => self.execute().await,
            Some(RequestType::Disconnect) => self.disconnect(),
            Some(RequestType::NotificationWait) => self.wait().await,
            Some(RequestType::Ping) => match self.session() {
                Ok(_) => self.done(Outcome::Body(Vec::new())),
                Err(outcome) => self.done(outcome),
            },
            Some(RequestType::Other) | None => {
                self.done(Outcome::Code(ResponseCode::INVALID_REQUEST_TYPE, UNKNOWN_TYPE))
            }
        }
    }

    async fn connect(mut self) -> Response<Answer> {
        let Ok(request) = ConnectRequest::read(&self.body) else { return self.done(UNREADABLE) };
        let Some(caller) = self.visit.account() else { return self.done(Outcome::Unavailable) };
        let told = told(request.auxiliary);
        if let Some(response) = keep_out(&mut self.visit, &self.head, &told).await {
            self.visit.settle(response.status());
            return response;
        }
        if let Err(refusal) = admit_connect(&mut self.visit, &self.head).await {
            return self.refused(&refusal, not_connected(SESSION_LIMIT));
        }
        let work = begin(self.mailbox.clone(), Arc::clone(&caller), std::mem::take(&mut self.body));
        let (begun, took) = self.visit.permit().during(TimePart::MailboxRpc, work).await;
        self.visit.packet_took(took);
        let (mailbox, body) = match begun {
            Ok(begun) => begun,
            Err(outcome) => return self.done(outcome),
        };
        let Some(session) = self.open(&caller, mailbox) else {
            return self.done(Outcome::Body(not_connected(SESSION_LIMIT)));
        };
        session.hears(told);
        let secure = self.visit.is_secure();
        let cookies = [session.key.set(Endpoint::Mailbox, secure), session.sequence().set(secure)];
        with_cookies(self.done(Outcome::Body(body)), cookies)
    }

    /// Opens a session, which takes the place that the request has; none where that is one too many.
    fn open(&mut self, caller: &Account, mailbox: MapiSession) -> Option<Arc<Session>> {
        let gateway = self.visit.gateway();
        let new = NewSession {
            owner: caller.owner.clone(),
            client_info: self.head.client_info.clone(),
            application: self.head.application.clone(),
            version: self.head.version,
            address: self.visit.client(),
            opened: gateway.clock.wall(),
            place: self.visit.keep_place(),
            server: Some(Arc::clone(&gateway.embedded_rpc)),
            mailbox: Some(mailbox),
        };
        gateway.sessions.open(new, &self.visit.settings().mapi, gateway.clock.tick()).ok()
    }

    async fn execute(mut self) -> Response<Answer> {
        let (session, in_use) = match self.session() {
            Ok(session) => session,
            Err(outcome) => return self.done(outcome),
        };
        let Some(sequence) = self.head.sequence else {
            return self.done(Outcome::Code(ResponseCode::MISSING_COOKIE, NO_SEQUENCE));
        };
        if sequence != session.sequence() {
            return self.done(OUT_OF_SEQUENCE);
        }
        if ExecuteRequest::read(&self.body).is_err() {
            return self.done(UNREADABLE);
        }
        let load = Load::of(&self.body, &session);
        match judge(&mut self.visit, &session, &self.head, &self.body, &load).await {
            Judged::Pass => {}
            Judged::Refused(refusal, words) => return self.refused(&refusal, words),
            Judged::UnderWay => {
                return self.done(Outcome::Code(ResponseCode::INVALID_SEQUENCE, UNDER_WAY));
            }
        }
        self.visit.connection().refused.store(false, Ordering::Relaxed);
        let Some(next) = session.advance(sequence) else { return self.done(OUT_OF_SEQUENCE) };
        let cookie = next.set(self.visit.is_secure());
        let (gateway, settings) = (self.visit.gateway(), self.visit.settings());
        let Self { visit, mailbox, head, body } = self;
        let work = carry_out(visit, mailbox, session, in_use, load, body);
        let (clock, period) = (gateway.clock, settings.mapi.pending_period);
        with_cookies(enveloped(clock, period, head, Box::pin(work)).await, [cookie])
    }

    fn disconnect(self) -> Response<Answer> {
        if read_disconnect(&self.body).is_err() {
            return self.done(UNREADABLE);
        }
        match self.session() {
            Ok((session, _)) => {
                if let Some(mailbox) = &session.new.mailbox {
                    self.mailbox.mapi_disconnect(mailbox);
                }
                self.visit.gateway().sessions.close(&session);
                let disconnected = Disconnected { error_code: 0, auxiliary: &[] };
                self.done(Outcome::Body(written(&AnswerBody::Done(disconnected))))
            }
            Err(outcome) => self.done(outcome),
        }
    }

    async fn wait(mut self) -> Response<Answer> {
        if NotificationWaitRequest::read(&self.body).is_err() {
            return self.done(UNREADABLE);
        }
        let (session, in_use) = match self.session() {
            Ok(session) => session,
            Err(outcome) => return self.done(outcome),
        };
        if let Err(refusal) = self.visit.admit_hanging() {
            return self.refused(&refusal, not_waited());
        }
        let (gateway, settings) = (self.visit.gateway(), self.visit.settings());
        let Self { visit, mailbox, head, .. } = self;
        let work = async move {
            let _in_use = in_use;
            let (clock, most) = (visit.gateway().clock, visit.settings().mapi.notification_wait);
            let until = clock.tick().plus(most);
            let event = async {
                match &session.new.mailbox {
                    Some(session) => mailbox.mapi_event(session).await,
                    None => std::future::pending().await,
                }
            };
            let event_pending = tokio::select! {
                biased;
                () = event => true,
                () = clock.sleep_until(until) => false,
            };
            let waited = Waited { error_code: 0, event_pending, auxiliary: &[] };
            (visit, Outcome::Body(written(&AnswerBody::Done(waited))))
        };
        enveloped(gateway.clock, settings.mapi.pending_period, head, Box::pin(work)).await
    }

    /// The session that the request is of, which its caller owns.
    fn session(&self) -> Result<(Arc<Session>, InUse), Outcome> {
        let gateway = self.visit.gateway();
        let key = self.head.session.ok_or(Outcome::Code(ResponseCode::MISSING_COOKIE, NO_COOKIE))?;
        let session = gateway.sessions.of_cookie(key);
        let session = session.ok_or(Outcome::Code(ResponseCode::CONTEXT_NOT_FOUND, NO_SESSION))?;
        if Some(&session.new.owner) != self.visit.owner() {
            return Err(Outcome::Code(ResponseCode::NO_PRIVILEGE, NOT_HIS));
        }
        let in_use = session.begins(gateway.clock.tick());
        Ok((session, in_use))
    }

    /// The request was refused: `words` is its answer's body.
    fn refused(mut self, refusal: &Refusal, words: Vec<u8>) -> Response<Answer> {
        self.visit.refused(refusal);
        self.done(Outcome::Body(words))
    }

    /// The answer to a request that is done.
    fn done(self, outcome: Outcome) -> Response<Answer> {
        let Self { visit, head, .. } = self;
        let began = visit.gateway().clock.wall();
        whole(visit, &head, began, Micros::ZERO, outcome)
    }
}

/// Asks the mailbox server for a session of `caller`, who has sent this body; it may have to look in the directory.
async fn begin(
    mailbox: MailboxServer,
    caller: Arc<Account>,
    body: Vec<u8>,
) -> Result<(MapiSession, Vec<u8>), Outcome> {
    let asked = tokio::task::spawn_blocking(move || {
        let request = ConnectRequest::read(&body).map_err(|_malformed| UNREADABLE)?;
        let connected = mailbox.mapi_connect(&person(&caller), caller.may_impersonate, &request);
        connected.map_err(Outcome::Body)
    });
    asked.await.unwrap_or(Err(Outcome::Unavailable))
}

/// Carries out an `Execute`, with its session's place.
async fn carry_out(
    mut visit: Visit,
    mailbox: MailboxServer,
    session: Arc<Session>,
    in_use: InUse,
    load: Load,
    body: Vec<u8>,
) -> (Visit, Outcome) {
    let _in_use = in_use;
    let gateway = visit.gateway();
    let Some(own) = &session.new.mailbox else { return (visit, Outcome::Unavailable) };
    let place = visit.take_place();
    let ended = move |answered| place.into_iter().for_each(|place| place.done(answered));
    let work = mailbox.mapi_execute(own, body, gateway.clock.wall(), ended);
    let began = gateway.clock.tick();
    let done = match visit.admitted() {
        Some(permit) => permit.during(TimePart::MailboxRpc, work).await.0,
        None => work.await,
    };
    let took = gateway.clock.tick().since(began);
    if load.rops > 0 {
        visit.packet_took(took);
    }
    gateway.metrics.origin("embedded", took);
    let outcome = match done {
        Ok(body) => {
            if load.rops > 0 {
                gateway.embedded_rpc.took(took);
                session.answered_by(&gateway.embedded_rpc, took);
            }
            session.carried_out(load.logons, &load.named);
            Outcome::Body(body)
        }
        Err(MapiRefused::Malformed(fault)) => {
            tracing::debug!(%fault, "a ROP buffer was not understood");
            UNREADABLE
        }
        Err(MapiRefused::Busy) => Outcome::Unavailable,
        Err(MapiRefused::Failed) => Outcome::Code(ResponseCode::UNKNOWN_FAILURE, FAILED),
    };
    (visit, outcome)
}

/// The answer to a request whose body was not taken.
async fn not_taken(mut visit: Visit, error: BodyError, rest: Option<Incoming>) -> Response<Answer> {
    if let Some(rest) = rest {
        discard(rest, visit.limits(), &visit.gateway().clock).await;
    }
    let response = match error {
        BodyError::TooLarge { .. } => text(StatusCode::PAYLOAD_TOO_LARGE, "The body is too large.\n"),
        BodyError::TooSlow { .. } => text(StatusCode::REQUEST_TIMEOUT, "The body came too slowly.\n"),
        BodyError::NoRoom => unavailable(),
        BodyError::Gone => text(client_gone(), ""),
    };
    visit.settle(response.status());
    and_close(response)
}

const UNREADABLE: Outcome =
    Outcome::Code(ResponseCode::INVALID_REQUEST_BODY, "The body is not one of this request.");
const FAILED: &str =
    "The mailbox server failed on this request. Connect anew, and tell the administrator if it fails again.";
const NOT_POSTED: &str = "MAPI over HTTP is called by POST.";
const NOT_ASKED: &str = "The header X-RequestType is missing: it says what the request asks for.";
const UNKNOWN_TYPE: &str = "X-RequestType names no request of this endpoint.";
const NO_COOKIE: &str =
    "The session's cookie is missing. Connect first, and send back the cookies that Connect sets.";
const NO_SESSION: &str = "There is no such session, or no longer. Connect anew.";
const NO_SEQUENCE: &str =
    "The cookie that numbers the session's requests is missing. Send back all cookies that were set.";
const OUT_OF_SEQUENCE: Outcome = Outcome::Code(ResponseCode::INVALID_SEQUENCE, NOT_NEXT);
const NOT_NEXT: &str = "The request is not the next one of its session. Connect anew.";

#[cfg(test)]
mod tests;
