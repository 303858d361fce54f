//! All of `[transport]` as the transport takes it, with what only a start finds out: this machine's name, and the
//! servers' secret.

use std::fs;
use std::path::Path;

use weir_mta::settings::{Proxies, Settings};
use weir_transport::Domain;
use weir_transport::routing::RoutingSettings;
use weir_units::Micros;
use weir_wire::forwarded::TrustedProxies;

use super::{SecretError, Transport, secret};

/// The connectivity log's folder in the data directory.
const CONNECTIVITY_FOLDER: &str = "log/connectivity";

impl Transport {
    /// What the transport is told, where `trusted` proxies are believed, what runs has `drain` to end, and the data
    /// directory is `data`.
    pub(in super::super) fn settings(
        &self,
        trusted: TrustedProxies,
        drain: Micros,
        data: &Path,
    ) -> Result<Settings, SecretError> {
        let host_name = self.host_name.clone().unwrap_or_else(|| self.found_name());
        let name = &self.routing.name;
        let name = if name.is_empty() { host_name.as_str().into() } else { name.clone() };
        let (logs, files) = self.connectivity_log;
        Ok(Settings {
            host_name,
            postmaster: self.postmaster.clone(),
            receive: self.receive.clone(),
            proxies: Proxies { proxy_protocol: self.proxy_protocol, trusted },
            routing: RoutingSettings { name, ..self.routing.clone() },
            queue: self.queue,
            balance: self.balance,
            resolution: self.resolution,
            dns: self.dns.clone(),
            sending: self.sending.clone(),
            delivery: self.local.delivery.clone().unwrap_or_default(),
            pressure: self.pressure,
            shadow: self.shadow,
            shadow_partners: self.shadow_partners.clone(),
            server_secret: self.server_secret_file.as_deref().map(secret::read).transpose()?,
            spool: self.spool,
            fresh_bytes: self.fresh_bytes,
            max_acknowledgement_delay: self.max_acknowledgement_delay,
            poison_threshold: self.poison_threshold,
            connectivity_log: logs.then(|| (data.join(CONNECTIVITY_FOLDER), files)),
            policy_service: self.policy_service,
            policy_service_trust_sender: self.policy_service_trust_sender,
            drain,
        })
    }

    /// This server's name where that is a whole one, else the machine's, else `localhost`.
    fn found_name(&self) -> Domain {
        let own = domain(&self.routing.name).filter(|name| name.labels() > 1);
        own.or_else(machine_name).unwrap_or_else(Domain::localhost)
    }
}

fn machine_name() -> Option<Domain> {
    let files = ["/proc/sys/kernel/hostname", "/etc/hostname"];
    let text = files.into_iter().find_map(|path| fs::read_to_string(path).ok())?;
    domain(text.trim())
}

/// A host's name that every server understands.
fn domain(text: &str) -> Option<Domain> {
    text.parse().ok().filter(|name: &Domain| name.as_str().is_ascii() && name.address().is_none())
}
