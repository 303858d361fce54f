//! The answer to a MAPI request on its way to the client: looked at, never held back.
//!
//! The envelope says when the work is done: that is how long the origin took over the packet (R2). The answer to
//! `Connect` says whether there is a session at all, and gets the advice for old clients put in as it passes (R15).

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use weir_units::{Micros, Millis, Tick};
use weir_wire::mapi::RequestType;
use weir_wire::mapi::body::RetryAdvice;
use weir_wire::mapi::envelope::Envelope;

use crate::mapi::judge::Load;
use crate::mapi::rpc_server::RpcServer;
use crate::mapi::session::{InUse, Session};
use crate::visit::Visit;

/// How often an old client tries again, and how fast (R11).
const RETRIES: (u32, Millis) = (60, Millis::new(1000));

/// Bytes of a body that say whether the request was carried out: its status, and behind that its error code.
const OUTCOME: usize = 8;

/// What follows one answer.
pub(super) struct Follow {
    asked: Option<RequestType>,
    session: Option<(Arc<Session>, InUse)>,
    load: Option<Load>,
    server: Arc<RpcServer>,
    began: Tick,
    /// Whether the head promises a body of the protocol.
    accepted: bool,
    /// None where what came is no envelope.
    envelope: Option<Envelope>,
    /// The beginning of the body.
    outcome: Vec<u8>,
    advice: Option<RetryAdvice>,
    /// How long the origin worked, once that is known.
    took: Option<Micros>,
    ended: bool,
}

impl Follow {
    /// An answer whose head has come.
    pub(super) fn new(
        asked: Option<RequestType>,
        session: Option<(Arc<Session>, InUse)>,
        load: Option<Load>,
        server: Arc<RpcServer>,
        began: Tick,
        accepted: bool,
        advises: bool,
    ) -> Box<Self> {
        let advice = advises.then(|| RetryAdvice::new(RETRIES.0, RETRIES.1));
        let envelope = accepted.then(Envelope::new);
        let (outcome, took, ended) = (Vec::new(), None, false);
        Box::new(Self {
            asked,
            session,
            load,
            server,
            began,
            accepted,
            envelope,
            outcome,
            advice,
            took,
            ended,
        })
    }

    /// Looks at the next piece at `now`; gives what the client gets.
    pub(super) fn pass(&mut self, piece: Bytes, now: Tick) -> Bytes {
        let Some(envelope) = &mut self.envelope else { return piece };
        let Ok(body) = envelope.feed(&piece) else {
            self.envelope = None;
            return piece;
        };
        let before = piece.len() - body.len();
        if envelope.is_done() {
            self.took = self.took.or(Some(now.since(self.began)));
        }
        let missing = OUTCOME.saturating_sub(self.outcome.len());
        self.outcome.extend(body.iter().take(missing));
        match &mut self.advice {
            None => piece,
            Some(advice) => {
                let mut piece = piece.try_into_mut().unwrap_or_else(|piece| BytesMut::from(piece.as_ref()));
                advice.apply(piece.get_mut(before..).unwrap_or_default());
                piece.freeze()
            }
        }
    }

    /// Whether the origin has not yet said that it is done.
    pub(super) const fn awaits_origin(&self) -> bool {
        self.envelope.is_some() && self.took.is_none()
    }

    /// The answer has come to its end at `now`.
    pub(super) fn end(mut self, visit: &Visit, now: Tick) {
        self.ended = true;
        let done = self.is_done();
        match self.asked {
            Some(RequestType::Connect) if !done => self.close_session(visit),
            Some(RequestType::Disconnect) if done => self.close_session(visit),
            Some(RequestType::Execute) => self.packet(done, now),
            Some(
                RequestType::Connect
                | RequestType::Disconnect
                | RequestType::NotificationWait
                | RequestType::Ping
                | RequestType::Other,
            )
            | None => {}
        }
    }

    /// Nobody waits for the rest of the answer: a session that nobody has heard of is none.
    pub(super) fn broke_off(&mut self, visit: &Visit) {
        if !self.ended && self.asked == Some(RequestType::Connect) {
            self.close_session(visit);
        }
    }

    /// One `Execute` was answered: it counts as a packet if it had operations and was carried out. An origin that refuses is
    /// not quick.
    fn packet(&self, done: bool, now: Tick) {
        let Some(load) = self.load.as_ref().filter(|load| load.rops > 0) else { return };
        let took = self.took.unwrap_or_else(|| now.since(self.began));
        if !done {
            return;
        }
        self.server.took(took);
        if let Some((session, _)) = &self.session {
            session.answered_by(&self.server, took);
            session.carried_out(load.logons, &load.named);
        }
    }

    fn close_session(&self, visit: &Visit) {
        if let Some((session, _)) = &self.session {
            visit.gateway().sessions.close(session);
        }
    }

    /// Whether the body says that the request was carried out.
    fn is_done(&self) -> bool {
        self.accepted && self.outcome.len() == OUTCOME && self.outcome.iter().all(|byte| *byte == 0)
    }
}
