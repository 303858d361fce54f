use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use weir_balance::{AllDown, Rotation, Schedule};
use weir_mta::settings::{Delivery, Settings, TlsPolicy};
use weir_transport::receive::{PermissionGroup, ReceiveConnector, ReceiveLimits};
use weir_units::Micros;

use crate::config::{Config, unserved};

/// Reads `text`, which has to be right.
#[track_caller]
fn good(text: &str) -> Config {
    Config::parse(text, "mailweir.toml").unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// What the transport is told by `text`, which has to be right.
#[track_caller]
fn settings(text: &str) -> Settings {
    good(text).transport_settings(Path::new("data")).unwrap().unwrap()
}

/// Reads `text`, which has to be wrong in exactly this way.
#[track_caller]
fn check_bad(text: &str, message: &str) {
    let error = Config::parse(text, "mailweir.toml").expect_err(text);
    assert_eq!(error.to_string(), format!("mailweir.toml:{message}"), "for {text}");
}

/// A receive connector of the given lines, the first of which is line 1.
fn connector(lines: &str) -> String {
    let head = "[[transport.receive_connector]]\nname = \"in\"\nbindings = [\"127.0.0.1:25\"]\n";
    format!("{head}remote_ranges = [\"10.0.0.0/8\"]\n{lines}\n")
}

const REMOTE: &str = "[origin]\nkind = \"remote\"\nhttp = [\"http://192.0.2.1\"]\n";

#[test]
fn an_empty_file_takes_mail_for_local_recipients_and_from_users_on_loopback() {
    let settings = settings("");
    let of = |name| settings.connector(name).unwrap();
    for (name, port, group) in
        [("default", 2525, PermissionGroup::Anonymous), ("submission", 2587, PermissionGroup::Users)]
    {
        assert_eq!(of(name).bindings, [([127, 0, 0, 1], port).into()], "{name}");
        assert_eq!(of(name).permission_groups, [group], "{name}");
        assert_eq!(of(name).limits, ReceiveLimits::default(), "{name}");
    }
    assert!(settings.receive.iter().all(|connector| !connector.lets(PermissionGroup::Relay)));
    assert_eq!(settings.delivery, Delivery::Embedded);
    assert_eq!(settings.balance, weir_balance::Settings::hub());
    assert_eq!((settings.connectivity_log, settings.policy_service), (None, None));
    assert!(!settings.policy_service_trust_sender, "a sender proves nothing (T8)");
    assert_eq!(settings.drain, Micros::SECOND.times(30));
}

#[test]
fn both_listeners_choose_by_range_and_everybody_is_in_it() {
    let settings = settings("listen.smtp = \"[::]:25\"");
    for client in ["192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1"] {
        let chosen = settings.receive.choose("[2001:db8::25]:25".parse().unwrap(), client.parse().unwrap());
        assert_eq!(chosen.map(|connector| &*connector.name), Some("default"), "{client}");
    }
}

#[test]
fn an_edge_server_has_the_documented_intervals_and_limits() {
    let settings = settings("transport.role = \"edge\"");
    assert_eq!(settings.balance.schedule, Schedule::edge());
    assert!(settings.receive.iter().all(|connector| connector.limits == ReceiveLimits::edge()));
    let written = "[transport]\nrole = \"edge\"\ntransient_failure_retry_interval = \"1m\"";
    let schedule = self::settings(written).balance.schedule;
    assert_eq!((schedule.interval(4), schedule.interval(10)), (Micros::MINUTE, Micros::MINUTE.times(30)));
}

#[test]
fn connectors_replace_the_listeners_and_who_is_known_is_not_counted_as_strangers_are() {
    let limits_of = |groups: &str| {
        let text = connector(&format!("permission_groups = [{groups}]"));
        let settings = settings(&format!("transport.role = \"edge\"\n{text}"));
        let all: Vec<&ReceiveConnector> = settings.receive.iter().collect();
        assert_eq!(all.len(), 1);
        all[0].limits
    };
    assert_eq!(limits_of("\"anonymous\", \"servers\""), ReceiveLimits::edge());
    let servers = limits_of("\"servers\"");
    assert_eq!(servers.max_inbound_connection_per_source, None);
    assert_eq!(servers.message_rate_limit, None);
    assert_eq!(servers.max_recipients_per_message, 1_000, "no more than the durable queue takes");
    let relay = limits_of("\"relay\"");
    assert_eq!((relay.message_rate_limit, relay.tarpit_interval), (None, Micros::ZERO));
}

#[test]
fn every_part_reaches_the_transport() {
    let text = "[listen]\ntrusted_proxies = [\"10.0.0.0/8\"]\nproxy_protocol = true\n\
        [transport]\nname = \"hub01\"\nsite = \"A\"\nhost_name = \"Mail.Example.COM\"\npostmaster = \"jane@example.com\"\nrotation = \"rtm\"\npanic = \"use-all\"\n\
        hub_sites = [\"B\"]\nshadow_partners = [\"hub04\"]\ndelivery = \"lmtp\"\nlmtp = [\"127.0.0.1:24\"]\n\
        connectivity_log = true\npolicy_service = \"127.0.0.1:10040\"\npoison_threshold = 3\n\
        policy_service_trust_sender = true\n\
        [transport.dns]\nservers = [\"192.0.2.53\", \"[2001:db8::53]:5353\"]\n\
        [transport.pressure]\nqueue_length_medium_to_high = 20000\ndisk_calm = \"1m\"\n\
        [transport.spool]\ndisk_bytes = \"8GiB\"\n[transport.sending]\nconnect_timeout = \"5s\"\n\
        [[transport.server]]\nname = \"hub04\"\nsite = \"B\"\naddress = \"10.0.2.4:25\"\n\
        [[transport.site_link]]\nsites = [\"A\", \"B\"]\ncost = 7\n\
        [[transport.send_connector]]\nname = \"out\"\naddress_spaces = [\"*;10\"]\ntls = \"verified\"\nenabled = false\n\
        max_message_size = \"10MiB\"\n";
    let settings =
        settings(&format!("{text}{}", connector("max_inbound_connection_per_source = \"unlimited\"")));
    assert_eq!(settings.host_name.as_str(), "mail.example.com");
    assert_eq!(settings.postmaster, "jane@example.com".parse().ok());
    assert!(settings.proxies.proxy_protocol && settings.proxies.trusted.trusts([10, 1, 2, 3].into()));
    let apart = self::settings("listen.trusted_proxies = [\"10.0.0.0/8\"]\ntransport.proxy_protocol = true");
    assert!(apart.proxies.proxy_protocol);
    assert_eq!((settings.balance.rotation, settings.balance.all_down), (Rotation::Rtm, AllDown::UseAll));
    assert_eq!(settings.shadow_partners, ["hub04".into()]);
    assert_eq!(settings.delivery, Delivery::Lmtp(vec!["127.0.0.1:24".parse().unwrap()]));
    assert_eq!(settings.connectivity_log.as_ref().unwrap().0, Path::new("data/log/connectivity"));
    assert_eq!(settings.policy_service, Some(([127, 0, 0, 1], 10_040).into()));
    assert!(settings.policy_service_trust_sender);
    assert_eq!(settings.poison_threshold, 3);
    assert_eq!(settings.dns.servers, [([192, 0, 2, 53], 53).into(), "[2001:db8::53]:5353".parse().unwrap()]);
    assert_eq!(settings.pressure.queue_length.medium_to_high, 20_000);
    assert_eq!(settings.pressure.disk.calm, Micros::MINUTE);
    assert_eq!(settings.spool.disk_bytes, 8 << 30);
    assert_eq!(settings.sending.connect_timeout, Micros::SECOND.times(5));
    assert_eq!(settings.sending.tls_of(Some("out")), TlsPolicy::Verified);
    let routing = &settings.routing;
    assert_eq!((&*routing.name, routing.site.as_deref()), ("hub01", Some("A")));
    assert_eq!(routing.bindings, [([127, 0, 0, 1], 25).into()]);
    assert_eq!(routing.site_links[0].cost.count(), 7);
    assert_eq!(routing.hub_sites, ["B".into()]);
    let out = &routing.send_connectors[0];
    assert_eq!((out.enabled, out.max_message_size), (false, Some(10 << 20)));
    assert_eq!(settings.connector("in").unwrap().limits.max_inbound_connection_per_source, None);
}

#[test]
fn a_server_is_called_by_its_name_where_that_is_a_whole_one() {
    assert_eq!(settings("transport.name = \"hub01.example.com\"").host_name.as_str(), "hub01.example.com");
    let short = settings("transport.name = \"hub01\"");
    assert_ne!(short.host_name.as_str(), "hub01.example.com");
    assert_eq!(&*short.routing.name, "hub01");
    let none = settings("");
    assert_eq!(*none.routing.name, *none.host_name.as_str());
}

#[test]
fn before_a_remote_origin_mail_needs_lmtp() {
    let plain = good(REMOTE);
    assert!(plain.transport_settings(Path::new("data")).unwrap().is_none());
    assert_eq!(
        unserved(&plain)[1],
        "these listeners stay off, since mail would have nowhere to go before a remote origin until transport.delivery \
         is \"lmtp\": smtp 127.0.0.1:2525, submission 127.0.0.1:2587"
    );
    let asked = settings(&format!("transport.policy_service = \"127.0.0.1:10040\"\n{REMOTE}"));
    assert_eq!(asked.receive.iter().count(), 0, "Postfix may ask all the same");
    let lmtp = settings(&format!("{REMOTE}[transport]\ndelivery = \"lmtp\"\nlmtp = [\"192.0.2.1:24\"]"));
    assert_eq!(lmtp.receive.iter().count(), 2);
    check_bad(
        &format!("{REMOTE}{}", connector("")),
        "4: transport.receive_connector: mail for local recipients would have nowhere to go, since origin.kind is \
         \"remote\"; write transport.delivery = \"lmtp\" and name the mail system's LMTP servers in transport.lmtp",
    );
}

#[test]
fn listeners_that_connectors_replace_are_said_to_be_off() {
    let text =
        format!("listen.smtp = \"0.0.0.0:2526\"\nlisten.imap = \"\"\nlisten.pop3 = \"\"\n{}", connector(""));
    assert_eq!(
        unserved(&good(&text)),
        [
            "these listeners stay off, since [[transport.receive_connector]] replaces them: listen.smtp 0.0.0.0:2526"
        ]
    );
}

#[test]
fn servers_and_connectors_that_make_no_sense_together_are_told_with_their_line() {
    let server = |name: &str, address: &str| {
        format!("[[transport.server]]\nname = \"{name}\"\naddress = \"{address}\"\n")
    };
    let send = |rest: &str| format!("[[transport.send_connector]]\nname = \"out\"\n{rest}\n");
    let two = format!("{}{}", connector(""), connector("").replace("\"in\"", "\"in2\""));
    let named = "[transport]\nname = \"hub01\"\n";
    for (text, message) in [
        (
            two,
            "7: transport.receive_connector: receive connectors \"in\" and \"in2\" both take connections from 10.0.0.0/8 at 127.0.0.1:25",
        ),
        (
            connector("behind_load_balancer = true\npermission_groups = [\"servers\"]"),
            "2: transport.receive_connector: receive connector \"in\" is behind a load balancer and must not hold the \
             permission group \"servers\": traffic between the organisation's own servers never goes through a load balancer",
        ),
        (
            format!("{named}{}{}", server("hub02", "10.0.0.2:25"), connector("behind_load_balancer = true")),
            "7: transport.receive_connector: mail from server \"hub02\" at 10.0.0.2 would be taken by receive connector \
             \"in\", which is behind a load balancer; add a connector for 10.0.0.2 with the permission group \"servers\"",
        ),
        (
            format!("{named}{}{}", server("hub02", "10.0.0.2:25"), server("hub03", "10.0.0.2:25")),
            "7: transport.receive_connector: servers \"hub02\" and \"hub03\" have one address, 10.0.0.2:25, as behind a load \
             balancer: traffic between the organisation's own servers never goes through one; name each server's own address",
        ),
        (
            server("hub02", "10.0.0.2:25"),
            "1: transport.name is missing: say which name this server has among the others",
        ),
        (
            send("address_spaces = [\"*\"]\nsource_servers = [\"hub9\"]"),
            "2: transport.send_connector: send connector \"out\": source server \"hub9\" is neither this server nor a known one",
        ),
        (
            send("address_spaces = [\"*\"]\nsmart_hosts = [\"127.0.0.1:2525\"]"),
            "2: transport.send_connector: send connector \"out\": smart host 127.0.0.1:2525 is this server, so that mail would run in a circle",
        ),
        (
            send("address_spaces = [\"*;101\"]"),
            "3: transport.send_connector.address_spaces: \"*;101\" is not a domain, \"*.domain\" or \"*\", with a cost from 1 to 100 behind a semicolon, such as \"example.com;1\"",
        ),
        (
            "[[transport.site_link]]\nsites = [\"A\", \"A\"]".to_owned(),
            "2: transport.site_link.sites: a link is between two sites, such as [\"A\", \"B\"]",
        ),
        (
            "[transport]\nhub_sites = [\"Z\"]".to_owned(),
            "2: transport.hub_sites: no server is in site \"Z\", which the list of hub sites names",
        ),
    ] {
        check_bad(&text, message);
    }
}

#[test]
fn limits_and_listeners_that_contradict_one_another_are_told_with_their_line() {
    for (text, message) in [
        (
            "[transport]\nname = \"hub01\"\nshadow_partners = [\"hub01\"]".to_owned(),
            "3: transport.shadow_partners: \"hub01\" is this server, which keeps no shadow for itself",
        ),
        (
            "[transport]\ndelay_notification_timeout = \"3d\"".to_owned(),
            "2: transport.delay_notification_timeout: delay_notification_timeout must be shorter than message_expiration_timeout",
        ),
        (
            "[transport.pressure]\nmemory_medium_to_low = \"89%\"".to_owned(),
            "2: transport.pressure: memory: medium_to_low must not be above low_to_medium",
        ),
        (
            "[transport.spool]\ndisk_bytes = \"100MiB\"".to_owned(),
            "2: transport.spool.disk_bytes: a spool needs room for 8 segments, 536870912 bytes, and its limit is 104857600; raise it",
        ),
        (
            connector("max_message_size = \"200MiB\""),
            "5: transport.receive_connector.max_message_size is more than transport.spool.body_bytes, the longest message \
             that the durable queue takes; lower one or raise the other",
        ),
        (
            "listen.https = \"127.0.0.1:25\"\n".to_owned() + &connector(""),
            "4: transport.receive_connector.bindings: 127.0.0.1:25 is also listen.https; give one of them another port, or switch that off with \"\"",
        ),
        (
            "[transport]\npolicy_service = \"127.0.0.1:2525\"".to_owned(),
            "2: transport.policy_service: 127.0.0.1:2525 is also listen.smtp; give it another port",
        ),
        (
            "[transport]\nlmtp = [\"127.0.0.1:24\"]".to_owned(),
            "2: transport.lmtp names servers, but transport.delivery is \"embedded\", which asks none; write delivery = \
             \"lmtp\" or remove the servers",
        ),
        (
            "[transport]\naccept_unknown_recipients = true".to_owned(),
            "2: transport.accept_unknown_recipients = true is for mailboxes that the directory does not list; write delivery \
             = \"lmtp\" and name their servers in transport.lmtp",
        ),
        (
            "[transport]\ndelivery = \"lmtp\"".to_owned(),
            "2: transport.delivery = \"lmtp\" needs servers: name them in transport.lmtp",
        ),
        (
            "[transport]\nattempt_timeout = \"10s\"".to_owned(),
            "2: transport.attempt_timeout must be longer than transport.sending.connect_timeout: an attempt would be given up for lost while it still runs",
        ),
        (
            "[transport]\nproxy_protocol = true".to_owned(),
            "2: transport.proxy_protocol = true believes nobody while listen.trusted_proxies is empty; name the balancers' ranges there",
        ),
        (
            "[transport.dns]\nservers = [\"ns.example.com\"]".to_owned(),
            "2: transport.dns.servers: \"ns.example.com\" is not the address of a name server, such as \"192.0.2.53\" or \"[2001:db8::53]:5353\"",
        ),
    ] {
        check_bad(&text, message);
    }
}

#[test]
fn a_secret_is_taken_from_a_file_that_nobody_else_may_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("server-secret");
    let config = Config::parse(
        "transport.server_secret_file = \"server-secret\"",
        &folder.path().join("mailweir.toml").display().to_string(),
    );
    let config = config.unwrap();
    let secret =
        || config.transport_settings(Path::new("data")).map(|settings| settings.unwrap().server_secret);
    let write = |text: &str, mode| {
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
    };
    assert!(secret().unwrap_err().to_string().starts_with("transport.server_secret_file: cannot read "));
    write("0123456789abcdef\n", 0o640);
    assert!(secret().unwrap_err().to_string().contains("is open to others; run `chmod 600 "));
    write("short\n", 0o600);
    assert!(secret().unwrap_err().to_string().contains("has to hold one line of 16 to 1024 letters"));
    write("0123456789abcdef\n", 0o600);
    let secret = secret().unwrap().unwrap();
    assert_eq!(secret.expose(), "0123456789abcdef");
    assert!(!format!("{secret:?}").contains("0123"), "it is never printed");
}
