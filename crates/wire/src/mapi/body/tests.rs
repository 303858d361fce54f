use proptest::prelude::*;

use weir_units::Millis;

use super::*;

/// A busy server's answer to `Execute`, as R11 gives it.
const BUSY: [u8; 8] = [0xBB, 6, 0, 0, 0, 0, 0, 0];

#[test]
fn too_busy_is_a_failure_of_eight_bytes() {
    let busy = Answer::<Executed<'_>>::Failed(Failure { status: STATUS_TOO_BUSY, auxiliary: &[] });
    let mut body = Vec::new();
    busy.write(&mut body);
    assert_eq!(body, BUSY);
    assert_eq!(Answer::read(&BUSY), Ok(busy));
}

#[test]
fn what_is_written_is_read() {
    let mut body = Vec::new();
    let request = NotificationWaitRequest { flags: 0, auxiliary: b"aux" };
    request.write(&mut body);
    assert_eq!(body, [0, 0, 0, 0, 3, 0, 0, 0, b'a', b'u', b'x']);
    assert_eq!(NotificationWaitRequest::read(&body), Ok(request));

    let mut body = Vec::new();
    let waited = Answer::Done(Waited { error_code: 0, event_pending: true, auxiliary: &[] });
    waited.write(&mut body);
    assert_eq!(body, [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(Answer::read(&body), Ok(waited));

    let mut body = Vec::new();
    write_disconnect(b"aux", &mut body);
    assert_eq!(read_disconnect(&body), Ok(&b"aux"[..]));
}

#[test]
fn sizes_that_lie_are_errors() {
    let execute = |rops: u32, auxiliary: u32| {
        let numbers = [3, rops, 0, 0, 0x1_0008, auxiliary];
        numbers.iter().flat_map(|number: &u32| number.to_le_bytes()).collect::<Vec<_>>()
    };
    assert!(ExecuteRequest::read(&execute(8, 0)).is_ok());
    for (rops, auxiliary, why) in [
        (9, 0, Malformed::Ends("an auxiliary buffer")),
        (u32::MAX, 0, Malformed::Ends("the ROP buffer")),
        (8, 1, Malformed::Ends("an auxiliary buffer")),
        (4, 0, Malformed::Ends("an auxiliary buffer")),
    ] {
        assert_eq!(ExecuteRequest::read(&execute(rops, auxiliary)), Err(why), "{rops} {auxiliary}");
    }
    let trailing = [execute(8, 0), vec![0]].concat();
    assert_eq!(ExecuteRequest::read(&trailing), Err(Malformed::Left("the body")));
}

#[test]
fn exactly_the_limits_still_pass() {
    for (rops, auxiliary, passes) in
        [(MAX_ROP_BUFFER, MAX_AUXILIARY, true), (MAX_ROP_BUFFER + 1, 0, false), (0, MAX_AUXILIARY + 1, false)]
    {
        let (rops, auxiliary) = (vec![0; rops], vec![0; auxiliary]);
        let mut body = Vec::new();
        ExecuteRequest { flags: 0, rops: &rops, max_answer: 0, auxiliary: &auxiliary }.write(&mut body);
        assert_eq!(ExecuteRequest::read(&body).is_ok(), passes);
        assert!(!passes || body.len() == MAX_REQUEST_BODY);
    }
    let connect = |length: usize| [vec![b'x'; length], vec![0; 21]].concat();
    assert!(ConnectRequest::read(&connect(MAX_USER_DN)).is_ok());
    let too_long = Malformed::TooLong { what: "the user", limit: MAX_USER_DN };
    assert_eq!(ConnectRequest::read(&connect(MAX_USER_DN + 1)), Err(too_long));
}

#[test]
fn the_advice_replaces_count_and_delay_and_nothing_else() {
    let connected = Connected {
        error_code: 0,
        polls_max: 60_000,
        retry_count: 6,
        retry_delay: 10_000,
        dn_prefix: b"/o=x",
        display_name: b"A\0",
        auxiliary: b"aux",
    };
    let mut body = Vec::new();
    Answer::Done(connected).write(&mut body);
    for size in 1..=body.len() {
        let mut advice = RetryAdvice::new(60, Millis::new(1000));
        let mut rewritten = body.clone();
        rewritten.chunks_mut(size).for_each(|piece| advice.apply(piece));
        let expected = Connected { retry_count: 60, retry_delay: 1000, ..connected };
        assert_eq!(Answer::read(&rewritten), Ok(Answer::Done(expected)));
    }
}

#[test]
fn a_failed_connect_gets_no_advice() {
    for failed in [[1, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 9]] {
        let mut body = [&failed[..], &[7; 20]].concat();
        let before = body.clone();
        RetryAdvice::new(60, Millis::new(1000)).apply(&mut body);
        assert_eq!(body, before);
    }
}

/// Writes what was read, if it was.
fn again<T>(read: Result<T, Malformed>, write: impl Fn(&T, &mut Vec<u8>)) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    write(&read.ok()?, &mut body);
    Some(body)
}

proptest! {
    #[test]
    fn any_body_that_is_read_is_written_to_the_same_bytes(
        mut bytes in prop::collection::vec(prop_oneof![4 => Just(0u8), 1 => 1u8..10, 1 => any::<u8>()], 0..80)
    ) {
        // A wait's event is a number of which only whether it is 0 is kept.
        if let Some(event) = bytes.get_mut(8..12) {
            event.copy_from_slice(&[1, 0, 0, 0]);
        }
        let written = [
            again(ConnectRequest::read(&bytes), ConnectRequest::write),
            again(ExecuteRequest::read(&bytes), ExecuteRequest::write),
            again(NotificationWaitRequest::read(&bytes), NotificationWaitRequest::write),
            again(read_disconnect(&bytes), |auxiliary, body| write_disconnect(auxiliary, body)),
            again(Answer::<Connected<'_>>::read(&bytes), Answer::write),
            again(Answer::<Executed<'_>>::read(&bytes), Answer::write),
            again(Answer::<Disconnected<'_>>::read(&bytes), Answer::write),
            again(Answer::<Waited<'_>>::read(&bytes), Answer::write),
        ];
        for body in written.into_iter().flatten() {
            prop_assert_eq!(&body, &bytes);
        }
    }
}
