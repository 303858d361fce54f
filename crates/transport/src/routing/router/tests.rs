use proptest::prelude::*;

use super::super::settings::{Server, SiteLink};
use super::super::space::{Cost, Pattern};
use super::*;

fn names(text: &str) -> Vec<Arc<str>> {
    text.split_whitespace().map(Into::into).collect()
}

/// `lab example.com;2 *;5 | hub02 hub04 | 127.0.0.11:25`: name and address spaces, source servers, smart hosts.
fn connector(text: &str) -> SendConnector {
    let mut parts = text.split('|');
    let mut words = parts.next().unwrap().split_whitespace();
    SendConnector {
        name: words.next().unwrap().into(),
        address_spaces: words.map(|space| space.parse().unwrap()).collect(),
        source_servers: parts.next().map(names).unwrap_or_default(),
        smart_hosts: parts
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .map(|host| host.parse().unwrap())
            .collect(),
        enabled: true,
        scoped: false,
        max_message_size: None,
    }
}

/// hub01 (this one), hub02, hub03 in A; hub04, hub05 in B; hub06 in C; hub07 in D.
fn settings(connectors: &[&str], links: &[&str]) -> RoutingSettings {
    let server = |(name, site): (&str, &str)| Server {
        name: name.into(),
        site: Some(site.into()),
        address: format!("{name}.example.com:25").parse().unwrap(),
    };
    let link = |text: &&str| {
        let words: Vec<&str> = text.split(' ').collect();
        SiteLink {
            sites: [words[0].into(), words[1].into()],
            cost: Cost::new(words[2].parse().unwrap()).unwrap(),
        }
    };
    let servers =
        [("hub02", "A"), ("hub03", "A"), ("hub04", "B"), ("hub05", "B"), ("hub06", "C"), ("hub07", "D")];
    RoutingSettings {
        name: "hub01".into(),
        site: Some("A".into()),
        servers: servers.map(server).into(),
        site_links: links.iter().map(link).collect(),
        send_connectors: connectors.iter().map(|text| connector(text)).collect(),
        ..RoutingSettings::default()
    }
}

fn outside(domain: &str) -> Recipient {
    Recipient { domain: domain.parse().unwrap(), lookup: Lookup::NotOurs }
}

fn mailbox(server: &str) -> Recipient {
    Recipient { domain: "example.com".parse().unwrap(), lookup: Lookup::At(server.into()) }
}

fn routed(settings: RoutingSettings, recipient: &Recipient, message: &Message) -> String {
    match Router::new(settings).unwrap().route(recipient, message) {
        Route::Hop(hop) => hop.key.to_string(),
        Route::Unreachable(reason) => reason.to_string(),
        Route::Rejected(reason) => reason.to_string(),
    }
}

fn check(connectors: &[&str], recipient: &Recipient, expected: &str) {
    let found = routed(settings(connectors, &[]), recipient, &Message::default());
    assert_eq!(found, expected, "{connectors:?}");
}

#[test]
fn a_mailbox_is_reached_where_it_is() {
    check(&[], &mailbox("hub01"), "MailboxDelivery");
    check(&[], &Recipient { lookup: Lookup::Here, ..mailbox("hub01") }, "MailboxDelivery");
    check(&[], &mailbox("hub02"), "SmtpRelayWithinSite/hub02");
    check(&[], &mailbox("hub05"), "SmtpRelayToRemoteSite/B");
    check(&[], &mailbox("hub99"), "the mailbox is at server \"hub99\", which is no [[transport.server]]");
    check(
        &[],
        &Recipient { lookup: Lookup::NoSuchMailbox, ..mailbox("") },
        "550 5.1.1 no such recipient here",
    );
}

#[test]
fn the_most_specific_space_goes_before_the_cheapest_connector() {
    let all = ["any *;1", "below *.test;1", "exact eu.pool.test;100", "pool *.pool.test;50"];
    check(&all, &outside("eu.pool.test"), "DnsConnectorDelivery/eu.pool.test/exact");
    check(&all, &outside("us.pool.test"), "DnsConnectorDelivery/us.pool.test/pool");
    check(&all, &outside("pool.test"), "DnsConnectorDelivery/pool.test/below");
    check(&all, &outside("example.net"), "DnsConnectorDelivery/example.net/any");
    check(&all, &outside("[192.0.2.1]"), "DnsConnectorDelivery/[192.0.2.1]/any");
}

#[test]
fn then_cost_then_nearness_then_name_decide() {
    check(&["a *;5", "b *;4"], &outside("x.test"), "DnsConnectorDelivery/x.test/b");
    check(&["a *;5 | hub02", "b *;5"], &outside("x.test"), "DnsConnectorDelivery/x.test/b");
    check(&["b *;5", "a *;5"], &outside("x.test"), "DnsConnectorDelivery/x.test/a");
    check(&["a *;5 | hub02", "b *;6"], &outside("x.test"), "SmtpRelayWithinSite//a");
    check(&["far *;1 | hub04", "near *;2"], &outside("x.test"), "DnsConnectorDelivery/x.test/near");
    check(&["far *;1 | hub04", "near *;3"], &outside("x.test"), "SmtpRelayToRemoteSite/B");
    check(&["s *;1 | | 127.0.0.11:25"], &outside("x.test"), "SmartHostConnectorDelivery/s");
    check(&["s *;9 *.test;9 *.test;2", "t *.test;3"], &outside("x.test"), "DnsConnectorDelivery/x.test/s");
}

#[test]
fn what_no_connector_is_for_is_unreachable_with_the_reason() {
    let told = "no send connector's address spaces match x.test; add one that names it, or \"*\"";
    check(&["a pool.test"], &outside("x.test"), told);
    let told = "send connector \"a\" matches x.test, and it is disabled, kept to another site, or no site link leads \
                to its source servers";
    let mut off = settings(&["a *"], &[]);
    off.send_connectors[0].enabled = false;
    assert_eq!(routed(off, &outside("x.test"), &Message::default()), told);
    let mut scoped = settings(&["a * | hub04"], &[]);
    scoped.send_connectors[0].scoped = true;
    assert_eq!(routed(scoped, &outside("x.test"), &Message::default()), told);
    let cut_off = settings(&["a * | hub06"], &["A B 1", "C D 1"]);
    assert_eq!(routed(cut_off.clone(), &outside("x.test"), &Message::default()), told);
    let told = "no site link leads to site \"C\", where the mailbox is";
    assert_eq!(routed(cut_off, &mailbox("hub06"), &Message::default()), told);
}

#[test]
fn a_connector_that_is_too_small_is_passed_over_and_a_message_too_large_for_all_comes_back() {
    let mut two = settings(&["big *;9", "small *;1"], &[]);
    two.send_connectors[0].max_message_size = Some(2000);
    two.send_connectors[1].max_message_size = Some(1000);
    let of = |size| routed(two.clone(), &outside("x.test"), &Message { size, came_from: None });
    assert_eq!(of(1000), "DnsConnectorDelivery/x.test/small");
    assert_eq!(of(1001), "DnsConnectorDelivery/x.test/big");
    assert_eq!(of(2001), "552 5.3.4 the message has 2001 bytes, and at most 2000 can be sent to x.test");
}

#[test]
fn a_hub_site_on_the_way_is_passed_through() {
    let mut settings = settings(&[], &["A B 1", "B C 1", "C D 1"]);
    assert_eq!(routed(settings.clone(), &mailbox("hub07"), &Message::default()), "SmtpRelayToRemoteSite/D");
    settings.hub_sites = names("C");
    assert_eq!(routed(settings.clone(), &mailbox("hub07"), &Message::default()), "SmtpRelayToRemoteSite/C");
    assert_eq!(routed(settings, &mailbox("hub04"), &Message::default()), "SmtpRelayToRemoteSite/B");
}

#[test]
fn a_route_that_leads_back_is_refused() {
    let from = |server: &str| Message { size: 0, came_from: Some(server.into()) };
    let connectors = ["a * | hub02", "b pool.test | hub04"];
    let check = |recipient: &Recipient, from: &Message, expected: &str| {
        assert_eq!(routed(settings(&connectors, &[]), recipient, from), expected);
    };
    let back = |server: &str, key: &str| {
        format!(
            "the message came from server {server:?}, and its route leads back there ({key}): the servers disagree \
             about the way"
        )
    };
    check(&outside("x.test"), &from("hub02"), &back("hub02", "SmtpRelayWithinSite//a"));
    check(&outside("x.test"), &from("hub03"), &back("hub03", "SmtpRelayWithinSite//a"));
    check(&outside("x.test"), &from("hub04"), "SmtpRelayWithinSite//a");
    check(&outside("pool.test"), &from("hub05"), &back("hub05", "SmtpRelayToRemoteSite/B"));
    check(&outside("pool.test"), &from("hub02"), "SmtpRelayToRemoteSite/B");
    check(&mailbox("hub01"), &from("hub02"), "MailboxDelivery");
}

#[test]
fn the_targets_of_a_next_hop_are_the_servers_that_may_take_it() {
    let check = |links: &[&str], hub_sites: &str, key: &str, expected: &[&[&str]]| {
        let mut settings = settings(&["a * | hub02 hub04 hub03"], links);
        settings.hub_sites = names(hub_sites);
        let router = Router::new(settings).unwrap();
        let levels = router.levels_of(&key.parse().unwrap());
        let found: Vec<Vec<&str>> =
            levels.iter().map(|level| level.iter().map(|server| &*server.name).collect()).collect();
        assert_eq!(found, expected, "{key}");
    };
    check(&[], "", "SmtpRelayWithinSite//a", &[&["hub02", "hub03"]]);
    check(&[], "", "SmtpRelayWithinSite/hub03", &[&["hub03"]]);
    check(&[], "", "SmtpRelayToRemoteSite/B", &[&["hub04", "hub05"]]);
    check(&[], "", "SmtpRelayWithinSite/hub99", &[]);
    check(&[], "", "MailboxDelivery", &[]);
    // Mail waits at the point of failure that is nearest to its destination.
    let line = ["A B 1", "B C 1", "C D 1"];
    check(&line, "", "SmtpRelayToRemoteSite/D", &[&["hub07"], &["hub06"], &["hub04", "hub05"]]);
    check(&line, "C", "SmtpRelayToRemoteSite/C", &[&["hub06"], &["hub04", "hub05"]]);
    check(&["A B 1", "C D 1"], "", "SmtpRelayToRemoteSite/D", &[]);
}

#[test]
fn a_route_says_why() {
    let router = Router::new(settings(&["a *.pool.test;7 | hub04"], &[])).unwrap();
    let why = |recipient| match router.route(&recipient, &Message::default()) {
        Route::Hop(hop) => hop.why.to_string(),
        other @ (Route::Unreachable(_) | Route::Rejected(_)) => panic!("{other:?}"),
    };
    assert_eq!(why(outside("eu.pool.test")), "send connector \"a\", address space *.pool.test, cost 8");
    assert_eq!(why(mailbox("hub04")), "the mailbox is at hub04");
}

/// All ways of all connectors, sorted by everything that counts: the obvious choice. This server is in A; sites cost
/// what the table says.
fn slowly(connectors: &[SendConnector], domain: &Domain, size: u64) -> Option<Arc<str>> {
    let site_cost = |server: &str| match server {
        "hub01" => (0, 0),
        "hub02" | "hub03" => (0, 1),
        "hub04" | "hub05" => (3, 2),
        "hub06" => (1, 2),
        _ => (2, 3),
    };
    let mut ways = Vec::new();
    for connector in connectors {
        for space in &connector.address_spaces {
            let sources = if connector.source_servers.is_empty() {
                names("hub01")
            } else {
                connector.source_servers.clone()
            };
            for source in sources {
                let labels = match &space.pattern {
                    Pattern::All => 0,
                    Pattern::Below(parent) => parent.as_str().matches('.').count() + 1,
                    Pattern::Exactly(_) => 99,
                };
                let (before, hops) = site_cost(&source);
                let fits = connector.max_message_size.is_none_or(|limit| size <= limit);
                let reaches = !connector.scoped || hops < 2;
                if space.pattern.matches(domain) && fits && reaches && connector.enabled {
                    let rank =
                        (100 - labels, before + u32::from(space.cost.count()), hops, connector.name.clone());
                    ways.push(rank);
                }
            }
        }
    }
    ways.into_iter().min().map(|(.., name)| name)
}

proptest! {
    #[test]
    fn the_connector_is_the_best_of_all_ways_of_all_connectors(
        connectors in prop::collection::vec(
            (
                prop::sample::subsequence(vec!["*", "*.test", "*.pool.test", "eu.pool.test"], 1..4),
                1..4_u8,
                prop::sample::subsequence(vec!["hub01", "hub02", "hub04", "hub06", "hub07"], 0..3),
                any::<(bool, bool)>(),
                prop::option::of(0..4_u64),
            ),
            0..6,
        ),
        size in 0..4_u64,
        domain in prop::sample::select(vec!["eu.pool.test", "us.pool.test", "pool.test", "x.test", "x.org"]),
    ) {
        let mut settings = settings(&[], &["A B 3", "A C 1", "C D 1"]);
        for (number, (spaces, cost, sources, (on, scoped), limit)) in connectors.into_iter().enumerate() {
            let spaces: Vec<String> = spaces.iter().map(|space| format!("{space};{cost}")).collect();
            let text = format!("c{number} {} | {}", spaces.join(" "), sources.join(" "));
            settings.send_connectors.push(SendConnector {
                enabled: on || number > 0,
                scoped,
                max_message_size: limit,
                ..connector(&text)
            });
        }
        let recipient = outside(domain);
        let expected = slowly(&settings.send_connectors, &recipient.domain, size);
        let route = Router::new(settings).unwrap().route(&recipient, &Message { size, came_from: None });
        let found = match &route {
            Route::Hop(Hop { why: Why::Connector { name, .. }, .. }) => Some(name.clone()),
            Route::Hop(_) | Route::Unreachable(_) | Route::Rejected(_) => None,
        };
        prop_assert_eq!(found, expected, "{:?}", route);
    }
}
