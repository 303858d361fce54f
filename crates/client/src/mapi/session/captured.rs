//! Exchanges that were recorded between another client and another server: the same ROPs make the same bytes here, and the
//! answers are understood.

use weir_wire::mapi::call::Call;
use weir_wire::mapi::envelope::Envelope;
use weir_wire::mapi::payload::Payloads;
use weir_wire::mapi::reply::Success;
use weir_wire::mapi::rop::Logons;

use super::super::cells;
use super::tests::bytes;
use super::*;

/// A line with the request type and `req-body` or `resp-body`, then a line in hexadecimal.
const CAPTURES: &str = include_str!("../../../../wire/src/mapi/tests/captures.txt");

/// The bodies of one kind: `Execute req-body`.
pub(in super::super) fn captured(kind: &str) -> Vec<Vec<u8>> {
    let lines: Vec<_> = CAPTURES.lines().collect();
    let pairs = lines.as_chunks::<2>().0.iter();
    pairs.filter(|[title, _]| title.contains(kind)).map(|[_, hex]| bytes(hex)).collect()
}

/// The ROPs of a request's body as a batch, and how many handles there are.
pub(in super::super) fn batch_of(body: &[u8]) -> (Batch, usize) {
    let payload = Payloads::new(ExecuteRequest::read(body).unwrap().rops).next().unwrap().unwrap();
    let buffer = RopBuffer::read(&payload.bytes).unwrap();
    let mut batch = Batch::default();
    for rop in buffer.rops(Logons::default()) {
        let rop = rop.unwrap();
        batch.push_for(rop.logon, Call::read(&rop).unwrap());
    }
    (batch, buffer.handles().count())
}

/// The names that a list of rows has in its column.
fn names(replies: &Replies, column: usize) -> Vec<String> {
    let rows = replies.iter().flatten().filter_map(|reply| {
        let Reply::Done { success: Success::QueryRows(query), .. } = reply else { return None };
        Some(&query.rows)
    });
    rows.flatten().map(|row| cells::text(row, column)).collect()
}

#[test]
fn captured_requests_are_made_of_their_rops_and_their_answers_are_understood() {
    let mut session = Session::new(Retry { count: 6, delay: Millis::new(10_000) }, Millis::new(60_000));
    let (requests, answers) = (captured("Execute req-body"), captured("Execute resp-body"));
    let (mut taken, mut seen) = (0, Vec::new());
    for (request, answer) in requests.iter().zip(&answers) {
        let (batch, handles) = batch_of(request);
        while taken < handles {
            session.take_place().unwrap();
            taken += 1;
        }
        while taken > handles {
            taken -= 1;
            session.free_place(u8::try_from(taken).unwrap());
        }
        // Places that the other client has not used yet.
        for place in 1..taken {
            session.free_place(u8::try_from(place).unwrap());
        }
        for place in 1..taken {
            assert_eq!(session.take_place(), Ok(u8::try_from(place).unwrap()));
        }
        session.submit(batch).unwrap();
        let Ok(Step::Send(body)) = session.next(Tick::START) else { panic!("a request") };
        let rops = |body| ExecuteRequest::read(body).unwrap().rops.to_vec();
        assert_eq!(rops(&body), rops(request));

        let mut envelope = Envelope::new();
        let body = envelope.feed(answer).unwrap();
        session.answered(body, Tick::START).unwrap();
        let Ok(Step::Done(_, replies)) = session.next(Tick::START) else { panic!("it is done") };
        seen.push(replies);
    }
    assert_eq!(names(&seen[1], 1)[..2], ["Sent Items", "Deleted Items"]);
    assert_eq!(names(&seen[2], 1)[..2], ["hello 2", "hello 4"]);
    assert!(seen.iter().flatten().flatten().all(|reply| matches!(reply, Reply::Done { .. })));
}
