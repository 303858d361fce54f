use base64::Engine;
use base64::engine::general_purpose::{URL_SAFE, URL_SAFE_NO_PAD};
use proptest::prelude::*;

use super::{ClaimedName, MAX_PAYLOAD_BYTES, name};

fn token(payload: &str) -> Vec<u8> {
    format!("eyJhbGciOiJSUzI1NiJ9.{}.c2lnbmF0dXJl", URL_SAFE_NO_PAD.encode(payload)).into_bytes()
}

#[test]
fn the_first_claim_that_is_there_decides() {
    let cases = [
        (r#"{"upn":"a@x.example","preferred_username":"b","email":"c@x.example"}"#, "a@x.example"),
        (r#"{"email":"c@x.example","preferred_username":"b"}"#, "b"),
        (r#"{"email":"c@x.example","sub":"1","aud":["m",{"n":null}]}"#, "c@x.example"),
        (r#"{"email":"c@x.example","email_verified":true}"#, "c@x.example"),
        (r#"{"email":"c@x.example","email_verified":"true"}"#, "c@x.example"),
        (r#"{"upn":"a@x.example","email":"c@x.example","email_verified":false}"#, "a@x.example"),
        (r#"{"upn":null,"email":"c@x.example"}"#, "c@x.example"),
        (r#"{"upn":"\u0061@x.example"}"#, "a@x.example"),
    ];
    for (payload, expected) in cases {
        assert_eq!(name(&token(payload)), ClaimedName::of(expected), "{payload}");
        assert!(name(&token(payload)).is_some());
    }
}

#[test]
fn what_can_be_read_in_two_ways_or_not_at_all_names_nobody() {
    for payload in [
        "{}",
        "[]",
        "",
        r#"{"upn":"a@x.example","upn":"b@x.example"}"#,
        r#"{"upn":"a@x.example"} {"upn":"b@x.example"}"#,
        r#"{"upn":["a@x.example"]}"#,
        r#"{"upn":"not a@name","email":"c@x.example"}"#,
        r#"{"upn":"","email":"c@x.example"}"#,
        r#"{"email":"c@x.example","email_verified":false}"#,
        r#"{"email":"c@x.example","email_verified":"false"}"#,
        r#"{"name":"John Doe","unique_name":"a@x.example"}"#,
        r#"{"upn":"a@x.example""#,
        "{\"upn\":\"a\u{0}@x.example\"}",
    ] {
        assert_eq!(name(&token(payload)), None, "{payload}");
    }
}

#[test]
fn claims_nested_endlessly_end_nothing_but_the_reading() {
    let nested = |claim: &str| {
        let brackets = MAX_PAYLOAD_BYTES / 4;
        let payload =
            format!(r#"{{"{claim}":{}{},"upn":"a@x.example"}}"#, "[".repeat(brackets), "]".repeat(brackets));
        name(&token(&payload))
    };
    assert_eq!(nested("skipped"), ClaimedName::of("a@x.example"));
    assert_eq!(nested("email_verified"), None);
}

#[test]
fn only_a_token_of_three_parts_is_a_signed_one() {
    let payload = URL_SAFE_NO_PAD.encode(r#"{"upn":"a@x.example"}"#);
    for (token, named) in [
        (format!("h.{payload}.s"), true),
        (format!("h.{payload}."), true),
        (payload.clone(), false),
        (format!("h.{payload}"), false),
        (format!("h.{payload}.s.t.u"), false),
        (format!("h.{payload}.s, other"), false),
        (format!("h.{payload}.\u{e9}"), false),
    ] {
        assert_eq!(name(token.as_bytes()).is_some(), named, "{token}");
    }
}

#[test]
fn padding_is_read_and_may_be_left_out() {
    for filler in ["", "x", "xx"] {
        let payload = format!(r#"{{"upn":"a{filler}@x.example"}}"#);
        let padded = format!("h.{}.s", URL_SAFE.encode(&payload));
        assert_eq!(name(padded.as_bytes()), ClaimedName::of(&format!("a{filler}@x.example")));
        assert_eq!(name(padded.as_bytes()), name(&token(&payload)));
    }
}

#[test]
fn exactly_the_longest_payload_is_still_read() {
    let payload = |bytes: usize| {
        let known = r#"{"upn":"a@x.example","x":""}"#.len();
        let text = format!(r#"{{"upn":"a@x.example","x":"{}"}}"#, "x".repeat(bytes / 4 * 3 - known));
        name(&token(&text))
    };
    assert!(payload(MAX_PAYLOAD_BYTES).is_some());
    assert_eq!(payload(MAX_PAYLOAD_BYTES + 4), None);
}

proptest! {
    #[test]
    fn any_payload_is_read_without_panic(payload in r#"[{}"a-z:,@.\\\[\]0-9]{0,60}"#) {
        let _ = name(&token(&payload));
        let _ = name(payload.as_bytes());
    }
}
