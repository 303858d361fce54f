//! The bounds that all listeners share: connections in all, and from one address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::guard::Source;
use crate::settings::ConnectionLimits;

/// Lets connections in within their bounds.
#[derive(Debug)]
pub(crate) struct Gate {
    pub(super) limits: ConnectionLimits,
    places: Arc<Semaphore>,
    addresses: Mutex<HashMap<Source, usize>>,
}

impl Gate {
    pub(crate) fn new(limits: ConnectionLimits) -> Arc<Self> {
        let places = Arc::new(Semaphore::new(limits.connections.min(Semaphore::MAX_PERMITS)));
        Arc::new(Self { limits, places, addresses: Mutex::default() })
    }

    /// Waits for a place among all connections; none once the gate is closed, which it never is.
    pub(super) async fn place(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.places).acquire_owned().await.ok()
    }

    /// Counts one more connection of `address`; none where it has as many as it may.
    pub(super) fn enter(self: &Arc<Self>, address: IpAddr) -> Option<AddressPlace> {
        let source = Source::of(address);
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        let count = addresses.entry(source).or_default();
        if *count >= self.limits.connections_per_address {
            return None;
        }
        *count += 1;
        drop(addresses);
        Some(AddressPlace { gate: Arc::clone(self), source })
    }
}

/// A connection's place among those of its address; it is given back on every way out.
#[derive(Debug)]
pub(super) struct AddressPlace {
    gate: Arc<Gate>,
    source: Source,
}

impl Drop for AddressPlace {
    fn drop(&mut self) {
        let mut addresses = self.gate.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = addresses.get_mut(&self.source) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                addresses.remove(&self.source);
            }
        }
    }
}
