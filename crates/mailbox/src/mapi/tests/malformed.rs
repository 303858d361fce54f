use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use weir_wire::mapi::Malformed;
use weir_wire::mapi::rop::RopId;

use super::*;

/// A list of many kinds of ROPs, as bytes.
fn long_list(folders: &SpecialFolders) -> Vec<u8> {
    let calls: [Call; 9] = [
        call::folder::OpenFolder { input: 0, output: 1, folder: folders.inbox, mode: 0 }.into(),
        call::folder::GetContentsTable { input: 1, output: 2, flags: 0 }.into(),
        call::table::SetColumns { input: 2, flags: 0, columns: MAIL_COLUMNS.to_vec() }.into(),
        call::table::QueryRows { input: 2, flags: 0, forward: true, count: 10 }.into(),
        call::property::GetPropertiesAll { input: 1, size_limit: 0, want_unicode: 1 }.into(),
        call::message::CreateMessage {
            input: 0,
            output: 3,
            code_page: 0,
            folder: folders.inbox,
            associated: false,
        }
        .into(),
        call::property::SetProperties { input: 3, values: vec![unicode(tag::SUBJECT, "a")] }.into(),
        call::message::SaveChangesMessage { response: 3, input: 3, flags: 0 }.into(),
        call::logon::Release { input: 2 }.into(),
    ];
    let mut list = Vec::new();
    for call in calls {
        call.write(0, &mut list);
    }
    list
}

#[tokio::test]
async fn a_list_that_is_cut_off_anywhere_has_no_effect() {
    let world = World::new();
    let (client, folders) = Client::logged_on(&world, &john()).await;
    let list = long_list(&folders);
    let whole = client.raw(execute_body(&list, &client.handles, ROOM)).await.unwrap();
    assert!(executed(&whole).is_ok());
    assert_eq!(world.subjects(&john(), "inbox").await.len(), 1);
    let mut read = 0;
    for end in 0..list.len() {
        match client.raw(execute_body(&list[..end], &client.handles, ROOM)).await {
            Ok(_) => read += 1,
            Err(refused) => assert!(matches!(refused, MapiRefused::Malformed(_)), "{refused}"),
        }
    }
    assert_eq!(read, 9, "it may end before any ROP but the last");
    let saved = world.subjects(&john(), "inbox").await.len();
    assert_eq!(saved, 2, "once more, where it ends behind the saving");
}

#[tokio::test]
async fn a_body_that_is_cut_off_anywhere_is_malformed() {
    let world = World::new();
    let (client, folders) = Client::logged_on(&world, &john()).await;
    let body = execute_body(&long_list(&folders), &client.handles, ROOM);
    for end in 0..body.len() {
        let refused = client.raw(body[..end].to_vec()).await;
        assert!(matches!(refused, Err(MapiRefused::Malformed(_))), "{end}");
    }
}

#[tokio::test]
async fn a_chain_of_payloads_is_malformed() {
    let world = World::new();
    let (client, _) = Client::logged_on(&world, &john()).await;
    let (mut payload, mut rops, mut body) = (Vec::new(), Vec::new(), Vec::new());
    RopBuffer::write(&[], [].into_iter(), &mut payload);
    Form::default().write(&payload, false, &mut rops);
    Form::default().write(&payload, true, &mut rops);
    ExecuteRequest { flags: 0, rops: &rops, max_answer: ROOM, auxiliary: &[] }.write(&mut body);
    let refused = client.raw(body).await;
    assert_eq!(refused, Err(MapiRefused::Malformed(Malformed::Left("the first payload"))));
}

#[tokio::test]
async fn a_rop_that_is_not_served_says_so_and_the_list_goes_on() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    let other = call::Other { rop: RopId(0x3E), handle: 0, fields: vec![7, 0] };
    let open = call::folder::OpenFolder { input: 0, output: 1, folder: folders.inbox, mode: 0 };
    let replies = client.send(&[(0, Call::Other(other)), (0, open.into())], &[]).await;
    let Reply::Failed { rop, handle, failure } = &replies[0] else { panic!("{replies:?}") };
    assert_eq!((*rop, *handle, failure.code), (RopId(0x3E), 7, ErrorCode::NOT_SUPPORTED));
    assert!(matches!(replies[1], Reply::Done { .. }));
}

#[tokio::test]
async fn a_handle_that_names_nothing_fails_its_rop_alone() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    let open = |input, output| {
        (0, Call::from(call::folder::OpenFolder { input, output, folder: folders.inbox, mode: 0 }))
    };
    let replies = client.send(&[open(5, 1), open(0, 2)], &[]).await;
    assert!(matches!(&replies[0], Reply::Failed { failure, .. } if failure.code == ErrorCode::NULL_OBJECT));
    assert_eq!(client.handles[1], NO_HANDLE);
    assert_ne!(client.handles[2], NO_HANDLE);
    client.handles.truncate(1);
    let replies = client.send(&[open(200, 1), open(0, 255)], &[]).await;
    assert!(matches!(&replies[0], Reply::Failed { failure, .. } if failure.code == ErrorCode::NULL_OBJECT));
    assert_eq!(client.handles.len(), 256, "the table grows as far as it is used");
    let destination = call::folder::MoveCopyMessages {
        input: 255,
        destination: 7,
        messages: Vec::new(),
        asynchronous: false,
        copy: false,
    };
    assert_eq!(client.one(destination).await, Err(ErrorCode::DESTINATION_NULL_OBJECT));
}

#[tokio::test]
async fn an_empty_list_is_answered_by_an_empty_list() {
    let world = World::new();
    let (client, _) = Client::logged_on(&world, &john()).await;
    let answer = client.raw(execute_body(&[], &[7, 8], ROOM)).await.unwrap();
    assert_eq!(executed(&answer), Ok((Vec::new(), vec![7, 8])));
    let answer = client.raw(execute_body(&[], &[7, 8], 17)).await.unwrap();
    assert_eq!(executed(&answer), Err(ErrorCode::BUFFER_TOO_SMALL), "no room for two handles");
}

#[test]
fn no_list_of_rops_panics_or_is_answered_beyond_its_room() {
    let flips = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6);
    let room = prop_oneof![Just(ROOM), 0..600_u32];
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let world = World::new();
    let tried = TestRunner::default().run(&(flips, room), |(flips, room)| {
        runtime.block_on(async {
            let (client, folders) = Client::logged_on(&world, &john()).await;
            let mut list = long_list(&folders);
            for (at, byte) in flips {
                let at = at.index(list.len());
                list[at] = byte;
            }
            match client.raw(execute_body(&list, &client.handles, room)).await {
                Ok(answer) => {
                    let (list, handles) = executed(&answer).unwrap_or_default();
                    let payload = if list.is_empty() && handles.is_empty() { 0 } else { 10 };
                    let sent = payload + list.len() + 4 * handles.len();
                    prop_assert!(sent <= usize::try_from(room).unwrap());
                }
                Err(refused) => prop_assert!(matches!(refused, MapiRefused::Malformed(_)), "{}", refused),
            }
            Ok(())
        })
    });
    tried.unwrap();
}
