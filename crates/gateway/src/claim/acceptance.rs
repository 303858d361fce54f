//! What an origin's answer proves of a claim (T8).
//!
//! An answer counts where the origin cannot have given it without looking at the credentials: at the one address of
//! each front at which its requests are worked on, to the method they are sent with. Beside these addresses servers
//! keep pages that anybody may read – `/ews/healthcheck.htm` says 200 to every name –, and before them proxies that
//! answer OPTIONS by themselves. A refusal is believed anywhere under a front's path, because a guesser may ask there.

use hyper::{Method, StatusCode};

use super::{Challenge, Claim, Continuation, Leg, Scheme};

/// A front whose origin checks credentials; an acceptance counts for the front that it was given at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Front {
    /// Exchange Web Services.
    Ews,
    /// MAPI over HTTP.
    Mapi,
    /// Exchange ActiveSync.
    Eas,
}

impl Front {
    /// Every front.
    pub const ALL: [Self; 3] = [Self::Ews, Self::Mapi, Self::Eas];

    /// The front that `path`, without a query, lies under.
    pub fn of(path: &str) -> Option<Self> {
        let first = path.strip_prefix('/')?.split('/').next()?;
        Self::ALL.into_iter().find(|front| front.directory().eq_ignore_ascii_case(first))
    }

    /// What tells the fronts apart in keys.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ews => "ews",
            Self::Mapi => "mapi",
            Self::Eas => "eas",
        }
    }

    const fn directory(self) -> &'static str {
        match self {
            Self::Ews => "ews",
            Self::Mapi => "mapi",
            Self::Eas => "microsoft-server-activesync",
        }
    }

    /// Whether this front's requests are worked on at `path`, which lies under it.
    fn works_at(self, path: &str) -> bool {
        let endpoints: &[&str] = match self {
            Self::Ews => &["/ews/exchange.asmx"],
            Self::Mapi => &["/mapi/emsmdb", "/mapi/emsmdb/", "/mapi/nspi", "/mapi/nspi/"],
            Self::Eas => &[
                "/microsoft-server-activesync",
                "/microsoft-server-activesync/",
                "/microsoft-server-activesync/default.eas",
            ],
        };
        endpoints.iter().any(|endpoint| endpoint.eq_ignore_ascii_case(path))
    }
}

/// What was asked, and how the origin answered.
#[derive(Clone, Copy, Debug)]
pub struct Exchange<'a> {
    /// The request's method.
    pub method: &'a Method,
    /// The request's path, without its query, as it went to the origin.
    pub path: &'a str,
    /// The answer's status.
    pub status: StatusCode,
    /// Whether the answer's body [`is_soap`].
    pub soap: bool,
    /// What the answer's `WWW-Authenticate` headers say.
    pub challenge: Challenge,
}

/// What is known after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The credentials are good, at this front.
    Accepted,
    /// The credentials are complete and wrong.
    Rejected,
    /// As much as before.
    Nothing,
}

/// What the answer proves of the claim that the request made.
///
/// Accepted: complete credentials that were answered with a 2xx, or with a 500 that has a SOAP body. Rejected: complete
/// credentials that were answered with 401, unless that is the next leg of their handshake. Another NTLM challenge is no
/// next leg to NTLM's last message. All else – redirections, 400, 403, 502, 503, the paths that are no front's – proves
/// nothing.
pub fn acceptance(claim: &Claim, exchange: &Exchange<'_>) -> Proof {
    let (Some(front), Leg::Complete) = (Front::of(exchange.path), claim.leg) else { return Proof::Nothing };
    match exchange.status {
        StatusCode::UNAUTHORIZED if continues(claim, exchange.challenge.continuation) => Proof::Nothing,
        StatusCode::UNAUTHORIZED => Proof::Rejected,
        status
            if exchange.method == Method::POST
                && front.works_at(exchange.path)
                && (status.is_success() || status == StatusCode::INTERNAL_SERVER_ERROR && exchange.soap) =>
        {
            Proof::Accepted
        }
        _ => Proof::Nothing,
    }
}

fn continues(claim: &Claim, continuation: Continuation) -> bool {
    match claim.scheme {
        Scheme::Negotiate => match continuation {
            Continuation::None => false,
            Continuation::Ntlm => !claim.ends_ntlm,
            Continuation::Other => true,
        },
        Scheme::Basic | Scheme::Bearer | Scheme::Ntlm | Scheme::Digest | Scheme::Other => false,
    }
}

/// Whether an answer with this content type and these first bytes, uncompressed, has a SOAP body: XML whose outermost
/// element is an `Envelope`. Some hundred bytes are enough.
pub fn is_soap(content_type: Option<&[u8]>, beginning: &[u8]) -> bool {
    const TYPES: [&[u8]; 2] = [b"text/xml", b"application/soap+xml"];
    let media = content_type.and_then(|value| value.split(|byte| *byte == b';').next());
    let is_xml = media.is_some_and(|media| {
        let media = media.trim_ascii();
        TYPES.iter().any(|one| one.eq_ignore_ascii_case(media))
    });
    is_xml && root(beginning).is_some_and(|name| name == b"Envelope")
}

/// The name of the outermost element, without its prefix, where it is whole in these bytes.
fn root(beginning: &[u8]) -> Option<&[u8]> {
    let mut rest = beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning).trim_ascii_start();
    loop {
        let end: &[u8] = if rest.starts_with(b"<?") {
            b"?>"
        } else if rest.starts_with(b"<!--") {
            b"-->"
        } else {
            break;
        };
        let at = rest.windows(end.len()).position(|window| window == end)?;
        rest = rest.get(at + end.len()..)?.trim_ascii_start();
    }
    let tag = rest.strip_prefix(b"<")?;
    let end = tag.iter().position(|byte| byte.is_ascii_whitespace() || b"/>".contains(byte))?;
    tag.get(..end)?.rsplit(|byte| *byte == b':').next()
}

#[cfg(test)]
mod tests;
