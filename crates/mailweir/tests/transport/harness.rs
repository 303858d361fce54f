//! The servers themselves, without us: whoever doubts what another test says looks whether these hold.

use crate::peers::dovecot::Dovecot;
use crate::peers::postfix::Postfix;
use crate::peers::sink::Sink;
use crate::peers::source::{Load, Source};
use crate::peers::swaks::swaks;
use crate::place::Place;

#[test]
#[ignore = "needs Postfix, which ./check installs"]
fn postfix_passes_on_what_it_gets() {
    let place = Place::new();
    let sink = Sink::start(&place, place.at(11, 2525));
    let settings = format!("relayhost = [{}]:2525\n", sink.address().ip());
    let postfix = Postfix::start(&place, place.at(25, 25), &settings);
    Source::send(&place, place.at(25, 25), Load::of(100, "r@pool.test"));
    assert_eq!(sink.waits_for(100), 100, "{}", postfix.log());
    assert_eq!(sink.recipients().len(), 100);
}

#[test]
#[ignore = "needs Postfix, which ./check installs"]
fn a_black_hole_swallows_connections_until_it_is_healed() {
    let place = Place::new();
    let mut sink = Sink::black_hole(&place, place.at(13, 25));
    sink.heal();
    Source::send(&place, sink.address(), Load::of(10, "r@pool.test"));
    assert_eq!(sink.waits_for(10), 10);
}

#[test]
#[ignore = "needs Dovecot, which ./check installs"]
fn dovecot_takes_mail_for_those_it_knows() {
    let place = Place::new();
    let dovecot = Dovecot::start(&place, place.at(24, 24), &["john.doe@example.com"]);
    let lmtp = ["--protocol", "LMTP"];
    let taken = swaks(place.at(24, 24), "a@outside.test", "john.doe@example.com", &lmtp);
    assert!(taken.sent, "{taken:?}");
    let refused = swaks(place.at(24, 24), "a@outside.test", "nobody@example.com", &lmtp);
    assert!(refused.refusal().unwrap().starts_with("550 5.1.1"), "{refused:?}");
    assert_eq!(dovecot.mail_of("john.doe@example.com").len(), 1);
}
