use proptest::prelude::*;

use super::*;

/// Feeds an answer in pieces of `size` and gives the envelope with the whole body.
fn read(answer: &[u8], size: usize) -> Result<(Envelope, Vec<u8>), Malformed> {
    let mut envelope = Envelope::new();
    let mut body = Vec::new();
    for piece in answer.chunks(size) {
        body.extend(envelope.feed(piece)?);
    }
    Ok((envelope, body))
}

#[test]
fn an_answer_is_followed_whatever_its_pieces() {
    let answer = b"PROCESSING\r\nPENDING\r\nPENDING\r\nDONE\r\nX-ElapsedTime: 31\r\n\
        X-StartTime: Mon, 30 Nov 2026 05:54:01 GMT\r\nX-ResponseCode: 10\r\n\r\nDONE\r\n\r\n\0";
    for size in 1..=answer.len() {
        let (envelope, body) = read(answer, size).unwrap();
        assert_eq!(body, b"DONE\r\n\r\n\0");
        assert!(envelope.is_processing() && envelope.is_done());
        assert_eq!((envelope.pending(), envelope.elapsed()), (2, Some(Millis::new(31))));
        assert_eq!(envelope.response_code(), Some(ResponseCode::CONTEXT_NOT_FOUND));
        assert_eq!(envelope.headers()[1], (X_START_TIME.into(), "Mon, 30 Nov 2026 05:54:01 GMT".into()));
    }
}

#[test]
fn servers_that_do_not_end_their_lines_as_they_should_are_understood() {
    for answer in [
        &b"PROCESSING\r\nPENDINGDONE\r\nX-ElapsedTime: 1\r\n\r\nbody"[..],
        b"PROCESSING\r\nPENDINGPENDING\r\nDONE\r\nX-ElapsedTime: 1\r\n\r\nbody",
        b"PROCESSINGPENDING\nDONE\nX-ElapsedTime:1\n\nbody",
        b"PENDING\r\nDONEX-ElapsedTime: 1\r\nnonsense\r\n\r\nbody",
    ] {
        for size in 1..=answer.len() {
            let (envelope, body) = read(answer, size).unwrap();
            assert_eq!(body, b"body");
            assert!(envelope.pending() >= 1);
            assert_eq!(envelope.elapsed(), Some(Millis::new(1)));
        }
    }
}

#[test]
fn without_an_end_it_is_not_done() {
    let (envelope, body) = read(b"PROCESSING\r\nPENDING\r\nDONE\r\nX-ElapsedTime: 1\r\n", 7).unwrap();
    assert!(!envelope.is_done() && body.is_empty());
    assert_eq!(envelope.response_code(), None);
}

#[test]
fn what_is_no_envelope_is_an_error() {
    for answer in [&b"<html>"[..], b"PROCESSED\r\n", b"PROCESSING\r\n\r\nDONE", b"\0\0\0\0"] {
        assert_eq!(read(answer, 3).unwrap_err(), Malformed::Wrong("a meta-tag"));
    }
}

#[test]
fn headers_have_bounds() {
    let long = [b"DONE\r\nX: ".to_vec(), vec![b'x'; MAX_LINE]].concat();
    assert!(matches!(read(&long, 100).unwrap_err(), Malformed::TooLong { limit: MAX_LINE, .. }));
    let many = |count: usize| ["DONE\r\n", &"X: y\r\n".repeat(count), "\r\n"].concat();
    assert!(read(many(MAX_HEADERS).as_bytes(), 100).unwrap().0.is_done());
    let error = read(many(MAX_HEADERS + 1).as_bytes(), 100).unwrap_err();
    assert!(matches!(error, Malformed::TooLong { limit: MAX_HEADERS, .. }));
}

#[test]
fn what_is_written_is_understood() {
    let headers = [(X_ELAPSED_TIME, "5"), (X_START_TIME, "Mon, 30 Nov 2026 05:54:01 GMT")];
    let answer = [PROCESSING, PENDING, &done(&headers), b"body"].concat();
    let (envelope, body) = read(&answer, 1000).unwrap();
    assert_eq!((envelope.pending(), body.as_slice()), (1, &b"body"[..]));
    assert!(envelope.headers().iter().map(|(name, value)| (name.as_str(), value.as_str())).eq(headers));
}

proptest! {
    #[test]
    fn any_bytes_are_followed_alike_in_any_pieces(
        bytes in prop::collection::vec(prop_oneof![
            Just(b"PROCESSING".to_vec()), Just(b"PENDING".to_vec()), Just(b"DONE".to_vec()), Just(b"\r\n".to_vec()),
            Just(b"X: ".to_vec()), prop::collection::vec(any::<u8>(), 0..6)
        ], 0..20),
        size in 1usize..20
    ) {
        let bytes = bytes.concat();
        let (whole, pieces) = (read(&bytes, bytes.len().max(1)), read(&bytes, size));
        prop_assert_eq!(format!("{whole:?}"), format!("{pieces:?}"));
    }
}
