//! The request log: one line a request, in the W3C extended format (T17).
//!
//! A [`Line`] is a value that prints itself exactly as the documents show such a line, with the budget before and
//! after the call in the column `cs-uri-query` and our own fields behind. Whatever a client sends – a name, a path, a
//! user agent – is escaped and cut, so that one request is always one line of the same number of columns.
//!
//! [`RequestLog`] hands lines to a thread of its own, which writes them at once. A request never waits for the disk:
//! when the disk does not keep up, lines are dropped and counted.

use std::fmt;
use std::net::IpAddr;

use jiff::Timestamp;
use jiff::tz::Offset;
use weir_throttle::Evidence;
use weir_units::{Component, Micros, Part, Tick, WallTime};

mod address;
mod compress;
mod correlation;
mod day;
mod escape;
mod files;
mod queue;
pub mod search;
mod writer;

pub use address::anonymised;
pub use correlation::{RequestId, RequestIds};
use escape::{Column, Value};
pub use weir_throttle::Verdict;
pub use writer::{LogError, LogSettings, RequestLog};

/// The columns, in their order.
pub const FIELDS: &str = "date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) \
                          sc-status sc-substatus sc-win32-status time-taken";

/// What the log says about one request. `S` is a budget's snapshot, or anything that prints like one.
#[derive(Clone, Debug)]
pub struct Line<'a, S> {
    /// When the request ended.
    pub at: WallTime,
    /// The address that it came to.
    pub server: IpAddr,
    /// The port that it came to.
    pub port: u16,
    /// The HTTP method.
    pub method: &'a str,
    /// The path, without query.
    pub path: &'a str,
    /// The caller's name, as he gave it; nothing before his credential was accepted.
    pub user: Option<&'a str>,
    /// The address that it came from.
    pub client: IpAddr,
    /// What the client says that it is.
    pub user_agent: Option<&'a str>,
    /// The HTTP status of the answer.
    pub status: u16,
    /// From the request's first byte to the answer's last.
    pub taken: Micros,
    /// What the budgets say about it.
    pub call: CallFields<'a, S>,
    /// Our further fields.
    pub own: OwnFields<'a>,
}

/// What the documents' column `cs-uri-query` holds.
#[derive(Clone, Debug)]
pub struct CallFields<'a, S> {
    /// The request's correlation id, which goes along into traces, events and the request to the origin.
    pub id: RequestId,
    /// The budget before the call took its place; nothing where it was charged to nobody.
    pub init: Option<S>,
    /// The budget before the call gave its place back.
    pub end: Option<S>,
    /// The operation, as `GetDelegate`; nothing where the request named none.
    pub operation: Option<&'a str>,
    /// Operations at the origin, and the time they took.
    pub rpc: Counted,
    /// Directory look-ups, and the time they took.
    pub ldap: Counted,
    /// The time between the two snapshots.
    pub elapsed: Micros,
}

/// A number of things done, and the time all of them took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// How many.
    pub count: u64,
    /// How long, together.
    pub took: Micros,
}

/// What stands behind the documents' fields: why the call was treated as it was, for a replay (T22).
#[derive(Clone, Copy, Debug)]
pub struct OwnFields<'a> {
    /// How long we made the caller wait, all waits together.
    pub waited: Micros,
    /// How long it waited for places at the origin; part of that.
    pub queued: Micros,
    /// The part that made it wait or refused it.
    pub why: Option<Part>,
    /// The policy in force.
    pub policy: Option<&'a str>,
    /// What was decided.
    pub verdict: Verdict,
    /// The how manieth request of this process it is, counted by arrival.
    pub sequence: u64,
    /// When it arrived.
    pub tick: Tick,
    /// Whose limits hold; nothing where nothing is charged.
    pub component: Option<Component>,
    /// What it was charged, by [`weir_units::TimePart::index`].
    pub cost: [Micros; 4],
    /// How many items and folders its finds brought, and whether the client pages.
    pub found: Option<(u64, bool)>,
    /// What the verdict was decided on.
    pub evidence: &'a Evidence,
}

/// Without the line feed at its end.
impl<S: fmt::Display> fmt::Display for Line<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let server = self.server.to_canonical();
        let client = self.client.to_canonical();
        let (method, path) = (Column(self.method), Column(self.path));
        let user = Column(self.user.unwrap_or_default());
        let user_agent = Column(self.user_agent.unwrap_or_default());
        write!(f, "{} {server} {method} {path} {}{} ", Moment(self.at), self.call, self.own)?;
        write!(f, "{} {user} {client} {user_agent} {} 0 0 ", self.port, self.status)?;
        self.taken.floor_millis().count().fmt(f)
    }
}

impl<S: fmt::Display> fmt::Display for CallFields<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ";RC:{};", self.id)?;
        if let Some(init) = &self.init {
            write!(f, "Init>>{init};")?;
        }
        match self.operation {
            Some(operation) => write!(f, "SoapAction=m:{};Version=1;", Value(operation))?,
            None => f.write_str("SoapAction=-;Version=1;")?,
        }
        write!(f, "RpcC={};RpcL={};", self.rpc.count, self.rpc.took.floor_millis().count())?;
        write!(f, "LdapC={};LdapL={};", self.ldap.count, self.ldap.took.floor_millis().count())?;
        let micros = self.elapsed.count();
        write!(f, "End({}.{:02}ms)", micros / 1000, micros % 1000 / 10)?;
        match &self.end {
            Some(end) => write!(f, ">>{end};"),
            None => f.write_str(";"),
        }
    }
}

impl fmt::Display for OwnFields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Waited={}ms;", self.waited.floor_millis().count())?;
        match self.queued.floor_millis().count() {
            0 => {}
            millis => write!(f, "Queued={millis}ms;")?,
        }
        write!(f, "Why={};", self.why.map_or("-", Part::name))?;
        write!(f, "Policy={};Verdict={};", Value(self.policy.unwrap_or_default()), self.verdict.name())?;
        write!(f, "Seq={};Tick={};", self.sequence, self.tick.micros())?;
        let [ad, cas, address_book, mailbox_rpc] = self.cost.map(Micros::count);
        let component = self.component.map_or("-", Component::name);
        write!(f, "Component={component};Cost={ad}/{cas}/{address_book}/{mailbox_rpc};")?;
        match self.found {
            None => {}
            Some((found, true)) => write!(f, "Found={found}/paged;")?,
            Some((found, false)) => write!(f, "Found={found}/whole;")?,
        }
        write!(f, "Saw={};", self.evidence)
    }
}

/// Date and time in UTC, as two columns.
struct Moment(WallTime);

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = Timestamp::from_second(self.0.unix_seconds()).unwrap_or_default();
        let time = Offset::UTC.to_datetime(time);
        write!(f, "{:04}-{:02}-{:02} ", time.year(), time.month(), time.day())?;
        write!(f, "{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second())
    }
}

#[cfg(test)]
mod tests;
