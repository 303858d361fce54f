//! A MAPI request before a remote origin: which session it is of, whether it passes, and what its answer begins (R15).
//!
//! The origin's own cookies carry its session; the gateway's go no further than here. A session that began before the
//! gateway did, or whose answers may not be touched (T20), is taken in at its first `Execute`. What the gateway refuses
//! the origin never sees.

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::{HeaderName, SET_COOKIE};
use hyper::http::{request, response};
use hyper::{Response, StatusCode};
use weir_units::{Micros, Refusal, Tick};
use weir_wire::mapi::auxiliary::{Told, told};
use weir_wire::mapi::body::ConnectRequest;
use weir_wire::mapi::response_code::X_RESPONSE_CODE;
use weir_wire::mapi::{RequestType, ResponseCode};

use super::ask::Ask;
use super::follow::Follow;
use super::front::{Passing, not_taken};
use super::plan::Plan;
use super::protocol::Protocol;
use super::server::Server;
use crate::body::Answer;
use crate::claim::is_unnamed;
use crate::mapi::answer::{NOT_HIS, SESSION_LIMIT, UNDER_WAY, body, code, not_connected, not_waited};
use crate::mapi::arriving::{read, too_large};
use crate::mapi::cookie::{Endpoint, strip};
use crate::mapi::head::MapiHead;
use crate::mapi::judge::{Judged, Load, admit_connect, judge, judge_unproved};
use crate::mapi::keep_out::keep_out;
use crate::mapi::rpc_server::RpcServer;
use crate::mapi::session::{InUse, NewSession, Session};
use crate::permit::place::WaitRules;
use crate::visit::Visit;

/// A MAPI request on its way through.
pub(super) struct MapiCall {
    head: MapiHead,
    /// Its session, and what keeps that from being forgotten.
    session: Option<(Arc<Session>, InUse)>,
    /// What an `Execute` has in it; none where nothing of it counts.
    load: Option<Load>,
    /// Whether it was passed before its caller was proved.
    unproved: bool,
    /// What a `Connect` tells of its client.
    told: Vec<Told>,
    began: Tick,
}

/// Answers one request.
pub(super) async fn answer(
    mut visit: Visit,
    mut head: request::Parts,
    incoming: Incoming,
    mut passing: Passing,
) -> Response<Answer> {
    let mapi = MapiHead::of(&head.headers, Endpoint::Gateway);
    visit.asks(mapi.name());
    let (bytes, rest) = match read(&mut visit, incoming).await {
        Ok(read) => read,
        Err((error, rest)) => return not_taken(visit, Protocol::Mapi, error, rest).await,
    };
    let rest = match rest {
        Some(rest) if visit.is_enforced() => return too_large(visit, &mapi, rest).await,
        rest => rest,
    };
    let began = visit.gateway().clock.tick();
    let mut call =
        MapiCall { head: mapi, session: None, load: None, unproved: false, told: Vec::new(), began };
    if let Err(refused) = call.admit(&mut visit, &bytes).await {
        visit.pause();
        visit.settle(refused.status());
        return *refused;
    }
    visit.connection().refused.store(false, std::sync::atomic::Ordering::Relaxed);
    strip(&mut head.headers);
    let plan = Plan::for_mapi(call.head.asks);
    call.began = visit.gateway().clock.tick();
    passing.mapi = Some(Box::new(call));
    passing.carry(visit, head, Ask::read_so_far(bytes, rest), plan).await
}

impl MapiCall {
    /// Whether the request passes; if not, its answer.
    async fn admit(&mut self, visit: &mut Visit, bytes: &[u8]) -> Result<(), Box<Response<Answer>>> {
        match self.head.asks {
            Some(RequestType::Connect) => self.admit_connect(visit, bytes).await,
            Some(RequestType::Execute) => self.admit_execute(visit, bytes).await,
            Some(RequestType::NotificationWait) => {
                self.find_session(visit)?;
                let hung = visit.admit_hanging();
                hung.map_err(|refusal| self.refuse(visit, &refusal, &not_waited()))
            }
            Some(RequestType::Disconnect | RequestType::Ping) => self.find_session(visit),
            Some(RequestType::Other) | None => Ok(()),
        }
    }

    async fn admit_connect(&mut self, visit: &mut Visit, bytes: &[u8]) -> Result<(), Box<Response<Answer>>> {
        if let Ok(request) = ConnectRequest::read(bytes) {
            self.told = told(request.auxiliary);
        }
        if let Some(answer) = keep_out(visit, &self.head, &self.told).await {
            return Err(Box::new(answer));
        }
        let mut admitted = admit_connect(visit, &self.head).await;
        if admitted.is_ok() {
            admitted = visit.enter_origin(WaitRules::of_session(false)).await;
        }
        admitted.map_err(|refusal| self.refuse(visit, &refusal, &not_connected(SESSION_LIMIT)))
    }

    async fn admit_execute(&mut self, visit: &mut Visit, bytes: &[u8]) -> Result<(), Box<Response<Answer>>> {
        self.find_session(visit)?;
        let proved = visit.owner().is_some();
        if self.session.is_none() && proved {
            self.take_in(visit).await?;
        }
        let Some((session, _)) = &self.session else { return Ok(()) };
        let load = Load::of(bytes, session);
        let judged = if proved {
            judge(visit, session, &self.head, bytes, &load).await
        } else {
            judge_unproved(visit, session, &self.head, bytes, &load).await
        };
        (self.load, self.unproved) = (Some(load), !proved);
        match judged {
            Judged::Pass => Ok(()),
            Judged::Refused(refusal, words) => Err(self.refuse(visit, &refusal, &words)),
            Judged::UnderWay => Err(self.code(ResponseCode::INVALID_SEQUENCE, UNDER_WAY)),
        }
    }

    /// Finds the session by the gateway's cookie, or by the name that its client has for it.
    fn find_session(&mut self, visit: &Visit) -> Result<(), Box<Response<Answer>>> {
        let gateway = visit.gateway();
        let Some(owner) = visit.owner_or_claimed() else { return Ok(()) };
        let by_cookie = self.head.session.and_then(|key| gateway.sessions.of_cookie(key));
        let is_his = |session: &Arc<Session>| {
            let other = &session.new.owner;
            other == owner || (is_unnamed(other) && is_unnamed(owner))
        };
        let found = match by_cookie {
            Some(session) if is_his(&session) => Some(session),
            Some(_) if visit.is_enforced() => {
                return Err(self.code(ResponseCode::NO_PRIVILEGE, NOT_HIS));
            }
            None if visit.is_enforced()
                && self.head.session.is_some_and(|key| gateway.sessions.was_ended(key)) =>
            {
                return Err(self.code(ResponseCode::CONTEXT_NOT_FOUND, ENDED));
            }
            Some(_) | None => gateway.sessions.called(owner, self.head.session_name()),
        };
        self.session = found.map(|session| {
            let in_use = session.begins(gateway.clock.tick());
            (session, in_use)
        });
        Ok(())
    }

    /// Takes in a session that the origin knows and the gateway does not: it takes a place like any other.
    async fn take_in(&mut self, visit: &mut Visit) -> Result<(), Box<Response<Answer>>> {
        if visit.keeps_out_mapi(&self.head.application, None).is_some() {
            return Err(self.code(ResponseCode::CONTEXT_NOT_FOUND, KEPT_OUT));
        }
        if let Err(refusal) = visit.admit().await {
            visit.refused(&refusal);
            return Err(self.code(ResponseCode::CONTEXT_NOT_FOUND, UNKNOWN));
        }
        self.head.client_info = Some(self.head.session_name().to_owned());
        if self.open(visit, None).is_none() && visit.is_held() {
            return Err(self.code(ResponseCode::CONTEXT_NOT_FOUND, UNKNOWN));
        }
        // The place goes to the session at once, from where its requests take it.
        visit.give_back();
        Ok(())
    }

    /// Opens a session with the place that the visit holds.
    fn open(&mut self, visit: &mut Visit, server: Option<Arc<RpcServer>>) -> Option<Arc<Session>> {
        let gateway = visit.gateway();
        let owner = visit.owner()?.clone();
        let new = NewSession {
            owner,
            client_info: self.head.client_info.clone(),
            application: self.head.application.clone(),
            version: self.head.version,
            address: visit.client(),
            opened: gateway.clock.wall(),
            place: visit.keep_place(),
            server,
            mailbox: None,
        };
        let now = gateway.clock.tick();
        match gateway.sessions.open(new, &visit.settings().mapi, now) {
            Ok(session) => {
                session.hears(std::mem::take(&mut self.told));
                self.session = Some((Arc::clone(&session), session.begins(now)));
                Some(session)
            }
            Err(error) => {
                tracing::warn!(%error, "a MAPI session is not followed");
                None
            }
        }
    }

    fn refuse(&self, visit: &mut Visit, refusal: &Refusal, words: &[u8]) -> Box<Response<Answer>> {
        visit.refused(refusal);
        Box::new(body(&self.head, visit.gateway().clock.wall(), Micros::ZERO, words))
    }

    fn code(&self, number: ResponseCode, sentence: &str) -> Box<Response<Answer>> {
        Box::new(code(&self.head, number, sentence))
    }

    /// The answer of `server` has begun with this head, which gets the session's cookie where there is one to give.
    /// Answers what follows the rest of it.
    pub(super) fn begun(
        mut self: Box<Self>,
        visit: &mut Visit,
        head: &mut response::Parts,
        server: &Server,
    ) -> Box<Follow> {
        let accepted = head.status == StatusCode::OK && coded(head).is_none_or(ResponseCode::has_body);
        let (enforced, server) = (visit.is_held(), Arc::clone(&server.rpc));
        let connects = self.head.asks == Some(RequestType::Connect) && accepted && visit.owner().is_some();
        let opened = if connects { self.open(visit, Some(Arc::clone(&server))) } else { None };
        if let Some(session) = opened.as_ref().filter(|_| enforced) {
            let cookie = session.key.set(Endpoint::Gateway, visit.is_secure());
            cookie.map(|cookie| head.headers.append(SET_COOKIE, cookie));
        }
        if let (Some((session, _)), Some(load), true) = (&self.session, &self.load, self.unproved)
            && accepted
            && visit.owner().is_some()
        {
            session.rpc.pass_anyway(load.rops, visit.gateway().clock.tick());
            visit.gateway().metrics.rpc_operations(load.rops);
        }
        let advises = opened.is_some() && enforced && !self.head.understands_backoff();
        let Self { head: asked, session, load, began, .. } = *self;
        Follow::new(asked.asks, session, load, server, began, accepted, advises)
    }
}

/// The response code in the head of an answer.
fn coded(head: &response::Parts) -> Option<ResponseCode> {
    let name = HeaderName::try_from(X_RESPONSE_CODE).ok()?;
    ResponseCode::from_header(head.headers.get(name)?.to_str().ok()?)
}

const ENDED: &str = "An administrator has ended the session. Connect anew.";
const KEPT_OUT: &str = "The session is not known. Connect anew.";
const UNKNOWN: &str =
    "The session is not known, and its owner has as many as he may. Close one, and connect anew.";
