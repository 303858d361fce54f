//! Tokens of the schemes NTLM and Negotiate, in both directions (RFC 4178, RFC 4559).
//!
//! A Negotiate token is SPNEGO around a token of NTLM or Kerberos, or one of these bare. Only the field that the origin
//! hands to NTLM is looked at: whoever searched the token for NTLM's signature would find what a stranger has put
//! elsewhere. Kerberos shows no name without the service's key (T8).

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::ClaimedName;
use super::challenge::Continuation;
use super::der::{among, only, take};
use super::ntlm::{self, Message};

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

// Tags of ASN.1.
const OCTET_STRING: u8 = 0x04;
const OID: u8 = 0x06;
const ENUMERATED: u8 = 0x0a;
const SEQUENCE: u8 = 0x30;
/// A GSS-API token with its mechanism in front (RFC 2743 §3.1).
const GSS_TOKEN: u8 = 0x60;
/// `[0]`: negTokenInit among the tokens, negState in negTokenResp.
const CONTEXT_0: u8 = 0xa0;
/// `[1]`: negTokenResp among the tokens.
const CONTEXT_1: u8 = 0xa1;
/// `[2]`: the mechanism's token in either.
const CONTEXT_2: u8 = 0xa2;

/// 1.3.6.1.5.5.2, SPNEGO.
const SPNEGO: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x02];

/// What a client's token is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Offer {
    /// The beginning of a handshake.
    First,
    /// The last message of NTLM, with the name where it shows one.
    Ntlm(Option<ClaimedName>),
    /// Complete, as far as one can tell, and without a name: Kerberos, or nothing that can be read.
    Opaque,
}

/// Reads a client's token of the scheme NTLM, in Base64.
pub(super) fn read_bare(token: &[u8]) -> Offer {
    BASE64.decode(token).map_or(Offer::Opaque, |token| offer(&token))
}

/// Reads a client's token of the scheme Negotiate, in Base64.
pub(super) fn read(token: &[u8]) -> Offer {
    let Ok(token) = BASE64.decode(token) else { return Offer::Opaque };
    match token.first() {
        Some(&GSS_TOKEN) => init(&token).unwrap_or(Offer::Opaque),
        Some(&CONTEXT_1) => response(&token).and_then(|(_, inner)| inner).map_or(Offer::Opaque, offer),
        Some(_) | None => offer(&token),
    }
}

/// Reads a server's token of the scheme NTLM, in Base64.
pub(super) fn continuation_bare(token: &[u8]) -> Continuation {
    BASE64.decode(token).map_or(Continuation::None, |token| challenge(&token))
}

/// Reads a server's token of the scheme Negotiate, in Base64.
pub(super) fn continuation(token: &[u8]) -> Continuation {
    let Ok(token) = BASE64.decode(token) else { return Continuation::None };
    if token.first() != Some(&CONTEXT_1) {
        return challenge(&token);
    }
    match response(&token) {
        Some((State::Unfinished, Some(inner))) if challenge(inner) == Continuation::Ntlm => {
            Continuation::Ntlm
        }
        Some((State::Unfinished, _)) => Continuation::Other,
        Some((State::Finished, _)) | None => Continuation::None,
    }
}

/// Whether the negotiation goes on after a negTokenResp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It is accepted or rejected.
    Finished,
    /// More is to come.
    Unfinished,
}

fn offer(token: &[u8]) -> Offer {
    match ntlm::read(token) {
        Some(Message::Negotiate) => Offer::First,
        Some(Message::Authenticate(name)) => Offer::Ntlm(name),
        Some(Message::Challenge) | None => Offer::Opaque,
    }
}

fn challenge(token: &[u8]) -> Continuation {
    match ntlm::read(token) {
        Some(Message::Challenge) => Continuation::Ntlm,
        Some(Message::Negotiate | Message::Authenticate(_)) | None => Continuation::None,
    }
}

/// A negTokenInit; `None` for a token of another mechanism, or for what cannot be read.
///
/// It begins a handshake where it brings no token yet or NTLM's first message. Kerberos needs no second leg, and NTLM's
/// last message has no place here.
fn init(token: &[u8]) -> Option<Offer> {
    let (mechanism, rest) = take(only(token, GSS_TOKEN)?)?;
    if mechanism.tag != OID || mechanism.content != SPNEGO {
        return None;
    }
    let fields = only(only(rest, CONTEXT_0)?, SEQUENCE)?;
    let Some(inner) = among(fields, CONTEXT_2).ok()? else { return Some(Offer::First) };
    match ntlm::read(only(inner, OCTET_STRING)?)? {
        Message::Negotiate => Some(Offer::First),
        Message::Challenge | Message::Authenticate(_) => Some(Offer::Opaque),
    }
}

/// A negTokenResp: whether it goes on, and the mechanism's token in it.
fn response(token: &[u8]) -> Option<(State, Option<&[u8]>)> {
    const ACCEPT_INCOMPLETE: &[u8] = &[1];
    const REQUEST_MIC: &[u8] = &[3];
    let fields = only(only(token, CONTEXT_1)?, SEQUENCE)?;
    let inner = match among(fields, CONTEXT_2).ok()? {
        Some(inner) => Some(only(inner, OCTET_STRING)?),
        None => None,
    };
    let state = match among(fields, CONTEXT_0).ok()? {
        Some(state) => match only(state, ENUMERATED)? {
            ACCEPT_INCOMPLETE | REQUEST_MIC => State::Unfinished,
            _ => State::Finished,
        },
        // It may be left out after the first answer; a token then asks for another one.
        None if inner.is_some() => State::Unfinished,
        None => State::Finished,
    };
    Some((state, inner))
}

#[cfg(test)]
mod tests;
