use weir_wire::mapi::call::notification::{RegisterNotification, Scope};
use weir_wire::mapi::call::stream::{OpenStream, SetStreamSize, WriteStream};
use weir_wire::mapi::call::table::QueryRows;

use super::*;
use crate::test_world::message;

#[tokio::test]
async fn a_session_has_so_many_objects_and_no_more() {
    let world = small(|bounds| bounds.mapi_handles = 3);
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.open_folder(1, folders.inbox).await.unwrap();
    client.open_folder(2, folders.inbox).await.unwrap();
    assert_eq!(client.open_folder(3, folders.inbox).await, Err(ErrorCode::MAX_OBJECTS_EXCEEDED));
    client.release(1).await;
    client.open_folder(3, folders.inbox).await.unwrap();
}

#[tokio::test]
async fn a_session_holds_so_many_bytes_and_no_more() {
    const LIMIT: usize = 100_000;
    let world = small(|bounds| bounds.mapi_session_bytes = LIMIT);
    let id = message_id(&world.save(&john(), Some("inbox"), message("a", &"x".repeat(LIMIT))).await);
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.open_message(1, (folders.inbox, id)).await.unwrap();
    let open = |input, output, mode| OpenStream { input, output, tag: tag::BODY, mode };
    let too_much = Err(ErrorCode::NOT_ENOUGH_MEMORY);
    assert_eq!(client.one(open(1, 2, OpenStream::READ_ONLY)).await, too_much);
    let values = vec![unicode(tag::SUBJECT, "b")];
    let set = |input, values| call::property::SetProperties { input, values };
    assert_eq!(client.one(set(1, values)).await, too_much, "to change it is to hold it");
    client.create(3, folders.inbox).await;
    client.one(set(3, vec![unicode(tag::SUBJECT, &"y".repeat(20_000))])).await.unwrap();
    client.one(set(3, vec![unicode(tag::BODY, &"z".repeat(20_000))])).await.unwrap();
    let more = vec![unicode(tag::INTERNET_REFERENCES, &"w".repeat(22_000))];
    client.one(set(3, more.clone())).await.unwrap();
    assert_eq!(client.one(set(3, more)).await, too_much);
    client.release(3).await;
    client.create(3, folders.inbox).await;
    client.one(open(3, 4, OpenStream::CREATE)).await.unwrap();
    client.one(WriteStream { input: 4, data: vec![b'a'; 30_000] }).await.unwrap();
    let too_long = Err(ErrorCode::STREAM_SIZE_ERROR);
    assert_eq!(client.one(SetStreamSize { input: 4, size: 70_000 }).await, too_long);
    assert_eq!(client.one(SetStreamSize { input: 4, size: u64::MAX }).await, too_long);
}

#[tokio::test]
async fn restrictions_count_among_the_bytes_of_a_session() {
    use weir_wire::mapi::restriction::Restriction;
    let world = small(|bounds| bounds.mapi_session_bytes = 50_000);
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.open_folder(1, folders.inbox).await.unwrap();
    let mut made = 0;
    for place in 2..50 {
        client.one(call::folder::GetContentsTable { input: 1, output: place, flags: 0 }).await.unwrap();
        let restriction = Restriction::Content {
            place: Restriction::PREFIX,
            fuzziness: 0,
            tag: tag::SUBJECT,
            value: unicode(tag::SUBJECT, &"x".repeat(5000)),
        };
        let restrict = call::table::Restrict { input: place, flags: 0, restriction: Some(restriction) };
        match client.one(restrict).await {
            Ok(_) => made += 1,
            Err(code) => assert_eq!(code, ErrorCode::NOT_ENOUGH_MEMORY),
        }
    }
    assert!((2..10).contains(&made), "{made}");
}

#[tokio::test]
async fn a_row_that_no_answer_has_room_for_fails() {
    let long = "x".repeat(250);
    let world = inbox_of(&[&long]).await;
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    let columns = vec![tag::SUBJECT; 200];
    client.contents(folders.inbox, &columns).await;
    let query = QueryRows { input: 100, flags: 0, forward: true, count: 1 };
    assert_eq!(client.query(query, &columns).await, Err(ErrorCode::BUFFER_TOO_SMALL));
}

#[tokio::test]
async fn a_store_that_has_too_much_to_do_says_so() {
    let world = small(|bounds| (bounds.workers, bounds.queue) = (1, 1));
    let (client, _) = Client::logged_on(&world, &john()).await;
    let (stop, blocks) = std::sync::mpsc::channel::<()>();
    let (begun, has_begun) = tokio::sync::oneshot::channel();
    let busy = world.server.run(move |_, _| {
        let _ = begun.send(());
        let _ = blocks.recv();
    });
    let body = || execute_body(&[], &[], ROOM);
    let refused = async {
        has_begun.await.unwrap();
        let waiting = client.raw(body());
        let refused = async {
            let refused = client.raw(body()).await;
            drop(stop);
            refused
        };
        tokio::join!(biased; waiting, refused)
    };
    let (_, (waited, refused)) = tokio::join!(busy, refused);
    assert!(waited.is_ok());
    assert_eq!(refused, Err(MapiRefused::Busy));
}

#[tokio::test]
async fn what_is_told_is_bounded_and_the_newest_stays() {
    let world = small(|bounds| bounds.mapi_events = 20);
    let (mut client, _) = Client::logged_on(&world, &john()).await;
    let kinds = RegisterNotification::CREATED;
    client.one(RegisterNotification { input: 0, output: 1, kinds, scope: Scope::WholeStore }).await.unwrap();
    let mails = (0..50).map(|number| message(&number.to_string(), "")).collect();
    world.server.deliver_many(&john(), "inbox", mails, world.now).await.unwrap();
    client.send(&[], &[]).await;
    assert_eq!(client.told.len(), 20);
}

#[tokio::test]
async fn what_is_told_comes_in_pieces_as_large_as_answers_may_be() {
    let world = World::new();
    let (mut client, _) = Client::logged_on(&world, &john()).await;
    let kinds = RegisterNotification::CREATED;
    client.one(RegisterNotification { input: 0, output: 1, kinds, scope: Scope::WholeStore }).await.unwrap();
    let mails = (0..100).map(|number| message(&number.to_string(), "")).collect();
    world.server.deliver_many(&john(), "inbox", mails, world.now).await.unwrap();
    client.handles.truncate(2);
    client.room = 1000;
    let mut pieces = Vec::new();
    while pieces.iter().sum::<usize>() < 100 {
        client.send(&[], &[]).await;
        assert!(!client.told.is_empty());
        pieces.push(client.told.len());
        client.told.clear();
    }
    assert!(pieces.len() > 1, "{pieces:?}");
    assert_eq!(pieces.iter().sum::<usize>(), 100);
}

#[tokio::test]
async fn rows_fill_the_room_and_go_on_where_they_left_off() {
    let subjects: Vec<String> = (0..60).map(|number| format!("{number:02}{}", "x".repeat(200))).collect();
    let subjects: Vec<&str> = subjects.iter().map(String::as_str).collect();
    let world = inbox_of(&subjects).await;
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.contents(folders.inbox, &[tag::SUBJECT]).await;
    client.handles.truncate(101);
    client.room = 4000;
    let mut seen = Vec::new();
    loop {
        let (origin, rows) = client.rows(1000, &[tag::SUBJECT]).await;
        assert!(!rows.is_empty() && rows.len() < 20);
        seen.extend(rows.iter().map(|row| text(&row[0])));
        if origin == 2 {
            break;
        }
    }
    seen.reverse();
    assert_eq!(seen, subjects);
    // Backwards the rows next to the cursor come.
    let back = QueryRows { input: 100, flags: 0, forward: false, count: 1000 };
    let (origin, rows) = client.query(back, &[tag::SUBJECT]).await.unwrap();
    assert_eq!((origin, text(&rows.last().unwrap()[0]).as_str()), (1, subjects[0]));
}

#[tokio::test]
async fn what_has_no_room_goes_back_unexecuted() {
    let world = inbox_of(&[&"x".repeat(250)]).await;
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.contents(folders.inbox, &[tag::SUBJECT]).await;
    client.handles.truncate(103);
    let query: Call = QueryRows { input: 100, flags: 0, forward: true, count: 1 }.into();
    let open: Call =
        call::folder::OpenFolder { input: 0, output: 102, folder: folders.inbox, mode: 0 }.into();
    // Room for a short answer, and none for a row.
    client.room = 412 + 8 + 2 + 300;
    let replies = client.send(&[(0, open.clone()), (0, query.clone()), (0, open)], &[tag::SUBJECT]).await;
    let [Reply::Done { .. }, Reply::BufferTooSmall(rest)] = &replies[..] else { panic!("{replies:?}") };
    let mut requests = Vec::new();
    query.write(0, &mut requests);
    assert_eq!(rest.requests[..requests.len()], requests);
    assert!(u32::from(rest.size_needed) > client.room);
    client.room = rest.size_needed.into();
    let answer =
        client.raw(execute_body(&rest.requests.clone(), &client.handles, client.room)).await.unwrap();
    let (list, _) = executed(&answer).unwrap();
    let (Reply::Done { success: Success::QueryRows(rows), .. }, _) =
        Reply::read(&list, &query, &[tag::SUBJECT]).unwrap()
    else {
        panic!("rows");
    };
    assert_eq!(rows.rows.len(), 1, "with more room it is answered");
}

#[tokio::test]
async fn without_room_for_anything_the_whole_request_fails_and_has_no_effect() {
    let world = World::new();
    let (client, folders) = Client::logged_on(&world, &john()).await;
    let mut list = Vec::new();
    let create = call::message::CreateMessage {
        input: 0,
        output: 1,
        code_page: 0,
        folder: folders.inbox,
        associated: false,
    };
    Call::from(create).write(0, &mut list);
    for room in [0, 1, 20, 100] {
        let answer = client.raw(execute_body(&list, &client.handles, room)).await.unwrap();
        assert_eq!(executed(&answer), Err(ErrorCode::BUFFER_TOO_SMALL), "{room}");
    }
    assert_eq!(client.session.inner.state().objects.len(), 1);
}

#[tokio::test]
async fn a_mailbox_has_so_many_names_and_no_more() {
    use crate::mapi::property::names::MAX_NAMES;
    use weir_wire::mapi::property::name::{Name, PropertyName};
    let world = World::new();
    let (mut client, _) = Client::logged_on(&world, &john()).await;
    let mut made = 0;
    for first in (0..u32::from(MAX_NAMES) + 1000).step_by(1000) {
        let names = (first..first + 1000)
            .map(|number| PropertyName { namespace: [1; 16], name: Name::Number(number) })
            .collect();
        let asked = call::property::GetPropertyIdsFromNames { input: 0, flags: 2, names };
        let Ok(Success::GetPropertyIdsFromNames(found)) = client.one(asked).await else { panic!("numbers") };
        made += found.ids.iter().filter(|id| **id != 0).count();
    }
    assert_eq!(made, usize::from(MAX_NAMES));
}
