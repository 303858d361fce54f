//! What one name server's answers come to.
//!
//! Only records of the name that was asked for count, or of the name that its aliases lead to. An alias without records
//! is asked about in turn; there may be [`ALIASES_MAX`] of them, so that a circle ends. What speaks of other names, or
//! sends us to other name servers, is a fault and never a no: a no bounces mail.

use hickory_resolver::net::{DnsError, NetError, NoRecords};
use hickory_resolver::proto::op::{DnsResponse, Message, ResponseCode};
use hickory_resolver::proto::rr::{Name, RData, Record, RecordType};
use weir_transport::Domain;
use weir_transport::next_hop::DnsFault;
use weir_units::Micros;

/// The most aliases between a name and its records.
const ALIASES_MAX: usize = 8;

/// What a name server says plainly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// There are some.
    Records(Records),
    /// The name exists and has none.
    None,
    /// There is no such name.
    NoSuchName,
}

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Records {
    /// At least one.
    pub(super) data: Vec<RData>,
    /// How long they hold, with the aliases that led to them.
    pub(super) ttl: Micros,
}

/// The way from a name over its aliases.
#[derive(Debug)]
pub(super) struct Trail {
    name: Name,
    kind: RecordType,
    aliases: usize,
    ttl: u32,
}

impl Reply {
    /// What needs no name server, and holds for as long as anything does.
    pub(super) fn known(data: Vec<RData>) -> Self {
        if data.is_empty() { Self::None } else { Self::Records(Records { data, ttl: Micros::new(u64::MAX) }) }
    }
}

impl Trail {
    /// The beginning: records of that `kind` are wanted of `name`.
    pub(super) const fn new(name: Name, kind: RecordType) -> Self {
        Self { name, kind, aliases: 0, ttl: u32::MAX }
    }

    /// What is to be asked about.
    pub(super) const fn name(&self) -> &Name {
        &self.name
    }

    /// Goes on by an answer. Nothing where another name is to be asked about.
    ///
    /// # Errors
    /// The answer is none, or leads too far.
    pub(super) fn read(&mut self, answer: Result<DnsResponse, NetError>) -> Result<Option<Reply>, DnsFault> {
        let message = match answer {
            Ok(response) => response.into_message(),
            Err(error) => return without_answer(&error).map(Some),
        };
        let before = self.aliases;
        loop {
            if let Some(records) = self.records(&message) {
                return Ok(Some(Reply::Records(records)));
            }
            let Some((target, ttl)) = self.alias(&message) else { break };
            self.aliases += 1;
            if self.aliases > ALIASES_MAX {
                return Err(DnsFault::Malformed);
            }
            (self.name, self.ttl) = (target, self.ttl.min(ttl));
        }
        if message.response_code == ResponseCode::NXDomain {
            Ok(Some(Reply::NoSuchName))
        } else if message.authorities.iter().any(|record| record.record_type() == RecordType::SOA) {
            Ok(Some(Reply::None))
        } else if self.aliases > before {
            Ok(None)
        } else {
            Err(DnsFault::Malformed)
        }
    }

    fn records(&self, message: &Message) -> Option<Records> {
        let is_wanted = |record: &&Record| record.name == self.name && record.record_type() == self.kind;
        let found: Vec<&Record> = message.answers.iter().filter(is_wanted).collect();
        let ttl = found.iter().map(|record| record.ttl).min()?.min(self.ttl);
        let data = found.into_iter().map(|record| record.data.clone()).collect();
        Some(Records { data, ttl: Micros::SECOND.times(ttl.into()) })
    }

    fn alias(&self, message: &Message) -> Option<(Name, u32)> {
        message.answers.iter().filter(|record| record.name == self.name).find_map(|record| {
            let RData::CNAME(target) = &record.data else { return None };
            Some((target.0.clone(), record.ttl))
        })
    }
}

/// What it means that there is no answer with records in it.
fn without_answer(error: &NetError) -> Result<Reply, DnsFault> {
    if let NetError::Dns(DnsError::NoRecordsFound(none)) = error {
        without_records(none)
    } else if let NetError::Dns(DnsError::ResponseCode(ResponseCode::Refused)) = error {
        Err(DnsFault::Refused)
    } else if let NetError::Dns(_) = error {
        Err(DnsFault::ServerFailure)
    } else if let NetError::Timeout | NetError::NoConnections | NetError::Io(_) | NetError::Busy = error {
        Err(DnsFault::TimedOut)
    } else {
        Err(DnsFault::Malformed)
    }
}

fn without_records(none: &NoRecords) -> Result<Reply, DnsFault> {
    // Other name servers, and no word about the name: this one does not look further for us.
    let is_referral = none.soa.is_none() && none.ns.is_some();
    if none.response_code == ResponseCode::NXDomain {
        Ok(Reply::NoSuchName)
    } else if none.response_code == ResponseCode::NoError && !is_referral {
        Ok(Reply::None)
    } else {
        Err(DnsFault::ServerFailure)
    }
}

/// The name as it is asked for; nothing where no name can be written so.
pub(super) fn name_of(domain: &Domain) -> Option<Name> {
    let mut name = Name::from_ascii(domain.as_str()).ok()?;
    name.set_fqdn(true);
    Some(name)
}
