use proptest::prelude::*;

use super::super::vectors::der;
use super::{Element, Malformed, among, only, take};

#[test]
fn an_element_is_taken_off_with_lengths_of_each_form() {
    for length in [0, 1, 127, 128, 255, 256, 65_535] {
        let content = vec![7; length];
        let bytes = [der(0x30, &content), vec![1, 2]].concat();
        let (element, rest) = take(&bytes).unwrap();
        assert_eq!((element, rest), (Element { tag: 0x30, content: &content }, &[1, 2][..]), "{length}");
    }
    assert_eq!(take(&[0x04, 0x84, 0, 0, 0, 1, 9]), Some((Element { tag: 0x04, content: &[9] }, &[][..])));
}

#[test]
fn what_is_no_whole_element_is_none() {
    for bytes in [
        &[][..],
        &[0x30],
        &[0x30, 1],
        &[0x30, 0x81],
        &[0x30, 0x82, 0],
        &[0x30, 0x80, 0, 0],
        &[0x30, 0x85, 0, 0, 0, 0, 1, 9],
        &[0x30, 0xff, 1],
        &[0x30, 0x84, 0xff, 0xff, 0xff, 0xff, 1],
        &[0x1f, 0x81, 0x01, 0],
    ] {
        assert_eq!(take(bytes), None, "{bytes:02x?}");
    }
}

#[test]
fn only_means_nothing_before_and_nothing_after() {
    assert_eq!(only(&der(0x04, b"a"), 0x04), Some(&b"a"[..]));
    assert_eq!(only(&der(0x04, b"a"), 0x24), None);
    assert_eq!(only(&[der(0x04, b"a"), der(0x04, b"b")].concat(), 0x04), None);
    assert_eq!(only(&[], 0x04), None);
}

#[test]
fn one_among_several_is_found_and_two_are_refused() {
    let (a, b) = (der(0xa0, b"a"), der(0xa2, b"b"));
    assert_eq!(among(&[a.clone(), b.clone()].concat(), 0xa2), Ok(Some(&b"b"[..])));
    assert_eq!(among(&a, 0xa2), Ok(None));
    assert_eq!(among(&[b.clone(), a.clone(), b.clone()].concat(), 0xa2), Err(Malformed));
    assert_eq!(among(&[b, vec![0x30, 9]].concat(), 0xa2), Err(Malformed), "unreadable after it");
}

proptest! {
    #[test]
    fn taking_elements_off_any_bytes_ends(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        let mut rest = &bytes[..];
        while let Some((element, next)) = take(rest) {
            prop_assert!(element.content.len() + next.len() + 2 <= rest.len());
            rest = next;
        }
        let _ = among(&bytes, 0xa2);
    }
}
