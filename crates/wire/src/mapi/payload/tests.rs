use proptest::prelude::*;

use super::*;

fn read(buffer: &[u8]) -> Result<Vec<Vec<u8>>, Malformed> {
    Payloads::new(buffer).map(|payload| payload.map(|payload| payload.bytes.into_owned())).collect()
}

#[test]
fn mixing_comes_before_unpacking_on_the_way_in_and_after_packing_on_the_way_out() {
    let plain = b"abc".repeat(100);
    let mut buffer = Vec::new();
    Form { compressed: true, mixed: true }.write(&plain, true, &mut buffer);
    let packed = b"\xFF\xFF\xFF\x1Fabc\x17\x00\x0F\xFF\x26\x01".map(|byte| byte ^ 0xA5);
    assert_eq!(buffer, [&[0, 0, 7, 0, 13, 0, 0x2C, 1][..], &packed].concat());
    assert_eq!(read(&buffer), Ok(vec![plain]));
}

#[test]
fn an_empty_buffer_has_no_payloads_and_a_payload_may_be_empty() {
    assert_eq!(read(&[]), Ok(Vec::new()));
    assert_eq!(read(&[0, 0, 4, 0, 0, 0, 0, 0]), Ok(vec![Vec::new()]));
}

#[test]
fn headers_that_lie_are_errors() {
    for (buffer, why) in [
        (&[0, 0, 4, 0, 2, 0, 2, 0, 1][..], Malformed::Ends("a payload")),
        (&[0, 0, 4, 0, 1, 0, 2, 0, 1], Malformed::Wrong("the length of a payload")),
        (&[1, 0, 4, 0, 0, 0, 0, 0], Malformed::Wrong("the version of a payload's header")),
        (&[0, 0, 4, 0, 0, 0, 0, 0, 9], Malformed::Left("the last payload")),
        (&[0, 0, 0, 0, 0, 0, 0, 0], Malformed::Ends("a payload's header")),
        (&[0, 0, 4], Malformed::Ends("a payload's header")),
    ] {
        assert_eq!(read(buffer), Err(why), "{buffer:?}");
    }
}

#[test]
fn a_chain_of_96_is_read_and_one_of_97_is_not() {
    let chain = |length: usize| {
        let mut buffer = Vec::new();
        for place in 1..=length {
            Form::default().write(b"x", place == length, &mut buffer);
        }
        read(&buffer).map(|payloads| payloads.len())
    };
    assert_eq!(chain(MAX_PAYLOADS), Ok(96));
    assert_eq!(chain(97), Err(Malformed::TooLong { what: "a chain of payloads", limit: 96 }));
}

#[test]
fn after_an_error_there_is_nothing_more() {
    let mut payloads = Payloads::new(&[0, 0, 0, 0, 1, 0, 2, 0, 9, 0, 0, 4, 0, 0, 0, 0, 0]);
    assert!(payloads.next().unwrap().is_err());
    assert!(payloads.next().is_none());
}

#[test]
fn few_bytes_never_become_more_than_their_header_says() {
    // 15 bytes that stand for 64 KiB, 96 times over: each is unpacked alone.
    let mut buffer = Vec::new();
    for place in 1..=MAX_PAYLOADS {
        Form { compressed: true, mixed: false }.write(
            &vec![0; MAX_PAYLOAD],
            place == MAX_PAYLOADS,
            &mut buffer,
        );
    }
    assert!(buffer.len() < 96 * 24);
    assert!(Payloads::new(&buffer).all(|payload| payload.unwrap().bytes.len() == MAX_PAYLOAD));
}

proptest! {
    #[test]
    fn every_chain_comes_back(
        payloads in prop::collection::vec((prop::collection::vec(0u8..4, 0..400), any::<bool>(), any::<bool>()), 1..8)
    ) {
        let mut buffer = Vec::new();
        for (place, (payload, compressed, mixed)) in payloads.iter().enumerate() {
            let form = Form { compressed: *compressed, mixed: *mixed };
            form.write(payload, place + 1 == payloads.len(), &mut buffer);
        }
        prop_assert_eq!(read(&buffer), Ok(payloads.into_iter().map(|(payload, ..)| payload).collect()));
    }

    #[test]
    fn any_bytes_are_payloads_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&bytes);
        let _ = read(&[&[0, 0, 5, 0, u8::try_from(bytes.len().min(255)).unwrap(), 0, 99, 0][..], &bytes].concat());
    }
}
