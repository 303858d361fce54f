//! What the domain name system said.

use std::fmt;
use std::net::IpAddr;

use weir_units::Micros;

/// One mail exchanger, as the record has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mx {
    /// The lower, the sooner it is tried.
    pub preference: u16,
    /// Its name, as it is written; `.` or nothing says that the domain takes no mail (RFC 7505).
    pub exchange: String,
}

/// MX records, and how long they hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MxRecords {
    /// The records, in the order of the answer.
    pub records: Vec<Mx>,
    /// How long they may be used.
    pub ttl: Micros,
}

/// The answer to a question for MX records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MxAnswer {
    /// There are some.
    Records(MxRecords),
    /// The domain exists and has none.
    None,
    /// There is no such domain.
    NoSuchDomain,
    /// Nobody knows.
    Failed(DnsFault),
}

/// Addresses of a host, and how long they hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// The addresses of both families, in the order of the answers.
    pub addresses: Vec<IpAddr>,
    /// How long they may be used.
    pub ttl: Micros,
}

/// The answer to a question for a host's addresses, of both families together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressAnswer {
    /// There are some.
    Addresses(Addresses),
    /// The name exists and has none.
    None,
    /// There is no such name.
    NoSuchDomain,
    /// Nobody knows.
    Failed(DnsFault),
}

/// Why nobody knows. All of these pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DnsFault {
    /// No name server answered in time.
    TimedOut,
    /// A name server failed (SERVFAIL).
    ServerFailure,
    /// A name server would not say (REFUSED).
    Refused,
    /// What was answered is no answer: cut, looping, or beyond our bounds.
    Malformed,
}

impl fmt::Display for DnsFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TimedOut => "no name server answered in time",
            Self::ServerFailure => "the name server failed",
            Self::Refused => "the name server refused to answer",
            Self::Malformed => "the name server's answer makes no sense",
        })
    }
}
