//! Whole HTTP answers, each with the headers that clients need.

use hyper::header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};
use weir_wire::ews;

use crate::body::{Answer, whole};

/// A SOAP document with its status; 500 for every fault, since clients look for faults nowhere else.
pub(crate) fn soap(status: StatusCode, document: Vec<u8>) -> Response<Answer> {
    soap_body(status, whole(document))
}

/// A SOAP document that may come piece by piece.
pub(crate) fn soap_body(status: StatusCode, body: Answer) -> Response<Answer> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(ews::CONTENT_TYPE));
    response
}

/// A sentence for people.
pub(crate) fn text(status: StatusCode, sentence: &'static str) -> Response<Answer> {
    let mut response = Response::new(whole(sentence));
    *response.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, plain);
    response
}

/// 403, with the reason for people.
pub(crate) fn forbidden(why: &str) -> Response<Answer> {
    let mut response = Response::new(whole(format!("{why}\n")));
    *response.status_mut() = StatusCode::FORBIDDEN;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, plain);
    response
}

/// 401: credentials are missing, or they were not accepted.
pub(crate) fn unauthorized() -> Response<Answer> {
    let sentence = "Name and password of a mailbox are needed, or they were not accepted.\n";
    let mut response = text(StatusCode::UNAUTHORIZED, sentence);
    let basic = HeaderValue::from_static("Basic realm=\"Mailweir\", charset=\"UTF-8\"");
    response.headers_mut().insert(WWW_AUTHENTICATE, basic);
    response
}

/// 405: EWS is spoken by POST; GET is answered for clients that look whether somebody is there.
pub(crate) fn method_not_allowed() -> Response<Answer> {
    let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "Exchange Web Services are called by POST.\n");
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, POST"));
    response
}

/// The connection ends with this answer, because the request was not read to its end.
pub(crate) fn and_close(mut response: Response<Answer>) -> Response<Answer> {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}
