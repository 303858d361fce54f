use super::super::vectors::{
    ANONYMOUS, Authenticate, OEM, UNICODE, ntlm_authenticate, ntlm_challenge, ntlm_negotiate, utf16,
};
use super::{ClaimedName, Message, read};

/// A last message byte by byte: a client of the time before the integrity code, so that the payload begins at 72.
const LAST: &[u8] = &[
    b'N', b'T', b'L', b'M', b'S', b'S', b'P', 0, 3, 0, 0, 0, // signature, type
    24, 0, 24, 0, 98, 0, 0, 0, // LM response
    1, 0, 1, 0, 122, 0, 0, 0, // NT response
    14, 0, 14, 0, 72, 0, 0, 0, // domain
    8, 0, 8, 0, 86, 0, 0, 0, // user
    4, 0, 4, 0, 94, 0, 0, 0, // workstation
    0, 0, 0, 0, 123, 0, 0, 0, // session key
    0x05, 0x82, 0x88, 0xa2, // flags
    6, 1, 0xb1, 0x1d, 0, 0, 0, 15, // version
    b'E', 0, b'X', 0, b'A', 0, b'M', 0, b'P', 0, b'L', 0, b'E', 0, // 72
    b'j', 0, b'o', 0, b'h', 0, b'n', 0, // 86
    b'P', 0, b'C', 0, // 94
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, // 98
    9,  // 122
];

fn named(message: &[u8]) -> Option<ClaimedName> {
    match read(message) {
        Some(Message::Authenticate(name)) => name,
        other => panic!("not a last message: {other:?}"),
    }
}

fn of(flags: u32, domain: &[u8], user: &[u8]) -> Option<ClaimedName> {
    named(&Authenticate { flags, domain, user, lm: &[0; 24], nt: &[7; 24] }.bytes())
}

#[test]
fn each_message_is_told_by_its_type() {
    assert_eq!(read(&ntlm_negotiate()), Some(Message::Negotiate));
    assert_eq!(read(&ntlm_challenge()), Some(Message::Challenge));
    assert_eq!(read(LAST), Some(Message::Authenticate(ClaimedName::of(r"EXAMPLE\john"))));
    let mut other = LAST.to_vec();
    other[8] = 4;
    for message in [&other[..], b"", b"NTLMSSP\0", b"NTLMSSP\0\x01\0\0", b"ntlmssp\0\x01\0\0\0", &LAST[1..]] {
        assert_eq!(read(message), None, "{message:?}");
    }
}

#[test]
fn the_name_is_domain_and_user_or_a_principal_name() {
    let cases = [
        ("EXAMPLE", "john", r"EXAMPLE\john"),
        ("example.com", "john", r"example.com\john"),
        ("", "john@example.com", "john@example.com"),
        ("DESKTOP-7", "john@example.com", "john@example.com"),
        ("", r"EXAMPLE\john", r"EXAMPLE\john"),
        ("", "john", "john"),
        ("BEISPIEL", "jürgen", r"BEISPIEL\jürgen"),
    ];
    for (domain, user, expected) in cases {
        assert_eq!(named(&ntlm_authenticate(domain, user)), ClaimedName::of(expected), r"{domain}\{user}");
        assert!(ClaimedName::of(expected).is_some());
    }
}

#[test]
fn the_flags_tell_the_character_set_and_unicode_wins() {
    let john = ClaimedName::of(r"EXAMPLE\john");
    assert_eq!(of(OEM, b"EXAMPLE", b"john"), john);
    assert_eq!(of(UNICODE | OEM, &utf16("EXAMPLE"), &utf16("john")), john);
    assert_eq!(of(0, b"EXAMPLE", b"john"), None, "neither");
    assert_eq!(of(OEM, b"EXAMPLE", b"j\xfcrgen"), None, "whose code page?");
    assert_eq!(of(OEM, b"EXAMPLE", "jürgen".as_bytes()), None, "UTF-8 is no machine's");
    assert_eq!(of(OEM, &utf16("EXAMPLE"), &utf16("john")), None, "NUL in it");
    assert_eq!(of(UNICODE, &utf16("EXAMPLE"), b"joh"), None, "half a letter");
    assert_eq!(of(UNICODE, &utf16("EXAMPLE"), &[0x00, 0xd8, 0x41, 0x00]), None, "half a surrogate pair");
}

#[test]
fn an_anonymous_session_has_no_name_whatever_it_shows() {
    let (domain, user) = (&utf16("EXAMPLE")[..], &utf16("john")[..]);
    let message = |flags, user, lm: &[u8], nt: &[u8]| {
        named(&Authenticate { flags: UNICODE | flags, domain, user, lm, nt }.bytes())
    };
    assert_eq!(message(0, b"", &[0], b""), None, "as clients ask for it");
    assert_eq!(message(0, b"", b"", b""), None);
    assert_eq!(message(0, b"", &[0; 24], &[7; 24]), None);
    assert_eq!(message(0, user, &[0], b""), None);
    assert_eq!(message(0, user, b"", b""), None);
    assert_eq!(message(ANONYMOUS, user, &[0; 24], &[7; 24]), None);
    assert!(message(0, user, &[0; 24], b"").is_some(), "the oldest clients send only the first response");
    assert!(message(0, user, b"", &[7; 24]).is_some());
}

#[test]
fn a_field_that_leaves_the_message_names_nobody() {
    let (length, offset) = (36, 40);
    let with = |at: usize, bytes: &[u8]| {
        let mut message = LAST.to_vec();
        message[at..at + bytes.len()].copy_from_slice(bytes);
        named(&message)
    };
    assert!(with(offset, &86_u32.to_le_bytes()).is_some());
    for far in [116, 123, u32::MAX, u32::MAX - 7, 1 << 31] {
        assert_eq!(with(offset, &far.to_le_bytes()), None, "{far}");
    }
    assert_eq!(with(length, &u16::MAX.to_le_bytes()), None);
    assert_eq!(with(16, &124_u32.to_le_bytes()), None, "the LM response, too");
    assert_eq!(with(24, &123_u32.to_le_bytes()), None, "and the NT response");
}

#[test]
fn a_message_cut_off_anywhere_names_nobody() {
    for end in 12..LAST.len() {
        assert_eq!(named(&LAST[..end]), None, "{end}");
    }
}

#[test]
fn an_endless_name_is_nobodys() {
    assert_eq!(named(&ntlm_authenticate("EXAMPLE", &"x".repeat(30_000))), None);
}
