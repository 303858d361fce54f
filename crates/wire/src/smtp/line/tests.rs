use super::*;
use proptest::prelude::*;

const LIMITS: LineLimits = LineLimits { command: 8, secret: 16 };

/// Every line of `bytes`, fed in pieces of those sizes.
fn read(bytes: &[u8], sizes: &[usize], secret: bool) -> Vec<(Line, Vec<u8>)> {
    let (mut reader, mut lines, mut rest) = (LineReader::new(), Vec::new(), bytes);
    let mut sizes = sizes.iter().cycle();
    while !rest.is_empty() {
        let (mut piece, later) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
        rest = later;
        while let Some(line) = reader.next(&mut piece, LIMITS, secret) {
            let text = reader.take();
            lines.push((line, if line == Line::TooLong { vec![] } else { text }));
            assert!(reader.held.len() <= LIMITS.secret + 1, "never more than one line is held");
        }
        assert!(piece.is_empty());
        assert!(reader.held.len() <= LIMITS.secret + 1, "never more than one line is held");
    }
    lines
}

#[test]
fn exactly_the_limit_still_passes_and_one_more_byte_does_not() {
    let whole = |text: &[u8]| (Line::Whole, text.to_vec());
    let too_long = (Line::TooLong, vec![]);
    assert_eq!(read(b"123456\r\n", &[99], false), [whole(b"123456")]);
    assert_eq!(read(b"1234567\r\nA\r\n", &[99], false), [too_long.clone(), whole(b"A")]);
    assert_eq!(read(b"AUTH 9012345\r\n", &[99], false), [whole(b"AUTH 9012345")]);
    assert_eq!(read(b"1234567890123\r\n", &[99], true), [whole(b"1234567890123")]);
    assert_eq!(read(b"AUTH 9012345678\r\nA\r\n", &[99], false), [too_long, whole(b"A")]);
}

#[test]
fn a_line_without_end_is_told_at_once_and_skipped() {
    let mut reader = LineReader::new();
    assert_eq!(reader.next(&mut &b"123456789"[..], LIMITS, false), Some(Line::TooLong));
    assert_eq!(reader.take(), b"123456789");
    for _ in 0..1000 {
        assert_eq!(reader.next(&mut &[b'x'; 1000][..], LIMITS, false), None);
    }
    assert_eq!(reader.next(&mut &b"x\nA\n"[..], LIMITS, false), Some(Line::Bare));
    assert_eq!(reader.take(), b"A");
}

proptest! {
    #[test]
    fn pieces_of_any_size_give_the_lines_that_a_split_gives(
        bytes in "(AUTH )?[a-c\r\n]{0,80}",
        sizes in proptest::collection::vec(1..20_usize, 1..6),
        secret in any::<bool>(),
    ) {
        let expected: Vec<(Line, Vec<u8>)> = bytes
            .split_inclusive('\n')
            .filter_map(|line| {
                let limit = if secret || line.starts_with("AUTH ") { LIMITS.secret } else { LIMITS.command };
                if line.len() > limit {
                    return Some((Line::TooLong, vec![]));
                }
                let text = line.strip_suffix('\n')?;
                Some(match text.strip_suffix('\r') {
                    Some(text) => (Line::Whole, text.into()),
                    None => (Line::Bare, text.into()),
                })
            })
            .collect();
        prop_assert_eq!(read(bytes.as_bytes(), &sizes, secret), expected.clone());
        prop_assert_eq!(read(bytes.as_bytes(), &[999], secret), expected);
    }
}
