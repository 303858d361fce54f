use weir_wire::mapi::call::stream::{
    ByteCount, CommitStream, GetStreamSize, OpenStream, ReadStream, SeekStream, SetStreamSize, WriteStream,
};
use weir_wire::mapi::property::PropertyType;

use super::*;
use crate::test_world::message;

async fn open(
    client: &mut Client<'_>,
    (input, output): (u8, u8),
    tag: PropertyTag,
    mode: u8,
) -> Result<u32, ErrorCode> {
    match client.one(OpenStream { input, output, tag, mode }).await? {
        Success::OpenStream(opened) => Ok(opened.size),
        other => panic!("{other:?}"),
    }
}

async fn read(client: &mut Client<'_>, input: u8, count: ByteCount) -> Result<Vec<u8>, ErrorCode> {
    match client.one(ReadStream { input, count }).await? {
        Success::ReadStream(read) => Ok(read.data),
        other => panic!("{other:?}"),
    }
}

/// Reads to the end.
async fn all(client: &mut Client<'_>, input: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let more = read(client, input, ByteCount::new(0x1_0000)).await.unwrap();
        if more.is_empty() {
            return bytes;
        }
        bytes.extend(more);
    }
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// A client that has a message with that body open at place 1.
async fn with_body<'w>(world: &'w World, body: &str) -> Client<'w> {
    let id = message_id(&world.save(&john(), Some("inbox"), message("a", body)).await);
    let (mut client, folders) = Client::logged_on(world, &john()).await;
    client.open_message(1, (folders.inbox, id)).await.unwrap();
    client
}

#[tokio::test]
async fn a_long_body_is_read_in_pieces_as_long_as_answers_may_be() {
    let body = "Grüße, ☃! ".repeat(20_000);
    let world = World::new();
    let mut client = with_body(&world, &body).await;
    let size = open(&mut client, (1, 2), tag::BODY, OpenStream::READ_ONLY).await.unwrap();
    assert_eq!(usize::try_from(size).unwrap(), utf16(&body).len());
    let first = read(&mut client, 2, ByteCount::Short(1000)).await.unwrap();
    assert_eq!(first, utf16(&body)[..1000]);
    let rest = all(&mut client, 2).await;
    assert_eq!([first, rest].concat(), utf16(&body));
    let seek = SeekStream { input: 2, origin: SeekStream::END, offset: -4 };
    assert!(
        matches!(client.one(seek).await, Ok(Success::SeekStream(at)) if at.position == u64::from(size) - 4)
    );
    assert_eq!(read(&mut client, 2, ByteCount::Short(100)).await.unwrap(), utf16("! "));
    let answer = client.one(GetStreamSize { input: 2 }).await;
    assert!(matches!(answer, Ok(Success::GetStreamSize(found)) if found.size == size));
}

#[tokio::test]
async fn headers_are_a_stream_where_the_message_came_with_some() {
    let world = World::new();
    let mime = b"From: jane.doe@example.com\r\nSubject: Hello\r\n\r\nthere".to_vec();
    let mime = weir_wire::ews::property::Value::Bytes(mime);
    let mail = crate::test_world::item(
        weir_wire::ews::property::ItemKind::Message,
        vec![(weir_wire::ews::field::Field::MIME_CONTENT, mime)],
    );
    let id = message_id(&world.save(&john(), Some("inbox"), mail).await);
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.open_message(1, (folders.inbox, id)).await.unwrap();
    open(&mut client, (1, 2), tag::TRANSPORT_MESSAGE_HEADERS, OpenStream::READ_ONLY).await.unwrap();
    assert_eq!(all(&mut client, 2).await, utf16("From: jane.doe@example.com\r\nSubject: Hello\r\n\r\n"));
}

#[tokio::test]
async fn what_is_written_to_a_stream_is_the_messages_once_committed_and_everybodys_once_saved() {
    let world = World::new();
    let mut client = with_body(&world, "old").await;
    open(&mut client, (1, 2), tag::HTML, OpenStream::CREATE).await.unwrap();
    for piece in ["<p>", "ne", "w</p>"] {
        let write = WriteStream { input: 2, data: piece.into() };
        let answer = client.one(write).await;
        assert!(matches!(answer, Ok(Success::WriteStream(done)) if usize::from(done.written) == piece.len()));
    }
    assert_eq!(text(&client.property(1, tag::BODY).await), "old", "not committed");
    client.one(CommitStream { input: 2 }).await.unwrap();
    assert_eq!(client.property(1, tag::HTML).await, PropertyValue::Binary("<p>new</p>".into()).into());
    client.one(WriteStream { input: 2, data: "!".into() }).await.unwrap();
    client.release(2).await;
    client.save(1).await.unwrap();
    let found = client.property(1, tag::HTML).await;
    assert_eq!(found, PropertyValue::Binary("<p>new</p>!".into()).into(), "closing commits");
}

#[tokio::test]
async fn a_stream_that_is_changed_keeps_what_is_not_written_over() {
    let world = World::new();
    let mut client = with_body(&world, "abcdef").await;
    open(&mut client, (1, 2), tag::BODY, OpenStream::READ_WRITE).await.unwrap();
    client.one(WriteStream { input: 2, data: utf16("XY") }).await.unwrap();
    client.one(SetStreamSize { input: 2, size: 8 }).await.unwrap();
    client.one(CommitStream { input: 2 }).await.unwrap();
    assert_eq!(text(&client.property(1, tag::BODY).await), "XYcd");
}

#[tokio::test]
async fn what_is_no_text_and_no_bytes_is_no_stream() {
    let world = World::new();
    let mut client = with_body(&world, "a").await;
    let read_only = OpenStream::READ_ONLY;
    assert_eq!(open(&mut client, (1, 2), tag::IMPORTANCE, read_only).await, Err(ErrorCode::NOT_SUPPORTED));
    assert_eq!(open(&mut client, (1, 2), tag::HTML, read_only).await, Err(ErrorCode::NOT_FOUND));
    let any = tag::BODY.with_kind(PropertyType::UNSPECIFIED);
    assert_eq!(open(&mut client, (1, 2), any, read_only).await, Err(ErrorCode::NOT_SUPPORTED));
    assert_eq!(
        open(&mut client, (0, 2), tag::DISPLAY_NAME, OpenStream::READ_WRITE).await,
        Err(ErrorCode::STREAM_ACCESS_DENIED)
    );
    open(&mut client, (1, 2), tag::BODY, read_only).await.unwrap();
    let write = WriteStream { input: 2, data: vec![1] };
    assert_eq!(client.one(write).await, Err(ErrorCode::STREAM_ACCESS_DENIED));
    assert_eq!(read(&mut client, 1, ByteCount::Short(1)).await, Err(ErrorCode::NOT_SUPPORTED));
    let far = SeekStream { input: 2, origin: 9, offset: 0 };
    assert_eq!(client.one(far).await, Err(ErrorCode::STREAM_INVALID_PARAMETER));
}
