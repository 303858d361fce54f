//! swaks as the client of people and as a stranger: who may send what to whom, and in what words the rest is refused.

use crate::hub::{Hub, Settings};
use crate::peers::sink::Sink;
use crate::peers::swaks::{Conversation, swaks};
use crate::place::Place;
use crate::support::PASSWORD;

const JOHN: &str = "john.doe@example.com";
const JANE: &str = "jane.doe@example.com";
const OUTSIDE: &str = "somebody@outside.test";

/// A hub with a way out, and where that leads to.
fn hub(place: &Place, settings: Settings) -> (Hub, Sink) {
    let sink = Sink::start(place, place.at(11, 25));
    let hub = Hub::start(place, 1, &settings.way_out("*.test", &[sink.address()]));
    (hub, sink)
}

fn log_in(hub: &Hub, method: &str, password: &str, to: &str) -> Conversation {
    let options = ["--tls", "--auth", method, "--auth-user", JOHN, "--auth-password", password];
    swaks(hub.submission, JOHN, to, &options)
}

#[test]
#[ignore = "needs swaks, which ./check installs"]
fn who_logs_in_over_tls_may_send_to_anybody() {
    let place = Place::new();
    let (hub, sink) = hub(&place, Settings::new());
    for method in ["PLAIN", "LOGIN"] {
        let said = log_in(&hub, method, PASSWORD, OUTSIDE);
        assert!(said.sent, "{method}: {said:?}");
    }
    assert_eq!(sink.waits_for(2), 2);
    let said = log_in(&hub, "PLAIN", PASSWORD, JANE);
    assert!(said.sent, "{said:?}");
    assert!(hub.mail_of("jane.doe", "test ").contains("This is a test mailing"));
}

#[test]
#[ignore = "needs swaks, which ./check installs"]
fn a_wrong_password_is_refused_and_so_is_whoever_has_none() {
    let place = Place::new();
    let (hub, sink) = hub(&place, Settings::new());
    for method in ["PLAIN", "LOGIN"] {
        refused(&log_in(&hub, method, "wrong", OUTSIDE), "535 5.7.8");
    }
    refused(&swaks(hub.submission, JOHN, OUTSIDE, &["--tls"]), "530 5.7.");
    assert_eq!(sink.counted().messages, 0);
}

#[test]
#[ignore = "needs swaks, which ./check installs"]
fn nobody_sends_a_password_in_the_clear_over_a_network() {
    let place = Place::new();
    let balancer = place.at(80, 25).ip().to_string();
    let trusted = format!("trusted_proxies = [\"{balancer}/32\"]\nproxy_protocol = true");
    let (hub, sink) = hub(&place, Settings::new().listen(&trusted));
    let client = ["--proxy-version", "1", "--proxy-family", "TCP4", "--proxy-source", "192.0.2.7"];
    let ports = ["--proxy-source-port", "2000", "--proxy-dest", "192.0.2.1", "--proxy-dest-port", "587"];
    let login = ["--auth", "PLAIN", "--auth-user", JOHN, "--auth-password", PASSWORD];
    let far = [&["--local-interface", balancer.as_str()][..], &client, &ports, &login].concat();
    let said = swaks(hub.submission, JOHN, OUTSIDE, &far);
    assert!(
        !said.sent && said.text.contains("250-STARTTLS") && !said.text.contains("AUTH PLAIN"),
        "{said:?}"
    );
    let said = swaks(hub.submission, JOHN, OUTSIDE, &[&far[..], &["--tls"]].concat());
    assert!(said.sent, "{said:?}");
    assert_eq!(sink.waits_for(1), 1);
}

#[test]
#[ignore = "needs swaks, which ./check installs"]
fn a_stranger_reaches_our_people_and_nobody_else() {
    let place = Place::new();
    let (hub, sink) = hub(&place, Settings::new());
    refused(&swaks(hub.smtp, OUTSIDE, "other@outside.test", &[]), "550 5.7.1");
    refused(&swaks(hub.smtp, OUTSIDE, "nobody.here@example.com", &[]), "550 5.1.1");
    let said = swaks(hub.smtp, OUTSIDE, JOHN, &["--header", "Subject: From a stranger", "--tls"]);
    assert!(said.sent, "{said:?}");
    let mail = hub.mail_of("john.doe", "From a stranger");
    assert!(mail.contains("Received: from client.test") && mail.contains("with ESMTPS"), "{mail}");
    assert_eq!(sink.counted().messages, 0);
}

#[test]
#[ignore = "needs swaks, which ./check installs"]
fn a_message_that_is_too_large_is_refused() {
    let place = Place::new();
    let settings =
        Settings::new().way_in("small", place.at(1, 2525), "anonymous", "max_message_size = \"64KiB\"");
    let (hub, _sink) = hub(&place, settings);
    let large = place.write("large", &("A line of the body that is long enough.\n".repeat(3_000)));
    let body = format!("@{}", large.display());
    refused(&swaks(hub.smtp, OUTSIDE, JOHN, &["--body", &body]), "552 5.3.4");
    assert!(swaks(hub.smtp, OUTSIDE, JOHN, &["--header", "Subject: Small"]).sent);
    assert!(hub.mail_of("john.doe", "Small").contains("test mailing"));
    assert_eq!(hub.mails_of("john.doe"), 1);
}

fn refused(said: &Conversation, with: &str) {
    assert!(
        !said.sent && said.refusal().is_some_and(|reply| reply.starts_with(with)),
        "{with}: {}",
        said.text
    );
}
