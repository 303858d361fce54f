use hyper::HeaderMap;
use hyper::header::{HeaderValue, WWW_AUTHENTICATE};
use proptest::prelude::*;

use super::super::vectors::{header, inner, ntlm_challenge, response, state};
use super::{Challenge, Continuation};

fn of(values: &[&[u8]]) -> Challenge {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(WWW_AUTHENTICATE, HeaderValue::from_bytes(value).unwrap());
    }
    Challenge::of(&headers)
}

#[test]
fn the_kinds_that_bind_the_connection_are_found() {
    let cases: [(&[&[u8]], bool); 9] = [
        (&[b"NTLM"], true),
        (&[b"Basic realm=\"mail\"", b"negotiate"], true),
        (&[b"Basic realm=\"mail\", charset=\"UTF-8\", NTLM"], true),
        (&[b"Negotiate, NTLM, Basic realm=\"a, b\""], true),
        (&[b"Basic realm=\"x, NTLM, y\""], false),
        (&[b"Basic realm=\"x \\\", NTLM, y\""], false),
        (&[b"Bearer ntlm=\"Negotiate\""], false),
        (&[b""], false),
        (&[], false),
    ];
    for (values, expected) in cases {
        let found = of(values);
        assert_eq!(found.binds_connection, expected, "{values:?}");
        assert_eq!(found.continuation, Continuation::None, "{values:?}");
    }
}

#[test]
fn a_token_continues_the_handshake_wherever_it_stands() {
    let ntlm = header("NTLM", &ntlm_challenge());
    let wrapped = header("Negotiate", &response(&[state(1), inner(&ntlm_challenge())].concat()));
    let other = header("negotiate", &response(&state(3)));
    assert_eq!(of(&[&ntlm]).continuation, Continuation::Ntlm);
    assert_eq!(of(&[b"Basic realm=\"x\"", &wrapped]).continuation, Continuation::Ntlm);
    assert_eq!(
        of(&[&[&b"Basic realm=\"x\", "[..], &ntlm, b", Digest x=y"].concat()]).continuation,
        Continuation::Ntlm
    );
    assert_eq!(of(&[&other]).continuation, Continuation::Other);
    assert_eq!(of(&[&header("Basic", &ntlm_challenge())]).continuation, Continuation::None);
}

proptest! {
    #[test]
    fn any_header_is_read_without_panic(value in r"(NTLM|Negotiate|Basic)?[ -~]{0,60}") {
        let _ = of(&[value.as_bytes()]);
    }
}
