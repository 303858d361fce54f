use proptest::prelude::*;

use super::*;

fn reply(code: u16) -> Reply {
    Reply::new(code, "words")
}

/// `M` MAIL, `R` the next RCPT, `D` DATA, `.` the message sent and answered, `,` sent and one LMTP reply, `;` one more
/// LMTP reply, `!` the connection breaks, `?` it breaks after the message was sent.
fn run(recipients: usize, script: &str) -> (Vec<String>, Option<Step>) {
    let mut transaction = Transaction::new(recipients, false);
    let mut named = 0;
    let mut step = None;
    for word in script.split_whitespace() {
        let (what, code) = word.split_at(1);
        let reply = reply(code.parse().unwrap_or(0));
        step = Some(match what {
            "M" => transaction.mail(&reply),
            "R" => {
                named += 1;
                transaction.recipient(named - 1, &reply)
            }
            "D" => transaction.data(&reply),
            "." => {
                transaction.sent();
                transaction.message(&reply)
            }
            "," => {
                transaction.sent();
                transaction.message_for_next(&reply)
            }
            ";" => transaction.message_for_next(&reply),
            "?" => {
                transaction.sent();
                transaction.lost(None)
            }
            _ => transaction.lost(None),
        });
    }
    let text = |outcome: Outcome| {
        let code = outcome.reply.map_or(0, |reply| reply.code);
        format!("{:?} {code}{}", outcome.fate, if outcome.in_doubt { " in doubt" } else { "" })
    };
    (transaction.finish().into_iter().map(text).collect(), step)
}

fn check(script: &str, expected: &[&str], last: Step) {
    let (found, step) = run(expected.len(), script);
    assert_eq!((found, step), (expected.iter().map(ToString::to_string).collect(), Some(last)), "{script}");
}

#[test]
fn a_message_that_is_taken_is_done_for_whoever_was_accepted() {
    check("M250 R250 R550 R450 D354 .250", &["Done 250", "Bounced 550", "Deferred 450"], Step::Next);
    check("M250 R250 R251 D354 .552", &["Bounced 552", "Bounced 552"], Step::Next);
    check("M250 R250 R550 D354 .451", &["Deferred 451", "Bounced 550"], Step::Next);
}

#[test]
fn what_concerns_the_message_concerns_all_who_have_no_fate_yet() {
    check("M552", &["Bounced 552", "Bounced 552"], Step::Reset);
    check("M451", &["Deferred 451", "Deferred 451"], Step::Reset);
    check("M250 R550 R250 D554", &["Bounced 550", "Bounced 554"], Step::Reset);
}

#[test]
fn recipients_beyond_what_the_peer_takes_at_once_go_again() {
    check("M250 R250 R452 R552 D354 .250", &["Done 250", "Again 452", "Again 552"], Step::Next);
    check("M250 R452 R452", &["Deferred 452", "Deferred 452"], Step::Go);
}

#[test]
fn a_421_half_way_defers_the_rest_and_leaves_nobody_in_doubt() {
    check("M250 R550 R250 R421", &["Bounced 550", "Deferred 421", "Deferred 421"], Step::Close);
    check("M250 R250 D421", &["Deferred 421"], Step::Close);
    check("M250 R250 D354 .421", &["Deferred 421"], Step::Close);
}

#[test]
fn a_connection_lost_after_the_dot_leaves_the_accepted_in_doubt() {
    check("M250 R250 R550 R450 D354 ?", &["Deferred 0 in doubt", "Bounced 550", "Deferred 450"], Step::Close);
    check("M250 R250 D354 !", &["Deferred 0"], Step::Close);
    check("M250 R250 D354 .354", &["Deferred 354 in doubt"], Step::Close);
}

#[test]
fn lmtp_answers_each_recipient_for_himself() {
    check("M250 R250 R550 R250 D354 ,250 ;550", &["Done 250", "Bounced 550", "Bounced 550"], Step::Next);
    check("M250 R250 R250 R250 D354 ,250 ;452 ;250", &["Done 250", "Deferred 452", "Done 250"], Step::Next);
    check("M250 R250 R250 D354 ,250 !", &["Done 250", "Deferred 0 in doubt"], Step::Close);
}

proptest! {
    #[test]
    fn every_recipient_has_one_fate_and_a_refusal_stands(
        codes in prop::collection::vec(prop::sample::select(vec![250, 251, 421, 450, 452, 550, 552, 999]), 1..8),
        mail in prop::sample::select(vec![250, 421, 452, 552]),
        data in prop::sample::select(vec![354, 250, 421, 451, 554]),
        last in prop::sample::select(vec![".250", ".421", ".452", ".554", "!", "?", ".999"]),
    ) {
        let recipients: Vec<String> = codes.iter().map(|code| format!("R{code}")).collect();
        let script = format!("M{mail} {} D{data} {last}", recipients.join(" "));
        let (found, _) = run(codes.len(), &script);
        prop_assert_eq!(found.len(), codes.len());
        for (place, (outcome, code)) in found.iter().zip(&codes).enumerate() {
            let is_done = outcome.starts_with("Done");
            let may_be_done = mail == 250 && data == 354 && *code < 300 && last == ".250";
            prop_assert!(!is_done || may_be_done, "{} by {}", outcome, script);
            let lost_before = codes[..place].iter().any(|other| [421, 999].contains(other));
            if *code == 550 && mail == 250 && !lost_before {
                prop_assert_eq!(outcome.as_str(), "Bounced 550");
            }
        }
    }
}
