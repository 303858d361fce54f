//! Mail exchangers, as dnsmasq knows them, and what becomes of mail for names that have none, or about which nothing can
//! be learnt.

use std::net::SocketAddr;

use crate::hub::{Hub, Settings};
use crate::peers::names::{Answer, Dnsmasq, Unhelpful};
use crate::peers::sink::Sink;
use crate::peers::source::{Load, Source};
use crate::peers::swaks::swaks;
use crate::place::Place;

/// Records for three exchangers of one preference, and a name that takes no mail.
fn records(place: &Place) -> Vec<String> {
    let mut records = vec!["mx-host=none.test,.,0".to_owned()];
    for number in 1..=3 {
        records.push(format!("mx-host=pool.test,mx{number}.pool.test,10"));
        records.push(format!("host-record=mx{number}.pool.test,{}", place.at(10 + number, 25).ip()));
    }
    records.push("mx-host=pool.test,last.pool.test,20".to_owned());
    records.push(format!("host-record=last.pool.test,{}", place.at(20, 25).ip()));
    records
}

/// A hub that asks this name server, waits a second for it, and sends by mail exchangers.
fn hub(place: &Place, names: SocketAddr) -> Hub {
    hub_with(place, names, "healthy")
}

/// The same with that rotation.
fn hub_with(place: &Place, names: SocketAddr, rotation: &str) -> Hub {
    let settings = Settings::new()
        .transport(&format!("connectivity_log = true\nrotation = \"{rotation}\""))
        .table(&format!("[transport.dns]\nservers = [\"{names}\"]\ntimeout = \"1s\"\npatience = \"2s\"\n"));
    Hub::relay(place, &[], settings)
}

#[test]
#[ignore = "needs dnsmasq and Postfix, which ./check installs"]
fn exchangers_of_one_preference_share_the_mail_and_the_next_preference_gets_none() {
    let place = Place::new();
    let _names = Dnsmasq::start(&place, place.at(53, 53), &records(&place));
    let sinks = [11, 12, 13, 20].map(|host| Sink::start(&place, place.at(host, 25)));
    let hub = hub(&place, place.at(53, 53));
    Source::send(&place, hub.smtp, Load::of(900, "r@pool.test"));
    assert!(hub.is_empty());
    let got = sinks.each_ref().map(|sink| sink.counted().messages);
    assert_eq!(got.iter().sum::<usize>(), 900, "{got:?}");
    assert!(got[..3].iter().all(|&messages| (200..=400).contains(&messages)) && got[3] == 0, "{got:?}");
}

#[test]
#[ignore = "needs dnsmasq and Postfix, which ./check installs"]
fn the_next_preference_gets_the_mail_when_nobody_of_the_first_is_there() {
    let place = Place::new();
    let _names = Dnsmasq::start(&place, place.at(53, 53), &records(&place));
    let last = Sink::start(&place, place.at(20, 25));
    let hub = hub(&place, place.at(53, 53));
    Source::send(&place, hub.smtp, Load::of(100, "r@pool.test"));
    assert_eq!(last.waits_for(100), 100, "{:#?}", hub.connectivity());
    for host in 11..=13 {
        let address = place.at(host, 25);
        hub.target_gets(address, "unhealthy");
        let attempts = hub.attempts_in_vain(address);
        assert_eq!(attempts, 1, "{:#?}", hub.connectivity());
    }
}

#[test]
#[ignore = "needs dnsmasq and Postfix, which ./check installs"]
fn the_old_rotation_comes_to_the_next_preference_too() {
    let place = Place::new();
    let _names = Dnsmasq::start(&place, place.at(53, 53), &records(&place));
    let last = Sink::start(&place, place.at(20, 25));
    let hub = hub_with(&place, place.at(53, 53), "rtm");
    Source::send(&place, hub.smtp, Load::of(100, "r@pool.test"));
    assert_eq!(last.waits_for(100), 100, "{:#?}", hub.connectivity());
}

#[test]
#[ignore = "needs dnsmasq and swaks, which ./check installs"]
fn who_writes_to_a_name_without_mail_is_told_so() {
    let place = Place::new();
    let _names = Dnsmasq::start(&place, place.at(53, 53), &records(&place));
    let hub = hub(&place, place.at(53, 53));
    for (name, status) in [("none.test", "5.1.10"), ("nowhere.test", "5.1.2")] {
        let said = swaks(hub.smtp, "john.doe@example.com", &format!("r@{name}"), &[]);
        assert!(said.sent, "{said:?}");
        let report = hub.mail_of("john.doe", "Undeliverable");
        assert!(report.contains(&format!("Status: {status}")), "{name}: {report}");
        hub.empties_inbox("john.doe");
    }
    assert!(hub.is_empty());
}

#[test]
#[ignore = "needs swaks, which ./check installs"]
fn mail_waits_while_nothing_can_be_learnt_about_its_name() {
    for answer in [Answer::Failure, Answer::Silence, Answer::Noise, Answer::Loop] {
        let place = Place::new();
        let _names = Unhelpful::start(place.at(53, 53), answer);
        let hub = hub(&place, place.at(53, 53));
        assert!(swaks(hub.smtp, "john.doe@example.com", "r@pool.test", &[]).sent);
        let waiting = hub.queue_waits("pool.test");
        assert!(waiting["last_error"].is_string(), "{answer:?}: {waiting}");
        assert_eq!(hub.mails_of("john.doe"), 0, "{answer:?}");
    }
}
