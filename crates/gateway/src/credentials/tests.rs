use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use ring::rand::SystemRandom;
use weir_units::{Micros, Owner, Tick};

use super::{
    BasicCredential, CredentialCache, CredentialError, CredentialKey, CredentialSettings, FORGOTTEN,
};

const MINUTE: u64 = 60_000_000;

fn cache(entries: usize) -> CredentialCache<u32> {
    let settings = CredentialSettings { entries, ..CredentialSettings::default() };
    CredentialCache::new(settings, &SystemRandom::new()).unwrap()
}

fn john() -> Owner {
    Owner::new("john.doe@example.com")
}

fn jane() -> Owner {
    Owner::new("jane.doe@example.com")
}

fn accept(cache: &CredentialCache<u32>, key: CredentialKey, owner: &Owner, value: u32, now: Tick) {
    assert!(cache.accept(key, owner, value, cache.begin(), now));
}

fn header(credential: &[u8]) -> Vec<u8> {
    format!("Basic {}", STANDARD.encode(credential)).into_bytes()
}

#[test]
fn an_accepted_credential_is_good_for_five_minutes_from_its_acceptance() {
    let cache = cache(10);
    let key = cache.key("basic", b"john:secret");
    assert_eq!(cache.accepted(&key, Tick::START), None);
    accept(&cache, key, &john(), 7, Tick::START);
    for minute in 0..5 {
        assert_eq!(cache.accepted(&key, Tick::new(minute * MINUTE)), Some(7), "use prolongs nothing");
    }
    assert_eq!(cache.accepted(&key, Tick::new(5 * MINUTE - 1)), Some(7));
    assert_eq!(cache.accepted(&key, Tick::new(5 * MINUTE)), None);
}

#[test]
fn only_the_very_same_credential_is_accepted() {
    let cache = cache(10);
    accept(&cache, cache.key("basic", b"john:secret"), &john(), 7, Tick::START);
    for (scheme, credential) in
        [("basic", "john:secreT"), ("bearer", "john:secret"), ("basi", "cjohn:secret")]
    {
        assert_eq!(cache.accepted(&cache.key(scheme, credential.as_bytes()), Tick::START), None);
    }
}

#[test]
fn two_processes_have_two_keys() {
    assert_ne!(cache(1).key("basic", b"john:secret"), cache(1).key("basic", b"john:secret"));
}

#[test]
fn a_401_removes_the_credential_and_no_other() {
    let cache = cache(10);
    let (one, other) = (cache.key("basic", b"john:a"), cache.key("basic", b"john:b"));
    accept(&cache, one, &john(), 1, Tick::START);
    accept(&cache, other, &john(), 2, Tick::START);
    cache.reject(&one);
    assert_eq!(cache.accepted(&one, Tick::START), None);
    assert!(!cache.is_lapsed(&one, Tick::new(5 * MINUTE)));
    assert_eq!(cache.accepted(&other, Tick::START), Some(2));
}

#[test]
fn a_changed_password_forgets_all_credentials_of_its_owner_and_of_nobody_else() {
    let cache = cache(10);
    let keys = [b"john:a".as_slice(), b"EXAMPLE\\john:a", b"jane:b"]
        .map(|credential| cache.key("basic", credential));
    for (key, owner) in keys.iter().zip([john(), john(), jane()]) {
        accept(&cache, *key, &owner, 0, Tick::START);
    }
    cache.forget(&john());
    assert_eq!(keys.map(|key| cache.accepted(&key, Tick::START).is_some()), [false, false, true]);
}

#[test]
fn a_verification_that_began_before_the_change_is_not_remembered() {
    let cache = cache(10);
    let key = cache.key("basic", b"john:old");
    let begun = cache.begin();
    cache.forget(&john());
    assert!(!cache.accept(key, &john(), 1, begun, Tick::START));
    assert_eq!(cache.accepted(&key, Tick::START), None);
    assert!(
        cache.accept(cache.key("basic", b"jane:b"), &jane(), 2, begun, Tick::START),
        "Jane's password is the same"
    );
    assert!(cache.accept(key, &john(), 1, cache.begin(), Tick::START), "a later verification saw the change");
}

#[test]
fn a_verification_older_than_the_memory_of_changes_is_not_remembered() {
    let cache = cache(10);
    let begun = cache.begin();
    cache.forget(&john());
    for nth in 0..FORGOTTEN {
        cache.forget(&Owner::new(&format!("user{nth}@example.com")));
    }
    assert!(!cache.accept(cache.key("basic", b"john:old"), &john(), 1, begun, Tick::START));
    assert!(cache.accept(cache.key("basic", b"john:new"), &john(), 1, cache.begin(), Tick::START));
}

#[test]
fn forgetting_all_leaves_nothing_and_stops_what_has_begun() {
    let cache = cache(10);
    let key = cache.key("basic", b"john:a");
    accept(&cache, key, &john(), 1, Tick::START);
    let begun = cache.begin();
    cache.forget_all();
    assert!(cache.is_empty());
    assert!(!cache.accept(key, &john(), 1, begun, Tick::START));
}

#[test]
fn the_one_accepted_the_longest_ago_makes_room() {
    let cache = cache(2);
    let keys = [b"a", b"b", b"c"].map(|credential| cache.key("basic", credential));
    accept(&cache, keys[0], &john(), 0, Tick::new(0));
    accept(&cache, keys[1], &john(), 1, Tick::new(1));
    accept(&cache, keys[0], &john(), 2, Tick::new(2));
    accept(&cache, keys[2], &john(), 3, Tick::new(3));
    assert_eq!(keys.map(|key| cache.accepted(&key, Tick::new(3))), [Some(2), None, Some(3)]);
    assert_eq!(cache.len(), 2);
}

#[test]
fn a_credential_is_lapsed_from_its_fifth_minute_to_its_sixtieth() {
    let cache = cache(10);
    let key = cache.key("basic", b"john:secret");
    accept(&cache, key, &john(), 7, Tick::START);
    for sweeps in [false, true] {
        for (micros, lapsed) in
            [(0, false), (5 * MINUTE - 1, false), (5 * MINUTE, true), (60 * MINUTE - 1, true)]
        {
            if sweeps {
                cache.sweep(Tick::new(micros));
            }
            assert_eq!(cache.is_lapsed(&key, Tick::new(micros)), lapsed, "at {micros} µs");
        }
    }
    assert!(cache.is_empty(), "its value is let go by the sweep");
    assert!(!cache.is_lapsed(&key, Tick::new(60 * MINUTE)));
    cache.forget(&john());
    assert!(!cache.is_lapsed(&key, Tick::new(59 * MINUTE)));
}

#[test]
fn an_accepted_credential_is_fresh_again_after_it_lapsed() {
    let cache = cache(10);
    let key = cache.key("basic", b"john:secret");
    accept(&cache, key, &john(), 1, Tick::START);
    cache.sweep(Tick::new(6 * MINUTE));
    accept(&cache, key, &john(), 2, Tick::new(6 * MINUTE));
    assert_eq!(cache.accepted(&key, Tick::new(6 * MINUTE)), Some(2));
    assert!(!cache.is_lapsed(&key, Tick::new(6 * MINUTE)));
}

#[test]
fn basic_credentials_are_read_as_clients_write_them() {
    let cases: [(&[u8], &str, &str); 6] = [
        (b"john:secret", "john", "secret"),
        (b"EXAMPLE\\john:pass:with:colons", "EXAMPLE\\john", "pass:with:colons"),
        (b"john.doe@example.com:", "john.doe@example.com", ""),
        ("jürgen:größe".as_bytes(), "jürgen", "größe"),
        (b"j\xfcrgen:gr\xf6\xdfe", "jürgen", "größe"),
        (b" john: spaced ", " john", " spaced "),
    ];
    for (bytes, user, password) in cases {
        let credential = BasicCredential::parse(&header(bytes)).unwrap();
        assert_eq!((credential.user(), credential.password()), (user, password));
        assert_eq!(credential.bytes(), bytes);
    }
}

#[test]
fn the_scheme_has_no_case_and_padding_may_be_missing() {
    for text in [
        "Basic am9objph",
        "bAsIc   am9objph ",
        "BASIC am9objpzZWNyZXQx",
        "basic am9objpzZWNyZXQ=",
        "basic am9objpzZWNyZXQ",
    ] {
        assert_eq!(BasicCredential::parse(text.as_bytes()).unwrap().user(), "john", "{text}");
    }
}

#[test]
fn what_is_no_basic_credential_says_why() {
    let long = format!("Basic {}", "A".repeat(8 << 10));
    let cases = [
        (b"".to_vec(), CredentialError::OtherScheme),
        (b"NTLM TlRMTVNTUAAB".to_vec(), CredentialError::OtherScheme),
        (b"Basicam9objph".to_vec(), CredentialError::OtherScheme),
        (long.into_bytes(), CredentialError::TooLong { limit: 8 << 10 }),
        (b"Basic".to_vec(), CredentialError::Incomplete),
        (b"Basic %%%%".to_vec(), CredentialError::NotBase64),
        (b"Basic am9objph am9objph".to_vec(), CredentialError::NotBase64),
        (header(b"john"), CredentialError::Incomplete),
        (header(b":secret"), CredentialError::Incomplete),
        (header(b"john:sec\0ret"), CredentialError::ControlCharacter),
        (header(b"jo\nhn:secret"), CredentialError::ControlCharacter),
    ];
    for (text, error) in cases {
        assert_eq!(BasicCredential::parse(&text), Err(error), "{}", String::from_utf8_lossy(&text));
    }
}

#[test]
fn no_password_is_ever_printed() {
    let credential = BasicCredential::parse(&header(b"john:geheim")).unwrap();
    let cache = cache(1);
    let key = cache.key("basic", credential.bytes());
    let printed = format!("{credential:?} {cache:?} {key:?}");
    assert!(printed.contains("john") && !printed.contains("geheim") && !printed.contains("67"), "{printed}");
}

proptest! {
    #[test]
    fn any_header_is_read_or_refused_and_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = BasicCredential::parse(&bytes);
        if let Ok(credential) = BasicCredential::parse(&header(&bytes)) {
            prop_assert!(!credential.user().contains(':'));
            prop_assert_eq!(credential.bytes(), &bytes);
        }
    }

    /// Against a list of everything that was accepted: what the cache says is never more than the list allows.
    #[test]
    fn the_cache_agrees_with_a_plain_list(steps in proptest::collection::vec((0_u8..6, 0_u8..4, 0_u64..200), 0..200)) {
        let cache = cache(3);
        let mut list: Vec<(u8, u8, Tick)> = Vec::new();
        let mut now = Tick::START;
        for (step, credential, seconds) in steps {
            let key = cache.key("basic", &[credential]);
            let owner = Owner::new(&format!("owner{}", credential % 2));
            match step {
                0 | 1 => {
                    accept(&cache, key, &owner, u32::from(credential), now);
                    list.retain(|(one, ..)| *one != credential);
                    list.push((credential, credential % 2, now));
                    if list.len() > 3 {
                        list.remove(0);
                    }
                }
                2 => {
                    cache.reject(&key);
                    list.retain(|(one, ..)| *one != credential);
                }
                3 => {
                    cache.forget(&owner);
                    list.retain(|(_, of, _)| *of != credential % 2);
                }
                4 => cache.sweep(now),
                _ => now = now.plus(Micros::SECOND.times(seconds)),
            }
            list.retain(|(.., at)| now.since(*at) < Micros::MINUTE.times(5));
            for credential in 0_u8..4 {
                let expected = list.iter().any(|(one, ..)| *one == credential).then_some(u32::from(credential));
                prop_assert_eq!(cache.accepted(&cache.key("basic", &[credential]), now), expected);
            }
        }
    }
}
