//! Those who send mail: who logs in to send, and what a message costs him (T8, T19).
//!
//! The transport is no front of the gateway, but those who use it are the same owners: a login takes the way of every other
//! credential – cache, guard, one verification at a time –, so that SMTP is no way around it; the two limits of a policy are
//! looked at here; and what was refused is counted, remembered and warned of like any other refusal (T16, T21).
//!
//! Where nobody is held to his budget (T20), everything is charged, and what would have been refused is counted.

use std::net::IpAddr;
use std::sync::Arc;

use weir_directory::EffectivePolicy;
use weir_throttle::Verdict;
use weir_throttle::submissions::{Submission, SubmissionLimits, Submitted};
use weir_units::{Component, Micros, Owner, Part, Refusal, Tick};

use crate::claim::{ClaimedName, Home, canonical};
use crate::credentials::BasicCredential;
use crate::gateway::{Gateway, Origin};
use crate::history::Note;
use crate::who::Identity;

/// What stands in an owner's list of client programs for those that send mail, which name themselves nowhere.
const PROGRAM: &str = "SMTP submission";

/// A message that was taken.
const TAKEN: Note<'static> = Note {
    user_agent: Some(PROGRAM),
    component: Some(Component::Smtp),
    verdict: Verdict::Run,
    why: None,
    waited: Micros::ZERO,
    status: 250,
    taken: Micros::ZERO,
    worked: Micros::ZERO,
    origin: Micros::ZERO,
};

/// What became of a name and a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Login {
    /// They are this owner's.
    Owner(Owner),
    /// They are nobody's, or stay unchecked because too many from that address wait to be.
    Wrong,
    /// They cannot be verified: the directory cannot be read, or passwords are at a remote origin.
    Unverifiable,
}

impl Gateway {
    /// Whether passwords can be verified here; before a remote origin they are known there alone.
    pub fn verifies_passwords(&self) -> bool {
        matches!(self.origin, Origin::Embedded(_))
    }

    /// Whose `name` and `password` are, which came from `client`. Guessing is slowed down, and a verification that has begun
    /// is carried to its end.
    ///
    /// Before a remote origin nothing is verified: its passwords are unknown here, and mail is submitted where they are known.
    pub async fn log_in(&self, name: &str, password: &str, client: IpAddr) -> Login {
        match &self.origin {
            Origin::Remote(_) => return Login::Unverifiable,
            Origin::Embedded(_) => {}
        }
        let Ok(credential) = BasicCredential::of(name, password) else { return Login::Wrong };
        match self.gatekeeper.identify_by(credential, client).await {
            Identity::Known(caller, _) => Login::Owner(caller.owner),
            Identity::Anonymous | Identity::Rejected => Login::Wrong,
            Identity::Unverifiable => Login::Unverifiable,
        }
    }

    /// The owner whom `name` means, by whatever name (T3), for those who verify their users themselves. Somebody without a
    /// row in the directory is an owner where an organisation accepts his domain; nobody where none does, or where the
    /// directory cannot be read.
    pub async fn owner_named(&self, name: &str) -> Option<Owner> {
        let claimed = ClaimedName::of(name)?;
        let (directory, name) = (Arc::clone(&self.directory), name.to_owned());
        let look_up = move || {
            if let Some(account) = directory.resolve(&name)? {
                return Ok(Some(account.owner));
            }
            let home = directory.home(claimed.domain())?;
            Ok(home.map(|home| {
                let home = Home { short_name: &home.short_name, domains: &home.domains };
                canonical(&claimed, Some(home))
            }))
        };
        let found: Result<_, weir_directory::DirectoryError> =
            tokio::task::spawn_blocking(look_up).await.ok()?;
        found.unwrap_or_else(|error| {
            tracing::error!(%error, "a sender could not be looked up");
            None
        })
    }

    /// Charges `submission` to `owner`.
    ///
    /// # Errors
    ///
    /// The refusal, and nothing was charged: it is more than his policy allows.
    pub fn submit(&self, owner: &Owner, submission: Submission) -> Result<(), Refusal> {
        let now = self.clock.tick();
        let policy = self.policies.lookup(owner, now);
        let limits = SubmissionLimits::from(&policy.limits);
        if self.enforces(&self.settings().throttle) && !policy.limits.observe_only {
            let charged = self.submissions.charge(owner, submission, limits, now);
            match &charged {
                Err(refusal) => self.note_refusal(owner, refusal, Verdict::Refuse, &policy, now),
                Ok(()) => self.note_messages(owner, submission),
            }
            return charged;
        }
        match self.submissions.observe(owner, submission, limits, now) {
            Some(refusal) => self.note_refusal(owner, &refusal, Verdict::WouldRefuse, &policy, now),
            None => self.note_messages(owner, submission),
        }
        Ok(())
    }

    /// What `owner` has submitted, as it counts at `now` (T21).
    pub fn submitted(&self, owner: &Owner, now: Tick) -> Submitted {
        self.submissions.of(owner, now).unwrap_or_default()
    }

    /// Counts, remembers and warns of a submission that was refused, or would have been.
    fn note_refusal(
        &self,
        owner: &Owner,
        refusal: &Refusal,
        verdict: Verdict,
        policy: &EffectivePolicy,
        now: Tick,
    ) {
        if verdict == Verdict::Refuse {
            self.metrics.refused(refusal);
        } else {
            self.metrics.would_refuse(refusal.component, refusal.part);
        }
        let status = if refusal.part == Part::RecipientRate { 452 } else { 421 };
        let note = Note { verdict, why: Some(refusal.part), status, ..TAKEN };
        self.pulse.note(verdict);
        let wait = refusal.retry_after.map_or_else(String::new, |wait| {
            format!("; more passes in {} s", wait.micros().ceil_millis().count().div_ceil(1000))
        });
        self.histories.note(owner, &note, format_args!("{refusal}{wait}"), self.clock.wall());
        let warnings = &self.settings().warnings;
        self.note_over_budget(owner, refusal.component, refusal.part, &policy.name, warnings, now);
    }

    /// A message that was taken is a request of its owner's.
    fn note_messages(&self, owner: &Owner, submission: Submission) {
        if submission.messages > 0 {
            self.pulse.note(Verdict::Run);
            self.histories.note(owner, &TAKEN, "", self.clock.wall());
        }
    }
}

#[cfg(test)]
mod tests;
