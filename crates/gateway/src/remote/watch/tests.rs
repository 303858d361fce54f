//! Copies of answers, decoded within their bounds.

use std::io::Write;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use hyper::header::{CONTENT_ENCODING, HeaderMap, HeaderValue};
use weir_wire::ews::peek::FindView;

use super::{Coding, PIECE, Watch};

fn coding(values: &[&'static str]) -> Coding {
    let mut watch = Watch::new(FindView::Unpaged);
    let mut head = HeaderMap::new();
    for value in values {
        head.append(CONTENT_ENCODING, HeaderValue::from_static(value));
    }
    watch.begin(&head);
    watch.coding
}

/// All that comes of the bytes in pieces of `size`; none where one of them cannot be read.
fn decoded(mut coding: Coding, bytes: &[u8], size: usize) -> Option<Vec<u8>> {
    let pieces: Option<Vec<_>> = bytes.chunks(size).map(|piece| coding.decode(piece)).collect();
    Some(pieces?.concat())
}

#[test]
fn every_usual_coding_is_decoded_however_it_is_cut() {
    let text = b"<Envelope/>".repeat(1000);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(&text).unwrap();
    let gzip = gzip.finish().unwrap();
    let mut deflate = ZlibEncoder::new(Vec::new(), Compression::default());
    deflate.write_all(&text).unwrap();
    let deflate = deflate.finish().unwrap();
    for size in [1, 7, PIECE] {
        for (values, bytes) in [
            (&[][..], &text),
            (&["identity"], &text),
            (&["GZIP"], &gzip),
            (&["x-gzip"], &gzip),
            (&["deflate"], &deflate),
        ] {
            assert_eq!(
                decoded(coding(values), bytes, size).as_deref(),
                Some(&text[..]),
                "{values:?} by {size}"
            );
        }
    }
}

#[test]
fn what_cannot_be_decoded_is_not_guessed_at() {
    for values in [&["br"][..], &["gzip", "gzip"], &["gzip, br"]] {
        assert_eq!(decoded(coding(values), b"<Envelope/>", PIECE), None, "{values:?}");
    }
    for values in [&["gzip"], &["deflate"]] {
        assert_eq!(decoded(coding(values), b"<Envelope/> in plain text", PIECE), None, "{values:?}");
    }
}

#[test]
fn a_bomb_goes_off_in_small_pieces() {
    let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
    bomb.write_all(&vec![0; 32 << 20]).unwrap();
    let bomb = bomb.finish().unwrap();
    let mut coding = coding(&["gzip"]);
    let pieces = bomb.chunks(PIECE).map(|piece| coding.decode(piece).unwrap().len());
    let largest = pieces.max().unwrap();
    assert!(largest <= PIECE * 1100, "{largest} bytes came of one piece");
}
