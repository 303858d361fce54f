//! What an administrator should hear about budgets: events 2915, 2916 and 2917 (T16).
//!
//! A [`Watch`] counts, within a minute, which owners went over budget, how often and in what; when the minute is over it
//! says who did so more than a few times (2915), and in which component many did (2916): then the server is the problem
//! rather than a client. A minute begins with the first call over budget. Who is only observed counts too.
//! [`long_charge`] looks at one call: a charge much longer than expected is a warning about the charge – no limit of that
//! size exists, nobody was throttled (2917). Nothing here decides about a call.

use std::collections::BTreeMap;
use std::fmt::Write;

use weir_units::{Component, Event, EventId, Level, Micros, Owner, Part, Tick, TimePart};

/// From when on something is worth an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarningSettings {
    /// How many times within a minute an owner may be over budget before it is told; 0: it never is (2915).
    pub over_budget: u32,
    /// The share of a component's budgets, in percent, from which on many owners are over budget; 0: they never are
    /// (2916).
    pub many_owners: u32,
    /// How many owners that must be at least.
    pub many_owners_least: u32,
    /// How long one call's charge may be before it is told; nothing: it never is (2917).
    pub long_charge: Option<Micros>,
    /// How many owners are watched within a minute, counted in each component; the calls of further ones are only
    /// counted.
    pub watched: usize,
}

impl Default for WarningSettings {
    fn default() -> Self {
        Self { over_budget: 100, many_owners: 25, many_owners_least: 10, long_charge: None, watched: 10_000 }
    }
}

/// Who was over budget within the minute.
#[derive(Debug, Default)]
pub struct Watch {
    /// When the minute began; nothing before the first call over budget.
    since: Option<Tick>,
    seen: BTreeMap<(Component, Owner), Tally>,
    /// Calls of owners that are not watched.
    unwatched: u64,
}

/// How often an owner was over budget.
#[derive(Debug, Default)]
struct Tally {
    count: u64,
    parts: BTreeMap<Part, u64>,
    policy: String,
}

/// A minute that is over.
#[derive(Debug, Default)]
pub struct Minute {
    seen: BTreeMap<(Component, Owner), Tally>,
    unwatched: u64,
}

/// Whether a call that was kept or delayed by `part` was so because its owner is over budget. The processor and the places at
/// an origin are nobody's budget, and a search that takes too long is only cut short.
pub const fn is_over_budget(part: Part) -> bool {
    match part {
        Part::Cpu | Part::FastSearchTimeout | Part::Backoff | Part::BlockList | Part::FairShare => false,
        Part::MaxConcurrency
        | Part::HangingConnections
        | Part::Time(_)
        | Part::FindCount
        | Part::MaxSubscriptions
        | Part::Waiting
        | Part::MessageRate
        | Part::RecipientRate => true,
    }
}

impl Watch {
    /// Counts that a call of `owner` was over budget in `part` at `now`, held to this policy. At most `watched` owners
    /// are told apart.
    ///
    /// The minute is to be [closed](Watch::close) before, if it is over.
    pub fn note(
        &mut self,
        owner: &Owner,
        component: Component,
        part: Part,
        policy: &str,
        watched: usize,
        now: Tick,
    ) {
        self.since.get_or_insert(now);
        let full = self.seen.len() >= watched;
        let key = (component, owner.clone());
        if full && !self.seen.contains_key(&key) {
            self.unwatched = self.unwatched.saturating_add(1);
            return;
        }
        let tally =
            self.seen.entry(key).or_insert_with(|| Tally { policy: policy.to_owned(), ..Tally::default() });
        tally.count = tally.count.saturating_add(1);
        let times = tally.parts.entry(part).or_default();
        *times = times.saturating_add(1);
    }

    /// The minute, once it is over at `now`; the next one begins with the next call over budget.
    pub fn close(&mut self, now: Tick) -> Option<Minute> {
        self.since.filter(|since| now >= since.plus(Micros::MINUTE))?;
        let Self { seen, unwatched, .. } = std::mem::take(self);
        Some(Minute { seen, unwatched })
    }
}

impl Minute {
    /// What is worth an event, the owners who were over budget most often first; `budgets` says how many owners a
    /// component has budgets of.
    pub fn events(&self, settings: &WarningSettings, budgets: impl Fn(Component) -> usize) -> Vec<Event> {
        let mut often: Vec<_> = self.seen.iter().filter(|(_, tally)| tally.is_often(settings)).collect();
        often.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.count));
        let owners =
            often.into_iter().map(|((component, owner), tally)| tally.event(owner, *component, settings));
        let many =
            Component::ALL.into_iter().filter_map(|component| self.many(component, settings, &budgets));
        many.chain(owners).collect()
    }

    /// The event that many owners of `component` were over budget, if they were.
    fn many(
        &self,
        component: Component,
        settings: &WarningSettings,
        budgets: impl Fn(Component) -> usize,
    ) -> Option<Event> {
        let count = self.seen.keys().filter(|(other, _)| *other == component).count();
        let least = usize::try_from(settings.many_owners_least).unwrap_or(usize::MAX);
        if settings.many_owners == 0 || count == 0 || count < least {
            return None;
        }
        let budgets = budgets(component).max(count);
        let percentage = count.saturating_mul(100) / budgets;
        if percentage < usize::try_from(settings.many_owners).unwrap_or(usize::MAX) {
            return None;
        }
        let name = component.name();
        let text = format!(
            "{count} owners went over budget within a minute for component {name}, {percentage} % of its {budgets} budgets: \
             where so many do, look at the server and at the policies before you look at a client"
        );
        let mut fields = vec![
            ("component", name.to_owned()),
            ("count", count.to_string()),
            ("unique_budgets", budgets.to_string()),
            ("percentage", percentage.to_string()),
            ("threshold", settings.many_owners.to_string()),
        ];
        if self.unwatched > 0 {
            fields.push(("unwatched_calls", self.unwatched.to_string()));
        }
        Some(Event { id: EventId::MANY_OVER_BUDGET, level: Level::Warning, text, fields })
    }
}

impl Tally {
    fn is_often(&self, settings: &WarningSettings) -> bool {
        settings.over_budget > 0 && self.count > settings.over_budget.into()
    }

    fn event(&self, owner: &Owner, component: Component, settings: &WarningSettings) -> Event {
        let (count, threshold, component) = (self.count, settings.over_budget, component.name());
        let mut parts = String::new();
        for (part, times) in &self.parts {
            // Writing to a string cannot fail.
            let _ = write!(parts, "{}{part}:{times}", if parts.is_empty() { "" } else { "," });
        }
        let text = format!(
            "{owner} went over budget {count} times for component {component} within a minute ({parts}), more than the \
             {threshold} of warnings.over_budget: `mailweir budget show {owner}` says what he uses"
        );
        let fields = vec![
            ("owner", owner.to_string()),
            ("component", component.to_owned()),
            ("count", count.to_string()),
            ("threshold", threshold.to_string()),
            ("parts", parts),
            ("policy", self.policy.clone()),
        ];
        Event { id: EventId::OWNER_OVER_BUDGET, level: Level::Warning, text, fields }
    }
}

/// The event of a call whose charge is longer than `expected`, if it is; `cost` is by [`TimePart::index`].
///
/// Time in the gateway includes the other parts: the narrowest part that took so long is the one that is named.
pub fn long_charge(
    owner: &Owner,
    component: Component,
    cost: [Micros; 4],
    expected: Micros,
) -> Option<Event> {
    let charged = |part: TimePart| cost.get(part.index()).copied().unwrap_or_default();
    let narrowest = [TimePart::MailboxRpc, TimePart::Ad, TimePart::AddressBook, TimePart::Cas];
    let part = narrowest.into_iter().find(|part| charged(*part) > expected)?;
    let cost_type = cost_type(part);
    let (component, charge, expected) =
        (component.name(), charged(part).floor_millis(), expected.floor_millis());
    let text = format!(
        "a charge of {charge} for {cost_type} was longer than the {expected} of warnings.long_charge (owner {owner}, \
         component {component}). This is a warning about the charge: no limit of that size exists, and nobody was \
         throttled for it. The origin or this machine may have been slow"
    );
    let fields = vec![
        ("owner", owner.to_string()),
        ("component", component.to_owned()),
        ("cost_type", cost_type.to_owned()),
        ("charge_ms", charge.count().to_string()),
        ("expected_ms", expected.count().to_string()),
    ];
    Some(Event { id: EventId::LONG_CHARGE, level: Level::Warning, text, fields })
}

/// The part as the documents call it in this event.
const fn cost_type(part: TimePart) -> &'static str {
    match part {
        TimePart::Ad => "AD",
        TimePart::Cas => "CAS",
        TimePart::AddressBook => "AddressBook",
        TimePart::MailboxRpc => "MailboxRPC",
    }
}

#[cfg(test)]
mod tests;
