//! What the head of a request says: what it asks for, which client sends it, and the headers that its answer repeats.

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue, USER_AGENT};
use weir_wire::mapi::request_type::X_REQUEST_TYPE;
use weir_wire::mapi::version::X_CLIENT_APPLICATION;
use weir_wire::mapi::{ClientVersion, RequestType};

use super::cookie::{self, Endpoint, Sequence, SessionKey};

/// The header that numbers a client's requests.
const X_REQUEST_ID: &str = "X-RequestId";

/// The header that names a client's instance and session.
const X_CLIENT_INFO: &str = "X-ClientInfo";

/// Headers that an answer repeats.
const REPEATED: [&str; 3] = [X_REQUEST_TYPE, X_REQUEST_ID, X_CLIENT_INFO];

/// Bytes of a client's name, and of its own name for a session, that are remembered.
pub(crate) const MAX_NAME: usize = 256;

/// The head of one request.
#[derive(Clone, Debug)]
pub(crate) struct MapiHead {
    /// What it asks for; none where it does not say.
    pub(crate) asks: Option<RequestType>,
    /// What the client calls its session; none where it does not.
    pub(crate) client_info: Option<String>,
    /// What the client calls itself.
    pub(crate) application: String,
    /// The client's version, where it says so.
    pub(crate) version: Option<ClientVersion>,
    /// The session, by our cookie.
    pub(crate) session: Option<SessionKey>,
    /// Which request of its session it is, by our cookie.
    pub(crate) sequence: Option<Sequence>,
    repeated: Vec<(HeaderName, HeaderValue)>,
}

impl MapiHead {
    /// Reads the headers of a request to `endpoint`.
    pub(crate) fn of(headers: &HeaderMap, endpoint: Endpoint) -> Self {
        let application = text(headers, X_CLIENT_APPLICATION).unwrap_or_default();
        let user_agent = text(headers, USER_AGENT.as_str()).unwrap_or_default();
        let version = ClientVersion::from_client_application(&application)
            .or_else(|| ClientVersion::from_user_agent(&user_agent));
        let repeated = REPEATED
            .into_iter()
            .filter_map(|name| Some((HeaderName::try_from(name).ok()?, headers.get(name)?.clone())));
        Self {
            asks: text(headers, X_REQUEST_TYPE).map(|name| RequestType::from_name(name.trim())),
            client_info: text(headers, X_CLIENT_INFO).filter(|name| !name.is_empty()),
            application: if application.is_empty() { user_agent } else { application },
            version,
            session: cookie::session(headers, endpoint),
            sequence: cookie::sequence(headers),
            repeated: repeated.collect(),
        }
    }

    /// What a session without a cookie is found by: the client's own name for it, or else what the client calls itself.
    pub(crate) fn session_name(&self) -> &str {
        self.client_info.as_deref().unwrap_or(&self.application)
    }

    /// Whether the client is told to back off by `RopBackoff` (R11). One that does not say its version is taken for an
    /// old one, whose words all clients understand.
    pub(crate) fn understands_backoff(&self) -> bool {
        self.version.unwrap_or_default().understands_backoff()
    }

    /// The headers that the answer repeats.
    pub(crate) fn repeated(&self) -> &[(HeaderName, HeaderValue)] {
        &self.repeated
    }

    /// The name for logs; `Other` where it asks for nothing that is known.
    pub(crate) fn name(&self) -> &'static str {
        self.asks.unwrap_or(RequestType::Other).name()
    }
}

/// The beginning of a header's value, as text.
fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    let value = headers.get(name)?.as_bytes();
    Some(String::from_utf8_lossy(value.get(..MAX_NAME).unwrap_or(value)).into_owned())
}

#[cfg(test)]
mod tests;
