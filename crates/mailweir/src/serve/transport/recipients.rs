//! Who has a mailbox, as the directory says.
//!
//! A relay asks this for every recipient, so answers are remembered, and read again from the directory once its version
//! has moved (T14), which is looked after once a second. A directory that cannot be read leaves what was known before in
//! force for a while; about whom nothing is known, the sender is asked to come again.
//!
//! Domains that no organisation accepts are not ours, whoever the directory knows there. Somebody at a domain of ours
//! whom the directory does not know has no mailbox – or, before mail servers whose mailboxes the directory need not
//! list, one that they will tell of.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use weir_clock::Clock;
use weir_directory::{Directory, DirectoryError};
use weir_mta::organisation::{Answer, Recipients, Unavailable};
use weir_transport::routing::Lookup;
use weir_units::{Micros, Tick};
use weir_wire::smtp::{Host, Mailbox};

/// How long answers hold without a look at the directory's version.
const FRESH: Micros = Micros::SECOND;
/// How long they hold while the directory cannot be read.
const STALE: Micros = Micros::MINUTE.times(15);
/// Answers that are remembered; beyond it all are forgotten.
const MAX_REMEMBERED: usize = 10_000;

/// The directory's people, as recipients of mail.
pub(in crate::serve) struct PeopleWhoReceive {
    directory: Arc<dyn Directory>,
    accept_unknown: bool,
    clock: Clock,
    remembered: Mutex<Remembered>,
}

#[derive(Default)]
struct Remembered {
    /// The directory's version that the answers are of.
    version: Option<u64>,
    /// When it was that version last.
    seen: Tick,
    /// By address; by domain where it is not ours.
    answers: HashMap<String, Lookup>,
}

impl PeopleWhoReceive {
    /// The people of `directory`. With `accept_unknown` everybody at a domain of ours has a mailbox here.
    pub(in crate::serve) fn new(directory: Arc<dyn Directory>, accept_unknown: bool, clock: Clock) -> Self {
        Self { directory, accept_unknown, clock, remembered: Mutex::default() }
    }

    async fn look_up(&self, domain: &str, address: String) -> Result<Lookup, Unavailable> {
        let now = self.clock.tick();
        let (known, version, age) = self.remembered().find(domain, &address, now);
        if let Some(known) = known.clone().filter(|_| age < FRESH) {
            return Ok(known);
        }
        let question = Question {
            domain: domain.to_owned(),
            address,
            known: version.zip(known.clone()),
            accept_unknown: self.accept_unknown,
        };
        let directory = Arc::clone(&self.directory);
        let asked = tokio::task::spawn_blocking(move || (question.ask(directory.as_ref()), question)).await;
        let (answer, question) = asked.map_err(|_| Unavailable("the directory failed".into()))?;
        match (answer, known) {
            (Ok((version, lookup)), _) => {
                self.remembered().note(version, question.key(&lookup), lookup.clone(), now);
                Ok(lookup)
            }
            (Err(_), Some(known)) if age < STALE => Ok(known),
            (Err(error), _) => {
                tracing::warn!(%error, "a recipient could not be looked up");
                Err(Unavailable("the directory cannot be read at the moment".into()))
            }
        }
    }

    fn remembered(&self) -> MutexGuard<'_, Remembered> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recipients for PeopleWhoReceive {
    fn lookup<'a>(&'a self, address: &'a Mailbox) -> Answer<'a, Result<Lookup, Unavailable>> {
        Box::pin(async move {
            match address.host() {
                Host::Domain(domain) => self.look_up(domain, address.key()).await,
                Host::Literal(_) => Ok(Lookup::NotOurs),
            }
        })
    }
}

/// What the directory is asked about one recipient.
struct Question {
    domain: String,
    address: String,
    /// The answer that a version of the directory gave.
    known: Option<(u64, Lookup)>,
    accept_unknown: bool,
}

impl Question {
    /// The answer, and the directory's version; the answer may be of a later one.
    fn ask(&self, directory: &dyn Directory) -> Result<(u64, Lookup), DirectoryError> {
        let version = directory.version()?;
        if let Some((of, known)) = &self.known
            && *of == version
        {
            return Ok((version, known.clone()));
        }
        // A domain, not the short name of an organisation, which it would be found by too.
        let accepts = |home: &weir_directory::Home| home.domains.contains(&self.domain);
        if !directory.home(&self.domain)?.as_ref().is_some_and(accepts) {
            return Ok((version, Lookup::NotOurs));
        }
        let has_mailbox = self.accept_unknown || directory.resolve(&self.address)?.is_some();
        Ok((version, if has_mailbox { Lookup::Here } else { Lookup::NoSuchMailbox }))
    }

    /// By what the answer is remembered.
    fn key(self, answer: &Lookup) -> String {
        match answer {
            Lookup::NotOurs => self.domain,
            Lookup::Here | Lookup::At(_) | Lookup::NoSuchMailbox => self.address,
        }
    }
}

impl Remembered {
    /// What is known of an address, of which version of the directory, and how long ago it was of that version.
    fn find(&self, domain: &str, address: &str, now: Tick) -> (Option<Lookup>, Option<u64>, Micros) {
        let known = self.answers.get(domain).or_else(|| self.answers.get(address));
        (known.cloned(), self.version, now.since(self.seen))
    }

    fn note(&mut self, version: u64, key: String, answer: Lookup, now: Tick) {
        if self.version != Some(version) || self.answers.len() >= MAX_REMEMBERED {
            self.answers.clear();
        }
        (self.version, self.seen) = (Some(version), now);
        self.answers.insert(key, answer);
    }
}

#[cfg(test)]
mod tests;
