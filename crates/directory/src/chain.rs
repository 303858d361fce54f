//! Which policy holds for an owner: the assigned one, else the organisation's default, else the fallback (T13).
//!
//! [`EffectivePolicy::decide`] takes what the directory has stored, in whatever state, and always comes to an
//! answer: a step that is missing or unreadable leads to the next one. Each such step is a [`Reason`], which the
//! explain page shows (T21) and which knows the [`Event`] that an administrator should hear (T16).

use std::fmt;
use std::sync::Arc;

use weir_throttle::{Limits, Policy};
use weir_units::{Event, EventId, Level, Owner, Tick};

use crate::directory::{Link, PolicyChain, StoredPolicy};
use crate::guid::Guid;

/// What the fallback policy is called; it is compiled in and cannot be edited (T2).
pub const FALLBACK_NAME: &str = "FallbackThrottlingPolicy";

/// The policy that holds for an owner, and how it came to that.
#[derive(Clone, Debug)]
pub struct EffectivePolicy {
    /// Its name.
    pub name: String,
    /// Which step of the chain it is.
    pub source: Source,
    /// Why earlier steps were left behind, in the order of the chain; empty where everything is as it should be.
    pub reasons: Vec<Reason>,
    /// Its limits, with everything it leaves out taken from the default policy.
    pub limits: Limits,
    /// When the directory was asked.
    pub loaded_at: Tick,
}

/// A step of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// The policy assigned to the owner.
    Assigned,
    /// The default policy of his organisation.
    Default,
    /// The policy that is compiled in.
    Fallback,
}

impl Source {
    /// The word for it, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Assigned => "assigned",
            Self::Default => "default",
            Self::Fallback => "fallback",
        }
    }
}

/// Why a step of the chain was left behind, or taken with a doubt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The owner belongs to no organisation, or his domain is no accepted domain.
    OutsideOrganisations,
    /// The assigned policy was deleted by hand; its tombstone reads `NAME\nDEL:guid` (T15).
    AssignedDeleted {
        /// The tombstone's text.
        tombstone: String,
    },
    /// The assigned policy left no trace.
    AssignedMissing {
        /// Where the mailbox's link points.
        guid: Guid,
    },
    /// The assigned policy cannot be read.
    AssignedUnreadable {
        /// Its name.
        policy: String,
        /// Why.
        why: String,
    },
    /// The organisation has no default policy.
    DefaultMissing {
        /// The organisation.
        organisation: String,
    },
    /// The organisation has several default policies; the first readable one by name is taken.
    SeveralDefaults {
        /// The organisation.
        organisation: String,
        /// Their names, in order.
        policies: Vec<String>,
    },
    /// A default policy cannot be read.
    DefaultUnreadable {
        /// Its name.
        policy: String,
        /// Why.
        why: String,
    },
    /// The directory cannot be reached: the last known policy until its age limit, then the fallback policy.
    DirectoryUnreachable {
        /// Why.
        why: String,
    },
}

impl EffectivePolicy {
    /// The policy that `chain` leads to, loaded at `now` (T13).
    pub fn decide(chain: &PolicyChain, now: Tick) -> Self {
        let PolicyChain::Inside { organisation, assigned, defaults } = chain else {
            return Self::fallback(vec![Reason::OutsideOrganisations], now);
        };
        let mut reasons = Vec::new();
        let assigned = readable_assigned(assigned, &mut reasons);
        let default = readable_default(organisation, defaults, &mut reasons);
        // What the chosen policy leaves out comes from the next step that can be read, and in the end from the fallback.
        let base =
            default.as_ref().map_or_else(|| Arc::new(Policy::fallback()), |(_, policy)| policy.clone());
        let (name, policy, source) = match (assigned, default) {
            (Some((name, policy)), _) => (name, policy, Source::Assigned),
            (None, Some((name, policy))) => (name, policy, Source::Default),
            (None, None) => return Self::fallback(reasons, now),
        };
        let limits = Limits::resolve(&policy, &base);
        Self { name, source, reasons, limits, loaded_at: now }
    }

    /// The fallback policy, for `reasons`.
    pub fn fallback(reasons: Vec<Reason>, now: Tick) -> Self {
        let policy = Policy::fallback();
        Self {
            name: FALLBACK_NAME.to_owned(),
            source: Source::Fallback,
            reasons,
            limits: Limits::resolve(&policy, &policy),
            loaded_at: now,
        }
    }
}

type Named = (String, Arc<Policy>);

fn readable_assigned(link: &Link, reasons: &mut Vec<Reason>) -> Option<Named> {
    let reason = match link {
        Link::Default => return None,
        Link::Policy(StoredPolicy { name, content: Ok(policy), .. }) => {
            return Some((name.clone(), policy.clone()));
        }
        Link::Policy(StoredPolicy { name, content: Err(why), .. }) => {
            Reason::AssignedUnreadable { policy: name.clone(), why: why.clone() }
        }
        Link::Deleted { tombstone } => Reason::AssignedDeleted { tombstone: tombstone.clone() },
        Link::Missing { guid } => Reason::AssignedMissing { guid: guid.clone() },
    };
    reasons.push(reason);
    None
}

fn readable_default(
    organisation: &str,
    defaults: &[StoredPolicy],
    reasons: &mut Vec<Reason>,
) -> Option<Named> {
    if defaults.is_empty() {
        reasons.push(Reason::DefaultMissing { organisation: organisation.to_owned() });
    }
    if defaults.len() > 1 {
        let policies = defaults.iter().map(|policy| policy.name.clone()).collect();
        reasons.push(Reason::SeveralDefaults { organisation: organisation.to_owned(), policies });
    }
    for StoredPolicy { name, content, .. } in defaults {
        match content {
            Ok(policy) => return Some((name.clone(), policy.clone())),
            Err(why) => reasons.push(Reason::DefaultUnreadable { policy: name.clone(), why: why.clone() }),
        }
    }
    None
}

impl Reason {
    /// What an administrator should hear about it, when it happens to `owner` (T16).
    pub fn event(&self, owner: &Owner) -> Option<Event> {
        let (id, level, advice) = match self {
            Self::OutsideOrganisations => return None,
            Self::AssignedDeleted { .. } | Self::AssignedMissing { .. } => (
                EventId::DELETED_POLICY_REFERENCED,
                Level::Warning,
                "the default policy holds; assign another policy, or reset such mailboxes with `mailbox repair`",
            ),
            Self::AssignedUnreadable { .. } => (
                EventId::POLICY_UNREADABLE,
                Level::Error,
                "the default policy holds; import the policy again",
            ),
            Self::DefaultUnreadable { .. } => (
                EventId::POLICY_UNREADABLE,
                Level::Error,
                "the next default policy or the fallback policy holds; import the policy again",
            ),
            Self::DefaultMissing { .. } => (
                EventId::DEFAULT_POLICY_MISSING,
                Level::Error,
                "the fallback policy holds in its place; make a policy the default",
            ),
            Self::SeveralDefaults { .. } => (
                EventId::SEVERAL_DEFAULT_POLICIES,
                Level::Error,
                "the first readable one by name holds; make one of them the default",
            ),
            Self::DirectoryUnreachable { .. } => (
                EventId::DIRECTORY_UNREACHABLE,
                Level::Error,
                "the last known policies hold until their age limit, then the fallback policy; repair the directory",
            ),
        };
        let mut fields = vec![("owner", owner.to_string())];
        fields.extend(self.facts());
        Some(Event { id, level, text: format!("{self}: {advice}"), fields })
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::OutsideOrganisations => Vec::new(),
            Self::AssignedDeleted { tombstone } => vec![("policy", tombstone.clone())],
            Self::AssignedMissing { guid } => vec![("policy", guid.to_string())],
            Self::AssignedUnreadable { policy, why } | Self::DefaultUnreadable { policy, why } => {
                vec![("policy", policy.clone()), ("why", why.clone())]
            }
            Self::DefaultMissing { organisation } => vec![("organisation", organisation.clone())],
            Self::SeveralDefaults { organisation, policies } => {
                vec![("organisation", organisation.clone()), ("policies", policies.join(", "))]
            }
            Self::DirectoryUnreachable { why } => vec![("why", why.clone())],
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutsideOrganisations => f.write_str("the owner belongs to no organisation"),
            Self::AssignedDeleted { tombstone } => {
                write!(f, "a deleted throttling policy is referenced, {}", tombstone.escape_debug())
            }
            Self::AssignedMissing { guid } => {
                write!(f, "a throttling policy that does not exist is referenced, {guid}")
            }
            Self::AssignedUnreadable { policy, why } => {
                write!(f, "the assigned throttling policy \"{policy}\" cannot be read ({why})")
            }
            Self::DefaultMissing { organisation } => {
                write!(f, "the default throttling policy of the organisation \"{organisation}\" is missing")
            }
            Self::SeveralDefaults { organisation, policies } => {
                let count = policies.len();
                write!(f, "the organisation \"{organisation}\" has {count} default throttling policies")
            }
            Self::DefaultUnreadable { policy, why } => {
                write!(f, "the default throttling policy \"{policy}\" cannot be read ({why})")
            }
            Self::DirectoryUnreachable { why } => write!(f, "the directory cannot be reached ({why})"),
        }
    }
}

#[cfg(test)]
mod tests;
