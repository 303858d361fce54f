use super::super::super::body::ExecuteRequest;
use super::super::super::tests::{bytes, captured, payloads};
use super::*;

/// The answer to a request of these payloads, each a ROP buffer.
fn refused(requests: &[Vec<u8>], duration: u64) -> Vec<u8> {
    let mut buffer = Vec::new();
    for (place, payload) in requests.iter().enumerate() {
        Form::default().write(payload, place + 1 == requests.len(), &mut buffer);
    }
    let body = back_off(&buffer, Logons::default(), Millis::new(duration)).unwrap();
    let Ok(Answer::Done(executed)) = Answer::<Executed<'_>>::read(&body) else { panic!("an answer") };
    assert_eq!((executed.error_code, executed.flags, executed.auxiliary), (0, 0, &[][..]));
    let mut answers = payloads(executed.rops);
    assert_eq!(answers.len(), 1);
    answers.remove(0)
}

#[test]
fn an_older_client_hears_that_the_server_is_too_busy() {
    assert_eq!(too_busy(), bytes("BB060000 00000000"));
}

#[test]
fn each_logon_of_a_request_hears_how_long_and_the_handles_come_back() {
    let request = bytes("0E00 09 02 00 09 00 00 09 02 00 01 00 00 28000000 FFFFFFFF");
    let answer = bytes("1400 F9 00 2C010000 00 0000 F9 02 2C010000 00 0000 28000000 FFFFFFFF");
    assert_eq!(refused(&[request], 300), answer);
}

#[test]
fn a_captured_request_is_refused_without_a_trace() {
    let request = captured("Execute req-body").remove(1);
    let execute = ExecuteRequest::read(&request).unwrap();
    let sent = payloads(execute.rops).remove(0);
    let answer = refused(std::slice::from_ref(&sent), 40);
    let (sent, answer) = (RopBuffer::read(&sent).unwrap(), RopBuffer::read(&answer).unwrap());
    assert!(sent.handles().eq(answer.handles()));
    let backoff = Backoff::logon(0, Millis::new(40));
    assert_eq!(Backoff::read(answer.list()), Ok(Some((backoff, &[][..]))));
}

#[test]
fn an_upload_in_several_payloads_is_answered_once() {
    let parts = [bytes("0800 A3 01 00 0100 07 01000000"), bytes("0800 A3 01 00 0100 08 02000000")];
    assert_eq!(refused(&parts, 1), bytes("0B00 F9 01 01000000 00 0000 01000000"));
}

#[test]
fn the_answer_is_small_whatever_the_request() {
    // All 256 logons, and as many handles as a payload has room for.
    let rops: Vec<u8> = (0..=u8::MAX).flat_map(|logon| [1, logon, 0]).collect();
    let mut request = Vec::new();
    RopBuffer::write(&rops, std::iter::repeat_n(7, 16_000), &mut request);
    let answer = refused(&[request], 2000);
    assert_eq!(answer.len(), 2 + 256 * 9 + MAX_HANDLES * 4);
}

#[test]
fn what_is_no_rop_buffer_is_not_answered() {
    assert!(back_off(b"none", Logons::default(), Millis::new(1)).is_err());
    assert_eq!(refused(&[bytes("0200")], 1), bytes("0200"));
}
