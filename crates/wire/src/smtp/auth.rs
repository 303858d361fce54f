//! AUTH with PLAIN and LOGIN (RFC 4954, RFC 4616).
//!
//! A mechanism is a few lines of base64 either way. [`Exchange`] is the server's side: it says what to ask next, until
//! there are [`Credentials`]. Whether they are right is nobody's business here, and whether the connection is safe
//! enough to send them is the caller's. What is secret prints as `…`.

#[cfg(test)]
mod tests;

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// How one may authenticate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mechanism {
    /// Name and password at once.
    Plain,
    /// One after the other, as the server asks.
    Login,
}

/// Text that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// Who a client says it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credentials {
    /// For whom it acts, where that is somebody else; empty otherwise.
    pub acts_for: String,
    /// Its name.
    pub name: String,
    /// Its password.
    pub password: Secret,
}

/// How far an exchange has come.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// Ask this, in base64, with code 334.
    Ask(Exchange, &'static str),
    /// All is said.
    Done(Credentials),
    /// What came is no base64, or not what the mechanism sends.
    Malformed,
    /// The client would rather not.
    Cancelled,
}

/// The server's side of an exchange that waits for a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Exchange {
    Plain,
    LoginName,
    LoginPassword { name: String },
}

/// What LOGIN asks for, in base64: `Username:` and `Password:`.
const ASK_NAME: &str = "VXNlcm5hbWU6";
const ASK_PASSWORD: &str = "UGFzc3dvcmQ6";

impl Mechanism {
    /// Its name.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Plain => "PLAIN",
            Self::Login => "LOGIN",
        }
    }

    /// The mechanism of that name, in any case.
    pub(super) fn from_word(word: &str) -> Option<Self> {
        [Self::Plain, Self::Login].into_iter().find(|known| known.word().eq_ignore_ascii_case(word))
    }
}

impl Secret {
    /// Keeps `text` from being printed.
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// The text.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

impl Credentials {
    /// The one line that says all of it by PLAIN.
    pub fn plain(&self) -> Secret {
        Secret(STANDARD.encode(format!("{}\0{}\0{}", self.acts_for, self.name, self.password.expose())))
    }

    /// The two lines that say name and password by LOGIN, which cannot act for somebody else.
    pub fn login(&self) -> [Secret; 2] {
        [&self.name, self.password.expose()].map(|text| Secret(STANDARD.encode(text)))
    }
}

impl Exchange {
    /// Begins, with what the client sent along.
    pub(super) fn begin(mechanism: Mechanism, initial: Option<&Secret>) -> Progress {
        match (mechanism, initial) {
            (Mechanism::Plain, None) => Progress::Ask(Self::Plain, ""),
            (Mechanism::Login, None) => Progress::Ask(Self::LoginName, ASK_NAME),
            (Mechanism::Plain, Some(initial)) => Self::Plain.answered(initial.expose()),
            (Mechanism::Login, Some(initial)) => Self::LoginName.answered(initial.expose()),
        }
    }

    /// Goes on with the client's answer.
    pub(super) fn answered(self, line: &str) -> Progress {
        match line {
            "*" => return Progress::Cancelled,
            // An initial response of no bytes at all (RFC 4954, section 4).
            "=" => return self.take(String::new()),
            _ => {}
        }
        let text = STANDARD.decode(line).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        text.map_or(Progress::Malformed, |text| self.take(text))
    }

    fn take(self, text: String) -> Progress {
        match self {
            Self::Plain => plain(&text).map_or(Progress::Malformed, Progress::Done),
            Self::LoginName if is_name(&text) => {
                Progress::Ask(Self::LoginPassword { name: text }, ASK_PASSWORD)
            }
            Self::LoginName => Progress::Malformed,
            Self::LoginPassword { name } => {
                Progress::Done(Credentials { acts_for: String::new(), name, password: Secret(text) })
            }
        }
    }
}

fn plain(text: &str) -> Option<Credentials> {
    let mut parts = text.split('\0');
    let (acts_for, name, password) = (parts.next()?, parts.next()?, parts.next()?);
    let fine = parts.next().is_none() && is_name(name) && (acts_for.is_empty() || is_name(acts_for));
    fine.then(|| Credentials {
        acts_for: acts_for.to_owned(),
        name: name.to_owned(),
        password: Secret(password.to_owned()),
    })
}

/// Names go into logs.
fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(char::is_control)
}
