//! What a client is told before it begins: where, who, and its limits.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hyper::header::HeaderValue;
use weir_units::Millis;
use weir_wire::mapi::ClientVersion;

use super::endpoint::Endpoint;

/// A name and a password, for Basic authentication.
#[derive(Clone)]
pub struct Credentials {
    user: String,
    password: String,
}

impl Credentials {
    /// Those of `user`.
    pub fn new(user: impl Into<String>, password: impl Into<String>) -> Self {
        Self { user: user.into(), password: password.into() }
    }

    /// The name.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The value of an `Authorization` header, which is not printed.
    pub(super) fn header(&self) -> Option<HeaderValue> {
        let pair = BASE64_STANDARD.encode(format!("{}:{}", self.user, self.password));
        let mut value = HeaderValue::from_str(&format!("Basic {pair}")).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

/// Without the password.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("user", &self.user).finish_non_exhaustive()
    }
}

/// How long and how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long a connection may take to open, TLS included.
    pub connect: Duration,
    /// How long a server may be silent within a call. One that works says so every half a minute or more often.
    pub silence: Duration,
    /// How long one call may last, whatever the server says meanwhile.
    pub call: Duration,
    /// The longest answer that is read, in bytes.
    pub answer: usize,
    /// How long a batch is held back in a row without any of it being carried out, before the client gives up.
    pub patience: Millis,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            silence: Duration::from_mins(2),
            call: Duration::from_mins(10),
            answer: 1 << 20,
            patience: Millis::new(600_000),
        }
    }
}

/// What a client is told before it begins.
///
/// ```
/// use weir_client::mapi::{Credentials, Settings};
/// let endpoint = "https://mail.example.com".parse()?;
/// let mut settings = Settings::new(endpoint, Credentials::new("jane.doe@example.com", "secret"));
/// settings.process = "archiver".to_owned();
/// # Ok::<(), weir_client::mapi::EndpointError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where the server is.
    pub endpoint: Endpoint,
    /// Who asks.
    pub credentials: Credentials,
    /// A file of certificates, in PEM, that are trusted besides the system's roots.
    pub ca: Option<PathBuf>,
    /// What `X-ClientApplication` says before the slash.
    pub application: String,
    /// And behind it: the version of Outlook that the client behaves like. A server tells those before 12.0.4228 in other
    /// words to wait, which the client understands too (R11).
    pub version: ClientVersion,
    /// The name of the process, which the server shows to its administrator (R17).
    pub process: String,
    /// How long and how much.
    pub limits: Limits,
}

impl Settings {
    /// The usual ones.
    pub fn new(endpoint: Endpoint, credentials: Credentials) -> Self {
        Self {
            endpoint,
            credentials,
            ca: None,
            application: "Mailweir".to_owned(),
            version: ClientVersion::new([15, 0, 0, 0]),
            process: "mailweir".to_owned(),
            limits: Limits::default(),
        }
    }
}
