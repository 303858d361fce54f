//! Answers in pieces. The first byte of an input chooses where the rest, which is the answer, is cut.

use weir_units::Millis;
use weir_wire::mapi::body::{Answer, Connected, RetryAdvice};
use weir_wire::mapi::envelope::{self, Envelope, MAX_HEADERS, MAX_LINE};
use weir_wire::mapi::{Malformed, ResponseCode};

const TRIES: u32 = 60;
const DELAY: u32 = 1000;

/// What one replacement character takes up, which stands for a byte that is no text.
const WIDEST: usize = 3;

pub(crate) fn check(input: &[u8]) -> usize {
    let Some((cuts, answer)) = input.split_first() else { return 0 };
    let sizes = [1 + usize::from(cuts >> 4), 1 + usize::from(cuts & 0xF)];
    let passed = pass(answer, &[answer.len()]);
    assert_eq!(passed, pass(answer, &sizes));
    let Ok(passed) = passed else { return 0 };
    check_bounds(&passed);
    check_advice(answer, &passed.body);
    let written = passed.written();
    // What was no text grew when it was replaced, and may have grown beyond what a line may have.
    if passed.is_done && written.split(|byte| *byte == b'\n').all(|line| line.len() <= MAX_LINE) {
        assert_eq!(pass(&written, &sizes).as_ref(), Ok(&passed));
    }
    usize::from(passed.is_done)
}

/// What is known once an answer has passed.
#[derive(Debug, PartialEq)]
struct Passed {
    is_processing: bool,
    pending: u32,
    is_done: bool,
    headers: Vec<(String, String)>,
    response_code: Option<ResponseCode>,
    elapsed: Option<Millis>,
    body: Vec<u8>,
}

/// Passes an answer in pieces of these sizes, over and over.
fn pass(mut answer: &[u8], sizes: &[usize]) -> Result<Passed, Malformed> {
    let mut envelope = Envelope::new();
    let mut body = Vec::new();
    for size in sizes.iter().cycle() {
        let (piece, rest) = answer.split_at(answer.len().min(*size));
        body.extend(envelope.feed(piece)?);
        answer = rest;
        if rest.is_empty() {
            break;
        }
    }
    Ok(Passed {
        is_processing: envelope.is_processing(),
        pending: envelope.pending(),
        is_done: envelope.is_done(),
        headers: envelope.headers().to_vec(),
        response_code: envelope.response_code(),
        elapsed: envelope.elapsed(),
        body,
    })
}

impl Passed {
    fn written(&self) -> Vec<u8> {
        let headers: Vec<_> =
            self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let mut written = if self.is_processing { envelope::PROCESSING.to_vec() } else { Vec::new() };
        written.extend(envelope::PENDING.repeat(self.pending.try_into().unwrap_or(usize::MAX)));
        written.extend(envelope::done(&headers));
        written.extend(&self.body);
        written
    }
}

fn check_bounds(passed: &Passed) {
    assert!(passed.headers.len() <= MAX_HEADERS);
    assert!(passed.headers.iter().all(|(name, value)| name.len() + value.len() <= WIDEST * MAX_LINE));
    assert!(passed.is_done || passed.body.is_empty());
}

/// The advice to try again is put into the body alike however it is cut, and nothing else is changed.
fn check_advice(answer: &[u8], body: &[u8]) {
    let advise = |size: usize| {
        let mut advice = RetryAdvice::new(TRIES, Millis::new(DELAY.into()));
        let mut advised = body.to_vec();
        advised.chunks_mut(size).for_each(|piece| advice.apply(piece));
        advised
    };
    let advised = advise(body.len().max(1));
    assert_eq!(advised, advise(1 + answer.len() % 16));
    match (Answer::<Connected<'_>>::read(body), Answer::<Connected<'_>>::read(&advised)) {
        (Ok(Answer::Done(connected)), Ok(Answer::Done(advised))) if connected.error_code == 0 => {
            assert_eq!(advised, Connected { retry_count: TRIES, retry_delay: DELAY, ..connected });
        }
        (before, after) => assert!(before == after || before.is_err() && after.is_err()),
    }
}
