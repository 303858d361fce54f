//! Who is asking: from credentials to an owner, before anything is charged (T8).
//!
//! A credential that was accepted in the last minutes maps to its owner at once. Any other is verified against the
//! directory, one at a time for each address and slower after failures; nobody's budget is touched meanwhile, and
//! nobody who is known already waits. A verification that has begun is carried to its end and counted even if the
//! client hangs up, so that hanging up is no way around the guard.

use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;

use hyper::HeaderMap;
use hyper::header::AUTHORIZATION;
use ring::rand::SystemRandom;
use tokio::sync::Semaphore;
use weir_directory::{Directory, Verification};
use weir_units::{Micros, Owner, Tick};

use crate::credentials::{BasicCredential, CredentialCache, CredentialKey};
use crate::guard::{Guard, Outcome, Pass, Place, Turn};
use crate::metrics::{Check, Metrics};
use crate::settings::Settings;
use weir_clock::Clock;

/// Somebody whose credential was accepted.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// Whose budget is charged.
    pub(crate) owner: Owner,
    /// His account; none for somebody whose mail is at a remote origin and who has no row here.
    pub(crate) account: Option<Arc<weir_directory::Account>>,
}

impl Caller {
    fn with_account(account: weir_directory::Account) -> Self {
        Self { owner: account.owner.clone(), account: Some(Arc::new(account)) }
    }

    /// Whether he was accepted without a name, so that he is known by his connection (T8).
    pub(crate) fn is_unnamed(&self) -> bool {
        self.account.is_none() && crate::claim::is_unnamed(&self.owner)
    }
}

/// Who a credential belongs to, or why that cannot be said.
pub(crate) enum Identity {
    /// He is known.
    Known(Caller, Lookup),
    /// No credentials came, or none that are spoken here; it costs nothing to say so.
    Anonymous,
    /// The credentials are complete and wrong, or were not checked because too many wait to be.
    Rejected,
    /// They cannot be checked at the moment.
    Unverifiable,
}

/// What finding out has cost.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lookup {
    /// Look-ups in the directory.
    pub(crate) count: u32,
    /// The time they took.
    pub(crate) time: Micros,
}

/// Finds out who is asking.
pub(crate) struct Gatekeeper {
    clock: Clock,
    directory: Arc<dyn Directory>,
    credentials: CredentialCache<Caller>,
    guard: Guard,
    /// A verification has ended: whoever waits for his turn asks again.
    settled: Settled,
    verifications: Arc<Semaphore>,
    patience: Micros,
    metrics: Metrics,
}

impl Gatekeeper {
    /// A gatekeeper who knows nobody yet.
    ///
    /// # Errors
    ///
    /// Where the system gives no randomness.
    pub(crate) fn new(
        settings: &Settings,
        directory: Arc<dyn Directory>,
        clock: Clock,
        metrics: Metrics,
    ) -> Result<Self, ring::error::Unspecified> {
        Ok(Self {
            clock,
            directory,
            credentials: CredentialCache::new(settings.credentials, &SystemRandom::new())?,
            guard: Guard::new(settings.guard),
            settled: Settled::new(),
            verifications: Arc::new(Semaphore::new(settings.throttle.verifications.max(1))),
            patience: settings.guard.verification,
            metrics,
        })
    }

    /// Who sends these headers from `address`.
    pub(crate) async fn identify(self: &Arc<Self>, headers: &HeaderMap, address: IpAddr) -> Identity {
        let Some(header) = headers.get(AUTHORIZATION) else { return Identity::Anonymous };
        let Ok(credential) = BasicCredential::parse(header.as_bytes()) else { return Identity::Anonymous };
        self.identify_by(credential, address).await
    }

    /// Whose `credential` is, which came from `address`.
    pub(crate) async fn identify_by(
        self: &Arc<Self>,
        credential: BasicCredential,
        address: IpAddr,
    ) -> Identity {
        let key = self.credentials.key("basic", credential.bytes());
        if let Some(caller) = self.credentials.accepted(&key, self.clock.tick()) {
            return Identity::Known(caller, Lookup::default());
        }
        let pass = if self.credentials.is_lapsed(&key, self.clock.tick()) {
            None
        } else {
            match self.turn(address, Some(&key)).await {
                Awaited::Pass(pass) => Some(pass),
                Awaited::Known(caller) => return Identity::Known(caller, Lookup::default()),
                Awaited::TooMany => {
                    self.metrics.checked(Check::Unchecked);
                    return Identity::Rejected;
                }
            }
        };
        let verification = Arc::clone(self).verify(credential, key, pass, address);
        // Spawned, so that it ends and is counted even if the client has gone.
        tokio::spawn(verification).await.unwrap_or(Identity::Unverifiable)
    }

    /// Forgets the credentials of `owner`, whose password or mailbox has changed.
    pub(crate) fn forget(&self, owner: &Owner) {
        self.credentials.forget(owner);
    }

    /// Lets go of what is too old.
    pub(crate) fn sweep(&self, now: Tick) {
        self.credentials.sweep(now);
        self.guard.sweep(now);
    }

    /// Waits for the right to one verification, or until another connection's verification of the same credential
    /// has made it needless.
    async fn turn(&self, address: IpAddr, key: Option<&CredentialKey>) -> Awaited {
        let mut settled = pin!(self.settled.next(address));
        settled.as_mut().enable();
        let mut turn = self.guard.ask(address, self.clock.tick());
        loop {
            match turn {
                Turn::Verify(pass) => return Awaited::Pass(pass),
                Turn::Refuse => return Awaited::TooMany,
                Turn::Wait(place) => {
                    let line = InLine { guard: &self.guard, place: Some(place) };
                    tokio::select! {
                        () = self.clock.sleep_until(place.due()) => {}
                        () = settled.as_mut() => {}
                    }
                    settled.set(self.settled.next(address));
                    settled.as_mut().enable();
                    let now = self.clock.tick();
                    if let Some(caller) = key.and_then(|key| self.credentials.accepted(key, now)) {
                        return Awaited::Known(caller);
                    }
                    turn = self.guard.ask_again(line.keep(place), self.clock.tick());
                }
            }
        }
    }

    /// Verifies a credential, ends its turn, and wakes whoever waits for his.
    async fn verify(
        self: Arc<Self>,
        credential: BasicCredential,
        key: CredentialKey,
        pass: Option<Pass>,
        address: IpAddr,
    ) -> Identity {
        let checked = tokio::time::timeout(self.patience.into(), self.check(credential, key)).await;
        let (identity, outcome) = checked.unwrap_or((Identity::Unverifiable, Outcome::Unknown));
        match pass {
            Some(pass) => self.guard.settle(pass, outcome, self.clock.tick()),
            None if outcome == Outcome::Failed => self.guard.fail(address, self.clock.tick()),
            None => {}
        }
        self.metrics.checked(match outcome {
            Outcome::Accepted => Check::Accepted,
            Outcome::Failed => Check::Failed,
            Outcome::Unknown => Check::Unknown,
        });
        self.settled.tell(address);
        identity
    }

    /// Asks the directory, once there is room for one more verification and unless another connection has made it
    /// needless; remembers an accepted credential and forgets a rejected one.
    async fn check(&self, credential: BasicCredential, key: CredentialKey) -> (Identity, Outcome) {
        const UNKNOWN: (Identity, Outcome) = (Identity::Unverifiable, Outcome::Unknown);
        let Ok(room) = Arc::clone(&self.verifications).acquire_owned().await else { return UNKNOWN };
        if let Some(caller) = self.credentials.accepted(&key, self.clock.tick()) {
            return (Identity::Known(caller, Lookup::default()), Outcome::Accepted);
        }
        let generation = self.credentials.begin();
        let (directory, clock) = (Arc::clone(&self.directory), self.clock);
        let asked = tokio::task::spawn_blocking(move || {
            let began = clock.tick();
            let answer = directory.verify(credential.user(), credential.password());
            drop(room);
            (answer, clock.tick().since(began))
        });
        let Ok((answer, time)) = asked.await else { return UNKNOWN };
        match answer {
            Ok(Verification::Accepted(account)) => {
                let caller = Caller::with_account(account);
                let now = self.clock.tick();
                self.credentials.accept(key, &caller.owner, caller.clone(), generation, now);
                (Identity::Known(caller, Lookup { count: 1, time }), Outcome::Accepted)
            }
            Ok(Verification::Rejected | Verification::NoPassword) => {
                self.credentials.reject(&key);
                (Identity::Rejected, Outcome::Failed)
            }
            Err(error) => {
                tracing::error!(%error, "a password could not be verified");
                UNKNOWN
            }
        }
    }
}

/// What waiting for a turn has brought.
enum Awaited {
    /// The right to verify.
    Pass(Pass),
    /// The credential was accepted meanwhile.
    Known(Caller),
    /// Too many wait already: it stays unchecked.
    TooMany,
}

/// A place in the guard's line, given up by whoever goes away while he waits.
struct InLine<'a> {
    guard: &'a Guard,
    place: Option<Place>,
}

impl InLine<'_> {
    /// The wait is over, and the place is asked with again.
    fn keep(mut self, place: Place) -> Place {
        self.place = None;
        place
    }
}

impl Drop for InLine<'_> {
    fn drop(&mut self) {
        if let Some(place) = self.place.take() {
            self.guard.leave(place);
        }
    }
}

mod settled;
mod trial;

use settled::Settled;
pub(crate) use trial::{Approach, Trial};

#[cfg(test)]
mod tests;
