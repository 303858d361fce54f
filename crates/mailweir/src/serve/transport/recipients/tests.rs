use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tempfile::TempDir;
use weir_directory::{
    Account, Home, NewMailbox, NewOrganisation, PasswordCost, PolicyChain, Store, Verification,
};
use weir_units::{Owner, WallTime};

use super::*;

const MADE_AT: WallTime = WallTime::from_unix_micros(1_267_800_000_000_000);

/// A directory that counts who is looked up in it, and can be made to fail.
struct Watched {
    store: Store,
    asked: AtomicUsize,
    fails: AtomicBool,
    _folder: TempDir,
}

impl Watched {
    fn ask(&self) -> Result<(), DirectoryError> {
        let fails = self.fails.load(Ordering::Relaxed);
        if fails { Err(DirectoryError { why: "no disk".to_owned() }) } else { Ok(()) }
    }
}

impl Directory for Watched {
    fn resolve(&self, name: &str) -> Result<Option<Account>, DirectoryError> {
        self.ask()?;
        self.store.resolve(name)
    }

    fn verify(&self, name: &str, password: &str) -> Result<Verification, DirectoryError> {
        self.store.verify(name, password)
    }

    fn people(&self, prefix: &str, asker: &Account, max: usize) -> Result<Vec<Account>, DirectoryError> {
        self.store.people(prefix, asker, max)
    }

    fn policy_of(&self, owner: &Owner) -> Result<PolicyChain, DirectoryError> {
        self.store.policy_of(owner)
    }

    fn home(&self, name: &str) -> Result<Option<Home>, DirectoryError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.ask()?;
        self.store.home(name)
    }

    fn version(&self) -> Result<u64, DirectoryError> {
        self.ask()?;
        self.store.version()
    }
}

/// An organisation with John, who has a second address.
fn directory() -> Arc<Watched> {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_with(folder.path().join("directory.sqlite3"), PasswordCost::LEAST).unwrap();
    let domains = ["example.com", "example.org"];
    let wanted = NewOrganisation { name: "example.com", short_name: "EXAMPLE", domains: &domains };
    store.new_organisation(&wanted).unwrap();
    new_mailbox(&store, "john.doe@example.com");
    store.add_address("john.doe@example.com", "jd@example.org").unwrap();
    Arc::new(Watched { store, asked: AtomicUsize::new(0), fails: AtomicBool::new(false), _folder: folder })
}

fn new_mailbox(store: &Store, address: &str) {
    let wanted = NewMailbox { address, alias: None, display_name: None, password: None };
    store.new_mailbox(&wanted, MADE_AT).unwrap();
}

fn people(directory: &Arc<Watched>, accept_unknown: bool) -> PeopleWhoReceive {
    let directory = Arc::<Watched>::clone(directory);
    PeopleWhoReceive::new(directory, accept_unknown, Clock::pretended(MADE_AT))
}

async fn ask(people: &PeopleWhoReceive, address: &str) -> Result<Lookup, Unavailable> {
    people.lookup(&address.parse().unwrap()).await
}

#[tokio::test]
async fn a_recipient_is_here_unknown_here_or_elsewhere() {
    let directory = directory();
    let (strict, open) = (people(&directory, false), people(&directory, true));
    let (here, not_ours) = (Lookup::Here, Lookup::NotOurs);
    for (address, refusing, accepting) in [
        ("John.Doe@Example.COM", here.clone(), here.clone()),
        ("jd@example.org", here.clone(), here.clone()),
        ("nobody@example.com", Lookup::NoSuchMailbox, here.clone()),
        ("john.doe+detail@example.com", Lookup::NoSuchMailbox, here),
        ("john.doe@elsewhere.example", not_ours.clone(), not_ours.clone()),
        ("john.doe@sub.example.com", not_ours.clone(), not_ours.clone()),
        ("john.doe@example", not_ours.clone(), not_ours.clone()),
        ("john.doe@[192.0.2.1]", not_ours.clone(), not_ours),
    ] {
        assert_eq!(ask(&strict, address).await.unwrap(), refusing, "{address}");
        assert_eq!(ask(&open, address).await.unwrap(), accepting, "{address}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_directory_is_asked_once_and_again_after_it_changed() {
    let directory = directory();
    let people = people(&directory, false);
    let asked = || directory.asked.load(Ordering::Relaxed);
    for address in ["jane@example.com", "jane@example.com", "a@elsewhere.example", "b@elsewhere.example"] {
        ask(&people, address).await.unwrap();
    }
    assert_eq!(asked(), 2, "a domain that is not ours once, whoever is there");
    tokio::time::advance(Duration::from_secs(2)).await;
    assert_eq!(ask(&people, "jane@example.com").await.unwrap(), Lookup::NoSuchMailbox);
    assert_eq!(asked(), 2, "the version is the same");
    new_mailbox(&directory.store, "jane@example.com");
    tokio::time::advance(Duration::from_secs(2)).await;
    assert_eq!(ask(&people, "jane@example.com").await.unwrap(), Lookup::Here);
    assert_eq!(asked(), 3);
}

#[tokio::test(start_paused = true)]
async fn while_the_directory_fails_the_last_answer_holds_for_a_while() {
    let directory = directory();
    let people = people(&directory, false);
    ask(&people, "john.doe@example.com").await.unwrap();
    directory.fails.store(true, Ordering::Relaxed);
    tokio::time::advance(Duration::from_mins(14)).await;
    assert_eq!(ask(&people, "john.doe@example.com").await.unwrap(), Lookup::Here);
    ask(&people, "jane@example.com").await.expect_err("nothing is known of her");
    tokio::time::advance(Duration::from_mins(2)).await;
    let told = ask(&people, "john.doe@example.com").await.expect_err("too long ago");
    assert_eq!(told.to_string(), "the directory cannot be read at the moment");
}

#[test]
fn what_is_remembered_has_a_bound() {
    let mut remembered = Remembered::default();
    for number in 0..=MAX_REMEMBERED {
        remembered.note(1, number.to_string(), Lookup::NotOurs, Tick::START);
    }
    assert_eq!(remembered.answers.len(), 1);
}
