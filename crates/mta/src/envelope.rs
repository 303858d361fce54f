//! What the durable queue keeps of a message beside its body: the envelope, and how it stands with each recipient.
//!
//! Both are JSON, so that a later release reads what an earlier one wrote, and an administrator can. Sender and
//! recipients stand in it as the very SMTP commands they came in: one parser reads them, whether from a socket or from
//! a disk.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use weir_transport::shadow::{Shadow, ShadowId};
use weir_units::WallTime;
use weir_wire::smtp::{Command, CommandError, Extension, Extensions, Mail, Recipient};

/// Why bytes are no envelope.
#[derive(Debug, thiserror::Error)]
pub enum EnvelopeError {
    /// No JSON of that shape.
    #[error("malformed: {0}")]
    Json(#[from] serde_json::Error),
    /// A command that is none.
    #[error("the command {line:?}: {why}")]
    Command {
        /// What stands there.
        line: String,
        /// Why it is none.
        why: CommandError,
    },
    /// Another command than it has to be.
    #[error("{line:?} stands where another command has to")]
    Misplaced {
        /// What stands there.
        line: String,
    },
}

/// Whom a message is from and for, and how it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Whom it is from, with the parameters that it came with; the shadow's name among them.
    pub mail: Mail,
    /// Whom it is for, each with his parameters.
    pub recipients: Vec<Recipient>,
    /// When it was accepted.
    pub accepted: WallTime,
    /// Its size in bytes, with our own `Received` field.
    pub bytes: u64,
    /// Whether it has bytes beyond ASCII.
    pub eight_bit: bool,
    /// Where it came in.
    pub origin: Provenance,
}

/// Where a message came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The client's address; none for a message that was written here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<IpAddr>,
    /// The receive connector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connector: Option<String>,
    /// Who logged in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The own server that handed it over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
}

/// How it stands with one recipient.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Standing {
    /// He has not got it yet.
    Waiting(Waiting),
    /// A partner has it; we keep it until the partner says that it went onward (H12).
    Shadow(ShadowState),
    /// Nothing is left to be done.
    Done,
}

/// What is known of a recipient who has not got his message yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// Attempts in vain.
    #[serde(default)]
    pub attempts: u32,
    /// What went wrong last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether the peer itself deferred him, so that no recovery of a target makes him go sooner (H6).
    #[serde(default)]
    pub by_peer: bool,
    /// Whether his sender heard that the message is late.
    #[serde(default)]
    pub delay_noticed: bool,
    /// How often the process died while it worked on him (H15, poison).
    #[serde(default)]
    pub crashes: u32,
}

/// A shadow (H12): the fields of [`weir_transport::shadow::Shadow`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShadowState {
    /// Who has the message.
    pub partner: String,
    /// What we call it to him.
    pub shadow: String,
    /// His queue database.
    pub database: String,
    /// Since when, in microseconds of Unix time.
    pub since: i64,
    /// By which next hop it went there, in one word.
    #[serde(default)]
    pub next_hop: String,
}

/// The kind of what is no message.
const NOTICES: &str = "notices";

#[derive(Serialize, Deserialize)]
struct Other {
    kind: String,
}

#[derive(Serialize, Deserialize)]
struct Written {
    mail: String,
    recipients: Vec<String>,
    accepted: i64,
    bytes: u64,
    eight_bit: bool,
    #[serde(default)]
    origin: Provenance,
}

impl Envelope {
    /// The recipient at `place`, counted from 0 as the durable queue counts them.
    pub fn recipient(&self, place: u32) -> Option<&Recipient> {
        self.recipients.get(usize::try_from(place).ok()?)
    }

    /// The bytes that the durable queue keeps.
    pub fn to_bytes(&self) -> Vec<u8> {
        let written = Written {
            mail: line(&Command::Mail(self.mail.clone())),
            recipients: self.recipients.iter().map(|to| line(&Command::Recipient(to.clone()))).collect(),
            accepted: self.accepted.unix_micros(),
            bytes: self.bytes,
            eight_bit: self.eight_bit,
            origin: self.origin.clone(),
        };
        // Strings and numbers: nothing in it can fail.
        serde_json::to_vec(&written).unwrap_or_default()
    }

    /// The envelope that the durable queue kept.
    ///
    /// # Errors
    /// [`EnvelopeError`] where the bytes are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, EnvelopeError> {
        let written: Written = serde_json::from_slice(bytes)?;
        let all = everything();
        let Command::Mail(mail) = command(&written.mail, &all)? else {
            return Err(EnvelopeError::Misplaced { line: written.mail });
        };
        let recipients = written.recipients.into_iter().map(|line| {
            let Command::Recipient(recipient) = command(&line, &all)? else {
                return Err(EnvelopeError::Misplaced { line });
            };
            Ok(recipient)
        });
        Ok(Self {
            mail,
            recipients: recipients.collect::<Result<_, _>>()?,
            accepted: WallTime::from_unix_micros(written.accepted),
            bytes: written.bytes,
            eight_bit: written.eight_bit,
            origin: written.origin,
        })
    }
}

impl ShadowState {
    /// It as decisions take it; nothing where a name in it is none.
    pub(crate) fn shadow(&self) -> Option<Shadow> {
        let [partner, shadow, database] =
            [&self.partner, &self.shadow, &self.database].map(|name| name.parse::<ShadowId>().ok());
        let since = WallTime::from_unix_micros(self.since);
        Some(Shadow { partner: partner?, shadow: shadow?, database: database?, since })
    }
}

impl Standing {
    /// Nobody tried yet.
    pub fn fresh() -> Self {
        Self::Waiting(Waiting::default())
    }

    /// The bytes that the durable queue keeps.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// The state that the durable queue kept.
    ///
    /// # Errors
    /// [`EnvelopeError`] where the bytes are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, EnvelopeError> {
        Ok(serde_json::from_slice(bytes)?)
    }
}

/// What stands in the place of an envelope where the durable queue keeps no message but notices of shadow redundancy
/// (H12): its recipients' states are these.
pub(crate) fn of_notices() -> Vec<u8> {
    serde_json::to_vec(&Other { kind: NOTICES.into() }).unwrap_or_default()
}

/// Whether these are [`of_notices`].
pub(crate) fn is_of_notices(bytes: &[u8]) -> bool {
    serde_json::from_slice::<Other>(bytes).is_ok_and(|other| other.kind == NOTICES)
}

fn line(command: &Command) -> String {
    let mut bytes = Vec::new();
    command.write(&mut bytes);
    String::from_utf8_lossy(&bytes).trim_end().to_owned()
}

fn command(line: &str, offered: &Extensions) -> Result<Command, EnvelopeError> {
    Command::parse(line.as_bytes(), offered)
        .map_err(|why| EnvelopeError::Command { line: line.to_owned(), why })
}

/// Every parameter is understood, whatever was offered when it came.
fn everything() -> Extensions {
    let mechanisms = vec![weir_wire::smtp::Mechanism::Plain];
    Extensions { keywords: Extension::ALL.into(), size: Some(0), mechanisms }
}

#[cfg(test)]
mod tests;
