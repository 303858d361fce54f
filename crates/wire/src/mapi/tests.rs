//! Exchanges that were recorded between a client and a server, replayed: everything decodes, and encodes to the same
//! bytes.

use proptest::prelude::*;
use weir_units::Millis;

use super::auxiliary::{self, Blocks};
use super::body::{
    Answer, ConnectRequest, Connected, Disconnected, ExecuteRequest, Executed, read_disconnect,
    write_disconnect,
};
use super::envelope::{self, Envelope};
use super::payload::{Form, Payloads};
use super::rop::{Backoff, BufferTooSmall, Logons, RopBuffer, Tally, back_off};

/// A line with the request type and `req-body` or `resp-body`, then a line in hexadecimal.
const CAPTURES: &str = include_str!("tests/captures.txt");

/// The bodies of one kind: `Execute req-body`.
pub(super) fn captured(kind: &str) -> Vec<Vec<u8>> {
    let lines: Vec<_> = CAPTURES.lines().collect();
    let pairs = lines.as_chunks::<2>().0.iter();
    pairs.filter(|[title, _]| title.contains(kind)).map(|[_, hex]| bytes(hex)).collect()
}

/// The bytes that stand in hexadecimal, with or without blanks.
pub(super) fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<_> = hex.chars().filter(|c| !c.is_whitespace()).collect();
    let (pairs, []) = digits.as_chunks::<2>() else { panic!("half a byte in {hex}") };
    let byte = |pair: &[char; 2]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap();
    pairs.iter().map(byte).collect()
}

/// The body behind an answer's envelope, which must come out again as it was.
fn behind_envelope(answer: &[u8]) -> Vec<u8> {
    let mut envelope = Envelope::new();
    let body = envelope.feed(answer).unwrap().to_vec();
    assert!(envelope.is_done() && envelope.is_processing());
    let headers: Vec<_> =
        envelope.headers().iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let mut written = envelope::PROCESSING.to_vec();
    written.extend(envelope::PENDING.repeat(envelope.pending().try_into().unwrap()));
    written.extend(envelope::done(&headers));
    assert_eq!([written, body.clone()].concat(), answer);
    body
}

/// Writes the payloads of a buffer as they were sent and compares; gives them.
pub(super) fn payloads(buffer: &[u8]) -> Vec<Vec<u8>> {
    let payloads: Vec<_> = Payloads::new(buffer).map(Result::unwrap).collect();
    let mut written = Vec::new();
    for (place, payload) in payloads.iter().enumerate() {
        payload.form.write(&payload.bytes, place + 1 == payloads.len(), &mut written);
    }
    assert_eq!(written, buffer);
    payloads.into_iter().map(|payload| payload.bytes.into_owned()).collect()
}

/// The lists of ROPs, or of answers, in the bodies of one kind.
pub(super) fn captured_lists(kind: &str) -> Vec<Vec<u8>> {
    let list = |body: Vec<u8>| {
        let buffer = if kind.contains("req") {
            ExecuteRequest::read(&body).unwrap().rops.to_vec()
        } else {
            let body = behind_envelope(&body);
            let Ok(Answer::Done(executed)) = Answer::<Executed<'_>>::read(&body) else { panic!("success") };
            executed.rops.to_vec()
        };
        let [payload] = &payloads(&buffer)[..] else { panic!("one payload expected") };
        RopBuffer::read(payload).unwrap().list().to_vec()
    };
    captured(kind).into_iter().map(list).collect()
}

#[test]
fn a_captured_connect_decodes_and_encodes_to_the_same_bytes() {
    let (requests, answers) = (captured("Connect req-body"), captured("Connect resp-body"));
    // "Disconnect" does not contain "Connect": case counts.
    let ([request], [answer]) = (&requests[..], &answers[..]) else { panic!("one exchange expected") };
    let connect = ConnectRequest::read(request).unwrap();
    assert!(connect.user_dn.ends_with(b"-alice"));
    assert_eq!((connect.code_page, connect.sort_locale), (1252, 1033));
    let mut written = Vec::new();
    connect.write(&mut written);
    assert_eq!(&written, request);

    let body = behind_envelope(answer);
    let Ok(Answer::Done(connected)) = Answer::<Connected<'_>>::read(&body) else { panic!("a session") };
    assert_eq!((connected.polls_max, connected.retry_count, connected.retry_delay), (60_000, 6, 10_000));
    let mut written = Vec::new();
    Answer::Done(connected).write(&mut written);
    assert_eq!(written, body);

    let [payload] = &payloads(connected.auxiliary)[..] else { panic!("one payload expected") };
    let blocks: Vec<_> = Blocks::new(payload).map(Result::unwrap).collect();
    assert_eq!(blocks.iter().map(|block| block.kind).collect::<Vec<_>>(), [0x17, 0x0A, 0x48]);
    let mut written = Vec::new();
    auxiliary::write(&blocks, &mut written);
    assert_eq!(written, connected.auxiliary);
}

#[test]
fn captured_executes_decode_and_encode_to_the_same_bytes() {
    let (requests, answers) = (captured("Execute req-body"), captured("Execute resp-body"));
    assert_eq!((requests.len(), answers.len()), (7, 7));
    for request in &requests {
        let execute = ExecuteRequest::read(request).unwrap();
        assert_eq!(execute.flags, ExecuteRequest::NO_COMPRESSION | ExecuteRequest::NO_MIXING);
        assert_eq!(payloads(execute.rops).len(), 1);
        let mut written = Vec::new();
        execute.write(&mut written);
        assert_eq!(&written, request);
    }
    for answer in &answers {
        let body = behind_envelope(answer);
        let Ok(Answer::Done(executed)) = Answer::<Executed<'_>>::read(&body) else { panic!("success") };
        assert_eq!(payloads(executed.rops).len(), 1);
        let mut written = Vec::new();
        Answer::Done(executed).write(&mut written);
        assert_eq!(written, body);
    }
}

#[test]
fn captured_disconnects_and_pings_decode_and_encode_to_the_same_bytes() {
    for request in captured("Disconnect req-body") {
        let mut written = Vec::new();
        write_disconnect(read_disconnect(&request).unwrap(), &mut written);
        assert_eq!(written, request);
    }
    for answer in captured("Disconnect resp-body") {
        let body = behind_envelope(&answer);
        let mut written = Vec::new();
        Answer::<Disconnected<'_>>::read(&body).unwrap().write(&mut written);
        assert_eq!(written, body);
    }
    assert_eq!(captured("PING req-body"), [[]]);
    assert_eq!(
        captured("PING resp-body").iter().map(|answer| behind_envelope(answer)).collect::<Vec<_>>(),
        [[]]
    );
}

/// Does with bytes from the network all that is done with them, whatever they claim to be.
fn read_as_everything(bytes: &[u8]) {
    if let Ok(connect) = ConnectRequest::read(bytes) {
        auxiliary::told(connect.auxiliary);
    }
    if let Ok(execute) = ExecuteRequest::read(bytes) {
        auxiliary::told(execute.auxiliary);
        let (tally, answer) = (
            Tally::of(execute.rops, Logons::default()),
            back_off(execute.rops, Logons::default(), Millis::new(40)),
        );
        // What can be counted can be refused, with an answer that is one.
        assert_eq!(tally.is_ok(), answer.is_ok());
        assert!(answer.is_err() || Answer::<Executed<'_>>::read(&answer.unwrap()).is_ok());
    }
    let body = Envelope::new().feed(bytes).unwrap_or(bytes);
    let _ = Answer::<Connected<'_>>::read(body);
    if let Ok(Answer::Done(executed)) = Answer::<Executed<'_>>::read(body) {
        for payload in Payloads::new(executed.rops).flatten() {
            let Ok(buffer) = RopBuffer::read(&payload.bytes) else { continue };
            let _ = (Backoff::read(buffer.list()), BufferTooSmall::read(buffer.list()));
        }
    }
}

proptest! {
    #[test]
    fn captured_exchanges_with_bytes_changed_or_lost_are_read_or_an_error(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        end in prop::option::of(any::<prop::sample::Index>())
    ) {
        let bodies = captured("-body");
        let mut body = bodies[which.index(bodies.len())].clone();
        for (place, byte) in changes {
            if !body.is_empty() {
                let place = place.index(body.len());
                body[place] = byte;
            }
        }
        body.truncate(end.map_or(body.len(), |end| end.index(body.len() + 1)));
        read_as_everything(&body);
    }

    #[test]
    fn captured_rops_with_bytes_changed_are_counted_or_an_error_however_they_are_packed(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        compressed: bool,
        mixed: bool
    ) {
        let requests = captured("Execute req-body");
        let request = ExecuteRequest::read(&requests[which.index(requests.len())]).unwrap();
        let mut payload = payloads(request.rops).remove(0);
        for (place, byte) in changes {
            let place = place.index(payload.len());
            payload[place] = byte;
        }
        let mut rops = Vec::new();
        Form { compressed, mixed }.write(&payload, true, &mut rops);
        let mut body = Vec::new();
        ExecuteRequest { rops: &rops, ..request }.write(&mut body);
        read_as_everything(&body);
        let counted = RopBuffer::read(&payload).map(|buffer| buffer.rops(Logons::default()).count());
        let tally = Tally::of(&rops, Logons::default());
        prop_assert_eq!(tally.map(|tally| usize::try_from(tally.rops()).unwrap()), counted);
    }
}
