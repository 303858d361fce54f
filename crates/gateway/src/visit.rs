//! One request's life, from its first byte to the line in the log (T17).
//!
//! A visit knows who asks, holds his permit, counts what was done for him, and when it is settled – or dropped,
//! because the client has gone – gives everything back and writes the line.

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{HeaderValue, USER_AGENT};
use hyper::http::request::Parts;
use hyper::http::uri::PathAndQuery;
use hyper::{HeaderMap, Method, Response, StatusCode};
use weir_directory::{Account, DirectoryError, EffectivePolicy};
use weir_mailbox::{MailboxServer, Session};
use weir_throttle::Snapshot;
use weir_throttle::budgets;
use weir_units::{Component, Micros, Owner, Part, Refusal, Tick, TimePart};
use weir_wire::ews::fault::fault;
use weir_wire::ews::refusal::busy;
use weir_wire::ews::request::{Envelope, Request};
use weir_wire::ews::response::ResponseMessage;
use weir_wire::forwarded::TrustedProxies;

use crate::answers::and_close;
use crate::body::{Answer, discard};
use crate::gateway::{Gateway, Shell};
use crate::listener::Connection;
use crate::metrics::Front;
use crate::origin;
use crate::permit::Permit;
use crate::permit::place::WaitRules;
use crate::places::{Place, Places};
use crate::request_log::{Counted, RequestId};
use crate::settings::{ConnectionLimits, Settings};
use crate::who::{Caller, Identity, Lookup};

mod keep_out;
mod place;
mod session;
mod settle;

/// The status that stands in the log for an answer that nobody waited for.
pub(crate) fn client_gone() -> StatusCode {
    StatusCode::from_u16(499).unwrap_or(StatusCode::BAD_REQUEST)
}

/// One request under way.
pub(crate) struct Visit {
    gateway: Arc<Gateway>,
    settings: Arc<Settings>,
    connection: Arc<Connection>,
    front: Front,
    /// Whose limits hold; none where nothing is charged.
    component: Option<Component>,
    asked: Asked,
    caller: Option<Caller>,
    /// Who the request claims to be from, before the origin has proved it.
    claimed: Option<Owner>,
    lookup: Lookup,
    policy: Option<Arc<EffectivePolicy>>,
    permit: Option<Permit>,
    init: Option<Snapshot>,
    refusal: Option<Refusal>,
    /// The rule of the block list that would have kept it out.
    would_block: Option<u64>,
    operation: Option<Cow<'static, str>>,
    origin: Counted,
    /// The places at the origin that it goes to, and the one it has while the origin works.
    places: Option<Arc<Places>>,
    place: Option<Place>,
    answered: bool,
    /// How long it has waited for its places.
    queued: Micros,
    settled: bool,
}

/// What was known of a request when it arrived.
struct Asked {
    id: RequestId,
    sequence: u64,
    at: Tick,
    method: Method,
    path: Option<PathAndQuery>,
    client: IpAddr,
    user_agent: Option<HeaderValue>,
}

impl Visit {
    /// A request has arrived.
    pub(crate) fn begin(
        gateway: Arc<Gateway>,
        connection: Arc<Connection>,
        head: &Parts,
        front: Front,
        component: Option<Component>,
    ) -> Self {
        let sequence = gateway.next_sequence();
        let asked = Asked {
            id: gateway.ids.of(sequence),
            sequence,
            at: gateway.clock.tick(),
            method: head.method.clone(),
            path: head.uri.path_and_query().cloned(),
            client: connection.client(&head.headers),
            user_agent: head.headers.get(USER_AGENT).cloned(),
        };
        Self {
            settings: gateway.settings(),
            gateway,
            connection,
            front,
            component,
            asked,
            caller: None,
            claimed: None,
            lookup: Lookup::default(),
            policy: None,
            permit: None,
            init: None,
            refusal: None,
            would_block: None,
            operation: None,
            origin: Counted::default(),
            places: None,
            place: None,
            answered: false,
            queued: Micros::ZERO,
            settled: false,
        }
    }

    /// Who asks.
    pub(crate) async fn identify(&self, headers: &HeaderMap) -> Identity {
        self.gateway.gatekeeper.identify(headers, self.client()).await
    }

    /// It is `caller` who asks, and finding out has cost `lookup`.
    pub(crate) fn known(&mut self, caller: Caller, lookup: Lookup) {
        self.caller = Some(caller);
        self.lookup = lookup;
    }

    /// Takes a place in the caller's budget; a visit that is charged to nobody needs none.
    ///
    /// # Errors
    ///
    /// The refusal.
    pub(crate) async fn admit(&mut self) -> Result<(), Refusal> {
        let (Some(owner), Some(component)) = (self.owner().cloned(), self.component) else { return Ok(()) };
        let (budget, policy) = self.budget(&owner, component)?;
        let gateway = Arc::clone(&self.gateway);
        let mut permit = Permit::take(gateway, budget, policy, &self.settings.throttle).await?;
        permit.charge(TimePart::Ad, self.lookup.time);
        permit.spare_block(self.would_block);
        self.permit = Some(permit);
        Ok(())
    }

    /// The request claims to be `owner`'s.
    pub(crate) fn claims(&mut self, owner: Owner) {
        self.claimed = Some(owner);
    }

    /// What a find of the owner that the request claims to be from may still bring, at least one; none where nothing limits
    /// it. Nothing is charged.
    pub(crate) fn claimed_find_left(&self) -> Option<u32> {
        let (owner, component) = (self.claimed.as_ref()?, self.component?);
        let now = self.gateway.clock.tick();
        let policy = self.gateway.policies.lookup(owner, now);
        if policy.limits.observe_only || !self.gateway.enforces(&self.settings.throttle) {
            return None;
        }
        let limits = policy.limits.component(component);
        let budget = self.gateway.budgets.peek(owner, component);
        let left = budget.map_or(limits.find_count, |budget| budget.budget.find_left(limits))?;
        Some(left.max(1))
    }

    /// The origin's answer has proved that it is `caller` who asks: the whole call so far moves to him, and counts at once;
    /// it is refused no more (T8). The origin has worked `spent` for it; time that the client took to send it is nobody's
    /// (T4).
    pub(crate) fn move_to(&mut self, caller: Caller, spent: Micros) {
        let owner = caller.owner.clone();
        self.caller = Some(caller);
        let Some(component) = self.component else { return };
        let Ok((budget, policy)) = self.budget(&owner, component) else { return };
        let gateway = Arc::clone(&self.gateway);
        let mut permit = Permit::take_late(gateway, budget, policy, &self.settings.throttle);
        permit.charge(TimePart::MailboxRpc, spent);
        permit.spare_block(self.would_block);
        self.permit = Some(permit);
    }

    /// The budget and the policy of `owner`; notes how the budget stands before the call.
    fn budget(
        &mut self,
        owner: &Owner,
        component: Component,
    ) -> Result<(Arc<budgets::Account<Shell>>, Arc<EffectivePolicy>), Refusal> {
        let now = self.gateway.clock.tick();
        let policy = self.gateway.policies.lookup(owner, now);
        let budget = self.gateway.budgets.of(owner, component, now).map_err(|full| {
            tracing::error!(%full, "a request was refused");
            let bound = u64::try_from(full.bound).unwrap_or(u64::MAX);
            Refusal { component, part: Part::Waiting, limit: bound, used: bound, retry_after: None }
        })?;
        self.init = Some(budget.snapshot(policy.limits.component(component), now));
        self.policy = Some(Arc::clone(&policy));
        Ok((budget, policy))
    }

    /// The permit of an admitted visit.
    ///
    /// # Panics
    ///
    /// Before [`Visit::admit`] has succeeded and after the visit was settled: no step is carried out then.
    pub(crate) fn permit(&mut self) -> &mut Permit {
        self.permit.as_mut().expect("steps are carried out between admission and settlement")
    }

    /// The permit, where the visit is charged to somebody.
    pub(crate) fn admitted(&mut self) -> Option<&mut Permit> {
        self.permit.as_mut()
    }

    /// The caller's work rests: the client sends or reads.
    pub(crate) fn pause(&mut self) {
        if let Some(permit) = &mut self.permit {
            permit.pause();
        }
    }

    /// The caller's work goes on.
    pub(crate) fn resume(&mut self) {
        if let Some(permit) = &mut self.permit {
            permit.resume();
        }
    }

    /// The request asks for `operation`.
    pub(crate) fn asks(&mut self, operation: impl Into<Cow<'static, str>>) {
        self.operation = Some(operation.into());
    }

    /// The request, or a step of it, was refused.
    pub(crate) fn refused(&mut self, refusal: &Refusal) {
        self.gateway.metrics.refused(refusal);
        if let Some(permit) = &mut self.permit {
            permit.refused(refusal);
        }
        self.refusal = Some(*refusal);
    }

    /// A connection whose requests are refused again and again is read no faster than `refused_per_second` (T7), unless
    /// that is 0.
    pub(crate) async fn slow_down_repeats(&self) {
        let before = self.connection.refused.swap(true, Ordering::Relaxed);
        let pause = Duration::from_secs(1).checked_div(self.settings.throttle.refused_per_second);
        if let Some(pause) = pause.filter(|_| before) {
            let until = self.gateway.clock.tick().plus(pause.into());
            self.gateway.clock.sleep_until(until).await;
        }
    }

    /// Opens the mailbox that the request acts on: the caller's own, or the impersonated person's. The caller is
    /// charged in either case (T3).
    ///
    /// # Errors
    ///
    /// The fault, as a document.
    pub(crate) async fn open_mailbox(&mut self, envelope: &Envelope) -> Result<Session, Vec<u8>> {
        let caller = self.caller.as_ref().and_then(|caller| caller.account.clone());
        let caller = caller.ok_or_else(|| busy(None))?;
        let owner = match &envelope.impersonated {
            None => caller,
            Some(name) => self.impersonate(&caller, name.clone()).await?,
        };
        let search_limit = self.permit().limits().fast_search.map(Duration::from);
        Ok(Session {
            mailbox: origin::person(&owner),
            version: envelope.version,
            time_zone: envelope.time_zone.clone(),
            search_limit,
            now: self.gateway.clock.wall(),
        })
    }

    async fn impersonate(&mut self, caller: &Account, name: String) -> Result<Arc<Account>, Vec<u8>> {
        let directory = Arc::clone(&self.gateway.directory);
        let look_up = tokio::task::spawn_blocking(move || directory.resolve(&name));
        let (found, took) = self.permit().during(TimePart::Ad, look_up).await;
        self.lookup.count += 1;
        self.lookup.time = self.lookup.time.plus(took);
        let account = match found {
            Ok(Ok(account)) => account,
            Ok(Err(error)) => return Err(unreadable(&error)),
            Err(_panicked) => return Err(busy(None)),
        };
        match account {
            Some(account) if account.owner == caller.owner => Ok(Arc::new(account)),
            Some(account) if caller.may_impersonate && account.organisation == caller.organisation => {
                Ok(Arc::new(account))
            }
            // Who may not impersonate does not learn who has a mailbox here.
            Some(_) | None if !caller.may_impersonate => {
                Err(fault("ErrorImpersonateUserDenied", DENIED, &[]))
            }
            Some(_) | None => Err(fault("ErrorNonExistentMailbox", NO_MAILBOX, &[])),
        }
    }

    /// Asks the embedded origin for one step, charging the time to `part`. Its place is free again as soon as the step
    /// has ended, whoever still waits for it.
    ///
    /// # Errors
    ///
    /// The refusal, where the step `may_refuse` and had no place in time: it was not begun.
    pub(crate) async fn origin(
        &mut self,
        mailbox: &MailboxServer,
        part: TimePart,
        session: &Session,
        (request, step): (&Request, usize),
        may_refuse: bool,
    ) -> Result<ResponseMessage, Refusal> {
        let ended = |place: Option<Place>, answered| place.into_iter().for_each(|place| place.done(answered));
        let (begin, answer) = mailbox.step(session, request, step, ended);
        self.begin_at_origin(WaitRules::call(may_refuse), begin).await?;
        let (message, took) = self.permit().during(part, answer).await;
        self.origin.count += 1;
        self.origin.took = self.origin.took.plus(took);
        self.gateway.metrics.origin("embedded", took);
        self.gateway.embedded_latency.record(took);
        Ok(message)
    }

    /// A remote origin has worked `took` on the call.
    pub(crate) fn origin_took(&mut self, took: Micros) {
        self.origin.count = 1;
        self.origin.took = self.origin.took.plus(took);
    }

    /// The settings in force for the request.
    pub(crate) fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings)
    }

    /// The bounds of one request.
    pub(crate) fn limits(&self) -> &ConnectionLimits {
        &self.settings.limits
    }

    /// The gateway that it came to.
    pub(crate) fn gateway(&self) -> Arc<Gateway> {
        Arc::clone(&self.gateway)
    }

    /// The connection that it came by.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// The address that the request comes from, as far as it is believed.
    pub(crate) const fn client(&self) -> IpAddr {
        self.asked.client
    }

    /// Who is at the other end of the connection.
    pub(crate) fn peer(&self) -> IpAddr {
        self.connection.peer.client.ip()
    }

    /// Whose word about the client is believed.
    pub(crate) fn trusted_proxies(&self) -> &TrustedProxies {
        self.connection.trusted_proxies()
    }

    /// Whether the request came by TLS.
    pub(crate) fn is_secure(&self) -> bool {
        self.connection.is_secure()
    }

    /// The request's correlation id.
    pub(crate) const fn id(&self) -> RequestId {
        self.asked.id
    }

    /// The how manieth request of this process it is.
    pub(crate) const fn sequence(&self) -> u64 {
        self.asked.sequence
    }

    /// The path that was asked for.
    pub(crate) fn path(&self) -> &str {
        self.asked.path.as_ref().map_or("", PathAndQuery::path)
    }

    /// The account of whoever asks; none for somebody who has no row here.
    pub(crate) fn account(&self) -> Option<Arc<Account>> {
        self.caller.as_ref()?.account.clone()
    }

    /// Who is charged.
    pub(crate) fn owner(&self) -> Option<&Owner> {
        self.caller.as_ref().map(|caller| &caller.owner)
    }

    /// The domain of whoever asks, or else of `claimed`: it says which origin serves him.
    pub(crate) fn owner_domain(&self, claimed: Option<&Caller>) -> Option<String> {
        let caller = self.caller.as_ref().or(claimed)?;
        caller.owner.name().rsplit_once('@').map(|(_, domain)| domain.to_owned())
    }

    /// Answers a request whose body nobody needs: it is read away where it is small, so that the connection can go on.
    pub(crate) async fn turn_away(mut self, body: Incoming, response: Response<Answer>) -> Response<Answer> {
        self.pause();
        let whole = discard(body, self.limits(), &self.gateway.clock).await;
        self.settle(response.status());
        if whole { response } else { and_close(response) }
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        if let Some(place) = self.place.take() {
            place.abandoned();
        }
        self.settle(client_gone());
    }
}

const DENIED: &str = "The account does not have permission to impersonate the requested user. An administrator grants \
                      it with `mailweir mailbox set ACCOUNT --impersonation on`.";
const NO_MAILBOX: &str =
    "No mailbox of your organisation has the name or address that was to be impersonated.";

fn unreadable(error: &DirectoryError) -> Vec<u8> {
    tracing::error!(%error, "a mailbox could not be looked up");
    busy(None)
}
