//! What is done to a call on behalf of a limit: decided before anything of it goes to the origin.
//!
//! A find's page is made smaller (T11, E7), a subscription is counted (T7), a call that waits for events holds no place
//! (T25). Whoever is not known yet is charged nothing; a page of his is made as small as his would be whom he claims to
//! be, since only an answer to that can be judged once he is known. Who is only observed keeps his bytes as they are (T20).

use std::time::Duration;

use hyper::Uri;
use hyper::http::request;
use weir_throttle::find::page_limit;
use weir_units::{Micros, Refusal};
use weir_wire::eas::{Call, HangPeek, Query};
use weir_wire::ews::outcome::Outcome;
use weir_wire::ews::peek::{Asked, Detail};
use weir_wire::ews::relay::{Allowance, Relay, RelayLimits};
use weir_wire::mapi::RequestType;

use super::ask::Ask;
use super::passage::{Book, Entry, FindFilter};
use super::protocol::Protocol;
use super::watch::Watch;
use crate::visit::Visit;

/// What is done to a request and its answer.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) find: Option<Box<FindFilter>>,
    pub(super) book: Option<Book>,
    /// Counts a find that is held to no limit.
    pub(super) watch: Option<Box<Watch>>,
    /// How long a call that waits for events may be silent.
    pub(super) hangs: Option<Duration>,
    /// Whether it works first and may wait for events then: it counts as a call that works, but holds no place at the origin.
    pub(super) may_hang: bool,
    /// Whether the answer has to come uncompressed, since a limit depends on it.
    pub(super) reads_answer: bool,
}

impl Plan {
    /// What is done to a MAPI request, which was judged before.
    pub(super) fn for_mapi(asks: Option<RequestType>) -> Self {
        let waits = asks == Some(RequestType::NotificationWait);
        Self { hangs: waits.then(|| patience(NOTIFICATION_MINUTES)), ..Self::default() }
    }

    /// Whether the call holds a place at the origin while it works (T23, T25).
    pub(super) const fn takes_place(&self) -> bool {
        self.hangs.is_none() && !self.may_hang
    }

    /// Decides what is done to the request, and waits for its turn.
    ///
    /// # Errors
    ///
    /// The refusal: nothing of the request has gone on.
    pub(super) async fn make(
        visit: &mut Visit,
        protocol: Protocol,
        head: &request::Parts,
        ask: &mut Ask,
        latency: Micros,
    ) -> Result<Self, Refusal> {
        let rules = visit.settings().throttle.http;
        let mut plan = match protocol {
            Protocol::Ews => match ask.asked().cloned() {
                Some(asked) => plan_ews(visit, &asked, ask).await?,
                None => Self::default(),
            },
            Protocol::Eas => plan_eas(head, ask),
            Protocol::Owa => {
                Self { hangs: polls(&head.uri).then(|| patience(HANGING_MINUTES)), ..Self::default() }
            }
            Protocol::Mapi | Protocol::Other => Self::default(),
        };
        let Some(permit) = visit.admitted() else {
            plan.book = None;
            plan.reads_answer = plan.find.is_some();
            return Ok(plan);
        };
        if plan.hangs.is_some() {
            permit.hang()?;
        } else {
            permit.turn(true).await?;
            permit.keep_pace(ask.named().max(1), latency, &rules)?;
            permit.check_processor(ask.named().saturating_sub(1)).await;
        }
        if let Some(Book { entry: Entry::Subscribe(_), .. }) = &plan.book {
            permit.take_subscription()?;
        }
        plan.reads_answer = !permit.spares() && (plan.find.is_some() || plan.book.is_some());
        Ok(plan)
    }
}

/// What is done to an EWS request. A paged find with nothing left waits first (T11).
async fn plan_ews(visit: &mut Visit, asked: &Asked, ask: &mut Ask) -> Result<Plan, Refusal> {
    visit.asks(asked.operation.clone());
    let mut plan = Plan::default();
    let book = |entry| Some(Book { outcome: Outcome::default(), entry });
    match &asked.detail {
        Detail::Find(find) => {
            let paged = find.view.is_paged();
            let left = match visit.admitted() {
                Some(permit) if paged => permit.wait_for_find().await?,
                Some(permit) => permit.find_left(),
                None => visit.claimed_find_left(),
            };
            if left.is_none() {
                plan.watch = Some(Box::new(Watch::new(find.view)));
                return Ok(plan);
            }
            let page = if paged { page_limit(left, find.parents) } else { left };
            if let Some(max) = Allowance::new(page).ask(&find.view) {
                ask.make_smaller(max);
            }
            plan.find = Some(Box::new(FindFilter {
                relay: Relay::new(RelayLimits::default()),
                view: find.view,
                version: asked.version,
                page,
                held: 0,
            }));
        }
        Detail::Subscribe { timeout_minutes, .. } => {
            let timeout = Micros::MINUTE.times(timeout_minutes.unwrap_or(SUBSCRIPTION_MINUTES).into());
            plan.book = book(Entry::Subscribe(timeout));
        }
        Detail::Events { subscription } => plan.book = book(Entry::Events(subscription.clone())),
        Detail::Unsubscribe { subscription } => plan.book = book(Entry::Unsubscribe(subscription.clone())),
        Detail::StreamingEvents { timeout_minutes, .. } => {
            let minutes = timeout_minutes.unwrap_or(SUBSCRIPTION_MINUTES).min(HANGING_MINUTES);
            plan.hangs = Some(patience(minutes));
        }
        Detail::None => {}
    }
    Ok(plan)
}

/// Whether an `ActiveSync` call hangs (T25).
fn plan_eas(head: &request::Parts, ask: &Ask) -> Plan {
    let command = head.uri.query().and_then(|query| Query::parse(query).ok()).map(|query| query.command);
    let Some(command) = command else { return Plan::default() };
    let mut peek = HangPeek::new(command);
    peek.feed(ask.bytes());
    match peek.finish() {
        Call::Hangs { changes: false, .. } => {
            Plan { hangs: Some(patience(HANGING_MINUTES)), ..Plan::default() }
        }
        // A waiting call that brings changes along works first.
        Call::Hangs { changes: true, .. } => Plan { may_hang: true, ..Plan::default() },
        Call::Works => Plan::default(),
    }
}

/// Whether a call of Outlook Web App waits for notifications (T25): its pending request, by which they come.
fn polls(uri: &Uri) -> bool {
    let handler = uri.path().rsplit('/').next().unwrap_or_default();
    let mut words = uri.query().unwrap_or_default().split('&').filter_map(|word| word.split_once('='));
    let namespace = words.find(|(name, _)| name.eq_ignore_ascii_case("ns")).map(|(_, value)| value);
    ["ev.owa", "ev.owa2"].iter().any(|name| handler.eq_ignore_ascii_case(name))
        && namespace.is_some_and(|namespace| namespace.eq_ignore_ascii_case("PendingRequest"))
}

/// How long a subscription lives that does not say how long.
const SUBSCRIPTION_MINUTES: u32 = 30;
/// How long a call may hang, whatever it says.
const HANGING_MINUTES: u32 = 60;
/// How long a MAPI request waits for notifications at most.
const NOTIFICATION_MINUTES: u32 = 5;

/// How long the origin may be silent in a call that hangs for `minutes`: a minute more.
fn patience(minutes: u32) -> Duration {
    Duration::from_mins(u64::from(minutes) + 1)
}
