//! What a real client asked another server: answered here in the same shape.

use super::*;

/// The top of what people see, as the other server names it.
const TOP: u64 = 0x0900_0000_0000_0001;

/// A line with the request type and `req-body` or `resp-body`, then a line in hexadecimal.
const CAPTURES: &str = include_str!("../../../../wire/src/mapi/tests/captures.txt");

/// The bodies of one kind: `Execute req-body`.
fn captured(kind: &str) -> Vec<Vec<u8>> {
    let lines: Vec<_> = CAPTURES.lines().collect();
    let pairs = lines.as_chunks::<2>().0.iter();
    pairs.filter(|[title, _]| title.contains(kind)).map(|[_, hex]| bytes(hex)).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<_> = hex.chars().collect();
    let byte = |pair: &[char; 2]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap();
    digits.as_chunks().0.iter().map(byte).collect()
}

/// The calls of a request, and its handles.
fn asked(body: &[u8]) -> (Vec<Call>, Vec<u32>) {
    let request = ExecuteRequest::read(body).unwrap();
    let payload = Payloads::new(request.rops).next().unwrap().unwrap().bytes.into_owned();
    let buffer = RopBuffer::read(&payload).unwrap();
    let rops = buffer.rops(weir_wire::mapi::rop::Logons::default());
    (rops.map(|rop| Call::read(&rop.unwrap()).unwrap()).collect(), buffer.handles().collect())
}

/// The request with the identifiers of this mailbox in place of those of the other.
async fn translated(client: &mut Client<'_>, folders: &SpecialFolders, mut calls: Vec<Call>) -> Vec<Call> {
    let newest = client.ids(folders.inbox).await[0];
    for call in &mut calls {
        match call {
            Call::OpenFolder(open) if open.folder == TOP => open.folder = folders.ipm_subtree,
            Call::OpenFolder(open) => open.folder = folders.inbox,
            Call::OpenMessage(open) => (open.folder, open.message) = (folders.inbox, newest),
            _ => {}
        }
    }
    calls
}

#[tokio::test]
async fn captured_requests_are_answered_in_the_shape_that_the_client_knows() {
    let world = inbox_of(&["hello 0", "hello 3", "hello 1", "hello 4", "hello 2"]).await;
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    let logon = client.handles[0];
    let [_, requests @ ..] = &captured("Execute req-body")[..] else { panic!("captures") };
    let (mut columns, mut seen) = (Vec::new(), Vec::new());
    for body in requests {
        let (calls, handles) = asked(body);
        let calls = translated(&mut client, &folders, calls).await;
        client.handles = handles;
        // Every captured request begins with the handle of its logon.
        client.handles[0] = logon;
        columns = calls.iter().fold(columns, |columns, call| match call {
            Call::SetColumns(set) => set.columns.clone(),
            _ => columns,
        });
        let calls: Vec<_> = calls.into_iter().map(|call| (0, call)).collect();
        let replies = client.send(&calls, &columns).await;
        let answered: Vec<_> = calls.iter().filter(|(_, call)| call.is_answered()).collect();
        assert_eq!(replies.len(), answered.len());
        for ((_, call), reply) in answered.into_iter().zip(replies) {
            let Reply::Done { handle, success } = reply else { panic!("{call:?}: {reply:?}") };
            assert_eq!((handle, success.rop()), (call.answered_at(), call.rop()));
            seen.push(success);
        }
    }
    let rows = |success: &Success| match success {
        Success::QueryRows(rows) => Some(rows.rows.len()),
        _ => None,
    };
    assert_eq!(seen.iter().filter_map(rows).collect::<Vec<_>>(), [11, 5, 3]);
    let count = |counts: fn(&Success) -> bool| seen.iter().filter(|success| counts(success)).count();
    assert_eq!(count(|success| matches!(success, Success::OpenFolder(_))), 23);
    assert_eq!(count(|success| matches!(success, Success::OpenMessage(_))), 1);
}
