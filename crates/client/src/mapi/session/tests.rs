use weir_units::Tick;
use weir_wire::mapi::Malformed;
use weir_wire::mapi::body::Failure;
use weir_wire::mapi::call::Call;
use weir_wire::mapi::call::folder::{CreateFolder, DeleteFolder, OpenFolder};
use weir_wire::mapi::call::logon::Release;
use weir_wire::mapi::call::table::{QueryRows, SetColumns};
use weir_wire::mapi::payload::Payloads;
use weir_wire::mapi::property::tag;
use weir_wire::mapi::rop::NO_HANDLE;

use super::*;

pub(super) fn open_folder(input: u8, output: u8, folder: u64) -> Call {
    OpenFolder { input, output, folder, mode: 0 }.into()
}

pub(super) fn delete_folder(input: u8, folder: u64) -> Call {
    DeleteFolder { input, flags: 0, folder }.into()
}

pub(super) fn release(input: u8) -> Call {
    Release { input }.into()
}

fn set_columns(input: u8) -> Call {
    SetColumns { input, flags: 0, columns: vec![tag::SUBJECT] }.into()
}

fn query_rows(input: u8) -> Call {
    QueryRows { input, flags: 0, forward: true, count: 10 }.into()
}

const RETRY: Retry = Retry { count: 60, delay: Millis::new(1000) };

fn session() -> Session {
    Session::new(RETRY, Millis::new(600_000))
}

fn at(millis: u64) -> Tick {
    Tick::START.plus(Millis::new(millis).micros())
}

/// The bytes that stand in hexadecimal, with or without blanks.
pub(super) fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<char> = hex.chars().filter(|c| !c.is_whitespace()).collect();
    let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

/// The body of an answer with that ROP buffer.
fn executed(payload: &[u8]) -> Vec<u8> {
    let (mut rops, mut body) = (Vec::new(), Vec::new());
    Form::default().write(payload, true, &mut rops);
    Answer::Done(Executed { error_code: 0, flags: 0, rops: &rops, auxiliary: &[] }).write(&mut body);
    body
}

/// The body of an answer with these responses and handles.
fn responses(list: &str, handles: &[u32]) -> Vec<u8> {
    let mut payload = Vec::new();
    RopBuffer::write(&bytes(list), handles.iter().copied(), &mut payload);
    executed(&payload)
}

fn failed(status: u32) -> Vec<u8> {
    let mut body = Vec::new();
    Answer::<Executed<'_>>::Failed(Failure { status, auxiliary: &[] }).write(&mut body);
    body
}

/// The ROPs of what the session sends, and its handles.
#[track_caller]
fn sent(session: &mut Session, now: Tick) -> (Vec<u8>, Vec<u32>) {
    let step = session.next(now).unwrap();
    let Step::Send(body) = step else { panic!("{step:?}") };
    let execute = ExecuteRequest::read(&body).unwrap();
    let payload = Payloads::new(execute.rops).next().unwrap().unwrap();
    let buffer = RopBuffer::read(&payload.bytes).unwrap();
    (buffer.list().to_vec(), buffer.handles().collect())
}

fn list_of(calls: &[Call]) -> Vec<u8> {
    let mut list = Vec::new();
    for call in calls {
        call.write(0, &mut list);
    }
    list
}

fn batch(calls: &[Call]) -> Batch {
    calls.iter().cloned().fold(Batch::new(0), Batch::with)
}

#[test]
fn the_published_back_off_of_a_logon_lets_its_rest_wait_and_then_sends_exactly_that() {
    let mut session = session();
    let table = session.take_place().unwrap();
    session.submit(batch(&[set_columns(table), query_rows(table)])).unwrap();
    sent(&mut session, at(0));
    let answer = bytes("12 00 12 00 00000000 00 F9 00 34120000 00 0000 28000000");
    session.answered(&executed(&answer), at(10)).unwrap();
    let until = at(10 + 0x1234);
    assert_eq!(session.next(at(10)), Ok(Step::Wait(until)));
    // Another mailbox need not wait, a newer batch of this one must.
    let mut others = Batch::new(1);
    others.push(release(table));
    session.submit(others).unwrap();
    let newer = session.submit(batch(&[query_rows(table)])).unwrap();
    assert_eq!(sent(&mut session, at(20)).0, [1, 1, 0]);
    session.answered(&responses("", &[NO_HANDLE]), at(21)).unwrap();
    assert!(matches!(session.next(at(21)), Ok(Step::Done(..))));
    assert_eq!(session.next(at(4669)), Ok(Step::Wait(until)));
    let (list, _) = sent(&mut session, until);
    assert_eq!(list, list_of(&[query_rows(table), query_rows(table)]));
    assert!(newer > BatchId(0));
    let counts = session.counts();
    assert_eq!((counts.back_offs, counts.rops, counts.requests), (1, 2, 3));
}

#[test]
fn the_published_back_off_of_one_type_of_rop_holds_back_that_type_alone() {
    let mut session = session();
    let (root, folder) = (session.take_place().unwrap(), session.take_place().unwrap());
    let create: Call =
        CreateFolder { input: folder, output: root, kind: 1, ..CreateFolder::default() }.into();
    session.submit(batch(&[open_folder(root, folder, 7), create.clone()])).unwrap();
    sent(&mut session, at(0));
    let answer = bytes("18 00 02 01 00000000 00 00 F9 00 00000000 01 1C 174F0400 0000 0A000000 24000000");
    session.answered(&executed(&answer), at(5)).unwrap();
    // What was opened has its handle, and other types go at once.
    session.submit(batch(&[delete_folder(folder, 9)])).unwrap();
    assert_eq!(sent(&mut session, at(5)), (list_of(&[delete_folder(folder, 9)]), vec![NO_HANDLE, 0x24]));
    session.answered(&responses("1D 01 00000000 00", &[NO_HANDLE, 0x24]), at(6)).unwrap();
    assert!(matches!(session.next(at(6)), Ok(Step::Done(BatchId(1), _))));
    let until = at(5 + 0x4_4F17);
    assert_eq!(session.next(at(6)), Ok(Step::Wait(until)));
    assert_eq!(sent(&mut session, until).0, list_of(&[create]));
}

#[test]
fn an_old_server_is_asked_again_once_a_second_and_given_up_after_sixty_refusals() {
    let mut session = session();
    session.submit(batch(&[query_rows(0)])).unwrap();
    for second in 0..60 {
        let now = at(second * 1000);
        assert_eq!(sent(&mut session, now).0, list_of(&[query_rows(0)]));
        let taken = session.answered(&failed(STATUS_TOO_BUSY), now);
        if second < 59 {
            assert_eq!(taken, Ok(()));
            assert_eq!(session.next(at(second * 1000 + 999)), Ok(Step::Wait(at((second + 1) * 1000))));
        } else {
            assert_eq!(taken, Err(SessionError::GaveUp { refusals: 60, delay: Millis::new(1000) }));
        }
    }
    assert_eq!(session.next(at(100_000)), Err(SessionError::Ended));
    assert_eq!(session.counts().too_busy, 60);
}

#[test]
fn an_answer_between_begins_the_count_of_refusals_anew() {
    let mut session = Session::new(Retry { count: 2, delay: Millis::new(100) }, Millis::new(10_000));
    let mut now = at(0);
    for _ in 0..5 {
        session.submit(batch(&[release(0)])).unwrap();
        sent(&mut session, now);
        session.answered(&failed(STATUS_TOO_BUSY), now).unwrap();
        // It holds back everything, notifications too.
        session.fetch();
        now = now.plus(Millis::new(100).micros());
        assert_eq!(
            session.next(now.plus(Micros::new(0)).max(at(0))).map(|step| matches!(step, Step::Send(_))),
            Ok(true)
        );
        session.answered(&responses("", &[]), now).unwrap();
        assert!(matches!(session.next(now), Ok(Step::Done(..))));
    }
    assert_eq!(session.counts().too_busy, 5);
}

#[test]
fn who_is_held_back_for_longer_than_his_patience_gives_up() {
    let mut session = Session::new(RETRY, Millis::new(5_000));
    session.submit(batch(&[query_rows(0)])).unwrap();
    for tenth in 0..3 {
        let now = at(tenth * 2_000);
        sent(&mut session, now);
        session.answered(&responses("F9 00 D0070000 00 0000", &[]), now).unwrap();
        let next = session.next(now);
        if tenth < 2 {
            assert_eq!(next, Ok(Step::Wait(at((tenth + 1) * 2_000))));
        } else {
            let (wait, patience) = (Millis::new(6_000), Millis::new(5_000));
            assert_eq!(next, Err(SessionError::OutOfPatience { wait, patience }));
        }
    }
}

#[test]
fn patience_begins_anew_once_the_session_gets_on() {
    let mut session = Session::new(Retry { count: 9, delay: Millis::new(100) }, Millis::new(5_000));
    for hour in 0..3 {
        // Notifications are fetched from a server that is too busy at first: no ROP is carried out.
        let now = at(hour * 3_600_000);
        session.fetch();
        sent(&mut session, now);
        session.answered(&failed(STATUS_TOO_BUSY), now).unwrap();
        session.fetch();
        let until = now.plus(Millis::new(100).micros());
        assert_eq!(session.next(now), Ok(Step::Wait(until)));
        sent(&mut session, until);
        session.answered(&responses("", &[]), until).unwrap();
        // And somebody who waited went away.
        session.submit(batch(&[query_rows(0)])).unwrap();
        sent(&mut session, until);
        session.answered(&responses("F9 00 D0070000 00 0000", &[]), until).unwrap();
        assert!(matches!(session.next(until), Ok(Step::Wait(_))));
        session.withdraw();
    }
}

#[test]
fn a_back_off_that_holds_nothing_back_still_makes_the_next_rop_wait() {
    for (list, millis) in [
        ("F9 00 00000000 00 0000", 1),
        ("F9 07 64000000 00 0000", 100),
        ("F9 00 00000000 01 70 C8000000 0000", 200),
    ] {
        let mut session = session();
        session.submit(batch(&[query_rows(0)])).unwrap();
        sent(&mut session, at(0));
        session.answered(&responses(list, &[]), at(0)).unwrap();
        assert_eq!(session.next(at(0)), Ok(Step::Wait(at(millis))), "{list}");
    }
}

#[test]
fn what_had_no_room_goes_at_once_and_as_much_of_it_as_had_room() {
    let mut session = session();
    let calls: Vec<Call> = (0..10).map(|folder| delete_folder(0, folder)).collect();
    session.submit(batch(&calls)).unwrap();
    let mut rest = &calls[..];
    for (length, done) in [(10, 2), (2, 2), (4, 4), (2, 2)] {
        assert_eq!(sent(&mut session, at(0)).0, list_of(&rest[..length]));
        let mut list = bytes(&"1D 00 00000000 00".repeat(done));
        if done < length {
            list.extend([0xFF, 0, 2]);
            list.extend(list_of(&rest[done..length]));
        }
        let mut payload = Vec::new();
        RopBuffer::write(&list, std::iter::empty(), &mut payload);
        session.answered(&executed(&payload), at(0)).unwrap();
        rest = &rest[done..];
    }
    let Ok(Step::Done(_, replies)) = session.next(at(0)) else { panic!("all is done") };
    assert_eq!(replies.len(), 10);
}

#[test]
fn a_rop_whose_answer_has_no_room_at_all_ends_the_session() {
    let mut session = session();
    session.submit(batch(&[query_rows(0)])).unwrap();
    sent(&mut session, at(0));
    let rop = query_rows(0).rop();
    let taken = session.answered(&responses("FF 3412 15 00 00 00 01 0A00", &[]), at(0));
    assert_eq!(taken, Err(SessionError::NoRoom { rop, needed: 0x1234 }));
}

#[test]
fn a_release_counts_as_carried_out_when_something_behind_it_was_answered() {
    for (list, left) in [
        // Refused whole, as a gateway does it.
        ("F9 00 0A000000 00 0000", vec![release(1), delete_folder(0, 5), release(2), delete_folder(0, 6)]),
        ("1D 00 00000000 00 F9 00 0A000000 00 0000", vec![release(2), delete_folder(0, 6)]),
    ] {
        let mut session = session();
        let places: Vec<u8> = (0..3).map(|_| session.take_place().unwrap()).collect();
        assert_eq!(places, [0, 1, 2]);
        session.submit(batch(&[release(1), delete_folder(0, 5), release(2), delete_folder(0, 6)])).unwrap();
        sent(&mut session, at(0));
        session.answered(&responses(list, &[]), at(0)).unwrap();
        assert_eq!(sent(&mut session, at(10)).0, list_of(&left), "{list}");
    }
}

#[test]
fn answers_that_are_none_end_the_session() {
    let delete = "1D 00 00000000 00";
    for (answer, error) in [
        (failed(0x0000_0001), SessionError::Failed { status: 1 }),
        (responses("", &[]), SessionError::Unanswered { answered: 0, sent: 1 }),
        (responses(&delete.repeat(2), &[]), Malformed::Left("the last response").into()),
        (responses(&format!("F9 00 0A000000 00 0000 {delete}"), &[]), Malformed::Left("a back-off").into()),
        (b"\0\0".to_vec(), Malformed::Ends("the status of an answer").into()),
    ] {
        let mut session = session();
        session.submit(batch(&[delete_folder(0, 5)])).unwrap();
        sent(&mut session, at(0));
        assert_eq!(session.answered(&answer, at(0)), Err(error));
        assert_eq!(session.next(at(0)), Err(SessionError::Ended));
    }
}

#[test]
fn a_request_has_as_many_rops_as_fit_into_it() {
    let mut session = session();
    for _ in 0..255 {
        session.take_place().unwrap();
    }
    let calls: Vec<Call> = (0..5_000).map(|folder| delete_folder(0, folder)).collect();
    session.submit(batch(&calls)).unwrap();
    let (list, handles) = sent(&mut session, at(0));
    assert_eq!(handles.len(), 255);
    let payload = 2 + list.len() + 4 * handles.len();
    assert!(payload <= MAX_PAYLOAD && payload + 12 > MAX_PAYLOAD, "{payload}");
}

#[test]
fn what_fits_into_no_request_or_waits_with_too_many_others_is_not_taken() {
    let mut session = session();
    let data = vec![0; MAX_PAYLOAD];
    let write: Call = weir_wire::mapi::call::stream::WriteStream { input: 0, data }.into();
    let rop = write.rop();
    assert_eq!(session.submit(batch(&[release(0), write])), Err(SessionError::TooLong { rop }));
    let many = batch(&vec![release(0); MAX_WAITING]);
    assert!(session.submit(many).is_ok());
    assert_eq!(session.submit(batch(&[release(0)])), Err(SessionError::Full));
    session.withdraw();
    assert_eq!(session.next(at(0)), Ok(Step::Idle));
}

#[test]
fn an_empty_batch_is_done_and_a_fetch_sends_an_empty_list() {
    let mut session = session();
    let id = session.submit(Batch::new(0)).unwrap();
    assert_eq!(session.next(at(0)), Ok(Step::Done(id, Vec::new())));
    assert_eq!(session.next(at(0)), Ok(Step::Idle));
    session.fetch();
    assert_eq!(sent(&mut session, at(0)), (Vec::new(), Vec::new()));
    assert_eq!(session.next(at(0)), Ok(Step::Answer));
    session.answered(&responses("", &[]), at(0)).unwrap();
    assert_eq!(session.next(at(0)), Ok(Step::Idle));
}
