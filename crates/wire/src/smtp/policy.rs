//! Postfix's policy delegation: what a Postfix server asks before it takes a recipient or a message, and what it is told.
//!
//! A request is lines of `name=value` and an empty line; the answer is `action=…` and an empty line. With it Mailweir
//! holds owners to their limits at a Postfix that stays where it is.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::mailbox::{Mailbox, ReversePath};
use super::parameter::number;
use super::reply::{Class, Reply};

/// The most bytes of a request that are read.
pub const MAX_POLICY_REQUEST: usize = 32 * 1024;

/// The most attributes of a request. Postfix 3.7 sends 30.
pub const MAX_POLICY_ATTRIBUTES: usize = 100;

/// What a request of another kind would be called.
const KIND: &str = "smtpd_access_policy";

/// What Postfix asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyRequest {
    attributes: BTreeMap<String, String>,
}

/// What Postfix is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyAnswer {
    /// Nothing against it; other restrictions decide.
    Dunno,
    /// Say this to the client, a reply with a code from 400 on.
    Say(Reply),
}

/// Why what came is no request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// It never ends.
    #[error(
        "the policy request has more than {MAX_POLICY_REQUEST} bytes or {MAX_POLICY_ATTRIBUTES} attributes"
    )]
    TooLong,
    /// A line that is no attribute.
    #[error("a line of the policy request is no name=value")]
    Malformed,
    /// An attribute that is there twice.
    #[error("the policy request has the attribute {name} twice")]
    Repeated {
        /// Which.
        name: String,
    },
    /// A request of another kind, or none.
    #[error("the policy request is not of the kind {KIND}")]
    Kind,
}

/// Reads requests one after another.
///
/// ```
/// use weir_wire::smtp::policy::PolicyReader;
/// let mut reader = PolicyReader::default();
/// let mut input: &[u8] = b"request=smtpd_access_policy\nsasl_username=john\nrecipient_count=3\n\nrequest=";
/// let request = reader.next(&mut input)?.expect("it is complete");
/// assert_eq!((request.user(), request.recipient_count()), (Some("john"), 3));
/// assert_eq!(input, b"request=");
/// # Ok::<(), weir_wire::smtp::policy::PolicyError>(())
/// ```
#[derive(Debug, Default)]
pub struct PolicyReader {
    line: Vec<u8>,
    bytes: usize,
    request: PolicyRequest,
}

impl PolicyReader {
    /// The next request, taken from the front of `input`; nothing where all of `input` is used and none ends in it.
    ///
    /// # Errors
    /// [`PolicyError`]: the connection is to be closed, and Postfix goes by its own setting for a failing service.
    pub fn next(&mut self, input: &mut &[u8]) -> Result<Option<PolicyRequest>, PolicyError> {
        while let Some((&byte, rest)) = input.split_first() {
            *input = rest;
            self.bytes += 1;
            if self.bytes > MAX_POLICY_REQUEST {
                return Err(PolicyError::TooLong);
            }
            if byte != b'\n' {
                self.line.push(byte);
            } else if self.line.is_empty() {
                self.bytes = 0;
                let request = std::mem::take(&mut self.request);
                let known = request.value("request") == KIND;
                return if known { Ok(Some(request)) } else { Err(PolicyError::Kind) };
            } else {
                self.end_line()?;
            }
        }
        Ok(None)
    }

    fn end_line(&mut self) -> Result<(), PolicyError> {
        // Names of clients and the like may be of any bytes, and those are no reason to refuse an answer.
        let line = String::from_utf8_lossy(&self.line).replace(char::is_control, "?");
        self.line.clear();
        let (name, value) =
            line.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or(PolicyError::Malformed)?;
        let attributes = &mut self.request.attributes;
        if attributes.len() >= MAX_POLICY_ATTRIBUTES {
            return Err(PolicyError::TooLong);
        }
        match attributes.insert(name.to_owned(), value.to_owned()) {
            None => Ok(()),
            Some(_) => Err(PolicyError::Repeated { name: name.to_owned() }),
        }
    }
}

impl PolicyRequest {
    /// The value of an attribute; empty where it is not there, as Postfix writes what it does not know.
    pub fn value(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }

    /// Where in the session it is asked: `RCPT`, `DATA`, `END-OF-MESSAGE` and others.
    pub fn state(&self) -> &str {
        self.value("protocol_state")
    }

    /// Who is authenticated, by the name that he gave.
    pub fn user(&self) -> Option<&str> {
        Some(self.value("sasl_username")).filter(|name| !name.is_empty())
    }

    /// The sender; nothing where it is no address.
    pub fn sender(&self) -> Option<ReversePath> {
        match self.value("sender") {
            "" => Some(ReversePath::Null),
            sender => Some(ReversePath::Mailbox(sender.parse::<Mailbox>().ok()?)),
        }
    }

    /// The recipient, while recipients are asked about one by one; nothing where it is no address.
    pub fn recipient(&self) -> Option<Mailbox> {
        self.value("recipient").parse().ok()
    }

    /// How many recipients there are, from DATA on; 0 before.
    pub fn recipient_count(&self) -> u64 {
        number(self.value("recipient_count")).unwrap_or(0)
    }

    /// Where the client came from.
    pub fn client(&self) -> Option<IpAddr> {
        self.value("client_address").parse().ok()
    }

    /// What is the same in all requests about one delivery, and different in others.
    pub fn instance(&self) -> &str {
        self.value("instance")
    }
}

impl PolicyAnswer {
    /// Writes the answer behind `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        let action = match self {
            Self::Say(reply) if matches!(reply.code().class(), Class::NotNow | Class::Never) => {
                reply.to_string()
            }
            Self::Say(_) | Self::Dunno => "dunno".to_owned(),
        };
        out.extend_from_slice(format!("action={}\n\n", action.replace(char::is_control, "?")).as_bytes());
    }
}
