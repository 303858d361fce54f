use std::io;
use std::sync::Arc;

use weir_spool::{Measure, SpoolError};
use weir_transport::receive::Words;
use weir_wire::smtp::header::HeaderError;

use super::{not_taken, reply};
use crate::intake::IntakeError;
use crate::metrics::Refused;

#[test]
fn words_stand_on_the_line_as_they_are() {
    let all = [
        Words::NOT_FOR_YOU,
        Words::TOO_MANY_CONNECTIONS,
        Words::MESSAGE_RATE,
        Words::AUTHENTICATE,
        Words::NO_RELAY,
        Words::TOO_MANY_RECIPIENTS,
        Words::NO_RESOURCES,
    ];
    for words in all {
        assert_eq!(reply(words).to_string(), words.to_string());
    }
}

#[test]
fn each_fault_of_the_durable_queue_has_the_code_that_says_whose_it_is() {
    let failed = || Arc::new(io::Error::other("no such device"));
    let large = |what| SpoolError::TooLarge { what, given: 2, limit: 1 };
    let cases: [(IntakeError, &str, Refused); 9] = [
        (IntakeError::Pressure, "452 4.3.1", Refused::Pressure),
        (HeaderError::TooLarge { limit: 1 }.into(), "552 5.3.4", Refused::Size),
        (IntakeError::Loop { hops: 31, limit: 30 }, "554 5.4.6", Refused::Loop),
        (SpoolError::Full { used: 1, limit: 1 }.into(), "452 4.3.1", Refused::Pressure),
        (SpoolError::TooMany { limit: 1 }.into(), "452 4.3.1", Refused::Pressure),
        (large(Measure::Body).into(), "552 5.3.4", Refused::Size),
        (large(Measure::Envelope).into(), "452 4.5.3", Refused::Recipients),
        (SpoolError::NotKept(failed()).into(), "451 4.3.0", Refused::Unavailable),
        (SpoolError::InDoubt(failed()).into(), "451 4.3.0", Refused::Unavailable),
    ];
    for (error, begins, counts) in cases {
        let (reply, refused) = not_taken(&error);
        assert!(reply.to_string().starts_with(begins), "{error}: {reply}");
        assert_eq!(refused, counts, "{error}");
    }
}
