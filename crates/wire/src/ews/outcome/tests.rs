//! Answers that this crate writes, cut in all ways.

use super::*;
use crate::ews::ResponseWriter;
use crate::ews::refusal::busy;
use crate::ews::request::{GetEvents, Request, Unsubscribe};
use crate::ews::response::{Answer, ErrorMessage, Events, ResponseMessage};

fn answer(request: &Request, messages: &[ResponseMessage]) -> Vec<u8> {
    let (writer, mut out) = (ResponseWriter::new(request), Vec::new());
    writer.start(&mut out);
    for message in messages {
        writer.message(message, &mut out);
    }
    writer.finish(&mut out);
    out
}

/// What is learned; the same for every cutting.
fn learn(document: &[u8]) -> Outcome {
    let mut whole = Outcome::default();
    whole.feed(document);
    for size in [1, 3, 50] {
        let mut cut = Outcome::default();
        document.chunks(size).for_each(|piece| cut.feed(piece));
        assert_eq!(cut.codes(), whole.codes(), "by {size}");
        assert_eq!((cut.fault(), cut.subscription()), (whole.fault(), whole.subscription()), "by {size}");
    }
    whole
}

#[test]
fn codes_come_in_the_order_of_the_messages() {
    let unsubscribe = Request::Unsubscribe(Unsubscribe { subscription: "a".to_owned() });
    let gone = Err(ErrorMessage::new("ErrorSubscriptionNotFound", "Gone."));
    let outcome = learn(&answer(&unsubscribe, &[Ok(Answer::Done), gone]));
    assert_eq!(outcome.codes(), ["NoError", "ErrorSubscriptionNotFound"]);
    assert_eq!((outcome.fault(), outcome.subscription()), (None, None));
}

#[test]
fn a_subscription_is_named_by_its_message_and_not_by_its_events() {
    let get = Request::GetEvents(GetEvents { subscription: "a".to_owned(), watermark: "w".to_owned() });
    let subscribed = Answer::Subscribed { subscription: "a & b".to_owned(), watermark: "w".to_owned() };
    assert_eq!(learn(&answer(&get, &[Ok(subscribed)])).subscription(), Some("a & b"));
    let events =
        Events { subscription: "c".to_owned(), previous: "w".to_owned(), more: false, events: Vec::new() };
    assert_eq!(learn(&answer(&get, &[Ok(Answer::Events(events))])).subscription(), None);
}

#[test]
fn a_fault_has_the_code_of_its_detail() {
    let outcome = learn(&busy(None));
    assert_eq!((outcome.fault(), outcome.codes().len()), (Some("ErrorServerBusy"), 0));
}

#[test]
fn what_cannot_be_read_teaches_nothing_more_and_what_is_kept_has_a_bound() {
    let start = b"<a><b><c><d><e><ResponseCode>One</ResponseCode><ResponseCode/>".to_vec();
    let long = [&start[..], b"<ResponseCode>", &vec![b'x'; 2 * TEXT], b"</ResponseCode>"].concat();
    assert_eq!(learn(&long).codes(), ["One"]);
    let broken = [&start[..], b"</wrong><ResponseCode>Two</ResponseCode>"].concat();
    assert_eq!(learn(&broken).codes(), ["One"]);
    let nested = [&start[..], b"<ResponseCode>a<b/></ResponseCode><ResponseCode>Two</ResponseCode>"].concat();
    assert_eq!(learn(&nested).codes(), ["One", "Two"]);
    let many = [&start[..], &b"<ResponseCode>N</ResponseCode>".repeat(2 * CODES)].concat();
    assert_eq!(learn(&many).codes().len(), CODES);
}
