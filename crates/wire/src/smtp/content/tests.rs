use proptest::prelude::*;

use super::*;

/// What a message fed in pieces of those sizes comes to: its content, how it ended, and how many bytes it took.
type Read = (Vec<u8>, Option<Result<Summary, ContentFault>>, usize);

fn read(bytes: &[u8], rules: ContentRules, sizes: &[usize]) -> Read {
    let (mut decoder, mut content) = (Decoder::new(rules, Framing::Dots, false), Vec::new());
    let (mut rest, mut sizes) = (bytes, sizes.iter().cycle());
    while !rest.is_empty() {
        let (mut piece, later) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
        while let Some(found) = decoder.next(&mut piece) {
            match found {
                Found::Content(bytes) => content.extend_from_slice(bytes),
                Found::End(outcome) => {
                    return (content, Some(outcome), bytes.len() - piece.len() - later.len());
                }
            }
        }
        rest = later;
    }
    (content, None, bytes.len())
}

const STRICT: ContentRules = ContentRules {
    max_bytes: Some(40),
    max_line: 12,
    bare: Bare::Refuse,
    nul: false,
    undeclared_8bit: false,
};

const KEEPING: ContentRules =
    ContentRules { bare: Bare::Keep, max_bytes: None, max_line: u64::MAX, nul: true, undeclared_8bit: true };

#[test]
fn dots_are_taken_away_and_the_end_is_found() {
    let cases: [(&[u8], &[u8]); 7] = [
        (b".\r\n", b""),
        (b"\r\n.\r\n", b"\r\n"),
        (b"a\r\n.\r\n", b"a\r\n"),
        (b"..\r\n..a\r\n...\r\n.\r\n", b".\r\n.a\r\n..\r\n"),
        (b".a\r\n.\r\n", b"a\r\n"),
        (b"a.\r\n.b\r\n.\r\n", b"a.\r\nb\r\n"),
        (b"a\r\n.\r\nQUIT\r\n", b"a\r\n"),
    ];
    for (bytes, expected) in cases {
        for size in 1..10 {
            let (content, outcome, used) = read(bytes, STRICT, &[size]);
            let text = bytes.escape_ascii();
            assert_eq!(content, expected, "{text}");
            assert!(matches!(outcome, Some(Ok(_))), "{text}");
            assert_eq!(&bytes[used - 3..used], b".\r\n", "{text}");
        }
    }
}

/// The endings by which published attacks made a server behind see an end where the one before saw none, or the other
/// way round, and what stands before and behind the dot in others of that family.
const SMUGGLED: [&[u8]; 16] = [
    b"\n.\n",
    b"\n.\r\n",
    b"\r\n.\n",
    b"\r.\r",
    b"\r.\r\n",
    b"\r\n.\r",
    b"\n.\r",
    b"\r.\n",
    b"\n\n.\r\n",
    b"\r\n.\r\r\n",
    b"\r\r.\r\r",
    b"\n\r.\n\r",
    b"\r\n\n.\n",
    b"\r\r\n.\n",
    b"\n\r\n.\n",
    b"\r\n\r.\r\n",
];

#[test]
fn no_smuggled_end_ends_a_message_and_each_is_refused_with_the_connection() {
    for ending in SMUGGLED {
        let bytes = [b"a", ending, b"MAIL FROM:<mallory@example.com>\r\nDATA\r\n.\r\n"].concat();
        for size in 1..12 {
            let (_, outcome, _) = read(&bytes, STRICT, &[size]);
            assert_eq!(outcome, Some(Err(ContentFault::AmbiguousEnd)), "{}", ending.escape_ascii());
        }
    }
    assert!(ContentFault::AmbiguousEnd.closes(), "what follows is not believed");
}

#[test]
fn where_lone_line_endings_are_kept_none_of_them_ends_a_message() {
    for ending in SMUGGLED {
        let bytes = [b"a", ending, b"MAIL FROM:<mallory@example.com>\r\n.\r\n"].concat();
        let (content, outcome, used) = read(&bytes, KEEPING, &[5]);
        assert!(matches!(outcome, Some(Ok(_))), "{}", ending.escape_ascii());
        assert_eq!(used, bytes.len(), "the one end is at the end");
        assert!(content.ends_with(b"MAIL FROM:<mallory@example.com>\r\n"));
    }
}

#[test]
fn a_nul_before_or_behind_the_dot_makes_no_end_and_is_refused() {
    for ending in [&b"\r\n\0.\r\n"[..], b"\r\n.\0\r\n", b"\0\r\n..\r\n"] {
        let bytes = [b"a", ending, b"b\r\n.\r\n"].concat();
        let (_, outcome, used) = read(&bytes, STRICT, &[3]);
        assert_eq!((outcome, used), (Some(Err(ContentFault::Nul)), bytes.len()));
    }
}

#[test]
fn each_rule_has_its_fault_and_exactly_the_limit_still_passes() {
    let long = format!("{}\r\n.\r\n", "x".repeat(12));
    let longer = format!("{}\r\n.\r\n", "x".repeat(13));
    let large = format!("{}.\r\n", "1234567\r\n1234567890\r\n".repeat(2).replace("8\r", "\r"));
    let cases: [(&[u8], Option<ContentFault>); 8] = [
        (b"a\rb\r\n.\r\n", Some(ContentFault::BareCr)),
        (b"a\nb\r\n.\r\n", Some(ContentFault::BareLf)),
        (b"a\nb\rc\r\n.\r\n", Some(ContentFault::BareCr)),
        (b"a\0\r\n.\r\n", Some(ContentFault::Nul)),
        (b"\xc3\xa4\r\n.\r\n", Some(ContentFault::EightBit)),
        (long.as_bytes(), None),
        (longer.as_bytes(), Some(ContentFault::LineTooLong)),
        (large.as_bytes(), Some(ContentFault::TooLarge)),
    ];
    for (bytes, expected) in cases {
        let (_, outcome, used) = read(bytes, STRICT, &[4]);
        assert_eq!(outcome.unwrap().err(), expected, "{}", bytes.escape_ascii());
        assert_eq!(used, bytes.len(), "the message is read to its end");
    }
    let exact = format!("{}\r\n{}\r\n.\r\n", "x".repeat(8), "12345678\r\n".repeat(2) + "12345678");
    let (content, outcome, _) = read(exact.as_bytes(), STRICT, &[9]);
    assert_eq!((content.len(), outcome), (40, Some(Ok(Summary { bytes: 40, eight_bit: false }))));
}

#[test]
fn a_client_that_goes_on_and_on_is_hung_up_on() {
    let (_, outcome, used) = read(&b"1234567890\r\n".repeat(100_000), STRICT, &[1000]);
    assert_eq!(outcome, Some(Err(ContentFault::Endless)));
    assert!(used <= 1000, "in the first piece that is beyond twice the limit");
}

#[test]
fn a_line_of_a_gigabyte_takes_no_memory() {
    let mut decoder = Decoder::new(ContentRules { max_bytes: None, ..STRICT }, Framing::Dots, false);
    let piece = vec![b'x'; 1024 * 1024];
    for _ in 0..1024 {
        while decoder.next(&mut piece.as_slice()).is_some() {}
    }
    assert_eq!(decoder.so_far(), Err(ContentFault::LineTooLong));
}

#[test]
fn in_chunks_dots_are_text_and_a_cr_at_the_end_is_a_fault() {
    let mut decoder = Decoder::new(STRICT, Framing::Counted, false);
    let mut piece: &[u8] = b"..a\r\n.\r\nb";
    let mut content = Vec::new();
    while let Some(Found::Content(bytes)) = decoder.next(&mut piece) {
        content.extend_from_slice(bytes);
    }
    assert_eq!(content, b"..a\r\n.\r\nb");
    assert_eq!((decoder.flush(), decoder.so_far()), (None, Ok(Summary { bytes: 9, eight_bit: false })));
    assert_eq!(decoder.next(&mut &b"\r"[..]), None);
    assert_eq!((decoder.flush(), decoder.so_far()), (None, Err(ContentFault::BareCr)));
    let mut decoder = Decoder::new(KEEPING, Framing::Counted, false);
    assert_eq!(decoder.next(&mut &b"\r"[..]), None);
    assert_eq!(decoder.flush(), Some(&b"\r"[..]), "where it is kept, it is not lost");
    assert_eq!((decoder.flush(), decoder.so_far()), (None, Ok(Summary { bytes: 1, eight_bit: false })));
}

/// The slow and obvious reading: the first dot that stands between line endings of any kind decides, and everything
/// before it is content.
fn model(bytes: &[u8], rules: ContentRules) -> Option<(Vec<u8>, Option<ContentFault>, usize)> {
    let is_ending = |byte: Option<&u8>| matches!(byte, Some(b'\r' | b'\n'));
    for (place, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == b'.') {
        let (before, behind) = (&bytes[..place], &bytes[place + 1..]);
        let begins = before.is_empty() || before.ends_with(b"\r\n");
        if begins && behind.starts_with(b"\r\n") {
            let content = unstuffed(before);
            let fault = faults(before, &content, rules).into_iter().min();
            return Some((content, fault, place + 3));
        }
        let loose = before.is_empty() || is_ending(before.last());
        let undecided = begins && behind == b"\r";
        if rules.bare == Bare::Refuse && loose && is_ending(behind.first()) && !undecided {
            return Some((vec![], Some(ContentFault::AmbiguousEnd), 0));
        }
    }
    None
}

fn length(count: usize) -> u64 {
    count.try_into().unwrap()
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    let (mut lines, mut rest) = (Vec::new(), bytes);
    while let Some(end) = rest.windows(2).position(|pair| pair == b"\r\n") {
        lines.push(&rest[..end]);
        rest = &rest[end + 2..];
    }
    lines.push(rest);
    lines
}

fn unstuffed(bytes: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = lines(bytes).iter().map(|line| line.strip_prefix(b".").unwrap_or(line)).collect();
    lines.join(&b"\r\n"[..])
}

fn faults(raw: &[u8], content: &[u8], rules: ContentRules) -> Vec<ContentFault> {
    let lone = |byte| lines(raw).iter().any(|line| line.contains(&byte));
    let longest = lines(content).iter().map(|line| line.len()).max().unwrap_or(0);
    [
        (rules.bare == Bare::Refuse && lone(b'\r'), ContentFault::BareCr),
        (rules.bare == Bare::Refuse && lone(b'\n'), ContentFault::BareLf),
        (!rules.nul && raw.contains(&0), ContentFault::Nul),
        (!rules.undeclared_8bit && !raw.is_ascii(), ContentFault::EightBit),
        (length(longest) > rules.max_line, ContentFault::LineTooLong),
        (rules.max_bytes.is_some_and(|most| length(content.len()) > most), ContentFault::TooLarge),
    ]
    .into_iter()
    .filter_map(|(is_so, fault)| is_so.then_some(fault))
    .collect()
}

fn any_message() -> impl Strategy<Value = Vec<u8>> {
    let parts: [&[u8]; 12] =
        [b"\r\n", b"\r\n", b".", b".", b"a", b"bc", b"\r\n.\r\n", b"\r\n.", b"\r", b"\n", b"\0", b"\xe4"];
    let clean = proptest::collection::vec(proptest::sample::select(parts[..8].to_vec()), 0..24);
    let any = proptest::collection::vec(proptest::sample::select(parts.to_vec()), 0..24);
    prop_oneof![clean, any].prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_message_is_read_as_the_model_reads_it(
        bytes in any_message(),
        sizes in proptest::collection::vec(1..8_usize, 1..6),
        keep in any::<bool>(),
    ) {
        let rules = if keep { KEEPING } else { STRICT };
        let (content, outcome, used) = read(&bytes, rules, &sizes);
        match (model(&bytes, rules), outcome) {
            (None, None) => {}
            (Some((expected, None, end)), Some(Ok(summary))) => {
                prop_assert_eq!(&content, &expected);
                prop_assert_eq!(summary.bytes, length(expected.len()));
                prop_assert_eq!(used, end);
            }
            (Some((_, Some(ContentFault::AmbiguousEnd), _)), Some(Err(fault))) => {
                prop_assert_eq!(fault, ContentFault::AmbiguousEnd);
            }
            (Some((_, Some(expected), end)), Some(Err(fault))) => {
                prop_assert_eq!(fault, expected);
                prop_assert_eq!(used, end);
            }
            (expected, outcome) => prop_assert!(false, "{:?} and not {:?}", outcome, expected),
        }
    }

    #[test]
    fn any_bytes_in_any_pieces_come_to_the_same(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        sizes in proptest::collection::vec(1..40_usize, 1..6),
    ) {
        let rules = ContentRules { max_bytes: Some(100), ..KEEPING };
        let (whole, pieces) = (read(&bytes, rules, &[999]), read(&bytes, rules, &sizes));
        prop_assert_eq!(&whole.1, &pieces.1);
        if matches!(whole.1, Some(Ok(_)) | None) && bytes.len() <= 100 {
            prop_assert_eq!(whole.0, pieces.0);
        }
    }
}
