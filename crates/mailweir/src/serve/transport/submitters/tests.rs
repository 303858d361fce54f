use std::net::{IpAddr, Ipv4Addr};

use prometheus_client::registry::Registry;
use tempfile::TempDir;
use weir_clock::Clock;
use weir_directory::{
    CacheSettings, Directory, NewMailbox, NewOrganisation, PasswordCost, PolicyCache, Store,
};
use weir_gateway::metrics::Metrics;
use weir_gateway::origin::DirectoryBook;
use weir_gateway::request_log::{LogSettings, RequestLog};
use weir_gateway::{Origin, Parts, Settings};
use weir_mailbox::MailboxServer;
use weir_throttle::{Parameter, Policy, Setting};
use weir_units::{EventSink, Part, WallTime};
use weir_wire::smtp::Secret;

use super::*;

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));
const MADE_AT: WallTime = WallTime::from_unix_micros(1_267_800_000_000_000);

/// John and Jane, whose password is `secret` and who may send a message a minute to two recipients a day.
fn owners(folder: &TempDir) -> OwnersWhoSend {
    let file = folder.path().join("directory.sqlite3");
    let store = Arc::new(Store::open_with(file, PasswordCost::LEAST).unwrap());
    let organisation =
        NewOrganisation { name: "example.com", short_name: "EXAMPLE", domains: &["example.com"] };
    store.new_organisation(&organisation).unwrap();
    let mut policy = Policy::new();
    for (name, limit) in [("MessageRateLimit", 1), ("RecipientRateLimit", 2)] {
        policy.set(Parameter::from_name(name).unwrap(), Setting::Value(limit)).unwrap();
    }
    store.new_policy("Few", None, &policy).unwrap();
    for (address, alias) in [("john.doe@example.com", "JohnDoe"), ("jane.doe@example.com", "JaneDoe")] {
        let mailbox =
            NewMailbox { address, alias: Some(alias), password: Some("secret"), display_name: None };
        store.new_mailbox(&mailbox, MADE_AT).unwrap();
        store.set_mailbox_policy(alias, Some("Few")).unwrap();
    }
    let directory: Arc<dyn Directory> = store;
    let book = Arc::new(DirectoryBook::new(Arc::clone(&directory)));
    let mailbox = MailboxServer::open(folder.path(), weir_mailbox::Settings::default(), book).unwrap();
    let parts = Parts {
        settings: Settings::default(),
        clock: Clock::pretended(MADE_AT),
        policies: Arc::new(PolicyCache::new(
            Arc::clone(&directory),
            CacheSettings::default(),
            EventSink::none(),
        )),
        directory,
        origin: Origin::Embedded(mailbox),
        certificate: None,
        log: RequestLog::open(folder.path(), LogSettings::default(), MADE_AT).unwrap(),
        metrics: Metrics::register(&mut Registry::default()),
        events: EventSink::none(),
    };
    OwnersWhoSend(Gateway::new(parts).unwrap())
}

fn john() -> Owner {
    Owner::new("john.doe@example.com")
}

#[tokio::test(start_paused = true)]
async fn who_logs_in_acts_for_himself_alone() {
    let folder = TempDir::new().unwrap();
    let owners = owners(&folder);
    for (acts_for, name, password, expected) in [
        ("", "JohnDoe", "secret", Authenticated::Owner(john())),
        ("john.doe@example.com", r"EXAMPLE\JohnDoe", "secret", Authenticated::Owner(john())),
        ("JaneDoe", "JohnDoe", "secret", Authenticated::Wrong),
        ("nobody", "JohnDoe", "secret", Authenticated::Wrong),
        ("", "JohnDoe", "Secret", Authenticated::Wrong),
        ("JohnDoe", "", "secret", Authenticated::Wrong),
    ] {
        let credentials = Credentials {
            acts_for: acts_for.to_owned(),
            name: name.to_owned(),
            password: Secret::new(password.to_owned()),
        };
        assert_eq!(owners.authenticate(&credentials, HERE).await, expected, "{name} for {acts_for}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_and_a_recipient_are_charged_to_their_owner_and_to_nobody_else() {
    let folder = TempDir::new().unwrap();
    let owners = owners(&folder);
    let named = owners.owner("JohnDoe").await.unwrap();
    assert_eq!(named, john());
    assert_eq!(owners.message(&named), Ok(()));
    assert_eq!(owners.message(&john()).unwrap_err().part, Part::MessageRate);
    assert_eq!(owners.recipients(&john(), 2), Ok(()));
    assert_eq!(owners.recipients(&john(), 1).unwrap_err().part, Part::RecipientRate);
    assert_eq!(owners.message(&Owner::new("jane.doe@example.com")), Ok(()));
}
