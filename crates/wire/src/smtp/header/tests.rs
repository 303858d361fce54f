use super::*;
use proptest::prelude::*;

fn scan(message: &[u8], sizes: &[usize], limits: HeaderLimits) -> Result<HeaderFacts, HeaderError> {
    let mut scanner = HeaderScanner::new(limits);
    let (mut rest, mut sizes) = (message, sizes.iter().cycle());
    while !rest.is_empty() {
        let (piece, later) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
        scanner.feed(piece)?;
        rest = later;
    }
    Ok(scanner.finish())
}

fn facts(message: &str) -> HeaderFacts {
    scan(message.as_bytes(), &[4096], HeaderLimits::default()).unwrap()
}

#[test]
fn what_a_relay_wants_to_know_is_found() {
    let found = facts(
        "RECEIVED: from a\r\n by b; date\r\nReceived : from c\r\nX-Received: no\r\nDate: x\r\n\
         Message-ID:\r\n <1@example.com>\r\nSubject: Received: no\r\n Received: no\r\n\r\nReceived: no\r\n",
    );
    assert_eq!((found.received, found.fields), (2, 6));
    assert!(found.has_date && found.has_message_id && !found.eight_bit);
    assert_eq!(found.message_id.as_deref(), Some("<1@example.com>"));
}

#[test]
fn a_header_ends_at_the_first_line_that_is_none_of_its_own() {
    let cases = [
        ("\r\nReceived: x\r\n", 0),
        ("Hello\r\nReceived: x\r\n", 0),
        ("Received: x\r\nhow are you: fine\r\nReceived: x\r\n", 1),
        ("Received: x\r\n\rReceived: x\r\n", 1),
        (" folded: nothing\r\nReceived: x\r\n", 0),
        ("Received: x\nReceived: x\n\nReceived: x", 2),
        ("Received: x", 1),
        ("Received", 0),
    ];
    for (message, received) in cases {
        assert_eq!(facts(message).received, received, "{message:?}");
    }
}

#[test]
fn a_message_id_is_kept_if_it_is_one_and_not_too_long() {
    let id = |value: &str| facts(&format!("Message-Id: {value}\r\n\r\n")).message_id;
    assert_eq!(id("<a@b>\r\n").as_deref(), Some("<a@b>"));
    assert_eq!(id(&"x".repeat(MAX_MESSAGE_ID)).map(|id| id.len()), Some(MAX_MESSAGE_ID));
    assert_eq!(id(&"x".repeat(MAX_MESSAGE_ID + 1)), None);
    assert_eq!(id("ä@b"), None);
    assert_eq!(id(""), None);
    assert!(facts("Message-Id:\r\n\r\n").has_message_id);
    let twice = facts("Message-ID: <1@a>\r\nMessage-ID: <2@a>\r\n\r\n");
    assert_eq!(twice.message_id.as_deref(), Some("<1@a>"), "the first one counts");
}

#[test]
fn endless_headers_are_refused_and_exactly_the_limit_still_passes() {
    let limits = HeaderLimits { max_bytes: 12, max_fields: 2 };
    let check = |message: &str| scan(message.as_bytes(), &[5], limits).map(|facts| facts.fields);
    assert_eq!(check("A: b\r\nC:\r\n\r\n and a long body"), Ok(2));
    assert_eq!(check("A: b\r\nC: d\r\n\r\n"), Err(HeaderError::TooLarge { limit: 12 }));
    assert_eq!(check("A:\nB:\nC:\n\n"), Err(HeaderError::TooManyFields { limit: 2 }));
}

#[test]
fn a_message_that_was_received_too_often_runs_in_a_circle() {
    let message = "Received: by a\r\n".repeat(31) + "\r\n";
    assert!(facts(&message).runs_in_a_circle(DEFAULT_MAX_HOPS));
    assert!(!facts(&message[16..]).runs_in_a_circle(DEFAULT_MAX_HOPS));
}

proptest! {
    #[test]
    fn pieces_of_any_size_give_the_same_facts(
        message in "(Received: |Message-ID: |Date:|[a-c :\t\r\n\u{e4}]|\r\n){0,40}",
        sizes in proptest::collection::vec(1..20_usize, 1..6),
    ) {
        let limits = HeaderLimits { max_bytes: 100, max_fields: 4 };
        let whole = scan(message.as_bytes(), &[4096], limits);
        prop_assert_eq!(scan(message.as_bytes(), &sizes, limits), whole);
    }
}
