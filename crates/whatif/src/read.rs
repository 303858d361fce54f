//! The syntax of the logs: from one line to what it says of one call.
//!
//! | file | idea |
//! |---|---|
//! | `w3c.rs` | columns by the names that `#Fields` gives them: IIS, and Mailweir's own |
//! | `budget.rs` | Exchange's budgets within the query column |
//! | `own.rs` | Mailweir's own fields behind them |
//! | `nginx.rs`, `haproxy.rs` | the logs of proxies |
//! | `moment.rs` | dates and times |

mod budget;
mod haproxy;
mod moment;
mod nginx;
mod own;
mod w3c;

use std::borrow::Cow;

use weir_throttle::{Evidence, Verdict};
use weir_units::{Component, Micros, Part};

use crate::format::Format;
use crate::record::Allowed;

/// What one line says of a call, in the words of the log.
#[derive(Debug, Default)]
pub(crate) struct Call<'a> {
    /// When the line was written, in microseconds since 1970.
    pub(crate) logged: i64,
    /// When the call arrived, where that is known by itself.
    pub(crate) arrived: Option<i64>,
    /// When it arrived, on the clock of the process that wrote the line.
    pub(crate) tick: Option<u64>,
    pub(crate) user: Cow<'a, str>,
    pub(crate) client: &'a str,
    pub(crate) agent: Cow<'a, str>,
    pub(crate) path: &'a str,
    pub(crate) operation: &'a str,
    pub(crate) policy: Cow<'a, str>,
    pub(crate) component: Option<Component>,
    pub(crate) taken: Micros,
    pub(crate) waited: Micros,
    pub(crate) cost: [Micros; 4],
    pub(crate) found: Option<(u64, bool)>,
    pub(crate) subscriptions: Option<u32>,
    pub(crate) hangs: bool,
    pub(crate) verdict: Option<(Verdict, Option<Part>)>,
    pub(crate) evidence: Option<Evidence>,
    pub(crate) allowed: Allowed,
}

/// What a line is.
#[derive(Debug)]
pub(crate) enum Parsed<'a> {
    /// A call.
    Call(Box<Call<'a>>),
    /// Nothing that is counted: a directive, an empty line.
    Nothing,
    /// Nothing that can be understood, and why.
    Malformed(&'static str),
}

/// The reader of one file's lines.
#[derive(Debug)]
pub(crate) enum Reader {
    W3c(w3c::Reader),
    Nginx(nginx::Reader),
    HaProxy(haproxy::Reader),
}

impl Reader {
    /// A reader of `format`.
    pub(crate) fn new(format: Format) -> Self {
        match format {
            Format::Mailweir => Self::W3c(w3c::Reader::of_mailweir()),
            Format::Iis => Self::W3c(w3c::Reader::of_iis()),
            Format::Nginx => Self::Nginx(nginx::Reader::default()),
            Format::HaProxy => Self::HaProxy(haproxy::Reader::default()),
        }
    }

    /// What `line` says.
    pub(crate) fn read<'a>(&mut self, line: &'a str) -> Parsed<'a> {
        if line.is_empty() {
            return Parsed::Nothing;
        }
        let read = match self {
            Self::W3c(reader) => return reader.read(line),
            Self::Nginx(reader) => reader.read(line),
            Self::HaProxy(reader) => reader.read(line),
        };
        read.map_or_else(Parsed::Malformed, |call| Parsed::Call(Box::new(call)))
    }
}

/// Whose limits hold for a path, in the logs of those who do not say it.
pub(crate) fn component_of(path: &str) -> Option<Component> {
    const PATHS: [(&str, Component); 8] = [
        ("/ews", Component::Ews),
        ("/microsoft-server-activesync", Component::Eas),
        ("/owa", Component::Owa),
        ("/sogo", Component::Owa),
        ("/mapi", Component::Rca),
        ("/rpc", Component::Rca),
        ("/powershell", Component::PowerShell),
        ("/autodiscover", Component::Ews),
    ];
    let begins = |prefix: &str| {
        path.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
            && matches!(path.as_bytes().get(prefix.len()), None | Some(b'/' | b'?' | b';'))
    };
    PATHS.into_iter().find(|(prefix, _)| begins(prefix)).map(|(_, component)| component)
}

/// Seconds with a fraction, as proxies write durations.
fn seconds(text: &str) -> Option<Micros> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let whole: u64 = whole.parse().ok()?;
    let digits = fraction.get(..fraction.len().min(6))?;
    let scale = 10_u64.pow(6 - u32::try_from(digits.len()).ok()?);
    let part = if digits.is_empty() { 0 } else { digits.parse::<u64>().ok()? };
    Some(Micros::new(whole.checked_mul(1_000_000)?.checked_add(part * scale)?))
}

/// Whole milliseconds; what is negative never happened and took no time.
fn millis(text: &str) -> Option<Micros> {
    let count: i64 = text.parse().ok()?;
    Some(Micros::new(u64::try_from(count).unwrap_or(0).checked_mul(1000)?))
}

/// A text in which `mark` and two hexadecimal digits stand for a byte.
fn unescaped<'a>(text: &'a str, mark: &str) -> Cow<'a, str> {
    if !text.contains(mark) {
        return Cow::Borrowed(text);
    }
    let mut pieces = text.split(mark);
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        let byte = piece.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.extend(byte);
        let rest = if byte.is_some() { piece.get(2..).unwrap_or_default() } else { piece };
        if byte.is_none() {
            bytes.extend_from_slice(mark.as_bytes());
        }
        bytes.extend_from_slice(rest.as_bytes());
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

/// A text that stands for nothing where it is `-`.
fn said(text: &str) -> &str {
    if text == "-" { "" } else { text }
}

#[cfg(test)]
mod tests;
