//! In front of a mail system that exists: a remote HTTP origin (H10, E7, T8, T20, T27).
//!
//! Nothing changes until told to: heads and bodies pass through streamed, in both directions, with their spelling and
//! order; only where a limit asks for it is a find's page made smaller. The origin knows the passwords, so its answer
//! says whose call it was.
//!
//! | file | idea |
//! |---|---|
//! | `front.rs` | one request from its head to its answer |
//! | `protocol.rs` | what each way in is called, and how it says no |
//! | `bound.rs` | what authentication has bound to a client's connection |
//! | `ask.rs` | the request on its way to the origin, read as far as it must be |
//! | `feed.rs` | the rest of a request, while the client still sends |
//! | `plan.rs` | what is done to a call on behalf of a limit |
//! | `passage.rs` | the answer on its way to the client, judged and cut where it must be |
//! | `mapi.rs`, `follow.rs` | a MAPI request and its answer |
//! | `watch.rs` | an answer that is only counted, on a decoded copy |
//! | `origin.rs`, `server.rs`, `pool.rs`, `probe.rs`, `trust.rs` | the servers, and which of them gets the next call |
//! | `upstream.rs`, `progress.rs`, `failure.rs` | one connection, and how it fails |
//! | `headers.rs` | the heads on their way through |
//! | `settings.rs`, `server_url.rs`, `error.rs`, `events.rs` | what it can be told, and what it tells |

mod ask;
mod bound;
mod error;
mod events;
mod failure;
mod feed;
mod follow;
pub(crate) mod front;
mod headers;
mod keep_out;
mod mapi;
mod origin;
mod passage;
mod plan;
mod pool;
mod probe;
mod progress;
mod protocol;
#[cfg(test)]
pub(crate) mod scripted;
mod server;
mod server_url;
mod settings;
mod trust;
mod upstream;
mod watch;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use weir_balance::{Health, Listing, State, UnknownTarget};
use weir_units::EventSink;

pub use error::RemoteError;
pub use server_url::{ServerUrl, ServerUrlError};
pub use settings::{ActiveCheck, ForwardingSettings, HostHeader, RemoteSettings};

pub(crate) use bound::Bound;
pub(crate) use origin::RemoteOrigin;

use crate::settings::ThrottleSettings;
use weir_clock::Clock;

/// The remote origins: one for everybody, and others for some domains.
pub struct Remotes {
    usual: Arc<RemoteOrigin>,
    by_domain: BTreeMap<String, Arc<RemoteOrigin>>,
    health: Health,
    clock: Clock,
}

/// What an administrator says about a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetOrder {
    /// Nothing goes there.
    Disable,
    /// No further connection goes there; those it has go on.
    Drain,
    /// It is used again.
    Enable,
    /// The next retry is due at once.
    Retry,
}

impl Remotes {
    /// Sets the origins up: `usual`, and for the domains of each entry of `others` another one.
    ///
    /// # Errors
    /// What in the settings cannot be used.
    pub async fn new(
        usual: RemoteSettings,
        others: Vec<(Vec<String>, RemoteSettings)>,
        throttle: &ThrottleSettings,
        clock: Clock,
        events: EventSink,
    ) -> Result<Self, RemoteError> {
        let health = Health::default();
        let usual = Arc::new(RemoteOrigin::new(usual, throttle, &health, clock, events.clone()).await?);
        let mut by_domain = BTreeMap::new();
        for (domains, settings) in others {
            let origin =
                Arc::new(RemoteOrigin::new(settings, throttle, &health, clock, events.clone()).await?);
            by_domain.extend(domains.into_iter().map(|domain| (domain.to_lowercase(), Arc::clone(&origin))));
        }
        Ok(Self { usual, by_domain, health, clock })
    }

    /// The servers of all origins, by address.
    pub fn targets(&self) -> Vec<Listing> {
        self.health.list(self.clock.tick())
    }

    /// How many servers are in each state.
    pub fn target_states(&self) -> [(State, usize); 5] {
        self.health.count()
    }

    /// Carries out what the administrator says about the server at `address`.
    ///
    /// # Errors
    /// No origin has a server there.
    pub fn order(&self, address: SocketAddr, order: TargetOrder) -> Result<(), UnknownTarget> {
        let now = self.clock.tick();
        match order {
            TargetOrder::Disable => self.health.disable(address, now)?,
            TargetOrder::Drain => self.health.drain(address, now)?,
            TargetOrder::Enable => self.health.enable(address, now)?,
            TargetOrder::Retry => self.health.retry_now(address, now).map(drop)?,
        }
        self.all().into_iter().for_each(|origin| origin.targets_changed());
        Ok(())
    }

    /// The origin that serves `domain`, in lower case.
    pub(crate) fn serving(&self, domain: Option<&str>) -> &Arc<RemoteOrigin> {
        domain.and_then(|domain| self.by_domain.get(domain)).unwrap_or(&self.usual)
    }

    /// Every origin, once.
    pub(crate) fn all(&self) -> Vec<&Arc<RemoteOrigin>> {
        let mut all = vec![&self.usual];
        for origin in self.by_domain.values() {
            if !all.iter().any(|known| Arc::ptr_eq(known, origin)) {
                all.push(origin);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests;
