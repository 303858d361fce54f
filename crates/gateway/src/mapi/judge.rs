//! Whether an `Execute` passes (R4, R7–R11, R15).
//!
//! A request without operations, or with none but such as forget a handle, is free. Any other takes its session's place,
//! and is then looked at twice: is there something left of its owner's time, and does its session owe nothing? A refusal
//! says how long, in the words of the client's version, and the origin sees nothing of it. What is only observed passes
//! in any case (T20), and so does what cannot be read before a remote origin, which may know better.

use std::sync::Arc;

use weir_throttle::rpc::BACKOFF_MAX;
use weir_units::{Component, Millis, Refusal};
use weir_wire::mapi::auxiliary::told;
use weir_wire::mapi::body::ExecuteRequest;
use weir_wire::mapi::rop::{LogonSet, Logons, Tally, back_off, too_busy};

use super::head::MapiHead;
use super::session::Session;
use crate::permit::pace::too_fast;
use crate::permit::place::WaitRules;
use crate::visit::Visit;

/// What an `Execute` has in it.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    /// Operations that count; none where the request is free.
    pub(crate) rops: u32,
    /// What is known of the session's logons once the request was carried out.
    pub(crate) logons: Logons,
    /// The logons that it names.
    pub(crate) named: LogonSet,
}

/// What becomes of an `Execute`.
#[derive(Debug)]
pub(crate) enum Judged {
    /// It goes to the origin.
    Pass,
    /// It does not: this is its answer's body.
    Refused(Refusal, Vec<u8>),
    /// Another one of its session is under way.
    UnderWay,
}

impl Load {
    /// What this body of an `Execute` has in it. One that cannot be read counts as one operation.
    pub(crate) fn of(body: &[u8], session: &Session) -> Self {
        let known = session.logons();
        let request = ExecuteRequest::read(body).ok();
        if let Some(request) = &request {
            session.hears(told(request.auxiliary));
        }
        let tally = request.and_then(|request| Tally::of(request.rops, known).ok());
        tally.map_or(Self { rops: 1, logons: known, named: LogonSet::default() }, |tally| Self {
            rops: if tally.is_free() { 0 } else { tally.rops().max(1) },
            logons: tally.logons(),
            named: *tally.named(),
        })
    }
}

/// Takes a place for one more session of whoever asks for it with this head (R15). `Connect` waits for no time budget.
///
/// # Errors
///
/// The refusal: he has as many as he may.
pub(crate) async fn admit_connect(visit: &mut Visit, head: &MapiHead) -> Result<(), Refusal> {
    let gateway = visit.gateway();
    if let (Some(owner), Some(name)) = (visit.owner(), &head.client_info)
        && let Some(old) = gateway.sessions.called(owner, name)
    {
        // The client has begun anew, and so makes room.
        gateway.sessions.close(&old);
    }
    let admitted = match visit.no_room_for_session() {
        Some(refusal) => Err(refusal),
        None => visit.admit().await,
    };
    if admitted.is_err() {
        visit.slow_down_repeats().await;
    }
    admitted?;
    if let Some(permit) = visit.admitted() {
        // It is never told that the server is too busy (R15).
        permit.run_unjudged();
    }
    Ok(())
}

/// Judges a request of `session` with this body, whose caller is proved to be its owner.
pub(crate) async fn judge(
    visit: &mut Visit,
    session: &Arc<Session>,
    head: &MapiHead,
    body: &[u8],
    load: &Load,
) -> Judged {
    if load.rops == 0 {
        return enter(visit, session, head, body, false).await;
    }
    if let Some(place) = &session.new.place
        && visit.admit_for(place).is_err()
    {
        return if visit.is_held() { Judged::UnderWay } else { Judged::Pass };
    }
    if visit.is_held() && session.is_early(visit.gateway().clock.tick()) {
        visit.slow_down_repeats().await;
    }
    if let Some(permit) = visit.admitted()
        && let Err(refusal) = permit.turn(true).await
    {
        return refuse(visit, session, head, body, refusal);
    }
    match owed(visit, session, load.rops) {
        Some(wait) => refuse(visit, session, head, body, too_fast(Component::Rca, wait)),
        None => enter(visit, session, head, body, true).await,
    }
}

/// Waits for a place at the origin, as the last thing before it (T23).
async fn enter(
    visit: &mut Visit,
    session: &Session,
    head: &MapiHead,
    body: &[u8],
    may_refuse: bool,
) -> Judged {
    match visit.enter_origin(WaitRules::of_session(may_refuse)).await {
        Ok(()) => Judged::Pass,
        Err(refusal) => refuse(visit, session, head, body, refusal),
    }
}

/// Judges a request whose caller is only claimed to be the session's owner: it is told to back off while the session owes,
/// and counts once its caller is proved (T8).
pub(crate) async fn judge_unproved(
    visit: &mut Visit,
    session: &Arc<Session>,
    head: &MapiHead,
    body: &[u8],
    load: &Load,
) -> Judged {
    let now = visit.gateway().clock.tick();
    match session.rpc.owes(now).filter(|_| load.rops > 0 && visit.is_enforced()) {
        Some(wait) => refuse(visit, session, head, body, too_fast(Component::Rca, wait)),
        None => enter(visit, session, head, body, load.rops > 0).await,
    }
}

/// How long the session is to back off instead; what passes is counted.
fn owed(visit: &mut Visit, session: &Session, rops: u32) -> Option<Millis> {
    let gateway = visit.gateway();
    let (latency, rules) = (session.latency(), visit.settings().throttle.rpc);
    let wait = if let Some(permit) = visit.admitted() {
        permit.judge_pace(&session.rpc, rops, latency, &rules)
    } else {
        session.rpc.pass_anyway(rops, gateway.clock.tick());
        None
    };
    if wait.is_none() {
        gateway.metrics.rpc_operations(rops);
    }
    wait
}

/// Tells the client to back off, in the words that it knows (R11).
fn refuse(visit: &Visit, session: &Session, head: &MapiHead, body: &[u8], refusal: Refusal) -> Judged {
    let longest = BACKOFF_MAX.ceil_millis();
    let wait = refusal.retry_after.unwrap_or(longest).clamp(Millis::new(1), longest);
    let gateway = visit.gateway();
    gateway.metrics.rpc_backoff(wait);
    session.told(wait, gateway.clock.tick());
    let understood = head.understands_backoff();
    let request = ExecuteRequest::read(body).ok().filter(|_| understood);
    let words = request.and_then(|request| back_off(request.rops, session.logons(), wait).ok());
    Judged::Refused(refusal, words.unwrap_or_else(too_busy))
}
