//! What is in force for one request: a policy resolved against the organisation's default policy (T1).
//!
//! A request takes one [`Limits`] when it begins and keeps it, so that it sees one policy from end to end whatever an
//! administrator changes meanwhile. What a policy leaves out comes from the default policy, and what that leaves out
//! from the fallback policy.

use weir_units::{Component, Micros, Percent, TimePart};

use crate::holdings::PLACES_MAX;
use crate::minute::of_part;
use crate::parameter::{Parameter, Subject};
use crate::policy::{Policy, Setting};

/// How many hanging calls an owner may have in a component (T25).
pub const HANGING_LIMIT: u32 = 10;

/// The limits of one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComponentLimits {
    /// The component.
    pub component: Component,
    /// Calls at the same time (T7).
    pub max_concurrency: Option<u32>,
    /// Hanging calls at the same time (T25).
    pub hanging: u32,
    /// The allowance of each time part in a minute, by [`TimePart::index`] (T2).
    pub time: [Option<Micros>; 4],
    /// Items and folders waiting to be sent (T10).
    pub find_count: Option<u32>,
    /// Subscriptions that live at the origin (T7).
    pub max_subscriptions: Option<u32>,
    /// How long a full-text search may take (T1).
    pub fast_search: Option<Micros>,
}

impl ComponentLimits {
    /// Limits that let everything through: what observing uses in place of the policy's own (T20).
    pub const fn unlimited(component: Component) -> Self {
        Self {
            component,
            max_concurrency: None,
            hanging: u32::MAX,
            time: [None; 4],
            find_count: None,
            max_subscriptions: None,
            fast_search: None,
        }
    }

    /// The allowance of `part` in a minute.
    pub const fn allowance(&self, part: TimePart) -> Option<Micros> {
        *of_part(&self.time, part)
    }

    /// How many places an owner has: what the policy says, or what a budget can count.
    pub fn places(&self) -> u32 {
        self.max_concurrency.map_or(PLACES_MAX, |limit| limit.min(PLACES_MAX))
    }

    fn resolve(component: Component, settings: &Settings<'_>) -> Self {
        let owner = Some(component);
        let max_concurrency = settings.value(owner, Subject::MaxConcurrency);
        let hanging = match component {
            Component::Rca => max_concurrency.unwrap_or(u32::MAX),
            Component::Anonymous
            | Component::Eas
            | Component::Ews
            | Component::Owa
            | Component::Imap
            | Component::Pop
            | Component::Cpa
            | Component::PowerShell
            | Component::Smtp => HANGING_LIMIT,
        };
        let percent = |part| settings.value(owner, Subject::Time(part)).map(|n| Percent::new(n).of_minute());
        let seconds = settings.value(owner, Subject::FastSearchTimeout);
        Self {
            component,
            max_concurrency,
            hanging,
            time: TimePart::ALL.map(percent),
            find_count: settings.value(owner, Subject::FindCount),
            max_subscriptions: settings.value(owner, Subject::MaxSubscriptions),
            fast_search: seconds.map(|n| Micros::SECOND.times(n.into())),
        }
    }
}

/// Everything that a policy limits, resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    components: [ComponentLimits; 10],
    /// From which share of the processor on calls are delayed (T9); nothing: never.
    pub cpu_start: Option<Percent>,
    /// Messages submitted in a minute.
    pub message_rate: Option<u32>,
    /// Recipients addressed in 24 hours.
    pub recipient_rate: Option<u32>,
    /// Everything is measured and nothing refused or delayed (T20).
    pub observe_only: bool,
    /// The owner's weight in the fair share (T23), at least 1.
    pub fair_share_weight: u32,
}

impl Limits {
    /// What is in force for an owner whose policy is `policy` in an organisation whose default policy is `default`.
    ///
    /// ```
    /// use weir_throttle::{Limits, Parameter, Policy, Setting};
    /// use weir_units::Component;
    /// let mut policy = Policy::new();
    /// policy.set(Parameter::from_name("EWSFindCountLimit").unwrap(), Setting::Value(1))?;
    /// let limits = Limits::resolve(&policy, &Policy::fallback());
    /// assert_eq!(limits.component(Component::Ews).find_count, Some(1));
    /// assert_eq!(limits.component(Component::Ews).max_concurrency, Some(10), "from the default policy");
    /// # Ok::<(), weir_throttle::PolicyError>(())
    /// ```
    pub fn resolve(policy: &Policy, default: &Policy) -> Self {
        let settings = Settings { policy, default, fallback: &Policy::fallback() };
        Self {
            components: Component::ALL.map(|component| ComponentLimits::resolve(component, &settings)),
            cpu_start: settings.value(None, Subject::CpuStart).map(Percent::new),
            message_rate: settings.value(None, Subject::MessageRate),
            recipient_rate: settings.value(None, Subject::RecipientRate),
            observe_only: settings.value(None, Subject::ObserveOnly) == Some(1),
            fair_share_weight: settings.value(None, Subject::FairShareWeight).unwrap_or(1),
        }
    }

    /// The limits of one component.
    pub const fn component(&self, component: Component) -> &ComponentLimits {
        let [anonymous, eas, ews, owa, imap, pop, rca, cpa, power_shell, smtp] = &self.components;
        match component {
            Component::Anonymous => anonymous,
            Component::Eas => eas,
            Component::Ews => ews,
            Component::Owa => owa,
            Component::Imap => imap,
            Component::Pop => pop,
            Component::Rca => rca,
            Component::Cpa => cpa,
            Component::PowerShell => power_shell,
            Component::Smtp => smtp,
        }
    }
}

/// The chain that a setting is looked for in.
struct Settings<'a> {
    policy: &'a Policy,
    default: &'a Policy,
    fallback: &'a Policy,
}

impl Settings<'_> {
    fn value(&self, component: Option<Component>, subject: Subject) -> Option<u32> {
        let parameter = Parameter::of(component, subject)?;
        let settings = [self.policy, self.default, self.fallback].map(|policy| policy.setting(parameter));
        let said = settings.into_iter().find(|setting| *setting != Setting::LeftOut)?;
        match said {
            Setting::Value(value) => Some(value),
            Setting::Null | Setting::LeftOut => None,
        }
    }
}

#[cfg(test)]
mod tests;
