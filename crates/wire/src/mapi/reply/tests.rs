mod any;

use proptest::prelude::*;
use weir_units::Millis;

use super::super::call::tests::{any_call, calls};
use super::super::property::{PropertyValue, tag};
use super::super::row::Cell;
use super::super::tests::{bytes, captured_lists};
use super::super::{call, text::TypedString};
use super::*;

use any::{any_exchange, any_unasked};

fn written(reply: &Reply) -> Vec<u8> {
    let mut list = Vec::new();
    reply.write(&mut list);
    list
}

/// Reads the answers to some calls, as a client does: it knows the columns that it set, and which calls have no answer.
/// Gives those before the first that cannot be read, and what is left.
fn read_answers<'a>(calls: &[(u8, Call)], mut list: &'a [u8]) -> (Vec<Reply>, &'a [u8]) {
    let (mut columns, mut replies) = (Vec::new(), Vec::new());
    for (_, call) in calls.iter().filter(|(_, call)| call.is_answered()) {
        if let Call::SetColumns(call) = call {
            columns.clone_from(&call.columns);
        }
        let Ok((reply, rest)) = Reply::read(list, call, &columns) else { break };
        list = rest;
        replies.push(reply);
    }
    (replies, list)
}

/// The answers of all captured exchanges, which come out again as they were.
fn captured_answers() -> Vec<Vec<Reply>> {
    let read = |(calls, answer): (Vec<(u8, Call)>, Vec<u8>)| {
        let (replies, rest) = read_answers(&calls, &answer);
        assert!(rest.is_empty());
        assert_eq!(replies.iter().flat_map(written).collect::<Vec<_>>(), answer);
        replies
    };
    captured_exchanges().map(read).collect()
}

fn captured_exchanges() -> impl Iterator<Item = (Vec<(u8, Call)>, Vec<u8>)> {
    let requests = captured_lists("Execute req-body").into_iter().map(|list| calls(&list).unwrap());
    requests.zip(captured_lists("Execute resp-body"))
}

#[test]
fn captured_answers_are_typed_and_written_to_the_same_bytes() {
    let answers = captured_answers();
    assert_eq!(answers.len(), 7);
    let other = |reply: &Reply| matches!(reply, Reply::Done { success: Success::Other { .. }, .. });
    assert!(!answers.iter().flatten().any(other));
}

#[test]
fn a_captured_answer_that_is_cut_off_gives_the_replies_before_the_cut() {
    for ((calls, answer), replies) in captured_exchanges().zip(captured_answers()) {
        for cut in 0..answer.len() {
            let (whole, rest) = read_answers(&calls, &answer[..cut]);
            assert_eq!(whole, replies[..whole.len()]);
            assert_eq!(whole.iter().map(|reply| written(reply).len()).sum::<usize>() + rest.len(), cut);
            assert!(whole.len() < replies.len());
        }
    }
}

#[test]
fn a_captured_logon_and_its_folders_say_what_they_say() {
    let answers = captured_answers();
    let Reply::Done { handle: 0, success: Success::Logon(logon) } = &answers[0][0] else { panic!("a logon") };
    let logon::Store::Private(store) = &logon.store else { panic!("a mailbox") };
    assert_eq!(
        (store.folders.inbox, store.folders.ipm_subtree),
        (0x0D00_0000_0000_0001, 0x0900_0000_0000_0001)
    );
    assert_eq!((store.time.year, store.time.month, store.time.day), (2026, 11, 30));
    let Reply::Done { success: Success::QueryRows(folders), .. } = &answers[1][3] else { panic!("rows") };
    assert_eq!((folders.origin, folders.rows.len()), (2, 13));
    let inbox = &folders.rows[3];
    assert_eq!(inbox[1], Cell::Value(PropertyValue::Unicode("Inbox".into())));
    assert_eq!(inbox[2], Cell::Value(PropertyValue::Integer32(7)));
}

#[test]
fn a_captured_message_and_its_recipient_say_what_they_say() {
    let answers = captured_answers();
    let message = answers.iter().flatten().find_map(|reply| {
        if let Reply::Done { success: Success::OpenMessage(message), .. } = reply {
            Some(message)
        } else {
            None
        }
    });
    let message = message.unwrap();
    assert_eq!(message.normalized_subject, TypedString::Wide("hello 2".into()));
    let [(head, recipient)] = &message.recipients.rows[..] else { panic!("one recipient") };
    assert_eq!((head.kind, message.recipients.columns.len(), recipient.cells.len()), (1, 6, 6));
    assert_eq!(recipient.email_address, Some("alice@example.test".into()));
}

#[test]
fn an_answer_belongs_where_its_call_says() {
    let call =
        Call::from(call::folder::OpenFolder { input: 1, output: 2, ..call::folder::OpenFolder::default() });
    let failed = Reply::failed(&call, ErrorCode::NOT_FOUND);
    assert_eq!(written(&failed), bytes("02 02 0F010480"));
    assert_eq!(Reply::read(&bytes("02 02 0F010480 01"), &call, &[]), Ok((failed, &[1][..])));
    let opened = Success::OpenFolder(folder::OpenFolder::default());
    assert_eq!(written(&Reply::done(&call, opened)), bytes("02 02 00000000 00 00"));
    let other = Call::from(call::table::GetStatus { input: 2 });
    assert_eq!(
        Reply::read(&bytes("02 02 0F010480"), &other, &[]),
        Err(Malformed::Wrong("the ROP of an answer"))
    );
}

#[test]
fn some_answers_that_say_no_say_more() {
    let deletion = call::folder::DeleteMessages { input: 3, ..call::folder::DeleteMessages::default() };
    assert_eq!(written(&Reply::failed(&deletion.into(), ErrorCode::NOT_FOUND)), bytes("1E 03 0F010480 00"));
    let copying = Call::from(call::folder::MoveCopyMessages {
        input: 3,
        destination: 4,
        ..call::folder::MoveCopyMessages::default()
    });
    for (code, answer) in [
        (ErrorCode::DESTINATION_NULL_OBJECT, "33 03 03050000 04000000 00"),
        (ErrorCode::NOT_FOUND, "33 03 0F010480 00"),
    ] {
        assert_eq!(written(&Reply::failed(&copying, code)), bytes(answer));
    }
    let logon = Call::from(call::logon::Logon::default());
    let (failed, _) = Reply::read(&bytes("FE 00 78040000 01 02 6100"), &logon, &[]).unwrap();
    let Reply::Failed { failure, .. } = &failed else { panic!("a redirection") };
    assert_eq!(failure.redirect.server, b"a\0");
    assert_eq!(written(&failed), bytes("FE 00 78040000 01 02 6100"));
}

#[test]
fn a_rop_that_is_not_typed_can_be_refused() {
    let [(_, call)] = &calls(&bytes("22 00 04 05 00 00000000")).unwrap()[..] else { panic!("one ROP") };
    assert_eq!(written(&Reply::failed(call, ErrorCode::NOT_SUPPORTED)), bytes("22 05 02010480"));
}

#[test]
fn published_back_offs_stand_among_the_answers() {
    let columns = Call::from(call::table::SetColumns::default());
    let list = bytes("12 00 00000000 00 F9 00 34120000 00 0000");
    let (_, rest) = Reply::read(&list, &columns, &[]).unwrap();
    let (backoff, rest) = Reply::read(rest, &columns, &[]).unwrap();
    assert_eq!((backoff, rest.len()), (Reply::Backoff(Backoff::logon(0, Millis::new(0x1234))), 0));
}

#[test]
fn rows_that_lie_about_their_number_are_errors() {
    let query = Call::from(call::table::QueryRows::default());
    let list = bytes("15 00 00000000 02 FFFF 00 01000000");
    assert_eq!(
        Reply::read(&list, &query, &[tag::CONTENT_COUNT]),
        Err(Malformed::Ends("a row of properties"))
    );
}

proptest! {
    #[test]
    fn every_answer_is_read_as_it_was_written((call, columns, reply) in any_exchange()) {
        let mut list = written(&reply);
        // What is not typed takes the rest of the list, all others end where they end.
        if !matches!(call, Call::Other(_)) {
            list.push(0xAB);
        }
        let (read, rest) = Reply::read(&list, &call, &columns).unwrap();
        prop_assert_eq!(read, reply);
        prop_assert_eq!(rest.is_empty(), matches!(call, Call::Other(_)));
    }

    #[test]
    fn what_was_not_asked_for_is_read_as_it_was_written(reply in any_unasked(), call in any_call()) {
        let list = written(&reply);
        prop_assert_eq!(Reply::read(&list, &call, &[]), Ok((reply.clone(), &[][..])));
        prop_assert_eq!(Reply::read_unasked(&list), Ok(Some((reply, &[][..]))));
    }

    #[test]
    fn every_answer_that_is_cut_off_is_an_error((call, columns, reply) in any_exchange(), cut: prop::sample::Index) {
        let list = written(&reply);
        let cut = cut.index(list.len());
        let read = Reply::read(&list[..cut], &call, &columns);
        prop_assert!(read.is_err() || cut >= 6 && matches!(call, Call::Other(_)));
    }

    #[test]
    fn any_bytes_are_an_answer_or_an_error(
        (call, columns, reply) in any_exchange(),
        unasked in any_unasked(),
        place: prop::sample::Index,
        byte: u8
    ) {
        for reply in [reply, unasked] {
            let mut list = written(&reply);
            let place = place.index(list.len());
            list[place] = byte;
            let _ = Reply::read(&list, &call, &columns);
        }
    }
}
