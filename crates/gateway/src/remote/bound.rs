//! What authentication has bound to a client's connection (T8).
//!
//! NTLM and Negotiate speak of the connection, not of the request, so that a client's handshake and what follows it go by
//! one connection to the origin that nobody else ever gets. An origin that has accepted somebody on a connection may look
//! at no further credentials there: so every handshake begins on a fresh one, and a request with credentials of another
//! kind never goes by it. Otherwise whoever is accepted as himself could show a stranger's name and be believed.

use std::fmt;

use hyper::StatusCode;

use super::upstream::Upstream;
use crate::claim::{Claim, Leg, Proof, Scheme};
use crate::who::Caller;

/// What is bound to one client connection; nothing at first.
#[derive(Default)]
pub(crate) struct Bound {
    /// The connection to the origin.
    upstream: Option<Upstream>,
    /// Who was accepted on it.
    caller: Option<Caller>,
    /// The last complete claim that was made on it; an answer to a later request may be the first to prove it.
    claim: Option<Claim>,
    handshake: Handshake,
}

/// How far the handshake on a connection has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Handshake {
    /// None is under way.
    #[default]
    None,
    /// Its first leg was answered with a challenge.
    Begun,
    /// A leg without a name was answered with another challenge.
    GoesOn,
}

/// By which connection a request goes to the origin.
#[derive(Clone, Debug)]
pub(super) enum Way {
    /// By any.
    Shared,
    /// By the one that is bound to the client's.
    Own {
        /// Who was accepted on it; it is he who asks.
        caller: Option<Caller>,
        /// What was claimed on it, which no answer has proved yet.
        claim: Option<Claim>,
    },
}

impl Way {
    /// Whether the connection is bound to the client's.
    pub(super) const fn is_own(&self) -> bool {
        match self {
            Self::Shared => false,
            Self::Own { .. } => true,
        }
    }
}

impl Bound {
    /// By which connection a request with this claim goes.
    pub(super) fn way(&mut self, claim: Option<&Claim>) -> Way {
        if self.upstream.as_ref().is_none_or(Upstream::is_closed) {
            *self = Self::default();
        }
        match claim {
            None if self.upstream.is_some() => self.own(),
            Some(claim) if binds(claim) => {
                if !self.goes_on(claim) {
                    *self = Self::default();
                }
                self.claim = Some(claim.clone());
                self.own()
            }
            None | Some(_) => Way::Shared,
        }
    }

    fn own(&self) -> Way {
        Way::Own { caller: self.caller.clone(), claim: self.claim.clone() }
    }

    /// Takes the connection for one request.
    pub(super) fn take(&mut self) -> Option<Upstream> {
        self.upstream.take()
    }

    /// Keeps the connection for the next request.
    pub(super) fn keep(&mut self, upstream: Upstream) {
        self.upstream = Some(upstream);
    }

    /// The origin has answered `claim`, accepting whom it names or not.
    pub(super) fn answered(
        &mut self,
        claim: &Claim,
        status: StatusCode,
        proof: Proof,
        caller: Option<Caller>,
    ) {
        let unauthorized = status == StatusCode::UNAUTHORIZED;
        self.handshake = match claim.leg {
            Leg::First if unauthorized => Handshake::Begun,
            Leg::Complete if unauthorized && proof == Proof::Nothing && claim.name.is_none() => {
                Handshake::GoesOn
            }
            Leg::First | Leg::Complete => Handshake::None,
        };
        match proof {
            Proof::Accepted => self.caller = caller,
            Proof::Rejected => (self.caller, self.claim) = (None, None),
            Proof::Nothing => {}
        }
    }

    /// Whether a handshake's leg belongs to the connection that is there: it goes on with what has begun on it, or
    /// shows once more what shows no name and was accepted before.
    fn goes_on(&self, claim: &Claim) -> bool {
        let unnamed = claim.name.is_none();
        claim.leg == Leg::Complete
            && match self.handshake {
                Handshake::Begun => true,
                Handshake::GoesOn => unnamed,
                Handshake::None => unnamed && self.caller.as_ref().is_some_and(Caller::is_unnamed),
            }
    }
}

/// Whether the origin may bind the connection to whoever shows this. Of schemes that nobody knows it is supposed.
fn binds(claim: &Claim) -> bool {
    claim.is_bound_to_connection() || claim.scheme == Scheme::Other
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { upstream: _, caller, claim, handshake } = self;
        let mut shown = f.debug_struct("Bound");
        shown
            .field("caller", caller)
            .field("claim", claim)
            .field("handshake", handshake)
            .finish_non_exhaustive()
    }
}
