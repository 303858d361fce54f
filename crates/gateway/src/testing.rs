//! A gateway in a temporary directory, with John and Jane Doe, for the tests of this crate.

use std::sync::{Arc, Mutex};

use prometheus_client::registry::Registry;
use tempfile::TempDir;
use weir_directory::{
    CacheSettings, Directory, NewMailbox, NewOrganisation, PasswordCost, PolicyCache, Store,
};
use weir_mailbox::MailboxServer;
use weir_throttle::{Account, Parameter, Policy, Setting};
use weir_units::{Component, Event, EventSink, Owner, Refusal, WallTime};

use crate::gateway::{Gateway, Origin, Parts, Shell};
use crate::metrics::Metrics;
use crate::origin::DirectoryBook;
use crate::permit::Permit;
use crate::remote::{RemoteSettings, Remotes};
use crate::request_log::{LogSettings, RequestLog};
use crate::settings::Settings;
use weir_clock::Clock;

pub(crate) mod asking;
pub(crate) mod http;

pub(crate) const MADE_AT: WallTime = WallTime::from_unix_micros(1_267_800_000_000_000);

pub(crate) struct World {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) store: Arc<Store>,
    /// What the gateway itself has told so far.
    events: Arc<Mutex<Vec<Event>>>,
    folder: TempDir,
}

impl World {
    /// A gateway before the embedded origin with these settings; John's and Jane's password is `secret`, and their
    /// policy is the default one.
    pub(crate) fn new(settings: Settings) -> Self {
        Self::with(settings, None, &mut Registry::default())
    }

    /// The same, whose metrics are in `registry`.
    pub(crate) fn counted(settings: Settings, registry: &mut Registry) -> Self {
        Self::with(settings, None, registry)
    }

    /// The same before a remote origin.
    pub(crate) async fn before(remote: RemoteSettings, settings: Settings) -> Self {
        let clock = Clock::pretended(MADE_AT);
        let remotes =
            Remotes::new(remote, Vec::new(), &settings.throttle, clock, EventSink::none()).await.unwrap();
        Self::with(settings, Some(remotes), &mut Registry::default())
    }

    fn with(settings: Settings, remotes: Option<Remotes>, registry: &mut Registry) -> Self {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("directory.sqlite3");
        let store = Arc::new(Store::open_with(file, PasswordCost::LEAST).unwrap());
        let organisation =
            NewOrganisation { name: "example.com", short_name: "EXAMPLE", domains: &["example.com"] };
        store.new_organisation(&organisation).unwrap();
        for (address, alias) in [("john.doe@example.com", "JohnDoe"), ("jane.doe@example.com", "JaneDoe")] {
            let password = Some("secret");
            let mailbox = NewMailbox { address, alias: Some(alias), password, display_name: None };
            store.new_mailbox(&mailbox, MADE_AT).unwrap();
        }
        let directory: Arc<dyn Directory> = Arc::<Store>::clone(&store);
        let book = Arc::new(DirectoryBook::new(Arc::clone(&directory)));
        let cache = CacheSettings::default();
        let embedded =
            || MailboxServer::open(folder.path(), weir_mailbox::Settings::default(), book).unwrap();
        let events = Arc::<Mutex<Vec<Event>>>::default();
        let parts = Parts {
            settings,
            clock: Clock::pretended(MADE_AT),
            policies: Arc::new(PolicyCache::new(Arc::clone(&directory), cache, EventSink::none())),
            directory,
            origin: remotes.map_or_else(|| Origin::Embedded(embedded()), Origin::Remote),
            certificate: None,
            log: RequestLog::open(folder.path(), LogSettings::default(), MADE_AT).unwrap(),
            metrics: Metrics::register(registry),
            events: EventSink::new({
                let events = Arc::clone(&events);
                move |event| events.lock().unwrap().push(event)
            }),
        };
        Self { events, gateway: Gateway::new(parts).unwrap(), store, folder }
    }

    /// What the gateway itself has told since it was asked last.
    pub(crate) fn events(&self) -> Vec<Event> {
        std::mem::take(&mut self.events.lock().unwrap())
    }

    /// All lines of the request log, which takes in no more.
    pub(crate) fn logged(&self) -> String {
        self.gateway.log.close();
        let files = std::fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let logs = files.filter(|path| path.extension().is_some_and(|extension| extension == "log"));
        logs.map(|path| std::fs::read_to_string(path).unwrap()).collect()
    }

    /// Gives John a policy that sets `limits` and inherits the rest.
    pub(crate) fn hold_john_to(&self, limits: &[(&str, Option<u32>)]) {
        let mut policy = Policy::new();
        for (name, limit) in limits {
            let setting = limit.map_or(Setting::Null, Setting::Value);
            policy.set(Parameter::from_name(name).unwrap(), setting).unwrap();
        }
        self.store.new_policy("FooPolicy", None, &policy).unwrap();
        self.store.set_mailbox_policy("JohnDoe", Some("FooPolicy")).unwrap();
        self.gateway.policies.invalidate();
    }

    /// John's account in EWS.
    pub(crate) fn john(&self) -> Arc<Account<Shell>> {
        let now = self.gateway.clock.tick();
        self.gateway.budgets.of(&Owner::new("john.doe@example.com"), Component::Ews, now).unwrap()
    }

    /// One more call of John's.
    pub(crate) async fn call(&self) -> Result<Permit, Refusal> {
        let john = self.john();
        let policy = self.gateway.policies.lookup(&john.owner, self.gateway.clock.tick());
        let throttle = self.gateway.settings().throttle.clone();
        let mut permit = Permit::take(Arc::clone(&self.gateway), john, policy, &throttle).await?;
        // As a front does while the client sends its request.
        permit.pause();
        permit.resume();
        Ok(permit)
    }
}
