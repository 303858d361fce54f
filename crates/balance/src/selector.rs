//! Which target of a next hop gets the next connection (H1–H3, H6, H8–H10).
//!
//! Targets that are believed unhealthy are filtered out *before* the rotation, so that those left share evenly; among
//! them the least recently chosen goes next. A pick is one turn of a wheel that is read without a lock and without
//! allocating: only when something changed – a target went or came back, a retry is due, the administrator spoke – does
//! one pick take the selector's lock and bring the wheel up to date.
//!
//! Absent: connecting, waiting, logging. The caller connects, reports [`connected`](Selector::connected) or
//! [`failed`](Selector::failed), and acts on the [`Transition`]s that come back.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use weir_units::{Micros, Owner, Tick};

use crate::affinity::{Candidate, Score, owner_key};
use crate::attempt::{Again, Attempt, Failed, Kind, Pick};
use crate::failure::Failure;
use crate::health::{Health, TableFull};
use crate::member::Member;
use crate::order::stamp_of_turn;
use crate::plan::{Plan, slots};
use crate::record::{Generation, Report, Right, Standing};
use crate::settings::{Probes, Rotation, Settings};
use crate::target::Target;
use crate::transition::Transition;
use crate::wheel::{Turn, Wheel};

/// The most targets of one next hop.
pub const TARGETS_MAX: usize = 256;

/// When to look again where nothing better is known.
const LOOK_AGAIN: Micros = Micros::SECOND;

/// Targets that no selector can be made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectorError {
    /// The next hop has too many targets.
    #[error("a next hop has at most {TARGETS_MAX} targets, and {given} are named")]
    TooMany {
        /// How many were named.
        given: usize,
    },
    /// The health list has no room for them.
    #[error(transparent)]
    Full(#[from] TableFull),
}

/// The targets of one next hop, and whose turn it is.
///
/// ```
/// use weir_balance::{Failure, Health, Pick, Selector, Settings, Target, Transition};
/// use weir_units::{Micros, Tick};
///
/// let targets = ["10.0.2.4:25", "10.0.2.5:25"].map(|at| Target::new(at.parse().unwrap(), at));
/// let selector = Selector::new(targets, Settings::hub(), &Health::default())?;
/// let Pick::Target(attempt) = selector.pick(Tick::START) else { unreachable!("both may be tried") };
/// let failed = selector.failed(attempt, Failure::Refused, Tick::START);
/// let Some(Transition::BecameUnhealthy(mark)) = failed.transition else { unreachable!("it was refused") };
/// assert_eq!(mark.next_retry, Tick::START.plus(Micros::MINUTE));
/// # Ok::<(), weir_balance::SelectorError>(())
/// ```
#[derive(Debug)]
pub struct Selector {
    settings: Settings,
    members: Box<[Member]>,
    /// The members' sides of the choice by owner.
    candidates: Box<[Candidate]>,
    generation: Arc<Generation>,
    wheel: Wheel,
    /// The generation that the wheel was made for.
    built_for: AtomicU64,
    /// When the wheel is to be looked at, in microseconds.
    wake: AtomicU64,
    /// Turns that earlier wheels gave.
    given: AtomicU64,
    plan: Mutex<Plan>,
}

impl Selector {
    /// A selector of `targets`, which are in their order of turns. An address that is named twice counts once.
    ///
    /// # Errors
    /// [`SelectorError`] where there are more than [`TARGETS_MAX`], or the list has no room for them.
    pub fn new(
        targets: impl IntoIterator<Item = Target>,
        settings: Settings,
        health: &Health,
    ) -> Result<Self, SelectorError> {
        let mut members: Vec<Member> = Vec::new();
        let mut given = 0;
        for target in targets {
            if members.iter().any(|member| member.target.address == target.address) {
                continue;
            }
            given += 1;
            if given <= TARGETS_MAX {
                members.push(Member::new(target, health)?);
            }
        }
        if given > TARGETS_MAX {
            return Err(SelectorError::TooMany { given });
        }
        let targets: Vec<&Target> = members.iter().map(|member| &member.target).collect();
        Ok(Self {
            settings,
            candidates: Candidate::all(&targets),
            generation: Arc::clone(health.generation()),
            wheel: Wheel::new(slots(&members)),
            built_for: AtomicU64::new(u64::MAX),
            wake: AtomicU64::new(0),
            given: AtomicU64::new(0),
            plan: Mutex::new(Plan::new(&members)),
            members: members.into(),
        })
    }

    /// A selector of other `targets` – the next hop was resolved again, or configured otherwise – that goes on with the
    /// rotation of this one where they are the same. Attempts of this one may be reported to it.
    ///
    /// # Errors
    /// As [`Selector::new`].
    pub fn renewed(
        &self,
        targets: impl IntoIterator<Item = Target>,
        settings: Settings,
        health: &Health,
    ) -> Result<Self, SelectorError> {
        let renewed = Self::new(targets, settings, health)?;
        {
            let mut mine = self.lock();
            let (last, given) = mine.recency(&self.members, &self.wheel);
            let last_of = |member: &Member| {
                let place = self.members.iter().position(|old| old.target.address == member.target.address);
                place.and_then(|place| last.get(place)).copied().unwrap_or(0)
            };
            renewed.lock().resume(renewed.members.iter().map(last_of), given);
        }
        Ok(renewed)
    }

    /// The targets, in the order in which they were named.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        self.members.iter().map(|member| &member.target)
    }

    /// The target of an attempt; nothing where another selector made it.
    pub fn target(&self, attempt: &Attempt) -> Option<&Target> {
        self.member_of(attempt).map(|member| &member.target)
    }

    /// How this next hop is served.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Which target gets the next connection at `now` (H1–H3, H6, H8, H9).
    pub fn pick(&self, now: Tick) -> Pick {
        let begun = self.generation.current();
        if self.is_current(begun, now)
            && let Some(attempt) = self.take_turn(begun, now)
        {
            return Pick::Target(attempt);
        }
        self.pick_slowly(begun, now)
    }

    /// Where a connection goes on whose last attempt failed. The old rotation tries the next target without moving
    /// (H2), until all were tried; the healthy one picks again, the failed target being filtered out.
    pub fn pick_again(&self, again: Again, now: Tick) -> Pick {
        match self.settings.rotation {
            Rotation::Healthy => self.pick(now),
            Rotation::Rtm => self.step_on(again, now),
        }
    }

    /// Which target gets the next call of `owner` at `now`: the same one as long as it is healthy (H10). Where no
    /// target is in the rotation this is [`Selector::pick`].
    pub fn pick_for(&self, owner: &Owner, now: Tick) -> Pick {
        let begun = self.generation.current();
        self.refresh_if_stale(begun, now);
        let (owner, forced) = (owner_key(owner), self.wheel.is_forced());
        let mut best: Option<(Score, u16, &Member)> = None;
        for ((number, member), candidate) in (0..).zip(&self.members).zip(&self.candidates) {
            let Some(score) = candidate.score_above(best.map(|(leading, _, _)| leading), owner) else {
                continue;
            };
            let usable = member.is_listed() && (forced || member.record.is_plain());
            if usable && (forced || score.has_returned(member.share(self.settings.slow_start, now))) {
                best = Some((score, number, member));
            }
        }
        match best {
            Some((_, number, member)) => Pick::Target(attempt_at(member, number, Kind::Turn, begun)),
            None => self.pick(now),
        }
    }

    /// The first connection or retry that is due at `now`, for a task that makes them in the background (H10). Ask
    /// until there is none, and again at [`Selector::next_probe`].
    pub fn probe(&self, now: Tick) -> Option<Attempt> {
        let begun = self.generation.current();
        self.claim_due(&mut self.lock(), true, begun, now)
    }

    /// When the next first connection or retry is due; [`Tick::NEVER`] where none is. A change may bring it forward.
    pub fn next_probe(&self, now: Tick) -> Tick {
        let next = |member: &Member| match member.record.standing(now) {
            Standing::Unproved { held } => held.unwrap_or(now),
            Standing::Unhealthy { due, held, .. } => held.unwrap_or(due),
            Standing::Plain | Standing::Out => Tick::NEVER,
        };
        self.members.iter().map(next).min().unwrap_or(Tick::NEVER)
    }

    /// Whether a target that is in service has yet to prove itself (H9), so that it is not known whether it answers.
    pub fn is_proving(&self, now: Tick) -> bool {
        let is_unproved = |member: &Member| matches!(member.record.standing(now), Standing::Unproved { .. });
        self.members.iter().any(is_unproved)
    }

    /// An attempt at this very target, whatever its health: a heartbeat (H7) or an active check (H10). Its success
    /// takes the target off the list; its failure never moves the retries of one that is on it. Nothing where the
    /// target is unknown or disabled.
    pub fn heartbeat(&self, address: SocketAddr) -> Option<Attempt> {
        let mut members = (0..).zip(&self.members);
        let (number, member) = members.find(|(_, member)| member.target.address == address)?;
        (!member.record.is_disabled())
            .then(|| attempt_at(member, number, Kind::Asked, self.generation.current()))
    }

    /// Reports that `attempt` connected at `now`: any success takes its target off the list at once (H4, H6, H7).
    #[must_use = "a transition is an event, and mail that waits for the target is sent at once"]
    pub fn connected(&self, attempt: Attempt, now: Tick) -> Option<Transition> {
        let transition = self.member_of(&attempt)?.record.connected(now);
        drop(attempt);
        transition
    }

    /// Reports that `attempt` failed at `now`, when it ended.
    #[must_use = "a transition is an event"]
    pub fn failed(&self, attempt: Attempt, failure: Failure, now: Tick) -> Failed {
        let report =
            Report { failure, begun: attempt.begun, ticket: attempt.right.as_ref().map(Right::ticket) };
        let transition = match self.settings.rotation {
            Rotation::Rtm => None,
            Rotation::Healthy => self
                .member_of(&attempt)
                .and_then(|member| member.record.failed(report, &self.settings.schedule, now)),
        };
        let again = attempt.again;
        drop(attempt);
        Failed { transition, again }
    }

    fn is_current(&self, generation: u64, now: Tick) -> bool {
        self.built_for.load(Ordering::Acquire) == generation
            && now.micros() < self.wake.load(Ordering::Relaxed)
    }

    /// The next turn that somebody takes; nothing while the wheel is changed, or where nobody may.
    fn take_turn(&self, begun: u64, now: Tick) -> Option<Attempt> {
        let mut thinned = None;
        for _ in 0..self.wheel.length() {
            let Some(turn) = self.wheel.next() else { break };
            let member = self.members.get(usize::from(turn.member))?;
            if turn.forced {
                return Some(attempt_of(member, turn, begun));
            }
            if member.record.is_plain() {
                if member.takes(self.settings.slow_start, now) {
                    return Some(attempt_of(member, turn, begun));
                }
                thinned = thinned.or(Some((member, turn)));
            } else if self.settings.probes == Probes::InTurn
                && let Some(attempt) = self.claim(member, turn.member, begun, now)
            {
                member.note_claim(stamp_of_turn(self.given.load(Ordering::Relaxed) + turn.count));
                return Some(Attempt { again: Again::at(turn.count), ..attempt });
            }
        }
        // All that could go are still growing their shares: then the first of them goes, on a turn of its own, so that
        // the next pick begins behind it.
        thinned.map(|(member, turn)| {
            let _ = self.wheel.next();
            attempt_of(member, turn, begun)
        })
    }

    #[cold]
    fn pick_slowly(&self, begun: u64, now: Tick) -> Pick {
        let mut plan = self.lock();
        let retries = self.settings.probes == Probes::InTurn && self.settings.rotation == Rotation::Healthy;
        let due = if retries { self.claim_due(&mut plan, false, begun, now) } else { None };
        self.refresh(&mut plan, now);
        // The lock is held until the turn is taken, so that no other pick changes the wheel before.
        due.or_else(|| self.take_turn(begun, now))
            .map_or_else(|| Pick::NoneUntil(self.look_again(now)), Pick::Target)
    }

    fn refresh_if_stale(&self, generation: u64, now: Tick) {
        if !self.is_current(generation, now) {
            self.refresh(&mut self.lock(), now);
        }
    }

    fn refresh(&self, plan: &mut Plan, now: Tick) {
        let generation = self.generation.current();
        let wake = plan.refresh(&self.members, &self.wheel, &self.settings, now);
        self.given.store(plan.given(), Ordering::Relaxed);
        self.wake.store(wake.micros(), Ordering::Relaxed);
        self.built_for.store(generation, Ordering::Release);
    }

    /// The longest overdue retry – or first connection, if `firsts` are asked for – that nobody makes yet.
    fn claim_due(&self, plan: &mut Plan, firsts: bool, begun: u64, now: Tick) -> Option<Attempt> {
        let due = |member: &Member| match member.record.standing(now) {
            Standing::Unproved { held: None } if firsts => Some(Tick::START),
            Standing::Unhealthy { due, held: None, .. } if due <= now => Some(due),
            Standing::Unproved { .. } | Standing::Unhealthy { .. } | Standing::Plain | Standing::Out => None,
        };
        for _ in &self.members {
            let dues = (0..).zip(&self.members).filter_map(|(number, member)| Some((due(member)?, number)));
            let (_, number) = dues.min()?;
            let member = self.members.get(usize::from(number))?;
            // Another selector may be faster: then somebody else may be due.
            if let Some(attempt) = self.claim(member, number, begun, now) {
                member.note_claim(plan.stamp_between(&self.wheel));
                return Some(attempt);
            }
        }
        None
    }

    fn claim(&self, member: &Member, number: u16, begun: u64, now: Tick) -> Option<Attempt> {
        let (right, kind) = member.record.claim(self.settings.attempt_timeout, now)?;
        Some(Attempt { right: Some(right), ..attempt_at(member, number, kind, begun) })
    }

    /// The old rotation's next target for the same connection.
    fn step_on(&self, again: Again, now: Tick) -> Pick {
        let begun = self.generation.current();
        self.refresh_if_stale(begun, now);
        let next = (u64::from(again.tries) < self.wheel.length())
            .then(|| self.wheel.member(again.turn + u64::from(again.tries)))
            .flatten();
        let Some((number, member)) =
            next.and_then(|number| Some((number, self.members.get(usize::from(number))?)))
        else {
            return Pick::NoneUntil(now.plus(self.settings.schedule.interval(0)));
        };
        let again = Again { tries: again.tries.saturating_add(1), ..again };
        Pick::Target(Attempt { again, ..attempt_at(member, number, Kind::Turn, begun) })
    }

    /// When a target may be there again, if nothing changes before.
    fn look_again(&self, now: Tick) -> Tick {
        let next = |member: &Member| match member.record.standing(now) {
            Standing::Unproved { held } => held.unwrap_or(Tick::START),
            Standing::Unhealthy { due, held, .. } => held.unwrap_or(due),
            Standing::Plain => Tick::START,
            Standing::Out => Tick::NEVER,
        };
        let next = self.members.iter().map(next).min().unwrap_or(Tick::NEVER);
        if next > now { next } else { now.plus(LOOK_AGAIN) }
    }

    fn member_of(&self, attempt: &Attempt) -> Option<&Member> {
        let is_it = |member: &&Member| member.target.address == attempt.address;
        self.members
            .get(usize::from(attempt.member))
            .filter(is_it)
            .or_else(|| self.members.iter().find(is_it))
    }

    fn lock(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn attempt_of(member: &Member, turn: Turn, begun: u64) -> Attempt {
    Attempt { again: Again::at(turn.count), ..attempt_at(member, turn.member, Kind::Turn, begun) }
}

fn attempt_at(member: &Member, number: u16, kind: Kind, begun: u64) -> Attempt {
    let address = member.target.address;
    Attempt { member: number, address, kind, begun, again: Again::at(0), right: None }
}
