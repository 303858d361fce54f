//! Who asks before a remote origin: a claim, until the origin's answer proves it (T8).
//!
//! There is no password to check here. A request with an unknown credential takes its turn at the guard and passes
//! through; the answer accepts or rejects what it claimed. A trial that nobody concludes – the client has gone, the
//! origin failed – proves nothing, and gives its turn back.

use std::net::IpAddr;
use std::sync::Arc;

use super::{Awaited, Caller, Check, CredentialKey, Gatekeeper, Outcome, Pass};
use crate::claim::{Claim, ClaimedName, Front, Home, Leg, Proof, canonical, unnamed};
use crate::credentials::Generation;

/// What is known of a caller before the origin has answered.
pub(crate) enum Approach {
    /// He was accepted a moment ago.
    Known(Caller),
    /// He shows nothing yet that could be verified: no credentials, or the first leg of a handshake. It costs nothing.
    Free,
    /// The origin's answer will say.
    Trial(Trial),
    /// Too many unverified credentials from his address wait already.
    TooMany,
}

/// A claim on its way to the origin.
pub(crate) struct Trial {
    gatekeeper: Arc<Gatekeeper>,
    claim: Claim,
    caller: Caller,
    key: Option<CredentialKey>,
    generation: Generation,
    pass: Option<Pass>,
    address: IpAddr,
    concluded: bool,
}

impl Gatekeeper {
    /// Looks at the claim of a request to `front` that came from `address` by the connection with this number; waits
    /// for its turn where the guard says so, and where it is asked: who only observes delays nobody (T20).
    pub(crate) async fn approach(
        self: &Arc<Self>,
        claim: Option<Claim>,
        front: Front,
        address: IpAddr,
        connection: u64,
        guarded: bool,
    ) -> Approach {
        let Some(claim) = claim.filter(|claim| claim.leg == Leg::Complete) else { return Approach::Free };
        let key = claim.key(front, &self.credentials);
        let now = self.clock.tick();
        if let Some(caller) = key.and_then(|key| self.credentials.accepted(&key, now)) {
            return Approach::Known(caller);
        }
        let pass = if !guarded || key.is_some_and(|key| self.credentials.is_lapsed(&key, now)) {
            None
        } else {
            match self.turn(address, key.as_ref()).await {
                Awaited::Pass(pass) => Some(pass),
                Awaited::Known(caller) => return Approach::Known(caller),
                Awaited::TooMany => {
                    self.metrics.checked(Check::Unchecked);
                    return Approach::TooMany;
                }
            }
        };
        let generation = self.credentials.begin();
        let caller = self.claimed(claim.name.clone(), connection).await;
        let gatekeeper = Arc::clone(self);
        Approach::Trial(Trial { gatekeeper, claim, caller, key, generation, pass, address, concluded: false })
    }

    /// The origin has answered 401 to a credential that it had accepted a moment ago: it is known no more, and counts
    /// as any other failure.
    pub(crate) fn disproved(&self, claim: &Claim, front: Front, address: IpAddr) {
        if let Some(key) = claim.key(front, &self.credentials) {
            self.credentials.reject(&key);
        }
        self.guard.fail(address, self.clock.tick());
        self.metrics.checked(Check::Failed);
    }

    /// Whom a claimed name means: the account of that name, or the owner that all its spellings are as far as can be
    /// known (T3). A directory that cannot be read leaves the name as it is.
    async fn claimed(&self, name: Option<ClaimedName>, connection: u64) -> Caller {
        let Some(name) = name else { return Caller { owner: unnamed(connection), account: None } };
        let directory = Arc::clone(&self.directory);
        let looked_up = tokio::task::spawn_blocking(move || {
            let home = directory.home(name.domain()).ok().flatten();
            let home =
                home.as_ref().map(|home| Home { short_name: &home.short_name, domains: &home.domains });
            let asked = home.map_or_else(|| name.clone(), |home| name.at_home(home));
            match directory.resolve(&asked.to_string()) {
                Ok(Some(account)) => Caller::with_account(account),
                Ok(None) => Caller { owner: canonical(&name, home), account: None },
                Err(error) => {
                    tracing::error!(%error, "a caller could not be looked up");
                    Caller { owner: canonical(&name, home), account: None }
                }
            }
        });
        looked_up.await.unwrap_or_else(|_panicked| Caller { owner: unnamed(connection), account: None })
    }
}

impl Trial {
    /// The claim.
    pub(crate) const fn claim(&self) -> &Claim {
        &self.claim
    }

    /// Who asks, if the claim is true. He is charged nothing before that.
    pub(crate) const fn claimed(&self) -> &Caller {
        &self.caller
    }

    /// Ends the trial with what the origin's answer proved; gives the caller where he was accepted.
    pub(crate) fn conclude(mut self, proof: Proof) -> Option<Caller> {
        let gatekeeper = Arc::clone(&self.gatekeeper);
        let now = gatekeeper.clock.tick();
        match (proof, self.key) {
            (Proof::Accepted, Some(key)) => {
                let caller = self.caller.clone();
                gatekeeper.credentials.accept(key, &self.caller.owner, caller, self.generation, now);
            }
            (Proof::Rejected, Some(key)) => gatekeeper.credentials.reject(&key),
            (Proof::Accepted | Proof::Rejected, None) | (Proof::Nothing, _) => {}
        }
        self.settle(match proof {
            Proof::Accepted => Outcome::Accepted,
            Proof::Rejected => Outcome::Failed,
            Proof::Nothing => Outcome::Unknown,
        });
        (proof == Proof::Accepted).then(|| self.caller.clone())
    }

    fn settle(&mut self, outcome: Outcome) {
        self.concluded = true;
        let now = self.gatekeeper.clock.tick();
        match self.pass.take() {
            Some(pass) => self.gatekeeper.guard.settle(pass, outcome, now),
            None if outcome == Outcome::Failed => self.gatekeeper.guard.fail(self.address, now),
            None => {}
        }
        self.gatekeeper.metrics.checked(match outcome {
            Outcome::Accepted => Check::Accepted,
            Outcome::Failed => Check::Failed,
            Outcome::Unknown => Check::Unknown,
        });
        self.gatekeeper.settled.tell(self.address);
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        if !self.concluded {
            self.settle(Outcome::Unknown);
        }
    }
}
