use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, HeaderValue};
use proptest::prelude::*;
use ring::rand::SystemRandom;

use super::vectors::{header, inner, kerberos, ntlm_authenticate, ntlm_negotiate, response};
use super::{Claim, ClaimedName, Front, Leg, MAX_CREDENTIAL_BYTES, Scheme};
use crate::credentials::{CredentialCache, CredentialSettings};

fn claim(header: &[u8]) -> Claim {
    Claim::of(header).unwrap()
}

fn cache() -> CredentialCache<()> {
    CredentialCache::new(CredentialSettings::default(), &SystemRandom::new()).unwrap()
}

#[test]
fn each_scheme_shows_its_name_scheme_and_leg() {
    let ntlm = ntlm_authenticate("EXAMPLE", "john");
    let jwt = b"Bearer eyJhbGciOiJub25lIn0.eyJ1cG4iOiJqb2huQGV4YW1wbGUuY29tIn0.c2ln".to_vec();
    let cases = [
        (header("Basic", b"john@example.com:secret"), Scheme::Basic, "john@example.com", Leg::Complete),
        (header("bAsIc", b"john:a:b"), Scheme::Basic, "john", Leg::Complete),
        (header("Basic  ", b"EXAMPLE\\john:"), Scheme::Basic, r"EXAMPLE\john", Leg::Complete),
        (b" Basic am9objpwYXNz ".to_vec(), Scheme::Basic, "john", Leg::Complete),
        (b"Basic".to_vec(), Scheme::Basic, "", Leg::First),
        (b"Basic !!!".to_vec(), Scheme::Basic, "", Leg::Complete),
        (b"Basic\tam9objpwYXNz".to_vec(), Scheme::Basic, "", Leg::Complete),
        (header("Basic", b"a@b@c:secret"), Scheme::Basic, "", Leg::Complete),
        (jwt, Scheme::Bearer, "john@example.com", Leg::Complete),
        (b"Bearer 0123456789abcdef".to_vec(), Scheme::Bearer, "", Leg::Complete),
        (header("NTLM", &ntlm_negotiate()), Scheme::Ntlm, "", Leg::First),
        (header("NTLM", &ntlm), Scheme::Ntlm, r"EXAMPLE\john", Leg::Complete),
        (b"NTLM x".to_vec(), Scheme::Ntlm, "", Leg::Complete),
        (header("Negotiate", &response(&inner(&ntlm))), Scheme::Negotiate, r"EXAMPLE\john", Leg::Complete),
        (header("Negotiate", &kerberos([1, 0], b"ticket")), Scheme::Negotiate, "", Leg::Complete),
        (b"Negotiate".to_vec(), Scheme::Negotiate, "", Leg::First),
        (br#"Digest username="john", nc=00000001"#.to_vec(), Scheme::Digest, "john", Leg::Complete),
        (b"Custom john".to_vec(), Scheme::Other, "", Leg::Complete),
        (b"\xff\xfe what".to_vec(), Scheme::Other, "", Leg::Complete),
    ];
    for (header, scheme, name, leg) in cases {
        let found = claim(&header);
        let text = String::from_utf8_lossy(&header);
        assert_eq!((found.scheme, found.leg), (scheme, leg), "{text}");
        assert_eq!(found.name, ClaimedName::of(name), "{text}");
    }
    assert_eq!(Claim::of(b"  "), None);
}

#[test]
fn only_ntlm_and_negotiate_are_bound_to_the_connection() {
    for (header, bound) in [
        ("Basic YTpi", false),
        ("Bearer t", false),
        ("NTLM t", true),
        ("Negotiate t", true),
        ("Digest t", false),
        ("Other t", false),
    ] {
        assert_eq!(claim(header.as_bytes()).is_bound_to_connection(), bound, "{header}");
    }
}

#[test]
fn a_spnego_token_in_the_bare_scheme_names_nobody() {
    let wrapped = response(&inner(&ntlm_authenticate("EXAMPLE", "john")));
    let claim = claim(&header("NTLM", &wrapped));
    assert_eq!((claim.name, claim.leg), (None, Leg::Complete));
}

#[test]
fn several_authorization_headers_name_nobody() {
    let mut headers = HeaderMap::new();
    assert_eq!(Claim::in_headers(&headers), None);
    headers.append(AUTHORIZATION, HeaderValue::from_static("Basic am9objpwYXNz"));
    assert_eq!(Claim::in_headers(&headers).unwrap().name, ClaimedName::of("john"));
    headers.append(AUTHORIZATION, HeaderValue::from_static("Basic amFuZTpwYXNz"));
    let both = Claim::in_headers(&headers).unwrap();
    assert_eq!((both.name, both.leg, both.scheme), (None, Leg::Complete, Scheme::Other));
}

#[test]
fn exactly_the_longest_credential_is_still_read() {
    let named = |length: usize| {
        let mut message = ntlm_authenticate("EXAMPLE", "john");
        message.resize(length / 4 * 3, 0);
        claim(&header("NTLM", &message)).name
    };
    assert!(named(MAX_CREDENTIAL_BYTES).is_some());
    assert_eq!(named(MAX_CREDENTIAL_BYTES + 4), None);
}

#[test]
fn a_key_is_for_one_credential_of_one_scheme_on_one_front() {
    let cache = cache();
    let key = |header: &[u8], front| claim(header).key(front, &cache);
    let first = key(b"Basic am9objpwYXNz", Front::Ews);
    assert!(first.is_some());
    assert_eq!(first, key(b"BASIC  am9objpwYXNz", Front::Ews));
    assert_ne!(first, key(b"Basic am9objpwYXNz", Front::Mapi));
    assert_ne!(first, key(b"Basic amFuZTpwYXNz", Front::Ews));
    assert_ne!(first, key(b"Bearer am9objpwYXNz", Front::Ews));
    assert_ne!(first, key(b"Bearer john:pass", Front::Ews), "the same bytes under another scheme");
    assert!(key(b"Bearer opaque", Front::Eas).is_some());
}

#[test]
fn what_never_comes_twice_has_no_key() {
    let cache = cache();
    let last = header("NTLM", &ntlm_authenticate("EXAMPLE", "john"));
    let ticket = header("Negotiate", &kerberos([1, 0], b"ticket"));
    for header in
        [&last[..], &ticket, br#"Digest username="john""#, b"Custom x", b"Basic", b"Basic !", b"Bearer"]
    {
        assert_eq!(claim(header).key(Front::Ews, &cache), None, "{}", String::from_utf8_lossy(header));
    }
}

#[test]
fn printing_a_claim_shows_the_name_and_no_secret() {
    for header in
        [&b"Basic am9objpTM2NyZXQ="[..], b"Bearer S3cret", b"Digest username=\"john\", response=\"S3cret\""]
    {
        let printed = format!("{:?}", claim(header));
        assert!(printed.contains("name"), "{printed}");
        assert!(!printed.contains("S3cret") && !printed.contains("83, 51"), "{printed}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(header in proptest::collection::vec(any::<u8>(), 0..200)) {
        let claim = Claim::of(&header);
        prop_assert_eq!(claim.is_none(), header.trim_ascii().is_empty());
    }

    #[test]
    fn any_token_of_any_scheme_is_read_without_panic_and_names_only_plausible_people(
        scheme in prop::sample::select(vec!["Basic", "Bearer", "NTLM", "Negotiate", "Digest"]),
        token in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        let claim = Claim::of(&header(scheme, &token)).unwrap();
        if let Some(name) = claim.name {
            prop_assert_eq!(ClaimedName::of(&name.to_string()), Some(name));
        }
    }

    #[test]
    fn a_last_message_of_ntlm_changed_anywhere_is_read_without_panic(
        wrapped in any::<bool>(), at in any::<prop::sample::Index>(), to in any::<u8>(), end in any::<prop::sample::Index>(),
    ) {
        let message = ntlm_authenticate("EXAMPLE", "john");
        let mut token = if wrapped { response(&inner(&message)) } else { message };
        let at = at.index(token.len());
        token[at] = to;
        let claim = Claim::of(&header("Negotiate", &token)).unwrap();
        prop_assert!(claim.is_bound_to_connection());
        // One cut off anywhere is complete and without a name, or ends with what it does not need.
        token.truncate(end.index(token.len()).max(1));
        let cut = Claim::of(&header("Negotiate", &token)).unwrap();
        prop_assert!(!wrapped || cut.name.is_none());
    }
}
