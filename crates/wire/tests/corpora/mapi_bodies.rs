//! Bodies of requests and answers. They do not say what they are, a header does, so each input is read as all of them.

use weir_wire::mapi::Malformed;
use weir_wire::mapi::body::{
    Answer, Body, ConnectRequest, Connected, Disconnected, ExecuteRequest, Executed, MAX_AUXILIARY,
    MAX_ROP_BUFFER, MAX_USER_DN, NotificationWaitRequest, Waited, read_disconnect, write_disconnect,
};

pub(crate) fn check(input: &[u8]) -> usize {
    if let Ok(connect) = ConnectRequest::read(input) {
        assert!(connect.user_dn.len() <= MAX_USER_DN && connect.auxiliary.len() <= MAX_AUXILIARY);
    }
    if let Ok(execute) = ExecuteRequest::read(input) {
        assert!(execute.rops.len() <= MAX_ROP_BUFFER && execute.auxiliary.len() <= MAX_AUXILIARY);
    }
    let requests = [
        same(ConnectRequest::read(input), ConnectRequest::write, input),
        same(ExecuteRequest::read(input), ExecuteRequest::write, input),
        same(read_disconnect(input), |auxiliary, body| write_disconnect(auxiliary, body), input),
        same(NotificationWaitRequest::read(input), NotificationWaitRequest::write, input),
    ];
    let answers = [
        answer::<Connected<'_>>(input),
        answer::<Executed<'_>>(input),
        answer::<Disconnected<'_>>(input),
        waited(input),
    ];
    requests.iter().chain(&answers).filter(|read| **read).count()
}

/// Whether it can be read; it is then written to the same bytes.
fn same<T>(read: Result<T, Malformed>, write: impl Fn(&T, &mut Vec<u8>), input: &[u8]) -> bool {
    let Ok(value) = read else { return false };
    let mut written = Vec::new();
    write(&value, &mut written);
    assert_eq!(written, input);
    true
}

fn answer<'a, T: Body<'a>>(input: &'a [u8]) -> bool {
    same(Answer::<T>::read(input), Answer::write, input)
}

/// Whether an event is pending is a number to whoever sends it, and yes or no to us.
fn waited(input: &[u8]) -> bool {
    let Ok(waited) = Answer::<Waited<'_>>::read(input) else { return false };
    let mut written = Vec::new();
    waited.write(&mut written);
    assert_eq!((Answer::read(&written), written.len()), (Ok(waited), input.len()));
    true
}
