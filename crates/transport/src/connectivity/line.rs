//! What a line says.
//!
//! ```text
//! 2011-02-01T10:00:01.123Z,08CD9A2F00000012,SMTP,B,>,"Failed connection to 10.0.2.4:25 (hub04): Winsock error 10061; state=MarkedUnhealthy; CurrentFailureCount=1; NextRetryTime=2011-02-01T10:01:01.123Z"
//! ```
//!
//! Names and texts of peers stand in these lines, so each field is quoted where it has to be, and control characters
//! become spaces: a peer cannot write a line of its own.

use std::borrow::Cow;
use std::fmt;
use std::net::SocketAddr;

use jiff::Timestamp;
use weir_balance::{Failure, Mark};
use weir_units::{Tick, WallTime};

/// The most letters of a field that others write.
pub const MAX_FIELD: usize = 1_024;

/// The fields of a line.
const FIELDS: &str = "date-time,session,source,Destination,direction,description";

/// By which way a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// To another server.
    Smtp,
    /// Into a mailbox.
    MapiDelivery,
}

/// What a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// A connection begins.
    Connect,
    /// A connection has ended.
    Disconnect,
    /// What happens between.
    Send,
}

/// One event.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// When.
    pub at: WallTime,
    /// In which session.
    pub session: u64,
    /// By which way.
    pub source: Source,
    /// The next hop: a domain, a connector, a site, a server.
    pub destination: &'a str,
    /// What it is about.
    pub direction: Direction,
    /// What happened.
    pub description: Description<'a>,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum Description<'a> {
    /// A connection is wanted, of that delivery type.
    Wanted(&'a str),
    /// What a look-up brought.
    Resolved {
        /// The host.
        host: &'a str,
        /// Its addresses, or what went wrong.
        result: &'a str,
    },
    /// A target answers.
    Established {
        /// Its address.
        target: SocketAddr,
        /// Its name.
        name: &'a str,
    },
    /// A target does not answer, and is not marked for it: the fault is ours, or it is marked already.
    Failed {
        /// Its address.
        target: SocketAddr,
        /// Its name.
        name: &'a str,
        /// How it failed.
        failure: Failure,
    },
    /// A target was marked, or a retry of it failed.
    MarkedUnhealthy {
        /// Its line in the list of the unhealthy.
        mark: Mark,
        /// Its name.
        name: &'a str,
        /// What its ticks are on a clock on the wall.
        clock: Clock,
    },
    /// A target is off the list of the unhealthy.
    HealthyAgain {
        /// Its address.
        target: SocketAddr,
        /// Its name.
        name: &'a str,
        /// How often it failed.
        failures: u32,
    },
    /// No target may be tried for now.
    NoTarget {
        /// When one may be.
        until: WallTime,
    },
    /// A connection has ended.
    Closed {
        /// Messages that it carried.
        messages: u32,
        /// Bytes of them.
        bytes: u64,
        /// Why it ended.
        reason: &'a str,
    },
}

/// What ticks are on a clock on the wall: one moment, by both.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// The moment in ticks.
    pub tick: Tick,
    /// The moment in the world's time.
    pub wall: WallTime,
}

/// The lines that begin a file.
pub fn header(now: WallTime, version: &str) -> String {
    format!(
        "#Software: Mailweir\r\n#Version: {version}\r\n#Log-type: Transport Connectivity Log\r\n#Date: {}\r\n#Fields: \
         {FIELDS}\r\n",
        time(now)
    )
}

impl Clock {
    /// The world's time at a later `tick`.
    pub fn at(self, tick: Tick) -> WallTime {
        self.wall.plus(tick.since(self.tick))
    }
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = match self.source {
            Source::Smtp => "SMTP",
            Source::MapiDelivery => "MapiDelivery",
        };
        let direction = match self.direction {
            Direction::Connect => '+',
            Direction::Disconnect => '-',
            Direction::Send => '>',
        };
        let (at, session) = (time(self.at), self.session);
        let destination = quoted(&cut(self.destination)).into_owned();
        let description = self.description.to_string();
        let description = quoted(&description);
        write!(f, "{at},{session:016X},{source},{destination},{direction},{description}\r\n")
    }
}

impl fmt::Display for Description<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wanted(delivery) => f.write_str(delivery),
            Self::Resolved { host, result } => write!(f, "{}: {}", cut(host), cut(result)),
            Self::Established { target, name } => {
                write!(f, "Established connection to {target} ({})", cut(name))
            }
            Self::Failed { target, name, failure } => {
                write!(f, "Failed connection to {target} ({}): {}", cut(name), error(*failure))
            }
            Self::MarkedUnhealthy { mark, name, clock } => write!(
                f,
                "Failed connection to {} ({}): {}; state=MarkedUnhealthy; CurrentFailureCount={}; NextRetryTime={}",
                mark.address,
                cut(name),
                error(mark.failure),
                mark.failures,
                time(clock.at(mark.next_retry))
            ),
            Self::HealthyAgain { target, name, failures } => write!(
                f,
                "Established connection to {target} ({}); state=Healthy; FailureCount={failures}",
                cut(name)
            ),
            Self::NoTarget { until } => {
                write!(f, "All targets are unhealthy or out of service; NextRetryTime={}", time(*until))
            }
            Self::Closed { messages, bytes, reason } => {
                write!(f, "Messages: {messages} Bytes: {bytes} ({})", cut(reason))
            }
        }
    }
}

/// The Winsock code where there is one, and what happened in words elsewhere.
fn error(failure: Failure) -> String {
    failure.winsock().map_or_else(|| failure.to_string(), |code| format!("Winsock error {code}"))
}

fn time(at: WallTime) -> String {
    let at = Timestamp::from_microsecond(at.unix_micros()).unwrap_or(Timestamp::MIN);
    format!("{at:.3}")
}

/// What others wrote, on one line and no longer than it may be.
fn cut(text: &str) -> String {
    text.chars().take(MAX_FIELD).map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// A field as CSV has it (RFC 4180).
fn quoted(field: &str) -> Cow<'_, str> {
    if field.contains(['"', ',', ';']) {
        format!("\"{}\"", field.replace('"', "\"\"")).into()
    } else {
        field.into()
    }
}

#[cfg(test)]
mod tests;
