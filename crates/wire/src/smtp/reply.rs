//! Replies: a code, mostly a status beside it, and lines of text.
//!
//! A reply holds no second reply, whatever text it is made of, and be it one that was read and is passed on: what is not
//! printable ASCII becomes `?`, a line that is too long goes on in the next one, and there is a bound on how many there
//! are. The class of the status is always that of the code (RFC 2034).

mod known;
mod reader;
mod refusal;
#[cfg(test)]
mod tests;

use std::fmt;

pub use reader::{MAX_REPLY_BYTES, MAX_REPLY_LINE, ReplyError, ReplyReader};

/// The most lines of a reply, written and read.
pub const MAX_REPLY_LINES: usize = 128;

/// The most bytes of text in a written line; with code and status it stays below the 512 of RFC 5321, section 4.5.3.1.5.
const MAX_TEXT: usize = 480;

/// A reply's code, 200 to 599.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub(super) u16);

/// What a code's first digit says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// 2: done.
    Done,
    /// 3: go on.
    GoOn,
    /// 4: not now.
    NotNow,
    /// 5: not like this.
    Never,
}

/// The status beside a code (RFC 3463): class, subject and detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Status {
    /// 2, 4 or 5.
    pub class: u16,
    /// What it is about.
    pub subject: u16,
    /// What exactly.
    pub detail: u16,
}

/// What a server says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    code: Code,
    status: Option<Status>,
    lines: Vec<String>,
}

impl Code {
    /// 250, done.
    pub const OK: Self = Self(250);

    /// The code of that number; nothing where no reply has it.
    pub const fn new(number: u16) -> Option<Self> {
        if matches!(number, 200..=599) { Some(Self(number)) } else { None }
    }

    /// The number.
    pub const fn number(self) -> u16 {
        self.0
    }

    /// What it says at large.
    pub const fn class(self) -> Class {
        match self.0 {
            0..300 => Class::Done,
            300..400 => Class::GoOn,
            400..500 => Class::NotNow,
            500.. => Class::Never,
        }
    }
}

impl Status {
    /// The status at the front of a line of a reply with `code`, and what follows it.
    fn take(line: &str, code: Code) -> Option<(Self, &str)> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mut parts = word.split('.').map(|part| {
            let digits = (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| part.parse::<u16>().ok())?
        });
        let status = Self { class: parts.next()??, subject: parts.next()??, detail: parts.next()?? };
        (parts.next().is_none() && status.class == code.0 / 100).then_some((status, rest))
    }
}

impl Reply {
    /// A reply with a status of that subject and detail. One that asks to go on has none (RFC 2034).
    pub fn new(code: Code, subject: u16, detail: u16, text: &str) -> Self {
        let status = Status { class: code.0 / 100, subject, detail };
        let status = (code.class() != Class::GoOn).then_some(status);
        Self { status, ..Self::plain(code, text) }
    }

    /// A reply without a status: greetings, the answer to EHLO, and what asks to go on.
    pub fn plain(code: Code, text: &str) -> Self {
        Self { code, status: None, lines: Vec::new() }.and(text)
    }

    /// The same with one more line, or more where `text` is too long for one; lines beyond [`MAX_REPLY_LINES`] are left
    /// out.
    #[must_use]
    pub fn and(mut self, text: &str) -> Self {
        let mut rest = text;
        while self.lines.len() < MAX_REPLY_LINES {
            let (line, later) = split_line(rest);
            self.lines
                .push(line.chars().map(|letter| if is_printable(letter) { letter } else { '?' }).collect());
            if later.is_empty() {
                break;
            }
            rest = later;
        }
        self
    }

    /// The code.
    pub const fn code(&self) -> Code {
        self.code
    }

    /// The status beside it.
    pub const fn status(&self) -> Option<Status> {
        self.status
    }

    /// The lines of text, without codes. There is always one.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(String::as_str)
    }

    /// Whether the server closes the connection after it (RFC 5321, section 3.8).
    pub const fn closes(&self) -> bool {
        matches!(self.code.0, 421 | 521)
    }

    /// Writes the reply behind `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        let last = self.lines.len().saturating_sub(1);
        for (place, line) in self.lines.iter().enumerate() {
            let separator = if place == last { ' ' } else { '-' };
            let status = self.status.map_or_else(String::new, |status| format!("{status} "));
            out.extend_from_slice(format!("{}{separator}{status}{line}\r\n", self.code).as_bytes());
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.class, self.subject, self.detail)
    }
}

/// The reply in one line, as logs and reports show it.
impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.code)?;
        if let Some(status) = self.status {
            write!(f, " {status}")?;
        }
        self.lines.iter().filter(|line| !line.is_empty()).try_for_each(|line| write!(f, " {line}"))
    }
}

/// The first line of `text` as far as one reply's line may go, at a space where there is one, and what is left.
fn split_line(text: &str) -> (&str, &str) {
    let (line, later) = text.split_once('\n').unwrap_or((text, ""));
    if line.len() <= MAX_TEXT {
        return (line.trim_end_matches('\r'), later);
    }
    let end = text.floor_char_boundary(MAX_TEXT);
    let (front, _) = text.split_at_checked(end).unwrap_or((text, ""));
    let at = front.rfind(' ').filter(|&at| at > 0).unwrap_or(end);
    let (front, rest) = text.split_at_checked(at).unwrap_or((text, ""));
    (front, rest.strip_prefix(' ').unwrap_or(rest))
}

const fn is_printable(letter: char) -> bool {
    matches!(letter, ' '..='~')
}
