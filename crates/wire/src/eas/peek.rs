//! Whether a call hangs (T25), from its command and its body.
//!
//! `Ping` waits for `HeartbeatInterval` seconds. `Sync` waits where its own child says so: `Wait` in minutes, from 1 to
//! 59, or `HeartbeatInterval` in seconds, never both (MS-ASCMD, sections 2.2.3.88 and 2.2.3.198). Such a child may
//! stand behind the collections, so the body is followed to the end of its root, byte by byte, and nothing is kept. A
//! `Ping` or `Sync` without a body repeats the one before (section 2.2.1.21.1).
//!
//! A `Sync` that is not understood is work, which is charged: nobody gets away by a body that only the origin can read.
//! A `Ping` has no work to hide and always hangs.

#[cfg(test)]
mod tests;

use weir_units::Millis;

use super::command::Command;
use super::wbxml::{NotUnderstood, Scanner, Token};

/// How much of a body is followed, in bytes. A `Sync` that has not said by then that it waits carries changes of
/// its own by the score, and is work.
pub const MAX_FOLLOWED: usize = 64 * 1024;

/// How deep elements may nest: an item's parts reach nine.
const MAX_DEPTH: u8 = 32;

/// Elements by code page and tag (MS-ASWBXML, sections 2.1.2.1.1 and 2.1.2.1.14).
mod name {
    /// `AirSync:Sync`.
    pub(super) const SYNC: (u8, u8) = (0, 0x05);
    /// `AirSync:Commands`, the changes that the client made.
    pub(super) const COMMANDS: (u8, u8) = (0, 0x16);
    /// `AirSync:Wait`, in minutes.
    pub(super) const WAIT: (u8, u8) = (0, 0x24);
    /// `AirSync:HeartbeatInterval`, in seconds.
    pub(super) const SYNC_HEARTBEAT: (u8, u8) = (0, 0x29);
    /// `Ping:Ping`.
    pub(super) const PING: (u8, u8) = (13, 0x05);
    /// `Ping:HeartbeatInterval`, in seconds.
    pub(super) const PING_HEARTBEAT: (u8, u8) = (13, 0x08);
}

/// The kinds of call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// One that works from its beginning to its end.
    Works,
    /// One that waits for events.
    Hangs {
        /// How long it asks to wait; nothing where the origin remembers that from a call before.
        interval: Option<Millis>,
        /// Whether it brings changes of its own, which the origin must work on before it can wait.
        changes: bool,
    },
}

impl Call {
    /// One that waits for as long as the one before it.
    const AS_BEFORE: Self = Self::Hangs { interval: None, changes: false };
}

/// Follows the body of one call.
///
/// ```
/// use weir_units::Millis;
/// use weir_wire::eas::{Call, Command, HangPeek};
/// let body = [3, 1, 0x6A, 0, 0, 13, 0x45, 0x48, 3, b'8', b'0', 0, 1, 1];
/// let mut peek = HangPeek::new(Command::Ping);
/// assert_eq!(peek.feed(&body[..9]), None);
/// let hangs = Call::Hangs { interval: Some(Millis::new(80_000)), changes: false };
/// assert_eq!(peek.feed(&body[9..]), Some(hangs));
/// assert_eq!(HangPeek::new(Command::Sync).finish(), Call::Hangs { interval: None, changes: false });
/// assert_eq!(HangPeek::new(Command::Search).known(), Some(Call::Works));
/// ```
#[derive(Debug)]
pub struct HangPeek {
    asks: Asks,
    scanner: Scanner,
    followed: usize,
    depth: u8,
    /// The child of the root that the place is in, if it is one that says how long to wait.
    reading: Option<Unit>,
    number: Number,
    interval: Interval,
    changes: bool,
    known: Option<Call>,
}

/// The commands that may hang.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asks {
    Ping,
    Sync,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Minutes,
    Seconds,
}

/// A number in an element, as far as it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Empty,
    Value(u32),
    /// Something that is none, or beyond all measure.
    Wrong,
}

/// How long the call asks to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interval {
    NotGiven,
    Given(Millis),
    /// Given so that the origin refuses it: twice, or out of range.
    Wrong,
}

impl HangPeek {
    /// A look at a call of that command, of whose body nothing has been seen.
    pub const fn new(command: Command) -> Self {
        let (asks, known) = match command {
            Command::Ping => (Asks::Ping, None),
            Command::Sync => (Asks::Sync, None),
            Command::SendMail
            | Command::SmartForward
            | Command::SmartReply
            | Command::GetAttachment
            | Command::FolderSync
            | Command::FolderCreate
            | Command::FolderDelete
            | Command::FolderUpdate
            | Command::MoveItems
            | Command::GetItemEstimate
            | Command::MeetingResponse
            | Command::Search
            | Command::Settings
            | Command::ItemOperations
            | Command::Provision
            | Command::ResolveRecipients
            | Command::ValidateCert
            | Command::Find
            // Which of the two is never asked once the call is known.
            | Command::Other => (Asks::Sync, Some(Call::Works)),
        };
        Self {
            asks,
            scanner: Scanner::new(),
            followed: 0,
            depth: 0,
            reading: None,
            number: Number::Empty,
            interval: Interval::NotGiven,
            changes: false,
            known,
        }
    }

    /// What is known of the call without more of its body.
    pub const fn known(&self) -> Option<Call> {
        self.known
    }

    /// Takes the next piece of the body, of any size. Once the call is known, further pieces change nothing.
    pub fn feed(&mut self, piece: &[u8]) -> Option<Call> {
        for &byte in piece {
            if self.known.is_some() {
                break;
            }
            self.followed += 1;
            let understood = self.step(byte).is_ok();
            if self.known.is_none() && (!understood || self.followed >= MAX_FOLLOWED) {
                self.known = Some(self.without_interval());
            }
        }
        self.known
    }

    /// What the call is, now that its body has ended.
    pub fn finish(self) -> Call {
        self.known.unwrap_or(if self.followed == 0 { Call::AS_BEFORE } else { self.without_interval() })
    }

    /// What the call is where its body gives no interval that can be read.
    const fn without_interval(&self) -> Call {
        match self.asks {
            Asks::Ping => Call::AS_BEFORE,
            Asks::Sync => Call::Works,
        }
    }

    fn step(&mut self, byte: u8) -> Result<(), NotUnderstood> {
        match self.scanner.step(byte)? {
            Some(Token::Start { name, content }) => self.start(name, content)?,
            Some(Token::Text(byte)) if self.depth == 2 && self.reading.is_some() => {
                self.number = self.number.followed_by(byte);
            }
            Some(Token::Text(_)) | None => {}
            Some(Token::End) => self.end()?,
        }
        Ok(())
    }

    fn start(&mut self, name: (u8, u8), content: bool) -> Result<(), NotUnderstood> {
        let root = match self.asks {
            Asks::Ping => name::PING,
            Asks::Sync => name::SYNC,
        };
        match self.depth {
            // The body of another command, whatever the query says.
            0 if name != root => {
                self.known = Some(Call::Works);
                return Ok(());
            }
            1 => {
                self.reading = self.unit(name);
                self.number = Number::Empty;
            }
            _ => self.changes |= self.asks == Asks::Sync && name == name::COMMANDS,
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(NotUnderstood);
        }
        if content { Ok(()) } else { self.end() }
    }

    /// The unit of a child of the root, where it is one that says how long to wait.
    fn unit(&self, name: (u8, u8)) -> Option<Unit> {
        match (self.asks, name) {
            (Asks::Sync, name::WAIT) => Some(Unit::Minutes),
            (Asks::Sync, name::SYNC_HEARTBEAT) | (Asks::Ping, name::PING_HEARTBEAT) => Some(Unit::Seconds),
            (Asks::Sync | Asks::Ping, _) => None,
        }
    }

    fn end(&mut self) -> Result<(), NotUnderstood> {
        self.depth = self.depth.checked_sub(1).ok_or(NotUnderstood)?;
        match self.depth {
            0 => self.known = Some(self.call()),
            1 => {
                if let Some(unit) = self.reading.take() {
                    self.interval = self.interval.and(self.number.interval(unit));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// What the call is, now that its root has ended.
    fn call(&self) -> Call {
        match self.interval {
            Interval::Given(interval) => Call::Hangs { interval: Some(interval), changes: self.changes },
            Interval::NotGiven | Interval::Wrong => self.without_interval(),
        }
    }
}

impl Number {
    fn followed_by(self, byte: u8) -> Self {
        let digit = char::from(byte).to_digit(10);
        let before = match self {
            Self::Empty => Some(0),
            Self::Value(value) => Some(value),
            Self::Wrong => None,
        };
        let value = before.zip(digit).and_then(|(value, digit)| value.checked_mul(10)?.checked_add(digit));
        value.map_or(Self::Wrong, Self::Value)
    }

    fn interval(self, unit: Unit) -> Interval {
        match (self, unit) {
            (Self::Value(minutes @ 1..=59), Unit::Minutes) => {
                Interval::Given(Millis::new(u64::from(minutes) * 60_000))
            }
            (Self::Value(seconds @ 1..), Unit::Seconds) => {
                Interval::Given(Millis::new(u64::from(seconds) * 1000))
            }
            (Self::Empty | Self::Value(_) | Self::Wrong, Unit::Minutes | Unit::Seconds) => Interval::Wrong,
        }
    }
}

impl Interval {
    /// This, and another one given after it.
    const fn and(self, other: Self) -> Self {
        match self {
            Self::NotGiven => other,
            Self::Given(_) | Self::Wrong => Self::Wrong,
        }
    }
}
