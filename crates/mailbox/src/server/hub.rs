//! Pull subscriptions and their events.
//!
//! They live in memory: a restart forgets them, and clients subscribe anew. Both their number and the events kept for
//! each are bounded; a subscription that fell behind its bound says so once and is gone. Nothing here reads a clock:
//! a subscription times out when somebody asks after its time.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use weir_units::{Micros, WallTime};
use weir_wire::ews::response::{EventSubject, Events, MailboxEvent};

use super::listeners::Listeners;
use super::news::{News, NewsKind};
use super::{Failure, Outcome};
use crate::store::identifier::{self, FolderKey, MailboxKey};

/// Events in one answer.
const EVENTS_AN_ANSWER: usize = 100;
/// The longest that a subscription lives without a question.
const MAX_TIMEOUT_MINUTES: u32 = 1440;
/// Subscriptions that timed out and are remembered until somebody asks which.
const MAX_FORGOTTEN: usize = 10_000;

const SUBSCRIPTION_TAG: u8 = b'S';
const WATERMARK_TAG: u8 = b'W';

/// All subscriptions.
#[derive(Debug)]
pub(crate) struct Hub {
    boot: i64,
    max_subscriptions: usize,
    max_events: usize,
    state: Mutex<State>,
    /// Who wants to hear everything of a mailbox at once.
    pub(crate) listeners: Listeners,
}

/// Whose subscription, and which.
type Name = (MailboxKey, i64);

#[derive(Debug, Default)]
struct State {
    subscriptions: BTreeMap<Name, Subscription>,
    last_serial: i64,
    last_event: i64,
    forgotten: VecDeque<String>,
}

#[derive(Debug)]
struct Subscription {
    /// All where absent.
    folders: Option<BTreeSet<FolderKey>>,
    kinds: BTreeSet<NewsKind>,
    lives: Micros,
    ends: WallTime,
    /// Up to where the client has read.
    read: i64,
    events: VecDeque<(i64, NewsKind, EventSubject)>,
    missed: bool,
}

/// What a subscription is made from.
#[derive(Debug)]
pub(crate) struct NewSubscription<'n> {
    /// Of which mailbox.
    pub(crate) mailbox: MailboxKey,
    /// Of which folders; all where absent.
    pub(crate) folders: Option<BTreeSet<FolderKey>>,
    /// Which events, as `NewMailEvent`.
    pub(crate) events: &'n [String],
    /// Where an earlier subscription was left.
    pub(crate) watermark: Option<&'n str>,
    /// How long it lives without a question.
    pub(crate) timeout_minutes: u32,
}

impl Hub {
    /// No subscriptions yet; `boot` tells this opening of the store from all others.
    pub(crate) fn new(boot: u64, max_subscriptions: usize, max_events: usize) -> Self {
        let boot = i64::try_from(boot).unwrap_or(i64::MAX);
        Self { boot, max_subscriptions, max_events, state: Mutex::default(), listeners: Listeners::default() }
    }

    /// Subscribes. Gives the subscription's name and where it begins.
    ///
    /// # Errors
    /// Too many subscriptions, an event that does not exist, a watermark from which nothing is kept any more.
    pub(crate) fn subscribe(&self, new: NewSubscription<'_>, now: WallTime) -> Outcome<(String, String)> {
        let kinds = kinds(new.events)?;
        let mut state = self.state();
        state.expire(self.boot, now);
        if state.subscriptions.len() >= self.max_subscriptions {
            return Err(Failure::told(
                "ErrorExceededSubscriptionCount",
                "The server has as many subscriptions as it can keep. Try again later.",
            ));
        }
        if let Some(watermark) = new.watermark
            && self.read_watermark(watermark)? != state.last_event
        {
            return Err(invalid_watermark());
        }
        state.last_serial += 1;
        let (name, read) = ((new.mailbox, state.last_serial), state.last_event);
        let lives = Micros::MINUTE.times(u64::from(new.timeout_minutes.clamp(1, MAX_TIMEOUT_MINUTES)));
        let subscription = Subscription {
            folders: new.folders,
            kinds,
            lives,
            ends: now.plus(lives),
            read,
            events: VecDeque::new(),
            missed: false,
        };
        state.subscriptions.insert(name, subscription);
        Ok((outward(self.boot, name), self.watermark(read)))
    }

    /// The events of a subscription after a watermark.
    ///
    /// # Errors
    /// A subscription that is not there or another's, a watermark that was passed, events that were missed.
    pub(crate) fn events(
        &self,
        mailbox: MailboxKey,
        name: &str,
        watermark: &str,
        now: WallTime,
    ) -> Outcome<Events> {
        let after = self.read_watermark(watermark)?;
        let known = self.read_name(name)?;
        let mut state = self.state();
        let last_event = state.last_event;
        let subscription = state.of(self.boot, known, mailbox, now)?;
        if subscription.missed {
            state.drop_out(self.boot, known);
            return Err(Failure::told(
                "ErrorMissedNotificationEvents",
                "More happened than the subscription keeps. Subscribe again and synchronise.",
            ));
        }
        if after < subscription.read {
            return Err(invalid_watermark());
        }
        subscription.ends = now.plus(subscription.lives);
        subscription.read = after;
        subscription.events.retain(|(number, _, _)| *number > after);
        let more = subscription.events.len() > EVENTS_AN_ANSWER;
        let mut events: Vec<MailboxEvent> = subscription
            .events
            .iter()
            .take(EVENTS_AN_ANSWER)
            .map(|(number, kind, subject)| MailboxEvent {
                kind: kind.name().to_owned(),
                watermark: self.watermark(*number),
                subject: Some(subject.clone()),
            })
            .collect();
        if events.is_empty() {
            let here = self.watermark(last_event.max(after));
            events.push(MailboxEvent { kind: "StatusEvent".to_owned(), watermark: here, subject: None });
        }
        Ok(Events { subscription: name.to_owned(), previous: watermark.to_owned(), more, events })
    }

    /// Ends a subscription.
    ///
    /// # Errors
    /// One that is not there or another's.
    pub(crate) fn unsubscribe(&self, mailbox: MailboxKey, name: &str, now: WallTime) -> Outcome<()> {
        let known = self.read_name(name)?;
        let mut state = self.state();
        state.of(self.boot, known, mailbox, now)?;
        state.subscriptions.remove(&known);
        Ok(())
    }

    /// Hands news to whom they concern.
    pub(crate) fn tell(&self, news: Vec<News>) {
        if news.is_empty() {
            return;
        }
        self.listeners.tell(&news);
        let mut state = self.state();
        for piece in news {
            state.last_event += 1;
            let number = state.last_event;
            let all = (piece.mailbox, 0)..=(piece.mailbox, i64::MAX);
            let listening = state.subscriptions.range_mut(all).map(|(_, subscription)| subscription);
            for subscription in listening.filter(|known| known.wants(&piece)) {
                if subscription.events.len() >= self.max_events {
                    subscription.missed = true;
                    subscription.events.clear();
                }
                if !subscription.missed {
                    subscription.events.push_back((number, piece.kind, piece.subject.clone()));
                }
            }
        }
    }

    /// The subscriptions that ended by themselves since the last call.
    pub(crate) fn forgotten(&self, now: WallTime) -> Vec<String> {
        let mut state = self.state();
        state.expire(self.boot, now);
        state.forgotten.drain(..).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read_name(&self, name: &str) -> Outcome<Name> {
        match identifier::read_numbers(SUBSCRIPTION_TAG, name) {
            Some([boot, mailbox, serial]) if boot == self.boot => Ok((MailboxKey(mailbox), serial)),
            Some(_) => Err(subscription_not_found()),
            None => {
                Err(Failure::told("ErrorInvalidSubscription", "The subscription identifier is malformed."))
            }
        }
    }

    fn watermark(&self, event: i64) -> String {
        identifier::write_numbers(WATERMARK_TAG, &[self.boot, event])
    }

    fn read_watermark(&self, text: &str) -> Outcome<i64> {
        match identifier::read_numbers(WATERMARK_TAG, text) {
            Some([boot, event]) if boot == self.boot => Ok(event),
            Some(_) | None => Err(invalid_watermark()),
        }
    }
}

impl State {
    /// The subscription of that name, if it is `mailbox` that asks after it and it has not timed out.
    fn of(
        &mut self,
        boot: i64,
        name: Name,
        mailbox: MailboxKey,
        now: WallTime,
    ) -> Outcome<&mut Subscription> {
        if self.subscriptions.get(&name).is_some_and(|known| known.ends < now) {
            self.drop_out(boot, name);
        }
        match self.subscriptions.get_mut(&name) {
            Some(subscription) if name.0 == mailbox => Ok(subscription),
            Some(_) => Err(Failure::told("ErrorSubscriptionAccessDenied", "The subscription is another's.")),
            None => Err(subscription_not_found()),
        }
    }

    fn expire(&mut self, boot: i64, now: WallTime) {
        let over: Vec<Name> =
            self.subscriptions.iter().filter(|(_, known)| known.ends < now).map(|(name, _)| *name).collect();
        for name in over {
            self.drop_out(boot, name);
        }
    }

    fn drop_out(&mut self, boot: i64, name: Name) {
        self.subscriptions.remove(&name);
        if self.forgotten.len() >= MAX_FORGOTTEN {
            self.forgotten.pop_front();
        }
        self.forgotten.push_back(outward(boot, name));
    }
}

impl Subscription {
    fn wants(&self, news: &News) -> bool {
        let concerned =
            |folders: &BTreeSet<FolderKey>| news.folders.iter().any(|folder| folders.contains(folder));
        self.kinds.contains(&news.kind) && self.folders.as_ref().is_none_or(concerned)
    }
}

/// A subscription's name as answers carry it.
fn outward(boot: i64, (mailbox, serial): Name) -> String {
    identifier::write_numbers(SUBSCRIPTION_TAG, &[boot, mailbox.0, serial])
}

fn kinds(names: &[String]) -> Outcome<BTreeSet<NewsKind>> {
    let kind = |name: &String| {
        let known = NewsKind::ALL.into_iter().find(|kind| kind.name() == name);
        known.ok_or_else(|| {
            Failure::told("ErrorInvalidSubscriptionRequest", format!("There is no event {name}."))
        })
    };
    names.iter().map(kind).collect()
}

fn subscription_not_found() -> Failure {
    Failure::told(
        "ErrorSubscriptionNotFound",
        "The subscription does not exist or has timed out. Subscribe again.",
    )
}

fn invalid_watermark() -> Failure {
    Failure::told(
        "ErrorInvalidWatermark",
        "The watermark is not one of this subscription's. Subscribe again.",
    )
}
