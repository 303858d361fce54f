use proptest::prelude::*;

use super::*;

/// The two examples of MS-XCA, section 3.1, and the one of MS-OXCRPC.
fn published() -> [(Vec<u8>, Vec<u8>); 3] {
    let alphabet: Vec<u8> = (b'a'..=b'z').collect();
    [
        ([&[0x3F, 0, 0, 0][..], &alphabet].concat(), alphabet),
        (b"\xFF\xFF\xFF\x1Fabc\x17\x00\x0F\xFF\x26\x01".to_vec(), b"abc".repeat(100)),
        // Mask 0001 0001 and ones: three bytes, a match of three at distance three, three bytes, the end.
        (b"\xFF\xFF\xFF\x11ABC\x10\x00DEF".to_vec(), b"ABCABCDEF".to_vec()),
    ]
}

fn expand(compressed: &[u8], length: usize) -> Result<Vec<u8>, Malformed> {
    decompress(compressed, u16::try_from(length).unwrap())
}

#[test]
fn the_published_vectors_decompress() {
    for (compressed, plain) in published() {
        assert_eq!(expand(&compressed, plain.len()), Ok(plain));
    }
}

#[test]
fn the_published_example_of_a_long_match_is_made_to_the_byte() {
    let [_, (compressed, plain), _] = published();
    assert_eq!(compress(&plain), Some(compressed));
}

#[test]
fn lengths_at_each_step_of_their_encoding_come_back() {
    // The published lengths 24, 25 and 280 are the first with a full half byte less one, a byte, and two bytes.
    for (length, encoded) in
        [(24, vec![7, 0, 14]), (25, vec![7, 0, 15, 0]), (280, vec![7, 0, 15, 0xFF, 0x15, 0x01])]
    {
        let compressed = [b"\xFF\xFF\xFF\x7FA", &encoded[..]].concat();
        assert_eq!(expand(&compressed, 1 + length), Ok(vec![b'A'; 1 + length]));
    }
    for length in [3, 9, 10, 24, 25, 26, 278, 279, 280, 281, 65_000] {
        let plain = [vec![b'A'; 1 + length], b"end of it, all the way".to_vec()].concat();
        let compressed = compress(&plain);
        if length > 20 {
            assert!(compressed.is_some(), "{length}");
        }
        if let Some(compressed) = compressed {
            assert_eq!(expand(&compressed, plain.len()), Ok(plain));
        }
    }
}

#[test]
fn two_long_matches_share_a_byte() {
    let plain = [b"0123456789abcdef".repeat(2), b"ghijklmnopqrstuv".repeat(2)].concat();
    let compressed = compress(&plain).unwrap();
    // Two flag words, 32 bytes, two matches, one byte for the lengths of both.
    assert_eq!(compressed.len(), 8 + 32 + 4 + 1);
    assert_eq!(expand(&compressed, plain.len()), Ok(plain));
}

#[test]
fn what_gets_no_shorter_is_left_alone() {
    assert_eq!(compress(b""), None);
    assert_eq!(compress(b"abcdefgh"), None);
    assert_eq!(compress(&vec![0; 0x1_0000]), None, "longer than a header can say");
}

#[test]
fn a_promise_that_is_not_kept_is_an_error() {
    let [_, (compressed, plain), _] = published();
    for length in [0, 1, 2, 299, 301, 65_535] {
        assert!(expand(&compressed, length).is_err(), "{length}");
    }
    for cut in 0..compressed.len() {
        assert!(expand(&compressed[..cut], plain.len()).is_err(), "{cut}");
    }
    let trailing = [&compressed[..], &[0]].concat();
    assert_eq!(expand(&trailing, plain.len()), Err(Malformed::Left(DATA)));
}

#[test]
fn a_match_cannot_reach_before_the_beginning() {
    let far = b"\xFF\xFF\xFF\x7FA\x08\x00";
    assert_eq!(expand(far, 4), Err(Malformed::Wrong("the distance of a match")));
}

proptest! {
    #[test]
    fn everything_comes_back(pieces in prop::collection::vec((any::<[u8; 3]>(), 1usize..700), 0..60)) {
        let plain: Vec<u8> = pieces.iter().flat_map(|(piece, times)| piece.repeat(*times)).take(65_535).collect();
        if let Some(compressed) = compress(&plain) {
            prop_assert!(compressed.len() < plain.len());
            prop_assert_eq!(expand(&compressed, plain.len()), Ok(plain));
        }
    }

    #[test]
    fn any_bytes_end_in_the_promised_length_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200), length: u16) {
        if let Ok(plain) = decompress(&bytes, length) {
            prop_assert_eq!(plain.len(), usize::from(length));
        }
    }
}
