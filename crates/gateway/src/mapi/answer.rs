//! The gateway's own answers to MAPI requests: bodies behind an envelope, and response codes with a sentence.
//!
//! An answer repeats what identifies its request. None of these sets a cookie by itself: whoever is refused sends the
//! very same again (R15).

use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{HeaderMap, Response};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;
use weir_units::{Micros, WallTime};
use weir_wire::mapi::ResponseCode;
use weir_wire::mapi::body::{Answer as AnswerBody, Body, Connected, Waited};
use weir_wire::mapi::envelope::{self, PROCESSING, X_ELAPSED_TIME, X_START_TIME};
use weir_wire::mapi::response_code::X_RESPONSE_CODE;

use super::head::MapiHead;
use crate::body::{Answer, whole};

/// The media type of a body of the protocol.
const MAPI: HeaderValue = HeaderValue::from_static("application/mapi-http");

/// A body of the protocol behind its envelope, in one piece.
pub(crate) fn body(head: &MapiHead, began: WallTime, took: Micros, body: &[u8]) -> Response<Answer> {
    let mut bytes = PROCESSING.to_vec();
    bytes.extend(done(began, took));
    bytes.extend(body);
    with_body(head, whole(bytes))
}

/// An answer whose body comes as its envelope says.
pub(crate) fn with_body(head: &MapiHead, body: Answer) -> Response<Answer> {
    let mut response = Response::new(body);
    fill(response.headers_mut(), head, ResponseCode::SUCCESS, MAPI);
    response
}

/// What stands before the body when the work is done.
pub(crate) fn done(began: WallTime, took: Micros) -> Vec<u8> {
    finished(began, took, &[])
}

fn finished(began: WallTime, took: Micros, more: &[(&str, &str)]) -> Vec<u8> {
    let began = Timestamp::from_second(began.unix_seconds()).unwrap_or_default();
    let began = DateTimePrinter::new().timestamp_to_rfc9110_string(&began).unwrap_or_default();
    let took = took.floor_millis().count().to_string();
    let headers = [(X_ELAPSED_TIME, took.as_str()), (X_START_TIME, began.as_str())];
    envelope::done(&[&headers, more].concat())
}

/// What ends an answer whose failure is known only then.
pub(crate) fn done_with_code(began: WallTime, took: Micros, code: ResponseCode, sentence: &str) -> Vec<u8> {
    let code = code.to_string();
    let mut bytes = finished(began, took, &[(X_RESPONSE_CODE, &code)]);
    bytes.extend(sentence.as_bytes());
    bytes
}

/// A response code other than success, with a sentence for whoever looks at the answer.
pub(crate) fn code(head: &MapiHead, code: ResponseCode, sentence: &str) -> Response<Answer> {
    let mut response = Response::new(whole(format!("<html><body><p>{sentence}</p></body></html>\n")));
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    fill(response.headers_mut(), head, code, html);
    response
}

/// The body of a `Connect` that fails with this code.
pub(crate) fn not_connected(error_code: u32) -> Vec<u8> {
    let connected = Connected {
        error_code,
        polls_max: 0,
        retry_count: 0,
        retry_delay: 0,
        dn_prefix: &[],
        display_name: &[],
        auxiliary: &[],
    };
    written(&AnswerBody::Done(connected))
}

/// The body of a `NotificationWait` that fails, since as many wait as may (T25).
pub(crate) fn not_waited() -> Vec<u8> {
    written(&AnswerBody::Done(Waited { error_code: SESSION_LIMIT, event_pending: false, auxiliary: &[] }))
}

pub(crate) fn written<'a, T: Body<'a>>(answer: &AnswerBody<'a, T>) -> Vec<u8> {
    let mut bytes = Vec::new();
    answer.write(&mut bytes);
    bytes
}

/// `MAPI_E_SESSION_LIMIT`: there are as many sessions as there may be.
pub(crate) const SESSION_LIMIT: u32 = 0x8004_0112;

fn fill(headers: &mut HeaderMap, head: &MapiHead, code: ResponseCode, content_type: HeaderValue) {
    headers.insert(CONTENT_TYPE, content_type);
    for (name, value) in head.repeated() {
        headers.insert(name.clone(), value.clone());
    }
    if let (Ok(name), Ok(value)) =
        (HeaderName::try_from(X_RESPONSE_CODE), HeaderValue::try_from(code.to_string()))
    {
        headers.insert(name, value);
    }
}

/// The sentence beside [`ResponseCode::INVALID_SEQUENCE`] where a session does two things at a time.
pub(crate) const UNDER_WAY: &str =
    "Another request of this session is under way. One at a time is carried out.";

/// The sentence beside [`ResponseCode::NO_PRIVILEGE`].
pub(crate) const NOT_HIS: &str = "The session belongs to somebody else. Connect anew.";
