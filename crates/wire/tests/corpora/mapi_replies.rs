//! Answers to ROPs. An input is the size of a list of ROPs, in two bytes, the list, and what is said to answer it.

use std::fmt::Debug;

use weir_wire::mapi::restriction::Restriction;
use weir_wire::mapi::rop::{Logons, RopBuffer};
use weir_wire::mapi::{Call, PropertyTag, Reply, row};

pub(crate) fn check(input: &[u8]) -> usize {
    let Some((size, rest)) = input.split_first_chunk() else { return 0 };
    let (list, mut answers) = rest.split_at(rest.len().min(u16::from_le_bytes(*size).into()));
    let (mut columns, mut read) = (Vec::new(), 0);
    for call in calls(list).iter().filter(|call| call.is_answered()) {
        if let Call::SetColumns(call) = call {
            columns.clone_from(&call.columns);
        }
        check_row(&columns, answers);
        let Ok((reply, rest)) = Reply::read(answers, call, &columns) else { break };
        check_reply(&reply, call, &columns, answers.len() - rest.len());
        answers = rest;
        read += 1;
    }
    while let Ok(Some((reply, rest))) = Reply::read_unasked(answers) {
        let written = written(&reply);
        check_same(&Reply::read_unasked(&written), &Ok(Some((reply, &[][..]))));
        answers = rest;
        read += 1;
    }
    check_restriction(answers);
    read
}

/// The ROPs up to the first that cannot be read.
fn calls(list: &[u8]) -> Vec<Call> {
    let mut payload = Vec::new();
    RopBuffer::write(list, [].into_iter(), &mut payload);
    let Ok(buffer) = RopBuffer::read(&payload) else { return Vec::new() };
    let calls = buffer.rops(Logons::default()).map(|rop| rop.and_then(|rop| Call::read(&rop)));
    calls.map_while(Result::ok).collect()
}

/// Whether both are the same; a floating-point number that is none is not equal to itself.
fn check_same<T: PartialEq + Debug>(left: &T, right: &T) {
    assert!(left == right || format!("{left:?}") == format!("{right:?}"), "{left:?} and {right:?}");
}

fn check_reply(reply: &Reply, call: &Call, columns: &[PropertyTag], taken: usize) {
    let written = written(reply);
    // The names of properties may lack their zero, and are given one.
    assert!(written.len() <= 2 * taken);
    let (again, rest) = Reply::read(&written, call, columns).unwrap();
    assert!(rest.is_empty());
    check_same(&again, reply);
    assert_eq!(self::written(&again), written);
}

fn written(reply: &Reply) -> Vec<u8> {
    let mut list = Vec::new();
    reply.write(&mut list);
    list
}

fn check_row(columns: &[PropertyTag], bytes: &[u8]) {
    let Ok((cells, rest)) = row::read(columns, bytes) else { return };
    assert_eq!(cells.len(), columns.len());
    let mut written = Vec::new();
    row::write(columns, &cells, &mut written);
    assert!(written.len() <= bytes.len() - rest.len());
    let (again, rest) = row::read(columns, &written).unwrap();
    assert!(rest.is_empty());
    check_same(&again, &cells);
}

fn check_restriction(bytes: &[u8]) {
    let Ok(restriction) = Restriction::read(bytes) else { return };
    let mut written = Vec::new();
    restriction.write(&mut written);
    assert_eq!(written.len(), bytes.len());
    check_same(&Restriction::read(&written), &Ok(restriction));
}
