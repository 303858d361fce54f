use hyper::HeaderMap;
use hyper::header::{COOKIE, HeaderValue};
use proptest::prelude::*;

use super::Endpoint::{Gateway, Mailbox};
use super::{Sequence, SessionKey, sequence, session, strip};

const KEY: &str = "000102030405060708090a0b0c0d0e0f";

fn headers(lines: &[&str]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for line in lines {
        headers.append(COOKIE, HeaderValue::try_from(*line).unwrap());
    }
    headers
}

fn lines(headers: &HeaderMap) -> Vec<String> {
    headers.get_all(COOKIE).iter().map(|line| line.to_str().unwrap().to_owned()).collect()
}

#[track_caller]
fn check(before: &[&str], after: &[&str]) {
    let mut headers = headers(before);
    strip(&mut headers);
    assert_eq!(lines(&headers), after);
}

#[test]
fn each_endpoints_own_cookies_are_read_wherever_they_stand() {
    let line = format!("a=b; MailweirMapi={KEY};MapiSequence=7");
    let headers = headers(&["x=y", &line]);
    let key = SessionKey(0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f_u128.to_be_bytes());
    assert_eq!((session(&headers, Gateway), session(&headers, Mailbox)), (Some(key), None));
    assert_eq!(sequence(&headers), Some(Sequence(7)));
}

#[test]
fn what_is_no_key_names_no_session() {
    let long = format!("{KEY}0");
    let strange = KEY.replace('0', "g");
    for value in ["", "0", &KEY[1..], &long, "+0102030405060708090a0b0c0d0e0f0", &strange] {
        assert_eq!(session(&headers(&[&format!("MailweirMapi={value}")]), Gateway), None, "{value}");
    }
    assert_eq!(session(&headers(&["XMailweirMapi=1", "MailweirMapi"]), Gateway), None);
    assert_eq!(sequence(&headers(&["MapiSequence=-1"])), None);
}

#[test]
fn stripping_leaves_all_other_cookies_as_they_were() {
    check(&["a=1;  b=\"2 ; 3\""], &["a=1;  b=\"2 ; 3\""]);
    check(&["a=1; MailweirMapi=2; b=3"], &["a=1; b=3"]);
    check(&["MailweirMapi=2"], &[]);
    check(&["MailweirMapi=2; MapiContext=3; MapiSequence=4"], &["MapiContext=3; MapiSequence=4"]);
    check(&["MailweirMapi=2", "c=1;d=2"], &["c=1;d=2"]);
    check(&["MailweirMapiOther=2"], &["MailweirMapiOther=2"]);
}

#[test]
fn a_key_is_set_as_it_is_read_and_never_shown() {
    let key = SessionKey([0xAB; 16]);
    let set = key.set(Gateway, true).unwrap();
    let set = set.to_str().unwrap();
    assert!(set.ends_with("; Path=/mapi; HttpOnly; Secure"), "{set}");
    assert!(!key.set(Gateway, false).unwrap().to_str().unwrap().contains("Secure"));
    assert_eq!(session(&headers(&[set.split(';').next().unwrap()]), Gateway), Some(key));
    assert_eq!(format!("{key:?}"), "SessionKey");
}

proptest! {
    #[test]
    fn any_cookies_are_read_and_stripped_without_harm(line in "[ -~]{0,200}") {
        let mut headers = headers(&[&line]);
        let _ = (session(&headers, Mailbox), sequence(&headers));
        strip(&mut headers);
        prop_assert!(session(&headers, Gateway).is_none());
    }
}
