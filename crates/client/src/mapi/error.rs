//! What can go wrong, in words that say what to do.

use std::path::PathBuf;
use std::time::Duration;

use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::property::PropertyTag;
use weir_wire::mapi::{Malformed, RequestType, ResponseCode};

use super::session::SessionError;

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub enum MapiError {
    /// Plain HTTP to somewhere else than this machine.
    #[error(
        "{host} is not this machine, and the password would go there unencrypted; use https:// in place of http://"
    )]
    Insecure {
        /// The host.
        host: String,
    },
    /// A file of trusted certificates that cannot be used.
    #[error("cannot trust the certificates in {}: {why}; name a file with certificates in PEM", file.display())]
    Authority {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A setting that cannot be sent.
    #[error("{what} has characters that no HTTP header can have; write it without")]
    Unsendable {
        /// What it is.
        what: &'static str,
    },
    /// Nobody listens there.
    #[error("cannot reach {server}: {why}; is the address right, and does the server run?")]
    Unreachable {
        /// Where.
        server: String,
        /// What the system said.
        why: String,
    },
    /// Somebody listens, and there is no TLS with him.
    #[error(
        "no secure connection to {server}: {why}; if its certificate comes from an authority of your own, name that \
         authority's file"
    )]
    Tls {
        /// Where.
        server: String,
        /// What is wrong.
        why: String,
    },
    /// A server says nothing.
    #[error("{server} said nothing for {} s; try again later", limit.as_secs())]
    Silent {
        /// Where.
        server: String,
        /// How long.
        limit: Duration,
    },
    /// A call that does not end.
    #[error("{server} works on one call since {} s; ask for less at a time", limit.as_secs())]
    Endless {
        /// Where.
        server: String,
        /// How long.
        limit: Duration,
    },
    /// The connection broke while a call was made.
    #[error(
        "the connection broke in the middle of {call}: {why}; whether it was carried out is not known: connect again \
         and look"
    )]
    Broken {
        /// The call.
        call: RequestType,
        /// What is wrong.
        why: String,
    },
    /// The server does not accept name and password.
    #[error("{server} does not accept the password of {user}; check name and password")]
    Credentials {
        /// Where.
        server: String,
        /// Whose.
        user: String,
    },
    /// An HTTP answer that is none of the protocol.
    #[error("{server} answers {status} and not in MAPI over HTTP: {}", advice(*status))]
    Status {
        /// Where.
        server: String,
        /// The HTTP status.
        status: u16,
    },
    /// The server could not carry out the request.
    #[error("the server refuses {call} with response code {code}: {}", meaning(*code))]
    Response {
        /// The call.
        call: RequestType,
        /// Why.
        code: ResponseCode,
    },
    /// The server says no.
    #[error("the server does not {what}: {code}{}", hint(*code))]
    Refused {
        /// What was asked for, as the end of "the server does not …".
        what: &'static str,
        /// Why.
        code: ErrorCode,
    },
    /// The answer is longer than the limit.
    #[error("the answer to {call} is longer than {limit} bytes; ask for less at a time")]
    TooLong {
        /// The call.
        call: RequestType,
        /// The limit.
        limit: usize,
    },
    /// The answer is not what it should be.
    #[error("the answer to {call} cannot be read ({why}); is it a server that speaks MAPI over HTTP?")]
    Malformed {
        /// The call.
        call: RequestType,
        /// What is wrong.
        why: Malformed,
    },
    /// A property that cannot be set.
    #[error("the server does not set the property {tag}: {code}")]
    Property {
        /// The property.
        tag: PropertyTag,
        /// Why.
        code: ErrorCode,
    },
    /// A text beyond the limit.
    #[error("the message's text is longer than {limit} bytes, the most that is read")]
    LongBody {
        /// The limit.
        limit: usize,
    },
    /// The answer is of another kind than what was asked for.
    #[error(
        "the server answered something else than was asked for; is it a server that speaks MAPI over HTTP?"
    )]
    Unexpected,
    /// The session's calls cannot go on.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// What to do about an HTTP status.
const fn advice(status: u16) -> &'static str {
    match status {
        300..=399 => "it sends to another address; use that one",
        403 => "that user may not use MAPI, or not from here; ask the administrator",
        404 => "nothing is there; the path is usually /mapi/emsmdb",
        429 | 503 => "it has too much to do; try again later",
        500..=599 => "it is in trouble; try again later, and look at its log",
        _ => "is it a mail server?",
    }
}

/// What a response code means, and what to do.
fn meaning(code: ResponseCode) -> &'static str {
    match code.number() {
        2..=5 | 7 => "it does not understand the request; is something between that changes requests?",
        6 | 13 => "the session's cookie is missing or another's; connect again",
        8 => "nobody is logged in; give name and password",
        9 => "the request or its answer is too large; ask for less at a time",
        10 => "it knows the session no longer, after a pause or a restart; connect again",
        11 => "the session belongs to somebody else; connect again",
        12 => "it cannot read the request; is it a server that speaks MAPI over HTTP?",
        15 => "another call of the same session came between; connect again",
        16 => "MAPI over HTTP is switched off there; ask the administrator",
        17 => "it made an answer that it cannot send; ask for less at a time",
        18 => "it is being stopped; try again later",
        _ => "it does not say more; look at its log",
    }
}

/// What to do about an error that people meet.
fn hint(code: ErrorCode) -> &'static str {
    if [ErrorCode::ACCESS_DENIED, ErrorCode::LOGON_FAILED, ErrorCode::LOGIN_PERM].contains(&code) {
        "; the user may not; check the distinguished name, and whose mailbox it is"
    } else if code == ErrorCode::UNKNOWN_USER {
        "; nobody has that distinguished name; check it"
    } else if code == ErrorCode::NOT_FOUND {
        "; it is not there, or no longer"
    } else if code == ErrorCode::WRONG_SERVER {
        "; that mailbox is at another server"
    } else if [ErrorCode::TOO_MANY_SESSIONS, ErrorCode::SERVER_BUSY].contains(&code) {
        "; end other sessions of that user, or try again later"
    } else {
        ""
    }
}
