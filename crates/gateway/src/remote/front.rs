//! One request before a remote origin, in five acts.
//!
//! Who – what the credentials claim, and whether they were accepted a moment ago (T8). Admit – a place in his budget, if he
//! is known. What – read as far as it must be. Go through – to the server that serves him, streamed both ways. Settle –
//! before the answer's last bytes. A call whose claim the answer proves moves to its owner then, and counts at once.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, TRANSFER_ENCODING};
use hyper::http::{request, response};
use hyper::upgrade::OnUpgrade;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use weir_units::{Micros, Refusal};

use super::Remotes;
use super::ask::Ask;
use super::bound::Way;
use super::failure::{Failure, FailureKind};
use super::feed::Feeding;
use super::headers::{Forwarding, asks_for_web_socket, for_client, for_origin};
use super::mapi::{self, MapiCall};
use super::origin::RemoteOrigin;
use super::passage::Passage;
use super::plan::Plan;
use super::protocol::Protocol;
use super::upstream::{Outgoing, Upstream, next_piece};
use crate::answers::{and_close, unauthorized};
use crate::body::{Answer, BodyError, Piece, discard, pipe, whole};
use crate::claim::{Challenge, Claim, Exchange, Front, Proof, acceptance, is_soap};
use crate::gateway::Gateway;
use crate::listener::Connection;
use crate::permit::Permit;
use crate::permit::place::WaitRules;
use crate::visit::{Visit, client_gone};
use crate::who::{Approach, Lookup, Trial};

/// Bytes of a fault that are read to know that it is one (T8).
const FAULT_BEGINNING: usize = 512;

/// Answers one request.
pub(crate) async fn answer(
    gateway: Arc<Gateway>,
    remotes: &Remotes,
    mut request: Request<Incoming>,
    connection: Arc<Connection>,
) -> Response<Answer> {
    let upgrade = asks_for_web_socket(request.headers()).then(|| hyper::upgrade::on(&mut request));
    let (head, body) = request.into_parts();
    let protocol = Protocol::of(head.uri.path());
    let mut visit = Visit::begin(
        Arc::clone(&gateway),
        Arc::clone(&connection),
        &head,
        protocol.front(),
        protocol.component(),
    );
    let claim = Claim::in_headers(&head.headers);
    let way = connection.bound.lock().await.way(claim.as_ref());
    let trial = match visit.approach(claim.as_ref(), &way, &head).await {
        Approach::Known(caller) => {
            visit.known(caller, Lookup::default());
            None
        }
        Approach::Free => None,
        Approach::Trial(trial) => {
            visit.claims(trial.claimed().owner.clone());
            Some(trial)
        }
        Approach::TooMany => return visit.turn_away(body, unauthorized()).await,
    };
    if let Some(why) = visit.keeps_out(protocol, trial.as_ref(), &head) {
        visit.slow_down_repeats().await;
        return visit.turn_away(body, protocol.keep_out(&why)).await;
    }
    let domain = visit.owner_domain(trial.as_ref().map(Trial::claimed));
    let origin = Arc::clone(remotes.serving(domain.as_deref()));
    if protocol.component().is_some() && upgrade.is_none() {
        visit.goes_to(&origin.places);
    }
    let passing = Passing { protocol, origin, claim, way, trial, upgrade, mapi: None, took: Micros::ZERO };
    if protocol == Protocol::Mapi {
        return Box::pin(mapi::answer(visit, head, body, passing)).await;
    }
    if let Err(refusal) = visit.admit().await {
        visit.refused(&refusal);
        visit.slow_down_repeats().await;
        return visit.turn_away(body, protocol.refuse(&refusal)).await;
    }
    connection.refused.store(false, std::sync::atomic::Ordering::Relaxed);
    match Ask::read(&mut visit, protocol, body).await {
        Ok(ask) => passing.go(visit, head, ask).await,
        Err((error, rest)) => not_taken(visit, protocol, error, rest).await,
    }
}

/// A request that goes to the origin.
pub(super) struct Passing {
    protocol: Protocol,
    origin: Arc<RemoteOrigin>,
    /// What the request says of who asks.
    claim: Option<Claim>,
    /// By which connection it goes.
    way: Way,
    trial: Option<Trial>,
    upgrade: Option<OnUpgrade>,
    /// What is to be done about a MAPI request's answer.
    pub(super) mapi: Option<Box<MapiCall>>,
    /// How long the origin took until its answer began.
    took: Micros,
}

/// Why nothing came of a request that was to go to the origin.
enum NotSent {
    /// The origin failed.
    Failed(Failure),
    /// There was no place for it: nothing has happened there.
    Refused(Refusal),
}

impl Passing {
    async fn go(self, mut visit: Visit, head: request::Parts, mut ask: Ask) -> Response<Answer> {
        let plan =
            match Plan::make(&mut visit, self.protocol, &head, &mut ask, self.origin.latency.mean()).await {
                Ok(plan) => plan,
                Err(refusal) => return self.refused(visit, ask, &refusal).await,
            };
        if !ask.is_streamed()
            && plan.takes_place()
            && let Err(refusal) = visit.enter_origin(WaitRules::call(true)).await
        {
            return self.refused(visit, ask, &refusal).await;
        }
        Box::pin(self.carry(visit, head, ask, plan)).await
    }

    /// Carries a request that may go to the origin, and its answer back.
    pub(super) async fn carry(
        mut self,
        mut visit: Visit,
        mut head: request::Parts,
        ask: Ask,
        plan: Plan,
    ) -> Response<Answer> {
        let (method, path) = (head.method.clone(), head.uri.path().to_owned());
        self.prepare(&visit, &mut head, &ask, &plan);
        let (body, feeding) = ask.into_body(visit.settings(), visit.gateway().clock);
        let outgoing = Request::from_parts(head, body);
        let sent = self.send(&mut visit, outgoing, &plan, feeding).await;
        let (response, upstream) = match sent {
            Ok(answered) => answered,
            Err(NotSent::Failed(failure)) => return failed(visit, self.protocol, &failure),
            Err(NotSent::Refused(refusal)) => {
                visit.refused(&refusal);
                let response = self.protocol.refuse(&refusal);
                visit.settle(response.status());
                return and_close(response);
            }
        };
        let (mut head, answer) = response.into_parts();
        self.time(head.status, &plan);
        visit.origin_answers(head.status.is_success());
        if head.status == StatusCode::SWITCHING_PROTOCOLS {
            for_client(&mut head);
            return self.switch(visit, head, answer);
        }
        self.conclude(visit, (&method, &path), head, answer, upstream, plan).await
    }

    /// Counts how long the origin took over a call that it carried out: one that fails at once says nothing.
    fn time(&self, status: StatusCode, plan: &Plan) {
        let counts = self.mapi.is_none() && plan.hangs.is_none() && self.protocol.component().is_some();
        if counts && status.is_success() {
            self.origin.latency.record(self.took);
        }
    }

    /// The answer to a call that its budget refuses before anything went to the origin.
    async fn refused(&self, mut visit: Visit, ask: Ask, refusal: &Refusal) -> Response<Answer> {
        visit.refused(refusal);
        let response = self.protocol.refuse_asked(refusal, ask.asked());
        visit.pause();
        let whole = ask.discard(visit.limits(), &visit.gateway().clock).await;
        visit.settle(response.status());
        if whole { response } else { and_close(response) }
    }

    /// Makes the head that the origin gets.
    fn prepare(&self, visit: &Visit, head: &mut request::Parts, ask: &Ask, plan: &Plan) {
        let settings = self.origin.settings();
        let server = settings.servers.first().map(ToString::to_string).unwrap_or_default();
        let id = visit.id().to_string();
        let forwarding = Forwarding {
            from: visit.peer(),
            trusted: Some(visit.trusted_proxies()),
            secure: visit.is_secure(),
            id: &id,
            answer_is_read: plan.reads_answer,
            server: &server,
            settings: settings.forwarding,
        };
        for_origin(head, &forwarding);
        if let Some(length) = ask.length().filter(|_| head.headers.contains_key(CONTENT_LENGTH)) {
            head.headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        }
    }

    /// Sends the request and waits until its answer begins. While the client still sends, its clock stands; the checks for
    /// items that were counted on the way come before the last byte goes on (T26), and so does the wait for a place: a
    /// client that sends slowly holds none.
    async fn send(
        &mut self,
        visit: &mut Visit,
        outgoing: Request<Outgoing>,
        plan: &Plan,
        feeding: Option<Feeding>,
    ) -> Result<(Response<Incoming>, Upstream), NotSent> {
        let owner = visit.owner().cloned();
        let head_time = plan.hangs.unwrap_or(self.origin.settings().response_head_time);
        let own = self.way.is_own();
        let kept = if own { visit.connection().bound.lock().await.take() } else { None };
        let origin = &self.origin;
        let exchange = async {
            let mut upstream = match kept {
                Some(upstream) => upstream,
                None if own => origin.connect_for(owner.as_ref()).await?,
                None => return origin.exchange(owner.as_ref(), outgoing, head_time).await,
            };
            let answer = upstream.send(outgoing, head_time).await?;
            Ok((answer, upstream))
        };
        let mut exchange = std::pin::pin!(exchange);
        if let Some(mut feeding) = feeding {
            visit.pause();
            let early = tokio::select! {
                answered = exchange.as_mut() => Some(answered),
                more = feeding.last_is_near() => {
                    if let Some(permit) = visit.admitted() {
                        permit.check_processor(more).await;
                    }
                    if plan.takes_place() {
                        visit.enter_origin(WaitRules::call(true)).await.map_err(NotSent::Refused)?;
                    }
                    feeding.go_on();
                    None
                }
            };
            visit.resume();
            if let Some(answered) = early {
                if answered.as_ref().is_ok_and(|(answer, _)| says_no(answer.status())) {
                    feeding.stop();
                }
                return answered.map_err(NotSent::Failed);
            }
        }
        let clock = visit.gateway().clock;
        let began = clock.tick();
        let answered = visit.waiting_for_origin(exchange).await;
        self.took = clock.tick().since(began);
        visit.gateway().metrics.origin("remote", self.took);
        answered.map_err(NotSent::Failed)
    }

    /// The answer has begun: what it proves, and how it passes.
    async fn conclude(
        mut self,
        mut visit: Visit,
        asked: (&hyper::Method, &str),
        mut head: response::Parts,
        mut answer: Incoming,
        upstream: Upstream,
        plan: Plan,
    ) -> Response<Answer> {
        let mut read = BytesMut::new();
        if let Some(trial) = self.trial.take() {
            if head.status == StatusCode::INTERNAL_SERVER_ERROR {
                read = beginning(&mut answer, &self.origin, &visit).await;
            }
            let challenge = Challenge::of(&head.headers);
            let content_type = head.headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
            let soap = is_soap(content_type, &read);
            let exchange = Exchange { method: asked.0, path: asked.1, status: head.status, soap, challenge };
            let proof = acceptance(trial.claim(), &exchange);
            self.concluded(&mut visit, trial, head.status, proof, plan.hangs.is_some()).await;
        } else if let Some(claim) = &self.claim {
            self.answered(&visit, claim, asked, head.status).await;
        }
        for_client(&mut head);
        let follow = self.mapi.take().map(|call| call.begun(&mut visit, &mut head, upstream.server()));
        let find = plan.find.filter(|_| head.status.is_success() && visit.admitted().is_some());
        let mut watch = plan.watch.filter(|_| head.status.is_success() && visit.admitted().is_some());
        if let Some(watch) = &mut watch {
            watch.begin(&head.headers);
        }
        let status = head.status;
        let passage = Passage {
            visit,
            status,
            origin: self.origin,
            upstream: Some(upstream),
            own: self.way.is_own(),
            answer,
            read: read.freeze(),
            find,
            book: plan.book,
            watch,
            follow,
            silence: plan.hangs,
        };
        pass(passage, head, plan.hangs.is_some()).await
    }

    /// Ends the trial with what the answer proved. Whose call it was is known from here on.
    async fn concluded(
        &self,
        visit: &mut Visit,
        trial: Trial,
        status: StatusCode,
        proof: Proof,
        hangs: bool,
    ) {
        let claim = trial.claim().clone();
        let caller = trial.conclude(proof);
        if self.way.is_own() {
            visit.connection().bound.lock().await.answered(&claim, status, proof, caller.clone());
        }
        let Some(caller) = caller else { return };
        visit.move_to(caller, if hangs { Micros::ZERO } else { self.took });
        if let Some(permit) = visit.admitted().filter(|_| hangs) {
            // One too many that has hung already is counted as it is.
            let _ = permit.hang();
        }
    }

    /// The origin has answered a claim that was known already, or one that cannot be proved yet.
    async fn answered(
        &self,
        visit: &Visit,
        claim: &Claim,
        asked: (&hyper::Method, &str),
        status: StatusCode,
    ) {
        if self.way.is_own() {
            visit.connection().bound.lock().await.answered(claim, status, Proof::Nothing, None);
        } else if status == StatusCode::UNAUTHORIZED
            && visit.owner().is_some()
            && let Some(front) = Front::of(asked.1)
        {
            visit.gateway().gatekeeper.disproved(claim, front, visit.client());
        }
    }

    /// The connection becomes a web socket: bytes go both ways until one end closes. The client's connection counts, and
    /// the call hangs, for as long as it lives (T25): from here on, so that nobody is spared a charge who only asks for one.
    fn switch(self, mut visit: Visit, head: response::Parts, answer: Incoming) -> Response<Answer> {
        if let Some(Err(refusal)) = visit.admitted().map(Permit::hang) {
            visit.refused(&refusal);
            let response = self.protocol.refuse(&refusal);
            visit.settle(response.status());
            return response;
        }
        let status = head.status;
        let mut response = Response::from_parts(head, answer);
        let theirs = hyper::upgrade::on(&mut response);
        if let Some(ours) = self.upgrade {
            tokio::spawn(async move {
                if let (Ok(ours), Ok(theirs)) = tokio::join!(ours, theirs) {
                    let (mut ours, mut theirs) = (TokioIo::new(ours), TokioIo::new(theirs));
                    if let Err(error) = tokio::io::copy_bidirectional(&mut ours, &mut theirs).await {
                        tracing::debug!(%error, "a web socket ended");
                    }
                }
                visit.settle(status);
            });
        }
        response.map(|_| whole(Bytes::new()))
    }
}

/// Passes the answer on: in one write where it is small, piece by piece where it is not.
async fn pass(mut passage: Passage, mut head: response::Parts, hangs: bool) -> Response<Answer> {
    if passage.find.is_some() {
        head.headers.remove(CONTENT_LENGTH);
    }
    let enough = passage.visit.limits().answer_bytes;
    let announced = passage.answer.size_hint().exact().and_then(|length| usize::try_from(length).ok());
    let streams = passage.follow.is_some();
    let gathers = !hangs && (passage.find.is_some() || announced.is_some_and(|length| length <= enough));
    let mut gathered = BytesMut::new();
    // What says that the work has begun is not held back; an answer that comes whole goes out whole all the same.
    let most = if streams { 0 } else { enough };
    while (gathers || streams) && gathered.len() <= most {
        match passage.next().await {
            Ok(Piece::More(piece)) => gathered.extend_from_slice(&piece),
            Ok(Piece::Last(piece)) => {
                gathered.extend_from_slice(&piece);
                passage.settle().await;
                head.headers.remove(TRANSFER_ENCODING);
                return Response::from_parts(head, whole(gathered.freeze()));
            }
            Err(kind) => {
                let failure = Failure { server: None, kind, sent: true, request: None };
                tracing::warn!(%failure, "an answer of the origin broke off");
                let response = Protocol::of(passage.visit.path()).unavailable(&failure);
                passage.visit.origin_answers(false);
                passage.visit.settle(response.status());
                return response;
            }
        }
    }
    if !passage.awaits_origin() {
        passage.visit.leave_origin();
    }
    let (pieces, body) = pipe();
    let first = gathered.freeze();
    tokio::spawn(async move {
        if first.is_empty() || pieces.send(Piece::More(first)).await.is_ok() {
            passage.pour(pieces).await;
        }
    });
    Response::from_parts(head, body)
}

/// Whether an answer that comes before its request is whole says that the rest is not wanted.
fn says_no(status: StatusCode) -> bool {
    status.is_redirection() || status.is_client_error() || status.is_server_error()
}

/// The first bytes of an answer.
async fn beginning(answer: &mut Incoming, origin: &RemoteOrigin, visit: &Visit) -> BytesMut {
    let mut read = BytesMut::new();
    let (silence, clock) = (origin.settings().answer_idle_time, visit.gateway().clock);
    while read.len() < FAULT_BEGINNING {
        match next_piece(answer, silence, &clock).await {
            Ok(Some(piece)) => read.extend_from_slice(&piece),
            Ok(None) | Err(_) => break,
        }
    }
    read
}

/// The answer in place of one that the origin did not give.
fn failed(mut visit: Visit, protocol: Protocol, failure: &Failure) -> Response<Answer> {
    if failure.kind == FailureKind::ClientGone {
        visit.settle(client_gone());
        return and_close(protocol.not_taken(StatusCode::BAD_REQUEST, "the request broke off"));
    }
    tracing::warn!(%failure, "the origin did not answer");
    let response = protocol.unavailable(failure);
    visit.settle(response.status());
    response
}

/// The answer to a request whose body was not taken.
pub(super) async fn not_taken(
    mut visit: Visit,
    protocol: Protocol,
    error: BodyError,
    rest: Option<Incoming>,
) -> Response<Answer> {
    if let Some(rest) = rest {
        discard(rest, visit.limits(), &visit.gateway().clock).await;
    }
    let status = match error {
        BodyError::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
        BodyError::TooSlow { .. } => StatusCode::REQUEST_TIMEOUT,
        BodyError::NoRoom => StatusCode::SERVICE_UNAVAILABLE,
        BodyError::Gone => client_gone(),
    };
    visit.settle(status);
    and_close(protocol.not_taken(status, &format!("The request was refused: {error}.")))
}

impl Visit {
    /// What is known of the caller before the origin has answered. Whoever was accepted on the connection that the
    /// request goes by is the one who asks.
    async fn approach(&self, claim: Option<&Claim>, way: &Way, head: &request::Parts) -> Approach {
        let bound = match way {
            Way::Shared => None,
            Way::Own { caller: Some(caller), .. } => return Approach::Known(caller.clone()),
            Way::Own { caller: None, claim } => claim.as_ref(),
        };
        let Some(front) = Front::of(head.uri.path()) else { return Approach::Free };
        let gateway = self.gateway();
        let guarded = gateway.enforces(&self.settings().throttle);
        let claim = claim.or(bound).cloned();
        gateway.gatekeeper.approach(claim, front, self.client(), self.sequence(), guarded).await
    }
}
