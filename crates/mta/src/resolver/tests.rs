mod name_server;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use weir_clock::Clock;
use weir_transport::next_hop::{DnsFaultTolerance, Families, Own, Resolution, ResolutionSettings};
use weir_transport::routing::{NextHopKey, Router, RoutingSettings, SendConnector, Server};
use weir_units::Micros;

use self::name_server::NameServer;
use super::Resolver;
use crate::settings::{Delivery, DnsSettings};

const ZONE: &str = "
    pool.test 300 MX 20 mx3.pool.test
    pool.test 300 MX 10 mx1.pool.test
    mx1.pool.test 120 A 127.0.0.11
    mx3.pool.test 600 A 127.0.0.13
    mx3.pool.test 600 AAAA 2001:db8::3
    null.test 300 MX 0 .
    null.test 300 A 127.0.0.9
    plain.test 300 A 127.0.0.21
    plain.test 200 AAAA 2001:db8::21
    bare.test 300 CNAME nothing.test
    nothing.test 300 MX 10 gone.test
    alias.test 90 CNAME pool.test
    dangling.test 300 CNAME gone.test
    circle.test 300 CNAME round.test
    round.test 300 CNAME circle.test
    c1.test 9 CNAME c2.test
    c2.test 9 CNAME c3.test
    c3.test 9 CNAME c4.test
    c4.test 9 CNAME c5.test
    c5.test 9 CNAME c6.test
    c6.test 9 CNAME c7.test
    c7.test 9 CNAME c8.test
    c8.test 9 CNAME c9.test
    c9.test 9 CNAME plain.test
    xn--bcher-kva.test 300 MX 10 mx1.pool.test
    failed.test SERVFAIL
    refused.test REFUSED
    garbage.test GARBAGE
    stranger.test STRANGER
    referral.test REFERRAL
    silent.test SILENT
    half.test 300 MX 10 mx1.pool.test
    half.test 300 MX 20 failed.test
    large.test TRUNCATED
    large.test 300 A 127.0.0.31
    forged.test WRONGID
    forged.test 300 A 127.0.0.32
    loops.test 300 MX 10 hub.test
";

fn resolver(servers: Vec<SocketAddr>, settings: ResolutionSettings, entries: usize) -> Resolver {
    let dns = DnsSettings { servers, timeout: Micros::SECOND, patience: Micros::SECOND.times(5), entries };
    let own = Own { names: ["hub.test".parse().unwrap()].into(), addresses: [].into() };
    Resolver::new(&dns, settings, own, Clock::start())
}

/// The targets level by level, and how long they hold; or what the queue or the sender reads.
fn told(resolution: &Resolution) -> String {
    match resolution {
        Resolution::Targets(targets) => {
            let levels = targets.levels.iter().map(|level| {
                let addresses: Vec<String> =
                    level.targets.iter().map(|target| target.address.to_string()).collect();
                format!("{}: {}", level.preference, addresses.join(" "))
            });
            let seconds = Duration::from(targets.holds_for).as_secs_f64().round();
            format!("{}; {seconds} s", levels.collect::<Vec<_>>().join(", "))
        }
        Resolution::Later(later) => format!("later: {later}"),
        Resolution::Never(never) => never.to_string(),
    }
}

async fn of_domain(resolver: &Resolver, domain: &str) -> String {
    of_key(resolver, &NextHopKey::Dns(domain.parse().unwrap(), "lab".into()), &Delivery::Embedded).await
}

async fn of_key(resolver: &Resolver, key: &NextHopKey, delivery: &Delivery) -> String {
    told(&resolver.levels(key, &router(), delivery).await)
}

fn router() -> Router {
    let server = |name: &str, site: &str, address: &str| Server {
        name: name.into(),
        site: Some(site.into()),
        address: address.parse().unwrap(),
    };
    let connector = |name: &str, smart_hosts: &[&str], sources: &[&str]| SendConnector {
        name: name.into(),
        address_spaces: vec!["*".parse().unwrap()],
        smart_hosts: smart_hosts.iter().map(|host| host.parse().unwrap()).collect(),
        source_servers: sources.iter().map(|name| Arc::from(*name)).collect(),
        enabled: true,
        scoped: false,
        max_message_size: None,
    };
    let settings = RoutingSettings {
        name: "hub".into(),
        site: Some("here".into()),
        servers: vec![
            server("hub2", "here", "mx1.pool.test:2525"),
            server("hub3", "there", "127.0.0.7"),
            server("hub4", "there", "plain.test"),
            server("hub5", "nowhere", "gone.test"),
        ],
        send_connectors: vec![
            connector("lab", &[], &[]),
            connector("smart", &["plain.test:587", "127.0.0.5", "localhost:26"], &[]),
            connector("other", &[], &["hub2"]),
        ],
        ..RoutingSettings::default()
    };
    Router::new(settings).unwrap()
}

#[tokio::test]
async fn domains_lead_to_targets_or_to_what_their_senders_are_told() {
    let server = NameServer::start(ZONE).await;
    let resolver = resolver(vec![server.address], ResolutionSettings::default(), 100);
    let cases = [
        ("pool.test", "10: 127.0.0.11:25, 20: 127.0.0.13:25 [2001:db8::3]:25; 120 s"),
        ("null.test", "556 5.1.10 null.test takes no mail"),
        ("plain.test", "0: 127.0.0.21:25 [2001:db8::21]:25; 200 s"),
        ("alias.test", "10: 127.0.0.11:25, 20: 127.0.0.13:25 [2001:db8::3]:25; 90 s"),
        ("bare.test", "550 5.4.4 no mail exchanger of bare.test has an address that can be used"),
        ("dangling.test", "550 5.1.2 there is no domain dangling.test"),
        ("gone.test", "550 5.1.2 there is no domain gone.test"),
        ("circle.test", "later: mail exchangers of circle.test: the name server's answer makes no sense"),
        ("c1.test", "later: mail exchangers of c1.test: the name server's answer makes no sense"),
        ("c2.test", "0: 127.0.0.21:25 [2001:db8::21]:25; 30 s"),
        ("bücher.test", "10: 127.0.0.11:25; 120 s"),
        ("failed.test", "later: mail exchangers of failed.test: the name server failed"),
        ("refused.test", "later: mail exchangers of refused.test: the name server refused to answer"),
        ("garbage.test", "later: mail exchangers of garbage.test: the name server's answer makes no sense"),
        ("stranger.test", "later: mail exchangers of stranger.test: the name server's answer makes no sense"),
        ("referral.test", "later: mail exchangers of referral.test: the name server failed"),
        ("half.test", "10: 127.0.0.11:25; 0 s"),
        ("large.test", "0: 127.0.0.31:25; 300 s"),
        ("forged.test", "0: 127.0.0.32:25; 300 s"),
        ("loops.test", "554 5.4.6 mail for loops.test loops back to this server"),
        ("localhost", "0: 127.0.0.1:25 [::1]:25; 86400 s"),
        ("[127.0.0.8]", "0: 127.0.0.8:25; 86400 s"),
    ];
    for (domain, expected) in cases {
        assert_eq!(of_domain(&resolver, domain).await, expected, "{domain}");
    }
}

#[tokio::test]
async fn every_kind_of_next_hop_has_its_targets() {
    let server = NameServer::start(ZONE).await;
    let resolver = resolver(vec![server.address], ResolutionSettings::default(), 100);
    let hosts = Delivery::Lmtp(vec!["127.0.0.3:24".parse().unwrap(), "mx1.pool.test:24".parse().unwrap()]);
    let unusable = "later: server ShadowRedundancy/hub9 has no address that can be used; correct it in the \
                    configuration";
    let gone = "later: server gone.test:25 has no address that can be used; correct it in the configuration";
    let smart = "0: 127.0.0.21:587 127.0.0.5:25 127.0.0.1:26 [2001:db8::21]:587 [::1]:26; 200 s";
    let cases = [
        ("SmtpRelayWithinSite/hub2", "0: 127.0.0.11:2525; 120 s"),
        ("SmtpRelayWithinSite//other", "0: 127.0.0.11:2525; 120 s"),
        ("SmtpRelayToRemoteSite/there", "0: 127.0.0.7:25 127.0.0.21:25 [2001:db8::21]:25; 200 s"),
        ("SmtpRelayToRemoteSite/nowhere", gone),
        ("SmartHostConnectorDelivery/smart", smart),
        ("ShadowRedundancy/hub3", "0: 127.0.0.7:25; 86400 s"),
        ("ShadowRedundancy/hub9", unusable),
        ("MailboxDelivery", "0: 127.0.0.3:24 127.0.0.11:24; 120 s"),
    ];
    for (key, expected) in cases {
        assert_eq!(of_key(&resolver, &key.parse().unwrap(), &hosts).await, expected, "{key}");
    }
    let embedded = of_key(&resolver, &NextHopKey::Mailbox, &Delivery::Embedded).await;
    assert!(embedded.starts_with("later: server MailboxDelivery"), "{embedded}");
}

#[tokio::test(start_paused = true)]
async fn silence_ends_with_patience() {
    let server = NameServer::start(ZONE).await;
    let resolver = resolver(vec![server.address], ResolutionSettings::default(), 100);
    let start = resolver.clock.tick();
    let silent = "later: mail exchangers of silent.test: no name server answered in time";
    assert_eq!(of_domain(&resolver, "silent.test").await, silent);
    assert!(resolver.clock.tick().since(start) <= Micros::SECOND.times(5));
}

#[tokio::test(start_paused = true)]
async fn another_name_server_knows_what_the_first_does_not_say() {
    let silent = NameServer::start("plain.test SILENT").await;
    let failing = NameServer::start("plain.test SERVFAIL").await;
    let good = NameServer::start(ZONE).await;
    for first in [&silent, &failing] {
        let resolver = resolver(vec![first.address, good.address], ResolutionSettings::default(), 100);
        assert_eq!(of_domain(&resolver, "plain.test").await, "0: 127.0.0.21:25 [2001:db8::21]:25; 200 s");
    }
}

#[tokio::test]
async fn who_answered_last_is_asked_first() {
    let failing = NameServer::start("plain.test SERVFAIL\n    pool.test SERVFAIL").await;
    let good = NameServer::start(ZONE).await;
    let settings = ResolutionSettings { families: Families::Ipv4, ..ResolutionSettings::default() };
    let resolver = resolver(vec![failing.address, good.address], settings, 100);
    of_domain(&resolver, "plain.test").await;
    of_domain(&resolver, "pool.test").await;
    assert_eq!(failing.asked(), ["plain.test. MX"]);
}

#[tokio::test]
async fn only_the_families_in_use_are_asked_for() {
    let server = NameServer::start(ZONE).await;
    let settings = ResolutionSettings { families: Families::Ipv6, ..ResolutionSettings::default() };
    let resolver = resolver(vec![server.address], settings, 100);
    assert_eq!(of_domain(&resolver, "plain.test").await, "0: [2001:db8::21]:25; 200 s");
    assert_eq!(server.asked(), ["plain.test. MX", "plain.test. AAAA"]);
}

#[tokio::test]
async fn a_strict_administrator_waits_for_every_answer() {
    let server = NameServer::start(ZONE).await;
    let dns_fault_tolerance = DnsFaultTolerance::Normal;
    let settings = ResolutionSettings { dns_fault_tolerance, ..ResolutionSettings::default() };
    let resolver = resolver(vec![server.address], settings, 100);
    let later = "later: addresses of failed.test: the name server failed";
    assert_eq!(of_domain(&resolver, "half.test").await, later);
}

#[tokio::test]
async fn what_holds_is_asked_once_however_many_want_it() {
    let server = NameServer::start(ZONE).await;
    let resolver = Arc::new(resolver(vec![server.address], ResolutionSettings::default(), 100));
    let mut running = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let resolver = Arc::clone(&resolver);
        running.spawn(async move { of_domain(&resolver, "plain.test").await });
    }
    running.join_all().await;
    of_domain(&resolver, "plain.test").await;
    let mut asked = server.asked();
    asked.sort();
    assert_eq!(asked, ["plain.test. A", "plain.test. AAAA", "plain.test. MX"]);
}

#[tokio::test]
async fn what_failed_is_asked_again() {
    let server = NameServer::start(ZONE).await;
    let resolver = resolver(vec![server.address], ResolutionSettings::default(), 100);
    of_domain(&resolver, "failed.test").await;
    let once = server.asked().len();
    of_domain(&resolver, "failed.test").await;
    assert_eq!(server.asked().len(), 2 * once);
}

#[tokio::test(start_paused = true)]
async fn what_lapsed_is_asked_again() {
    let server = NameServer::start(ZONE).await;
    let resolver = resolver(vec![server.address], ResolutionSettings::default(), 100);
    of_domain(&resolver, "plain.test").await;
    tokio::time::advance(Duration::from_secs(150)).await;
    assert_eq!(of_domain(&resolver, "plain.test").await, "0: 127.0.0.21:25 [2001:db8::21]:25; 50 s");
    assert_eq!(server.asked().len(), 3);
    tokio::time::advance(Duration::from_secs(51)).await;
    of_domain(&resolver, "plain.test").await;
    assert_eq!(server.asked().len(), 6);
}
