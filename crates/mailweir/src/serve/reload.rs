//! Reading the configuration again while the server runs.
//!
//! All or nothing: a file with a mistake, or a certificate that does not fit, changes nothing, and an event says so. Keys
//! that only a start reads are named in the answer where they differ.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use weir_admin::types::{KeyChange, Reloaded};
use weir_clock::Clock;
use weir_gateway::Gateway;
use weir_gateway::tls::CertificateStore;
use weir_units::{Event, EventId, EventSink, Level};

use super::Source;
use super::assembly::certificate_source;
use crate::config::{Config, unserved};

/// Everything that a reload reads and touches.
pub(super) struct Reloader {
    pub(super) started_with: Arc<Config>,
    /// What was read last.
    pub(super) read_last: Arc<Mutex<Arc<Config>>>,
    pub(super) source: Source,
    pub(super) data: PathBuf,
    pub(super) clock: Clock,
    pub(super) gateway: Arc<Gateway>,
    pub(super) certificate: Option<Arc<CertificateStore>>,
    pub(super) events: EventSink,
}

impl Reloader {
    /// Puts what the file says in force: what changed and what did not take effect, or why everything stays as it was.
    ///
    /// Blocks for as long as the files take.
    pub(super) fn reload(&self) -> Result<Reloaded, String> {
        let outcome = self.read_again();
        match &outcome {
            Ok(Reloaded { notes, changes }) => {
                tracing::info!("the configuration was read again");
                for KeyChange { key, before, after } in changes {
                    tracing::info!("{key} was {before} and is {after}");
                }
                for note in notes {
                    tracing::warn!("{note}");
                }
            }
            Err(why) => self.events.emit(refused(why)),
        }
        outcome
    }

    fn read_again(&self) -> Result<Reloaded, String> {
        let config = self.source.load().map_err(|error| error.to_string())?;
        if let Some(certificate) = &self.certificate {
            let source = certificate_source(&config, &self.data);
            certificate.reload(&source, self.clock.wall()).map_err(|error| error.to_string())?;
        }
        self.gateway.reload(config.gateway_settings_before(self.started_with.origin.kind));
        let notes = self.notes(&config);
        let mut last = self.read_last.lock().unwrap_or_else(PoisonError::into_inner);
        let changes = last.differences(&config);
        *last = Arc::new(config);
        Ok(Reloaded { notes, changes })
    }

    /// What of `config` did not take effect. What the server said at its start is not said again.
    fn notes(&self, config: &Config) -> Vec<String> {
        let waiting = self.started_with.waits_for_restart(config);
        let waiting = (!waiting.is_empty()).then(|| {
            format!("these keys take effect when the server is started the next time: {}", waiting.join(", "))
        });
        let said = unserved(&self.started_with);
        let unserved = unserved(config).into_iter().filter(|note| !said.contains(note));
        waiting.into_iter().chain(unserved).collect()
    }
}

/// The event of a configuration that was refused.
fn refused(why: &str) -> Event {
    Event {
        id: EventId::CONFIGURATION_REFUSED,
        level: Level::Error,
        text: format!(
            "the configuration was read again and refused, so the one before stays in force; correct it and run \
             `mailweir reload`: {why}"
        ),
        fields: vec![("reason", why.to_owned())],
    }
}
