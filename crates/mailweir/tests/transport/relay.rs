//! Through us: from smtp-source, from Postfix, by a load balancer; to smtp-sink and to Postfix.

use std::collections::BTreeSet;
use std::fs;

use crate::hub::{Hub, Settings};
use crate::peers::haproxy::{Haproxy, Header};
use crate::peers::postfix::Postfix;
use crate::peers::sink::Sink;
use crate::peers::source::{Load, Source};
use crate::peers::swaks::swaks;
use crate::place::Place;

#[test]
#[ignore = "needs Postfix, which ./check installs"]
fn all_that_smtp_source_sends_arrives_at_the_sink_once() {
    let place = Place::new();
    let sink = Sink::start(&place, place.at(11, 25));
    let hub = Hub::relay(&place, &[sink.address()], Settings::new());
    let kept = Load::of(1_000, "kept@sink.test");
    Source::send(&place, hub.smtp, kept);
    Source::send(&place, hub.smtp, Load { messages: 100, kept: false, to: "alone@sink.test", ..kept });
    assert_eq!(sink.waits_for(1_100), 1_100);
    let recipients = sink.recipients();
    assert_eq!(recipients.iter().collect::<BTreeSet<_>>().len(), recipients.len(), "none came twice");
    assert!(hub.is_empty());
}

#[test]
#[ignore = "needs Postfix and swaks, which ./check installs"]
fn servers_with_and_without_extensions_get_their_mail() {
    for options in [&["-p"][..], &["-e"], &["-8", "-E", "-a"]] {
        let place = Place::new();
        let sink = Sink::start_with(&place, place.at(11, 25), options);
        let hub = Hub::relay(&place, &[sink.address()], Settings::new());
        Source::send(&place, hub.smtp, Load::of(50, "r@sink.test"));
        let said =
            swaks(hub.smtp, "a@outside.test", "pipelined@sink.test", &["--pipeline", "--body", "Zwölf"]);
        assert!(said.sent, "{said:?}");
        assert_eq!(sink.waits_for(51), 51, "{options:?}");
    }
}

#[test]
#[ignore = "needs Postfix and HAProxy, which ./check installs"]
fn the_client_behind_a_load_balancer_is_named_in_the_message() {
    for header in [Header::V1, Header::V2] {
        let place = Place::new();
        let sink = Sink::start(&place, place.at(11, 25));
        let balancer = place.at(80, 25);
        let settings = Settings::new()
            .listen(&format!("trusted_proxies = [\"{}/32\"]\nproxy_protocol = true", balancer.ip()));
        let hub = Hub::relay(&place, &[sink.address()], settings);
        let _balancer = Haproxy::start(&place, balancer, hub.smtp, header);
        let client = place.at(25, 25);
        let way = format!("relayhost = [{}]:25\nsmtp_bind_address = {}\n", balancer.ip(), client.ip());
        let postfix = Postfix::start(&place, client, &way);
        Source::send(&place, client, Load::of(10, "r@sink.test"));
        assert_eq!(sink.waits_for(10), 10, "{}", postfix.log());
        let seen = format!("[{}]", client.ip());
        assert_eq!(sink.mail().matches(&seen).count(), 10, "{header:?}: {}", sink.mail());
    }
}

#[test]
#[ignore = "needs Postfix, which ./check installs"]
fn postfix_gets_its_mail_encrypted_where_a_connector_says_so() {
    let place = Place::new();
    let sink = Sink::start(&place, place.at(11, 25));
    let postfix = Postfix::start(&place, place.at(25, 25), &(encryption(&place) + &way(&sink)));
    let settings = Settings::new().way_in("relay", place.at(1, 2525), "relay", "");
    let settings = settings.way_out_with("*.test", &[place.at(25, 25)], "tls = \"required\"");
    let hub = Hub::start(&place, 1, &settings);
    Source::send(&place, hub.smtp, Load::of(25, "r@sink.test"));
    assert_eq!(sink.waits_for(25), 25, "{}", postfix.log());
    assert_eq!(sink.mail().matches("(using TLSv1.3 with cipher").count(), 25, "{}", sink.mail());
}

#[test]
#[ignore = "needs Postfix, which ./check installs"]
fn mail_that_must_be_encrypted_waits_rather_than_going_in_the_clear() {
    let place = Place::new();
    let sink = Sink::start(&place, place.at(11, 25));
    let postfix = Postfix::start(&place, place.at(25, 25), &(encryption(&place) + &way(&sink)));
    let settings = Settings::new().way_in("relay", place.at(1, 2525), "relay", "");
    let settings = settings.way_out_with("plain.test", &[sink.address()], "tls = \"required\"").way_out_with(
        "stranger.test",
        &[place.at(25, 25)],
        "tls = \"verified\"",
    );
    let hub = Hub::start(&place, 1, &settings);
    Source::send(&place, hub.smtp, Load::of(1, "r@plain.test"));
    Source::send(&place, hub.smtp, Load::of(1, "r@stranger.test"));
    for queue in ["plain.test", "stranger.test"] {
        let waiting = hub.queue_waits(queue);
        assert!(waiting["last_error"].as_str().is_some_and(|error| error.contains("TLS")), "{waiting}");
    }
    assert_eq!(sink.counted().messages, 0, "{}", postfix.log());
}

#[test]
#[ignore = "needs Postfix, which ./check installs"]
fn postfix_refuses_a_recipient_and_the_sender_is_told() {
    let place = Place::new();
    let only_own = "mynetworks =\nsmtpd_relay_restrictions = reject_unauth_destination\n";
    let postfix = Postfix::start(&place, place.at(25, 25), only_own);
    let hub = Hub::relay(&place, &[place.at(25, 25)], Settings::new());
    let said = swaks(hub.smtp, "john.doe@example.com", "gone@sink.test", &[]);
    assert!(said.sent, "{said:?}");
    let report = hub.mail_of("john.doe", "Undeliverable");
    for part in ["gone@sink.test", "Status: 5.7.1", "Relay access denied"] {
        assert!(report.contains(part), "{part}: {report}\n{}", postfix.log());
    }
}

/// A certificate of Postfix's own, and that it offers it.
fn encryption(place: &Place) -> String {
    let made = rcgen::generate_simple_self_signed(vec!["postfix.test".to_owned()]).unwrap();
    let certificate = place.write("tls/certificate.pem", &made.cert.pem());
    let key = place.write("tls/key.pem", &made.signing_key.serialize_pem());
    fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    format!(
        "smtpd_tls_cert_file = {}\nsmtpd_tls_key_file = {}\nsmtpd_tls_security_level = may\n\
         smtpd_tls_received_header = yes\n",
        certificate.display(),
        key.display()
    )
}

/// Where Postfix sends everything.
fn way(sink: &Sink) -> String {
    format!("relayhost = [{}]:{}\n", sink.address().ip(), sink.address().port())
}
