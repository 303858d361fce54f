//! Who a request before a remote origin says it comes from, and what the origin's answer proves of it (T8).
//!
//! Before a remote origin there is no password to check: the credentials pass through, and whether they are good is
//! the origin's answer. So a [`Claim`] is what one `Authorization` header *says* – never charged on its own – and
//! [`acceptance`] is what an answer makes of it. Every reading here errs to one side: what could be read in two ways
//! names nobody, and the owner is then the connection ([`unnamed`]), because a name that the origin reads differently
//! would be a way to spend a stranger's budget.
//!
//! | module | idea |
//! |---|---|
//! | `name` | a claimed name, and the one owner that all its spellings are (T3) |
//! | `bearer`, `digest`, `ntlm`, `negotiate` (`der`) | where each scheme shows the name, and which leg it is |
//! | `challenge`, `list` | what a 401 asks for, and whether it continues a handshake |
//! | `acceptance` | accepted, rejected, or nothing proved |
//!
//! Absent: connections, clocks, the cache of accepted credentials and the guard; form logins, which show no
//! credential. NTLM's and Negotiate's claims hold for the connection, so whoever carries them keeps one upstream
//! connection for each client connection, and gives a connection that is bound to an owner no other one but by a
//! whole handshake.

use std::fmt;

use hyper::HeaderMap;
use hyper::header::AUTHORIZATION;

use crate::credentials::{BasicCredential, CredentialCache, CredentialKey};

mod acceptance;
mod bearer;
mod challenge;
mod der;
mod digest;
mod list;
mod name;
mod negotiate;
mod ntlm;

pub use acceptance::{Exchange, Front, Proof, acceptance, is_soap};
pub use challenge::{Challenge, Continuation};
pub use name::{ClaimedName, Home, canonical, is_unnamed, unnamed};

/// The longest credential that is read, in bytes of the header; a longer one names nobody. Kerberos tickets with many
/// groups come to 48,000 bytes before Base64.
pub const MAX_CREDENTIAL_BYTES: usize = 88 << 10;

/// The schemes that are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Name and password in every request (RFC 7617).
    Basic,
    /// A token in every request (RFC 6750), sometimes one that shows a name.
    Bearer,
    /// NTLM, bare: three messages for each connection.
    Ntlm,
    /// SPNEGO around NTLM or Kerberos (RFC 4559), for each connection.
    Negotiate,
    /// A hash over a nonce, different in every request (RFC 7616).
    Digest,
    /// Anything else.
    Other,
}

impl Scheme {
    /// Whether the origin may bind the connection, not the request, to the caller.
    pub const fn is_bound_to_connection(self) -> bool {
        match self {
            Self::Ntlm | Self::Negotiate => true,
            Self::Basic | Self::Bearer | Self::Digest | Self::Other => false,
        }
    }

    fn of(name: &[u8]) -> Self {
        const KNOWN: [(&[u8], Scheme); 5] = [
            (b"basic", Scheme::Basic),
            (b"bearer", Scheme::Bearer),
            (b"ntlm", Scheme::Ntlm),
            (b"negotiate", Scheme::Negotiate),
            (b"digest", Scheme::Digest),
        ];
        let known = KNOWN.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        known.map_or(Self::Other, |(_, scheme)| scheme)
    }
}

/// How far the credentials of one request go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leg {
    /// The first leg of a handshake, or a scheme with nothing after it: a 401 is the expected answer and costs
    /// nothing, and no answer proves anything.
    First,
    /// All that the origin needs to say yes or no.
    Complete,
}

/// What one `Authorization` header says. Nothing of it is verified by being here.
#[derive(Clone, PartialEq, Eq)]
pub struct Claim {
    /// The scheme.
    pub scheme: Scheme,
    /// The name that it shows; none where the scheme shows none or where it could be read in two ways.
    pub name: Option<ClaimedName>,
    /// Whether the credentials are complete.
    pub leg: Leg,
    /// The last message of NTLM, to which another challenge is a refusal.
    ends_ntlm: bool,
    /// Scheme and credential, of schemes whose next request brings the same one.
    credential: Option<Vec<u8>>,
}

impl Claim {
    /// Reads the value of an `Authorization` header; none, where it is empty.
    ///
    /// Whatever is there and cannot be read is a complete claim without a name: an origin may be more lenient, and
    /// a guess that only the origin can read is a guess.
    ///
    /// ```
    /// use weir_gateway::claim::{Claim, ClaimedName, Leg};
    /// let claim = Claim::of(b"Basic RVhBTVBMRVxqb2huOnNlY3JldA==").unwrap();
    /// assert_eq!((claim.name, claim.leg), (ClaimedName::of(r"EXAMPLE\john"), Leg::Complete));
    /// assert_eq!(Claim::of(b""), None);
    /// ```
    pub fn of(header: &[u8]) -> Option<Self> {
        let header = header.trim_ascii();
        let end = header.iter().position(u8::is_ascii_whitespace).unwrap_or(header.len());
        let (name, rest) = header.split_at_checked(end)?;
        if name.is_empty() {
            return None;
        }
        let (scheme, rest) = (Scheme::of(name), rest.trim_ascii());
        if rest.is_empty() {
            return Some(Self { leg: Leg::First, ..Self::nameless(scheme) });
        }
        if rest.len() > MAX_CREDENTIAL_BYTES {
            return Some(Self::nameless(scheme));
        }
        Some(match scheme {
            Scheme::Basic => Self::of_basic(header),
            Scheme::Bearer => Self {
                name: bearer::name(rest),
                credential: Some(credential(b"bearer", rest)),
                ..Self::nameless(scheme)
            },
            Scheme::Ntlm => Self::of_offer(scheme, negotiate::read_bare(rest)),
            Scheme::Negotiate => Self::of_offer(scheme, negotiate::read(rest)),
            Scheme::Digest => Self { name: digest::name(rest), ..Self::nameless(scheme) },
            Scheme::Other => Self::nameless(scheme),
        })
    }

    /// What the headers of a request say. Of several `Authorization` headers nobody knows which one the origin reads,
    /// so together they are a complete claim without a name.
    pub fn in_headers(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let first = Self::of(values.next()?.as_bytes());
        if values.next().is_none() { first } else { Some(Self::nameless(Scheme::Other)) }
    }

    /// Whether acceptance binds the connection, not the credential, to the owner.
    pub const fn is_bound_to_connection(&self) -> bool {
        self.scheme.is_bound_to_connection()
    }

    /// What stands for the credential once it was accepted on `front` – an acceptance counts there only –, to be found
    /// again in `cache`; none for a scheme whose next request brings another one.
    ///
    /// The owner of a claim without a name is the connection, so what is remembered of it ends with that.
    pub fn key<V: Clone>(&self, front: Front, cache: &CredentialCache<V>) -> Option<CredentialKey> {
        self.credential.as_deref().map(|credential| cache.key(front.name(), credential))
    }

    fn of_basic(header: &[u8]) -> Self {
        let Ok(basic) = BasicCredential::parse(header) else { return Self::nameless(Scheme::Basic) };
        Self {
            name: ClaimedName::of(basic.user()),
            credential: Some(credential(b"basic", basic.bytes())),
            ..Self::nameless(Scheme::Basic)
        }
    }

    fn of_offer(scheme: Scheme, offer: negotiate::Offer) -> Self {
        match offer {
            negotiate::Offer::First => Self { leg: Leg::First, ..Self::nameless(scheme) },
            negotiate::Offer::Ntlm(name) => Self { name, ends_ntlm: true, ..Self::nameless(scheme) },
            negotiate::Offer::Opaque => Self::nameless(scheme),
        }
    }

    const fn nameless(scheme: Scheme) -> Self {
        Self { scheme, name: None, leg: Leg::Complete, ends_ntlm: false, credential: None }
    }
}

impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claim")
            .field("scheme", &self.scheme)
            .field("name", &self.name)
            .field("leg", &self.leg)
            .finish_non_exhaustive()
    }
}

/// One string of bytes that no credential of another scheme can be: scheme names hold no NUL.
fn credential(scheme: &[u8], bytes: &[u8]) -> Vec<u8> {
    [scheme, b"\0", bytes].concat()
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) mod vectors;
