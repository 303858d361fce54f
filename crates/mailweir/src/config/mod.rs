//! The configuration file: every key, its default, and what is allowed.
//!
//! A file is read as a whole or refused as a whole; a refusal lists every mistake with file, line and key. Everything
//! is optional: an empty file is the default configuration. Keys whose feature this build does not serve are read and
//! checked like the others; [`unserved`] says once which of them ask for something that stays off.
//!
//! Reading declares ([`reader`]): [`keys`] is the catalogue that the documentation is tested against.

mod address;
mod admin;
mod block;
mod explain;
mod guard;
pub(crate) mod key;
pub(crate) mod kind;
mod limits;
mod listen;
mod log;
mod mailbox;
mod mapi;
pub(crate) mod mistake;
pub(crate) mod nearest;
mod origin;
mod policy_cache;
pub(crate) mod reader;
mod throttle;
mod tls;
mod transport;
mod unserved;
mod warnings;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use toml::de::DeTable;
use weir_admin::page::PageSettings;
use weir_admin::server::AdminSettings;
use weir_admin::types::KeyChange;
use weir_directory::CacheSettings;
use weir_gateway::block::BlockList;
use weir_gateway::credentials::CredentialSettings;
use weir_gateway::guard::GuardSettings;
use weir_gateway::history::HistorySettings;
use weir_gateway::mapi::SessionSettings;
use weir_gateway::settings::{self, ConnectionLimits, Settings, ThrottleSettings};
use weir_throttle::warnings::WarningSettings;
use weir_wire::forwarded::TrustedProxies;

use key::Effect::Restart;
pub use key::{Effect, Key};
pub use listen::Listen;
pub use log::Log;
pub use mistake::{ConfigError, Mistake};
pub use origin::{Origin, OriginFor, OriginKind, Remotes, Servers};
use reader::{Held, Journal, Section, read_text};
pub use throttle::Throttle;
pub(crate) use throttle::max_delay;
pub use tls::Tls;
pub use transport::{Role, SecretError, Transport};
pub use unserved::unserved;

/// The file that is read from the current folder where none is named.
pub const DEFAULT_FILE: &str = "mailweir.toml";

/// The data directory where none is named.
pub const DEFAULT_DATA: &str = "mailweir-data";

/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 4 << 20;

/// Everything that the configuration file says.
#[derive(Clone, Debug)]
pub struct Config {
    /// The data directory.
    pub data: PathBuf,
    /// Where clients come in.
    pub listen: Listen,
    /// The certificate they see.
    pub tls: Tls,
    /// The mail system behind the gateway.
    pub origin: Origin,
    /// How owners are held to their budgets.
    pub throttle: Throttle,
    /// How many MAPI sessions there may be.
    pub mapi: SessionSettings,
    /// How much one connection and one request may take.
    pub limits: ConnectionLimits,
    /// How wrong passwords slow down.
    pub guard: GuardSettings,
    /// From when on something about a budget is worth an event.
    pub warnings: WarningSettings,
    /// Client programs that are kept out.
    pub block: BlockList,
    /// How right passwords are remembered.
    pub credentials: CredentialSettings,
    /// How long policies are believed.
    pub policy_cache: CacheSettings,
    /// How much is remembered of each owner.
    pub explain: HistorySettings,
    /// The embedded mailbox server.
    pub mailbox: weir_mailbox::Settings,
    /// The listener of administration API and page.
    pub admin: AdminSettings,
    /// The administration page.
    pub page: PageSettings,
    /// What is written down.
    pub log: Log,
    /// Mail between servers.
    pub transport: Transport,
    /// What holds for each key.
    held: BTreeMap<String, Held>,
}

impl Config {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// Where it cannot be read, or says anything that is not allowed.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let size = fs::metadata(path).map_err(|source| ConfigError::unreadable(path, source))?.len();
        if size > MOST_BYTES {
            return Err(ConfigError::TooLarge { path: path.to_owned(), size, most: MOST_BYTES });
        }
        let text = fs::read_to_string(path).map_err(|source| ConfigError::unreadable(path, source))?;
        Self::parse(&text, &path.display().to_string())
    }

    /// Reads `text`, which messages call `name`. Relative paths in it begin at the folder of `name`.
    ///
    /// # Errors
    /// Where it says anything that is not allowed.
    pub fn parse(text: &str, name: &str) -> Result<Self, ConfigError> {
        let (config, mistakes) = read(text, Path::new(name));
        if mistakes.is_empty() {
            Ok(config)
        } else {
            Err(ConfigError::Wrong { file: name.to_owned(), mistakes })
        }
    }

    /// What the gateway is told. Its listeners stay off where nothing that this build serves is behind it.
    pub fn gateway_settings(&self) -> Settings {
        self.gateway_settings_before(self.origin.kind)
    }

    /// The same for a gateway that was started before another kind of origin, which a reload does not change.
    pub fn gateway_settings_before(&self, origin: OriginKind) -> Settings {
        let served = self.origin.kind == OriginKind::Embedded || self.remotes().is_some();
        let on = |address: Option<SocketAddr>| address.filter(|_| served);
        Settings {
            listen: settings::Listen {
                http: on(self.listen.http),
                https: on(self.listen.https),
                trusted_proxies: self.listen.trusted_proxies.clone(),
                proxy_protocol: self.listen.proxy_protocol,
            },
            limits: self.limits.clone(),
            throttle: self.throttle_settings(origin),
            credentials: self.credentials,
            guard: self.guard,
            history: self.explain,
            warnings: self.warnings,
            mapi: self.mapi,
            block: self.block.clone(),
        }
    }

    /// The remote origins that this build serves; nothing where there are none.
    pub fn remotes(&self) -> Option<Remotes> {
        self.origin.remotes()
    }

    /// What mail transport is told, where the data directory is `data`; nothing where there is nothing for it to do.
    ///
    /// # Errors
    /// The file of the servers' secret cannot be used.
    pub fn transport_settings(
        &self,
        data: &Path,
    ) -> Result<Option<weir_mta::settings::Settings>, SecretError> {
        let asked = self.transport.is_asked_for(self.origin.kind);
        let trusted = TrustedProxies::new(self.listen.trusted_proxies.clone());
        asked.then(|| self.transport.settings(trusted, self.limits.drain_time.into(), data)).transpose()
    }

    /// The gateway's throttle settings, with the decision whether anything is enforced: what the file says, else
    /// yes for the embedded origin and no for a remote one (T20).
    fn throttle_settings(&self, origin: OriginKind) -> ThrottleSettings {
        let embedded = origin == OriginKind::Embedded;
        ThrottleSettings {
            enforce: self.throttle.enforce.unwrap_or(embedded),
            ..self.throttle.gateway.clone()
        }
    }

    /// The keys that `later` says otherwise than this configuration and that only a start reads.
    pub fn waits_for_restart(&self, later: &Self) -> Vec<String> {
        let waits = |key: &String| self.held.get(key).is_some_and(|held| held.effect == Restart);
        self.differences(later).into_iter().map(|change| change.key).filter(waits).collect()
    }

    /// The keys that `later` says otherwise than this configuration, by name.
    pub fn differences(&self, later: &Self) -> Vec<KeyChange> {
        let values = |held: &Held| held.values.join(", ");
        let changed = self.held.iter().filter_map(|(key, before)| {
            let after = later.held.get(key).filter(|after| *after != before)?;
            Some(KeyChange { key: key.clone(), before: values(before), after: values(after) })
        });
        changed.collect()
    }
}

impl Default for Config {
    fn default() -> Self {
        read("", Path::new("")).0
    }
}

/// The data directory that the file at `path` names, if there is such a file: for commands that ask a running server,
/// which do not care what else the file says, or whether it is right.
pub fn data_directory(path: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(path).ok()?;
    Some(read(&text, path).0.data)
}

/// Where the file at `path` has clients come in, if there is such a file, whatever else it says.
pub fn listeners(path: &Path) -> Option<Listen> {
    let text = fs::read_to_string(path).ok()?;
    Some(read(&text, path).0.listen)
}

/// Every key that the configuration may hold, in the order of reading.
pub fn keys() -> Vec<Key> {
    let document = DeTable::new();
    let mut journal = Journal::new("", Path::new(""));
    journal.document(&document, config);
    journal.finish().keys
}

/// What `text` says, and what is wrong with it. Where anything is, the first is of no use.
fn read(text: &str, name: &Path) -> (Config, Vec<Mistake>) {
    let folder = name.parent().unwrap_or(Path::new(""));
    let (config, gathered) = read_text(text, folder, config);
    (Config { held: gathered.held, ..config }, gathered.mistakes)
}

fn config(s: &mut Section<'_, '_, '_>) -> Config {
    let default = PathBuf::from(DEFAULT_DATA);
    let data = s.path_or("data", Restart, default);
    let (admin, page) = s.section("admin", admin::read);
    let listen = s.section("listen", Listen::read);
    let origin = s.section("origin", Origin::read);
    let transport = s.section("transport", |s| Transport::read(s, &listen, origin.kind));
    Config {
        data,
        listen,
        tls: s.section("tls", Tls::read),
        origin,
        throttle: s.section("throttle", Throttle::read),
        mapi: s.section("mapi", mapi::read),
        limits: s.section("limits", limits::read),
        guard: s.section("guard", guard::read),
        credentials: s.section("credentials", guard::credentials),
        warnings: s.section("warnings", warnings::read),
        block: block::read(s),
        policy_cache: s.section("policy_cache", policy_cache::read),
        explain: s.section("explain", explain::read),
        mailbox: s.section("mailbox", mailbox::read),
        admin,
        page,
        log: s.section("log", Log::read),
        transport,
        held: BTreeMap::new(),
    }
}
