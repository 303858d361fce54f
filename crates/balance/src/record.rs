//! What is known of one address, shared by every selector that names it.
//!
//! The truth is behind a lock that only changes touch: marks, proofs, rights, the administrator's word. A pick reads
//! one flag beside it – whether the target may be chosen without asking. The right to a first connection (H9) or a due
//! retry (H6) is a ticket: whoever holds the current one makes the attempt, nobody else does meanwhile, and a ticket
//! that was given back or ran out is worth nothing.
//!
//! Every change that other selectors must see counts the list's generation up. A mark or its removal remembers that
//! count: the failure of an attempt that began before it is old news (H4).

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use weir_units::{Micros, Tick};

use crate::attempt::Kind;
use crate::failure::Failure;
use crate::health::Listing;
use crate::schedule::Schedule;
use crate::target::{Service, State};
use crate::transition::{Mark, Transition};

/// How often anything changed that a selector must look at. Alone on its cache lines: every pick reads it.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Generation(AtomicU64);

impl Generation {
    pub(crate) fn current(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    fn bump(&self) -> u64 {
        self.0.fetch_add(1, Ordering::AcqRel) + 1
    }
}

/// What is known of one address.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Record {
    /// In service, proved and healthy: it may be chosen without asking.
    plain: AtomicBool,
    /// When it came back, in microseconds; [`Tick::NEVER`] where it never went.
    came_back: AtomicU64,
    pub(crate) address: SocketAddr,
    pub(crate) name: Arc<str>,
    generation: Arc<Generation>,
    truth: Mutex<Truth>,
}

#[derive(Debug, Default)]
struct Truth {
    service: Service,
    proved: bool,
    /// The administrator put it back: its share grows once it has proved itself.
    returning: bool,
    mark: Option<Mark>,
    holder: Option<Holder>,
    tickets: u64,
    /// The generation of the last mark, removal or proof.
    changed: u64,
}

/// Who makes the one attempt. There is no second one before it ended, was dropped or ran out of time, whatever
/// happens to the target meanwhile.
#[derive(Clone, Copy, Debug)]
struct Holder {
    ticket: u64,
    until: Tick,
    /// The target's last change when the attempt began: after another one it has no say in the retries.
    changed: u64,
}

/// What a ticket was worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Released {
    /// It was the right, and nothing changed since it was taken.
    Current,
    /// It was the right, and what it is about has changed.
    Overtaken,
    /// It was none, or somebody else has the right.
    Nothing,
}

/// What a selector needs to know of a target at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// In the rotation.
    Plain,
    /// One connection may be made, or is being made until then.
    Unproved {
        /// Until when somebody holds the right to it.
        held: Option<Tick>,
    },
    /// On the list.
    Unhealthy {
        /// When its retry is due.
        due: Tick,
        /// Until when somebody holds the right to it.
        held: Option<Tick>,
        /// The generation at which it was marked.
        marked: u64,
    },
    /// The administrator took it out.
    Out,
}

/// How an attempt failed, and what it knew.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Report {
    pub(crate) failure: Failure,
    pub(crate) begun: u64,
    pub(crate) ticket: Option<u64>,
}

/// The right to the one attempt; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Right {
    record: Arc<Record>,
    ticket: u64,
}

impl Right {
    pub(crate) const fn ticket(&self) -> u64 {
        self.ticket
    }
}

impl Drop for Right {
    fn drop(&mut self) {
        self.record.give_back(self.ticket);
    }
}

impl Record {
    pub(crate) fn new(address: SocketAddr, name: &Arc<str>, generation: &Arc<Generation>) -> Self {
        Self {
            plain: AtomicBool::new(false),
            came_back: AtomicU64::new(Tick::NEVER.micros()),
            address,
            name: Arc::clone(name),
            generation: Arc::clone(generation),
            truth: Mutex::new(Truth::default()),
        }
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.plain.load(Ordering::Acquire)
    }

    pub(crate) fn came_back(&self) -> Tick {
        Tick::new(self.came_back.load(Ordering::Relaxed))
    }

    pub(crate) fn standing(&self, now: Tick) -> Standing {
        let truth = self.lock();
        let held = truth.held(now);
        match (truth.service, &truth.mark) {
            (Service::Draining | Service::Disabled, _) => Standing::Out,
            (Service::Enabled, Some(mark)) => {
                Standing::Unhealthy { due: mark.next_retry, held, marked: truth.changed }
            }
            (Service::Enabled, None) if truth.proved => Standing::Plain,
            (Service::Enabled, None) => Standing::Unproved { held },
        }
    }

    pub(crate) fn service(&self) -> Service {
        self.lock().service
    }

    pub(crate) fn is_disabled(&self) -> bool {
        self.service() == Service::Disabled
    }

    pub(crate) fn listing(&self, now: Tick) -> Listing {
        let truth = self.lock();
        Listing {
            address: self.address,
            name: Arc::clone(&self.name),
            state: truth.state(),
            mark: truth.mark,
            probing: truth.held(now).is_some(),
        }
    }

    pub(crate) fn state(&self) -> State {
        self.lock().state()
    }

    pub(crate) fn mark(&self) -> Option<Mark> {
        self.lock().mark
    }

    /// Takes the right to a first connection or a due retry, if there is one to take.
    pub(crate) fn claim(self: &Arc<Self>, timeout: Micros, now: Tick) -> Option<(Right, Kind)> {
        let mut truth = self.lock();
        let kind = match &truth.mark {
            _ if truth.service != Service::Enabled || truth.held(now).is_some() => return None,
            Some(mark) if mark.next_retry <= now => Kind::Retry,
            None if !truth.proved => Kind::First,
            Some(_) | None => return None,
        };
        truth.tickets += 1;
        let ticket = truth.tickets;
        truth.holder = Some(Holder { ticket, until: now.plus(timeout), changed: truth.changed });
        Some((Right { record: Arc::clone(self), ticket }, kind))
    }

    /// Somebody connected: whoever it was, the target is healthy (H4, H7).
    pub(crate) fn connected(&self, now: Tick) -> Option<Transition> {
        if self.is_plain() {
            return None;
        }
        let mut truth = self.lock();
        let mark = truth.mark.take();
        if mark.is_none() && truth.proved {
            return None;
        }
        if mark.is_some() || truth.returning {
            self.came_back.store(now.micros(), Ordering::Relaxed);
        }
        truth.proved = true;
        truth.returning = false;
        self.publish(&mut truth);
        Some(mark.map_or(Transition::Proved(self.address), |mark| Transition::HealthyAgain {
            mark,
            after: now.since(mark.since),
        }))
    }

    /// An attempt failed. Only the holder of the right moves the schedule of a target that is marked; one that is not
    /// is marked by an attempt that began after the last change, if the failure speaks about the target (H4).
    pub(crate) fn failed(&self, report: Report, schedule: &Schedule, now: Tick) -> Option<Transition> {
        let mut truth = self.lock();
        let marks = report.failure.marks();
        let released = truth.release(report.ticket);
        if released != Released::Nothing {
            self.generation.bump();
        }
        if let Some(mark) = truth.mark.as_mut() {
            if released != Released::Current {
                return None;
            }
            if marks {
                mark.again(report.failure, schedule, now);
            } else {
                mark.postpone(schedule, now);
            }
            return marks.then_some(Transition::StillUnhealthy(*mark));
        }
        if !marks || report.begun < truth.changed {
            return None;
        }
        let mark = Mark::first(self.address, report.failure, schedule, now);
        truth.mark = Some(mark);
        self.publish(&mut truth);
        Some(Transition::BecameUnhealthy(mark))
    }

    /// The administrator's word. A target that was disabled proves itself again, one that is marked is tried at once.
    pub(crate) fn serve(&self, service: Service, now: Tick) {
        let mut truth = self.lock();
        if truth.service == service {
            return;
        }
        if service == Service::Enabled {
            truth.come_back(now);
            self.came_back.store(now.micros(), Ordering::Relaxed);
        }
        truth.service = service;
        self.publish(&mut truth);
    }

    /// Makes the next retry of a marked target due at once.
    pub(crate) fn retry_now(&self, now: Tick) -> Option<Mark> {
        let mut truth = self.lock();
        let mark = truth.mark.as_mut()?;
        mark.next_retry = mark.next_retry.min(now);
        let mark = *mark;
        self.generation.bump();
        Some(mark)
    }

    fn give_back(&self, ticket: u64) {
        if self.lock().release(Some(ticket)) != Released::Nothing {
            self.generation.bump();
        }
    }

    /// Shows a change to everybody: first the flag, then the count.
    fn publish(&self, truth: &mut Truth) {
        let plain = truth.service == Service::Enabled && truth.proved && truth.mark.is_none();
        self.plain.store(plain, Ordering::Release);
        truth.changed = self.generation.bump();
    }

    fn lock(&self) -> MutexGuard<'_, Truth> {
        self.truth.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Truth {
    fn state(&self) -> State {
        match self.service {
            Service::Disabled => State::Disabled,
            Service::Draining => State::Draining,
            Service::Enabled if self.mark.is_some() => State::Unhealthy,
            Service::Enabled if self.proved => State::Healthy,
            Service::Enabled => State::Unproved,
        }
    }

    fn held(&self, now: Tick) -> Option<Tick> {
        self.holder.map(|holder| holder.until).filter(|until| *until > now)
    }

    /// Ends the right of `ticket`, and answers what it was worth.
    fn release(&mut self, ticket: Option<u64>) -> Released {
        match self.holder.filter(|holder| Some(holder.ticket) == ticket) {
            Some(holder) => {
                self.holder = None;
                if holder.changed == self.changed { Released::Current } else { Released::Overtaken }
            }
            None => Released::Nothing,
        }
    }

    fn come_back(&mut self, now: Tick) {
        self.returning = true;
        if self.service == Service::Disabled {
            self.proved = false;
        }
        if let Some(mark) = self.mark.as_mut() {
            mark.next_retry = mark.next_retry.min(now);
        }
    }
}

#[cfg(test)]
mod tests;
