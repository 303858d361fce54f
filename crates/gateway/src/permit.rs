//! One call's hold on its owner's budget, and the waiting it costs (T5–T7, T9–T11, T26).
//!
//! The decisions are `weir_throttle`'s; here they are carried out: sleeping until a line moves, stopping the clock
//! while we or the client make the call wait, adding up what one request has waited. A permit gives everything back
//! when it is dropped, on whatever way out: answer sent, client gone, origin failed.
//!
//! Where nobody is held to his budget (T20), the call is admitted without limits, and what would have kept it is
//! remembered.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use weir_directory::EffectivePolicy;
use weir_throttle::evidence::WAIT_LEAST;
use weir_throttle::{Account, Call, ComponentLimits, Evidence, Look, Manner, OverBudget, Patience, Rules};
use weir_throttle::{Seen, Snapshot, cpu_delay, find};
use weir_units::{Micros, Millis, Part, Refusal, Tick, TimePart};

use crate::gateway::{Gateway, Shell, ShellAccount};
use crate::mapi::place::SessionPlace;
use crate::settings::{self, ThrottleSettings};
use crate::subscriptions::{Opened, Subscriptions};

mod meter;
pub(crate) mod pace;
pub(crate) mod place;
mod session;
mod witness;

use meter::Meter;
pub(crate) use witness::kept_out;
use witness::observe;

/// A call that holds a place in its owner's budget.
pub(crate) struct Permit {
    gateway: Arc<Gateway>,
    account: Arc<Account<Shell>>,
    limits: ComponentLimits,
    policy: Arc<EffectivePolicy>,
    /// None once everything is given back.
    call: Option<Call>,
    /// The session that the call's place belongs to, where it outlives the call (R15).
    session: Option<Arc<SessionPlace>>,
    /// How the budget is to judge the call; none once it was judged for the first time.
    rules: Option<Rules>,
    patience: Patience,
    subscriptions_bound: usize,
    /// Whether a subscription is counted of which the origin has not said yet that there is one.
    subscribing: bool,
    /// How long it has waited for places at the origin.
    queued: Micros,
    /// What the call waited for last.
    waited_for: Option<Part>,
    /// What the gates on its way saw.
    evidence: Evidence,
    meter: Meter,
}

impl Permit {
    /// Takes a place for one more call of the account's owner. Its time budget is looked at by [`Permit::turn`], once
    /// the request has arrived whole: a slow sender keeps nobody waiting.
    ///
    /// # Errors
    ///
    /// The refusal: every place is taken.
    pub(crate) async fn take(
        gateway: Arc<Gateway>,
        account: Arc<Account<Shell>>,
        policy: Arc<EffectivePolicy>,
        settings: &ThrottleSettings,
    ) -> Result<Self, Refusal> {
        let enforced = gateway.enforces(settings) && !policy.limits.observe_only;
        let own = *policy.limits.component(account.component);
        let limits = if enforced { own } else { ComponentLimits::unlimited(account.component) };
        let over_budget = match settings.over_budget {
            settings::OverBudget::Delay => OverBudget::Delay,
            settings::OverBudget::Refuse => OverBudget::Refuse,
        };
        let rules = Rules { over_budget, max_waiting: settings.waiting_per_owner };
        let mut evidence = if enforced {
            Evidence::new(Manner::Held)
        } else {
            observe(&account, &own, over_budget, gateway.clock.tick())
        };
        let mut patience = Patience::new(settings.max_delay.into());
        let call =
            arrive(&gateway, &account, &limits, settings.concurrency_wait.into(), &mut patience).await?;
        let waited = patience.waited();
        let waited_for = (waited > Micros::ZERO).then_some(Part::MaxConcurrency);
        if let Some(part) = waited_for {
            gateway.metrics.delayed(account.component, part, waited);
        }
        if enforced {
            let (used, limit) = (call.places_before().into(), limits.places().into());
            evidence.note(Seen::Count { part: Part::MaxConcurrency, used, limit, waited });
        }
        let mut permit = Self::holding(Some(call), gateway, account, policy, settings);
        (permit.rules, permit.patience) = (Some(rules), patience);
        (permit.waited_for, permit.evidence) = (waited_for, evidence);
        permit.count_spared();
        Ok(permit)
    }

    /// The permit of a call that has its place, or needs none, and of which nothing was decided yet.
    fn holding(
        call: Option<Call>,
        gateway: Arc<Gateway>,
        account: Arc<Account<Shell>>,
        policy: Arc<EffectivePolicy>,
        settings: &ThrottleSettings,
    ) -> Self {
        let enforced = gateway.enforces(settings) && !policy.limits.observe_only;
        let component = account.component;
        Self {
            gateway,
            account,
            limits: if enforced {
                *policy.limits.component(component)
            } else {
                ComponentLimits::unlimited(component)
            },
            policy,
            call,
            session: None,
            rules: None,
            patience: Patience::new(settings.max_delay.into()),
            subscriptions_bound: settings.subscriptions_per_owner,
            subscribing: false,
            queued: Micros::ZERO,
            waited_for: None,
            evidence: Evidence::new(if enforced { Manner::Held } else { Manner::Observed }),
            meter: Meter::default(),
        }
    }

    /// Takes a place for a call that has run already before its owner was known: it counts at once and is not refused
    /// (T8).
    pub(crate) fn take_late(
        gateway: Arc<Gateway>,
        account: Arc<Account<Shell>>,
        policy: Arc<EffectivePolicy>,
        settings: &ThrottleSettings,
    ) -> Self {
        let unlimited = ComponentLimits::unlimited(account.component);
        let call = account.budget.arrive(&unlimited, gateway.clock.tick()).ok();
        let mut permit = Self::holding(call, gateway, account, policy, settings);
        permit.run_unjudged();
        permit
    }

    /// The call works from here on, whatever is left of its owner's time.
    pub(crate) fn run_unjudged(&mut self) {
        self.rules = None;
        self.resume();
    }

    /// Waits until the call may go on: for the processor (T9), then for its budget (T6). Looked at before every item
    /// of a batch (T26).
    ///
    /// # Errors
    ///
    /// The refusal: at once where over budget a request is refused rather than delayed, or once it has waited as long
    /// as it may – and only where it `may_refuse`; a batch that has had an effect runs on in debt.
    pub(crate) async fn turn(&mut self, may_refuse: bool) -> Result<(), Refusal> {
        self.wait_for_processor().await;
        let now = self.gateway.clock.tick();
        let Some(call) = &mut self.call else { return Ok(()) };
        let budget = &self.account.budget;
        let (seen, look) = match self.rules.take() {
            Some(rules) => budget.judge(call, &self.limits, &rules, now),
            None => (None, Ok(budget.recheck(call, &self.limits, now))),
        };
        if look == Ok(Look::Run) {
            budget.resume(call, now);
            self.meter.run(now);
        }
        match seen {
            Some(seen) => self.note(seen),
            None => self.observe_time(now),
        }
        match look {
            Ok(Look::Run) => Ok(()),
            Ok(Look::Wait(until)) => {
                self.meter.stand(now);
                self.wait_in_line(until, may_refuse).await
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// A batch that is only observed goes on with its next item, which might have had to wait (T20).
    fn observe_time(&mut self, now: Tick) {
        if self.evidence.manner() == Manner::Observed {
            let limits = self.policy.limits.component(self.account.component);
            let time = self.account.budget.time_seen(limits, now);
            self.spare(Seen::Turn { over_budget: OverBudget::Delay, waiting: 0, time });
        }
    }

    /// Looks at the processor `checks` times, as for a batch whose items the origin carries out by itself (T26).
    pub(crate) async fn check_processor(&mut self, checks: u32) {
        for _ in 0..checks {
            self.wait_for_processor().await;
        }
    }

    /// The call waits for events from here on: it holds no place and is not charged (T25).
    ///
    /// # Errors
    ///
    /// The refusal where as many of the owner's calls hang as may.
    pub(crate) fn hang(&mut self) -> Result<(), Refusal> {
        let now = self.gateway.clock.tick();
        let Some(call) = &mut self.call else { return Ok(()) };
        let before = self.account.budget.hang(call, &self.limits, now)?;
        self.meter.stand(now);
        self.saw_hanging(before);
        Ok(())
    }

    /// The call does not work for the moment: the client sends or reads (T4).
    pub(crate) fn pause(&mut self) {
        let now = self.gateway.clock.tick();
        if let Some(call) = &mut self.call {
            self.account.budget.pause(call, now);
            self.meter.stand(now);
        }
    }

    /// The call works again; one that was not judged yet does not before its first [`Permit::turn`].
    pub(crate) fn resume(&mut self) {
        self.resume_at(self.gateway.clock.tick());
    }

    /// The call has worked again since `now`, which is a moment ago.
    fn resume_at(&mut self, now: Tick) {
        if self.rules.is_some() {
            return;
        }
        if let Some(call) = self.call.as_mut().filter(|call| !call.is_waiting() && !call.is_hanging()) {
            self.account.budget.resume(call, now);
            self.meter.run(now);
        }
    }

    /// Awaits `work` and charges its time to `part`; gives the time it took.
    pub(crate) async fn during<T>(&mut self, part: TimePart, work: impl Future<Output = T>) -> (T, Micros) {
        let began = self.gateway.clock.tick();
        if let Some(call) = &mut self.call {
            self.account.budget.enter(call, part, began);
        }
        let done = work.await;
        let ended = self.gateway.clock.tick();
        if let Some(call) = &mut self.call {
            self.account.budget.leave(call, ended);
            self.meter.add(part, ended.since(began));
        }
        (done, ended.since(began))
    }

    /// Charges what was done for the caller before he was known (T8).
    pub(crate) fn charge(&mut self, part: TimePart, spent: Micros) {
        if spent > Micros::ZERO {
            self.account.budget.charge(part, spent, self.gateway.clock.tick());
            self.meter.add(part, spent);
            if part != TimePart::Cas {
                self.meter.add(TimePart::Cas, spent);
            }
        }
    }

    /// The limits in force for this call.
    pub(crate) const fn limits(&self) -> &ComponentLimits {
        &self.limits
    }

    /// The budget as the policy has it, at this moment.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let limits = self.policy.limits.component(self.account.component);
        self.account.snapshot(limits, self.gateway.clock.tick())
    }

    /// How long the request has waited, and for what last.
    pub(crate) const fn waited(&self) -> (Micros, Option<Part>) {
        (self.patience.waited(), self.waited_for)
    }

    /// What a find may still return (T10).
    pub(crate) fn find_left(&self) -> Option<u32> {
        self.account.budget.find_left(&self.limits)
    }

    /// What a paged find may return; where nothing is left it waits until other calls have given something back.
    ///
    /// # Errors
    ///
    /// The refusal once the request has waited as long as it may, in the words of a time part (T11); at once where
    /// the limit is nothing at all.
    pub(crate) async fn wait_for_find(&mut self) -> Result<Option<u32>, Refusal> {
        let began = self.gateway.clock.tick();
        let until = self.patience.until(Tick::NEVER, began);
        if self.find_left() == Some(0) {
            self.pause();
        }
        let account = Arc::clone(&self.account);
        let left = loop {
            let mut woken = pin!(account.shell.wake.notified());
            woken.as_mut().enable();
            let left = self.find_left();
            let hopeless = self.limits.find_count == Some(0) || self.gateway.clock.tick() >= until;
            if left != Some(0) || hopeless {
                break left;
            }
            tokio::select! {
                () = woken => {}
                () = self.gateway.clock.sleep_until(until) => {}
            }
        };
        let waited = self.note_wait(Part::FindCount, began);
        if let Some(left) = left {
            self.note_unless_passed(Seen::Page { left, waited });
        }
        self.resume();
        if left == Some(0) { Err(self.find_refusal()) } else { Ok(left) }
    }

    /// Counts `came` items and folders, as many as are left, and one at least for a client that pages; says how many
    /// (T10).
    pub(crate) fn take_found(&mut self, came: u32, paged: bool) -> u32 {
        let Some(call) = &mut self.call else { return came };
        self.meter.found(came.into(), paged);
        self.account.budget.take_found(call, &self.limits, came, u32::from(paged))
    }

    /// Gives back `count` items and folders that are not returned after all.
    pub(crate) fn release_found(&mut self, count: u32) {
        if let Some(call) = &mut self.call {
            self.account.budget.release_found(call, count);
            self.meter.released(count.into());
        }
    }

    /// Why a find is refused that nothing is left for.
    pub(crate) fn find_refusal(&self) -> Refusal {
        let used = self.snapshot().find_count.1;
        Refusal { retry_after: Some(Millis::new(1000)), ..find::refusal(&self.limits, used.into()) }
    }

    /// Why a full-text search was cut short; none where no limit did it.
    pub(crate) fn search_refusal(&mut self) -> Option<Refusal> {
        let limit = self.limits.fast_search?.floor_millis().count() / 1000;
        self.note(Seen::Search { seconds: limit });
        let component = self.account.component;
        Some(Refusal { component, part: Part::FastSearchTimeout, limit, used: limit, retry_after: None })
    }

    /// Counts one more subscription, before the origin is asked for it (T7).
    ///
    /// # Errors
    ///
    /// The refusal where the owner has as many as he may.
    pub(crate) fn take_subscription(&mut self) -> Result<(), Refusal> {
        let now = self.gateway.clock.tick();
        self.account.drop_expired_subscriptions(now);
        let (limit, used) = self.snapshot().subscriptions;
        self.account.budget.add_subscription(&self.limits)?;
        self.subscribing = true;
        if let Some(limit) = limit {
            let (used, limit) = (used.into(), limit.into());
            self.spare(Seen::Count { part: Part::MaxSubscriptions, used, limit, waited: Micros::ZERO });
        }
        Ok(())
    }

    /// The origin gave no subscription after all.
    pub(crate) fn give_back_subscription(&mut self) {
        if std::mem::take(&mut self.subscribing) {
            self.account.budget.remove_subscriptions(1);
        }
    }

    /// The origin gave a subscription that lives for `timeout` without a question.
    pub(crate) fn subscription_opened(&mut self, id: &str, timeout: Micros) -> Opened {
        let now = self.gateway.clock.tick();
        let mut subscriptions = self.account.shell.subscriptions();
        let bound = self.subscriptions_bound;
        let opened =
            subscriptions.get_or_insert_with(|| Box::new(Subscriptions::new(bound))).opened(id, timeout, now);
        self.subscribing &= opened != Opened::Counted;
        opened
    }

    /// The subscription was asked, and lives on.
    pub(crate) fn subscription_used(&self, id: &str) {
        let now = self.gateway.clock.tick();
        if let Some(subscriptions) = self.account.shell.subscriptions().as_mut() {
            subscriptions.used(id, now);
        }
    }

    /// The origin knows the subscription no more.
    pub(crate) fn subscription_closed(&self, id: &str) {
        self.account.close_subscription(id);
    }

    /// Sleeps as long as the processor's load asks for, with the clock stopped; zero is a yield. It never refuses: at
    /// the cap of all waits the rest runs without it.
    async fn wait_for_processor(&mut self) {
        let (busy, Some(start)) = (self.gateway.cpu.busy(), self.policy.limits.cpu_start) else { return };
        if self.spares() {
            self.spare(Seen::Cpu { busy, start });
            return;
        }
        let Some(wanted) = cpu_delay(busy, Some(start)) else { return };
        let delay = self.patience.delay(wanted);
        let began = self.gateway.clock.tick();
        self.pause();
        if delay == Micros::ZERO {
            tokio::task::yield_now().await;
        } else {
            self.gateway.clock.sleep_until(began.plus(delay)).await;
        }
        self.note_wait(Part::Cpu, began);
        self.note(Seen::Cpu { busy, start });
        self.resume();
    }

    /// Waits in the owner's line until it is this call's turn and something is left of each time part.
    async fn wait_in_line(&mut self, mut until: Tick, may_refuse: bool) -> Result<(), Refusal> {
        let began = self.gateway.clock.tick();
        let mut time = self.account.budget.time_seen(&self.limits, began);
        let why = Part::Time(time.part());
        let (mut is_turn, mut look, mut now) = (false, Look::Wait(until), began);
        let crowd = self.gateway.join_crowd();
        if crowd.is_some() {
            let last = self.patience.until(Tick::NEVER, began);
            let account = Arc::clone(&self.account);
            loop {
                let mut woken = pin!(account.shell.wake.notified());
                woken.as_mut().enable();
                now = self.gateway.clock.tick();
                let Some(call) = &mut self.call else { return Ok(()) };
                (is_turn, time, look) = account.budget.look_closely(call, &self.limits, now);
                match look {
                    Look::Run => break,
                    Look::Wait(_) if now >= last => break,
                    Look::Wait(then) => until = then.min(last),
                }
                tokio::select! {
                    () = woken => {}
                    () = self.gateway.clock.sleep_until(until) => {}
                }
            }
        }
        drop(crowd);
        let waited = self.note_wait(why, began);
        self.note(Seen::Line { turn: is_turn, may_refuse, why, waited, time });
        match look {
            Look::Run => self.account.shell.wake.notify_waiters(),
            Look::Wait(_) if may_refuse => return Err(time.refusal(self.limits.component)),
            Look::Wait(_) => {
                now = self.gateway.clock.tick();
                if let Some(call) = &mut self.call {
                    self.account.budget.run_in_debt(call, now);
                }
            }
        }
        self.meter.run(now);
        Ok(())
    }

    /// Whether this call is only observed.
    pub(crate) fn spares(&self) -> bool {
        self.policy.limits.observe_only || !self.gateway.enforces(&self.gateway.settings().throttle)
    }

    /// Adds a wait that began at `began` to what the request has waited; says how long it was.
    fn note_wait(&mut self, part: Part, began: Tick) -> Micros {
        self.note_wait_until(part, began, self.gateway.clock.tick())
    }

    fn note_wait_until(&mut self, part: Part, began: Tick, ended: Tick) -> Micros {
        let waited = ended.since(began);
        if waited >= WAIT_LEAST || part == Part::Cpu {
            self.patience.spend(waited);
            self.waited_for = Some(part);
            self.gateway.metrics.delayed(self.account.component, part, waited);
        }
        waited
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.give_back_subscription();
        let Some(call) = self.call.take() else { return };
        if let Some(session) = self.session.take() {
            session.bring(call);
            return;
        }
        // Woken in any case: a call may wait for the place itself.
        let _line_waits = self.account.budget.end(call, self.gateway.clock.tick());
        self.account.shell.wake.notify_waiters();
    }
}

/// Takes a place, waiting up to `wait` for one that is given back (T7's `concurrency_wait`).
async fn arrive(
    gateway: &Gateway,
    account: &Account<Shell>,
    limits: &ComponentLimits,
    wait: Micros,
    patience: &mut Patience,
) -> Result<Call, Refusal> {
    let began = gateway.clock.tick();
    let until = patience.until(began.plus(wait), began);
    let mut has_waited = false;
    loop {
        let mut woken = pin!(account.shell.wake.notified());
        woken.as_mut().enable();
        let now = gateway.clock.tick();
        match account.budget.arrive(limits, now) {
            Ok(call) => {
                if has_waited {
                    patience.spend(now.since(began));
                }
                return Ok(call);
            }
            Err(refusal) if now >= until => return Err(refusal),
            Err(_) => has_waited = true,
        }
        tokio::select! {
            () = woken => {}
            () = gateway.clock.sleep_until(until) => {}
        }
    }
}

/// A call that waits, counted among all that do.
pub(crate) struct InCrowd<'a>(&'a Gateway);

impl Gateway {
    /// Counts one more waiting call; none where as many wait as may.
    fn join_crowd(&self) -> Option<InCrowd<'_>> {
        let most = self.settings().throttle.waiting;
        let more = |waiting: u32| (waiting < most).then_some(waiting + 1);
        self.waiting.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).ok().map(|_| InCrowd(self))
    }
}

impl Drop for InCrowd<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests;
