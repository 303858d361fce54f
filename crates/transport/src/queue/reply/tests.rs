use super::*;

const PLAIN: Context = Context { tls_required: false, accepted: 0 };

fn check(stage: Stage, code: u16, context: Context, expected: Meaning) {
    assert_eq!(Reply::new(code, "").meaning(stage, context), expected, "{code} to {stage:?}");
}

const ALL: [Stage; 10] = [
    Stage::Banner,
    Stage::Ehlo,
    Stage::Helo,
    Stage::StartTls,
    Stage::Auth,
    Stage::Mail,
    Stage::Recipient,
    Stage::Data,
    Stage::Message,
    Stage::Reset,
];

#[test]
fn every_reply_means_what_the_table_says() {
    use Fate::{Bounced, Deferred, Done};
    use Meaning::{Message, NextTarget, Proceed, Recipient, Without};
    for (stage, code, expected) in [
        (Stage::Banner, 220, Proceed),
        (Stage::Banner, 421, NextTarget),
        (Stage::Banner, 450, NextTarget),
        (Stage::Banner, 554, NextTarget),
        (Stage::Ehlo, 250, Proceed),
        (Stage::Ehlo, 451, NextTarget),
        (Stage::Ehlo, 502, Without),
        (Stage::Helo, 502, NextTarget),
        (Stage::StartTls, 220, Proceed),
        (Stage::StartTls, 454, Without),
        (Stage::StartTls, 502, Without),
        (Stage::Auth, 235, Proceed),
        (Stage::Auth, 454, NextTarget),
        (Stage::Auth, 535, NextTarget),
        (Stage::Mail, 250, Proceed),
        (Stage::Mail, 452, Message(Deferred)),
        (Stage::Mail, 552, Message(Bounced)),
        (Stage::Mail, 550, Message(Bounced)),
        (Stage::Recipient, 250, Proceed),
        (Stage::Recipient, 251, Proceed),
        (Stage::Recipient, 450, Recipient(Deferred)),
        (Stage::Recipient, 452, Recipient(Deferred)),
        (Stage::Recipient, 550, Recipient(Bounced)),
        (Stage::Recipient, 552, Recipient(Deferred)),
        (Stage::Data, 354, Proceed),
        (Stage::Data, 451, Message(Deferred)),
        (Stage::Data, 554, Message(Bounced)),
        (Stage::Message, 250, Message(Done)),
        (Stage::Message, 452, Message(Deferred)),
        (Stage::Message, 552, Message(Bounced)),
        (Stage::Message, 554, Message(Bounced)),
        (Stage::Reset, 250, Proceed),
        (Stage::Reset, 500, Proceed),
    ] {
        check(stage, code, PLAIN, expected);
    }
}

#[test]
fn one_recipient_too_many_goes_with_the_next_transaction() {
    let some = Context { accepted: 3, ..PLAIN };
    for code in [452, 552] {
        check(Stage::Recipient, code, some, Meaning::Recipient(Fate::Again));
        check(Stage::Recipient, code, PLAIN, Meaning::Recipient(Fate::Deferred));
    }
    check(Stage::Recipient, 450, some, Meaning::Recipient(Fate::Deferred));
    check(Stage::Recipient, 550, some, Meaning::Recipient(Fate::Bounced));
}

#[test]
fn required_encryption_is_never_done_without() {
    let required = Context { tls_required: true, ..PLAIN };
    check(Stage::StartTls, 454, required, Meaning::NextTarget);
    check(Stage::Ehlo, 502, required, Meaning::NextTarget);
}

#[test]
fn a_421_ends_the_connection_wherever_it_comes() {
    for stage in ALL {
        let meaning = Reply::new(421, "").meaning(stage, PLAIN);
        let expected = if stage == Stage::Banner { Meaning::NextTarget } else { Meaning::Lost };
        assert_eq!(meaning, expected, "{stage:?}");
        assert_eq!(Reply::new(421, "").feedback(stage), Some(Feedback::Overloaded));
    }
}

#[test]
fn a_reply_that_makes_no_sense_delivers_nothing_and_bounces_nothing() {
    for stage in ALL {
        for code in [0, 100, 199, 300, 334, 399, 600, 999] {
            check(stage, code, PLAIN, Meaning::Lost);
        }
    }
    check(Stage::Data, 250, PLAIN, Meaning::Lost);
    check(Stage::Message, 354, PLAIN, Meaning::Lost);
}

#[test]
fn only_what_speaks_about_the_load_is_feedback() {
    let check = |stage, code, expected| {
        assert_eq!(Reply::new(code, "").feedback(stage), expected, "{code} to {stage:?}");
    };
    check(Stage::Message, 250, Some(Feedback::Delivered));
    check(Stage::Mail, 452, Some(Feedback::Overloaded));
    check(Stage::Banner, 450, Some(Feedback::Overloaded));
    check(Stage::Recipient, 450, None);
    check(Stage::Recipient, 550, None);
    check(Stage::Mail, 250, None);
    check(Stage::Message, 452, None);
}

#[test]
fn a_text_is_cut_and_stays_on_its_line() {
    let long = Reply::new(550, &"\u{e9}\r\n".repeat(1000));
    assert_eq!(long.text.chars().count(), MAX_TEXT);
    assert!(!long.to_string().contains(['\r', '\n']));
}
