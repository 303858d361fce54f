//! Which client programs are kept out (R16).
//!
//! A rule names a protocol, a program as its clients introduce themselves, and perhaps a range of versions. What a client
//! says of itself is believed, since a client that lies about its name is a matter for passwords: the list is there
//! to keep out what is known to do harm – an indexer, an old version with a fault – and to tell its user why.
//!
//! | protocol | a client is known by |
//! |---|---|
//! | MAPI | `X-ClientApplication`, and the process that it names when it connects (R17) |
//! | `ActiveSync` | its kind of device, or its `User-Agent` |
//! | HTTP | its `User-Agent`, on every other path |
//!
//! Pure: an administrator's rules and a client's words go in, the first rule that holds comes out.

mod pattern;
mod versions;

pub use pattern::{MOST_PATTERN, Pattern, PatternError};
use pattern::{version_after, words};
use versions::Version;
pub use versions::{RangeError, VersionRange};

/// The most rules that are heeded; more are refused when the configuration is read.
pub const MOST_RULES: usize = 200;

/// The longest message of a rule, in characters.
pub const MOST_MESSAGE: usize = 500;

/// What a client hears where the rule has no words of its own.
const MESSAGE: &str = "The administrator of this mail server does not admit this program or this version of it. Use \
                       another one, or ask the administrator.";

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Protocol {
    /// MAPI over HTTP.
    Mapi,
    /// HTTP on every path that is neither MAPI's nor `ActiveSync`'s.
    Http,
    /// `ActiveSync`.
    Eas,
}

impl Protocol {
    /// Every protocol.
    pub const ALL: [Self; 3] = [Self::Mapi, Self::Http, Self::Eas];

    /// The name as the configuration and metrics spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mapi => "mapi",
            Self::Http => "http",
            Self::Eas => "eas",
        }
    }
}

/// One entry of the list. Everything that it names has to be there; one that names neither program nor process keeps
/// nobody out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What it is about.
    pub protocol: Protocol,
    /// The program, as it introduces itself.
    pub program: Option<Pattern>,
    /// The process; MAPI clients alone tell it.
    pub process: Option<Pattern>,
    /// The versions; nothing is all of them. A client that states none counts as older than any.
    pub versions: Option<VersionRange>,
    /// What the client is told.
    pub message: Option<String>,
}

impl Rule {
    /// What the client is told.
    pub fn message(&self) -> &str {
        self.message.as_deref().unwrap_or(MESSAGE)
    }

    /// Whether it holds for a client that says this of its program, its process and, elsewhere, its version.
    fn holds(&self, program: &[&str], process: Option<&[&str]>, elsewhere: Option<Version>) -> bool {
        let is_process =
            |pattern: &Pattern| process.is_some_and(|words| pattern.ends(words).next().is_some());
        if !self.process.as_ref().is_none_or(is_process) {
            return false;
        }
        if let Some(pattern) = &self.program {
            let versions = pattern.ends(program).map(|end| version_after(program, end).or(elsewhere));
            in_range(self.versions.as_ref(), versions)
        } else {
            let version = std::iter::once(first_version(program));
            self.process.is_some() && in_range(self.versions.as_ref(), version)
        }
    }
}

/// Whether one of the versions that a program was found with is in the range. Where it states none anywhere, it counts as
/// older than any.
fn in_range(range: Option<&VersionRange>, found: impl Iterator<Item = Option<Version>>) -> bool {
    let mut found = found.peekable();
    let Some(range) = range else { return found.peek().is_some() };
    let (mut is_found, mut is_stated) = (false, false);
    for version in found {
        is_found = true;
        if let Some(version) = version {
            is_stated = true;
            if range.contains(version) {
                return true;
            }
        }
    }
    is_found && !is_stated && range.contains(Version::UNSTATED)
}

fn first_version(words: &[&str]) -> Option<Version> {
    words.iter().find_map(|word| Version::stated(word))
}

/// The programs that are kept out, in the administrator's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockList(Vec<Rule>);

/// A rule that holds, and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocked<'a> {
    /// The rule.
    pub rule: &'a Rule,
    /// Its place in the list, from 1 on.
    pub number: u64,
}

impl BlockList {
    /// A list of these rules, of which the first [`MOST_RULES`] are heeded.
    pub fn new(mut rules: Vec<Rule>) -> Self {
        rules.truncate(MOST_RULES);
        Self(rules)
    }

    /// Whether it has a rule about the protocol.
    pub fn concerns(&self, protocol: Protocol) -> bool {
        self.0.iter().any(|rule| rule.protocol == protocol)
    }

    /// The rule that keeps out an HTTP client with this `User-Agent`.
    pub fn http(&self, user_agent: Option<&str>) -> Option<Blocked<'_>> {
        let mut rules = self.rules(Protocol::Http)?;
        let words = words(user_agent?);
        rules.find(|blocked| blocked.rule.holds(&words, None, None))
    }

    /// The rule that keeps out an `ActiveSync` client of this kind of device and with this `User-Agent`. The kind says no
    /// version: where it is the one that is named, the version is the first one of the `User-Agent`.
    pub fn eas(&self, device_type: Option<&str>, user_agent: Option<&str>) -> Option<Blocked<'_>> {
        let mut rules = self.rules(Protocol::Eas)?;
        let (device, agent) = (words(device_type.unwrap_or("")), words(user_agent.unwrap_or("")));
        let version = first_version(&agent);
        rules
            .find(|Blocked { rule, .. }| rule.holds(&device, None, version) || rule.holds(&agent, None, None))
    }

    /// The rule that keeps out a MAPI client of this `X-ClientApplication`, or a user agent in its place, that runs in
    /// this process.
    ///
    /// ```
    /// use weir_gateway::block::{BlockList, Protocol, Rule};
    /// let list = BlockList::new(vec![Rule {
    ///     protocol: Protocol::Mapi,
    ///     program: Some("Outlook".parse()?),
    ///     process: None,
    ///     versions: Some("-14".parse()?),
    ///     message: None,
    /// }]);
    /// assert!(list.mapi(Some("Outlook/14.0.7268.5000"), Some("OUTLOOK.EXE")).is_some());
    /// assert!(list.mapi(Some("Outlook/15.0.4420.1017"), Some("OUTLOOK.EXE")).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn mapi(&self, client_application: Option<&str>, process: Option<&str>) -> Option<Blocked<'_>> {
        let mut rules = self.rules(Protocol::Mapi)?;
        let program = words(client_application.unwrap_or(""));
        let process = process.map(words);
        rules.find(|blocked| blocked.rule.holds(&program, process.as_deref(), None))
    }

    /// The rules of the protocol, if there are any.
    fn rules(&self, protocol: Protocol) -> Option<impl Iterator<Item = Blocked<'_>>> {
        let all = (1..).zip(&self.0).map(|(number, rule)| Blocked { rule, number });
        let mut rules = all.filter(move |blocked| blocked.rule.protocol == protocol).peekable();
        rules.peek()?;
        Some(rules)
    }
}

#[cfg(test)]
mod tests;
