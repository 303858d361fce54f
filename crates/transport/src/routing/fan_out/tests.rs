use proptest::prelude::*;

use super::super::route::Lookup;
use super::super::settings::{RoutingSettings, SendConnector, Server, SiteLink};
use super::super::space::Cost;
use super::*;

/// This server is in A; each of B to F has one server of its name in small letters. A–B–C, B–D–E and A–F.
fn router(hub_sites: &[&str]) -> Router {
    let server = |site: &str| Server {
        name: site.to_lowercase().into(),
        site: Some(site.into()),
        address: site.parse().unwrap(),
    };
    let link =
        |(one, other): (&str, &str)| SiteLink { sites: [one.into(), other.into()], cost: Cost::DEFAULT };
    let lab = SendConnector {
        name: "lab".into(),
        address_spaces: vec!["*.test".parse().unwrap()],
        smart_hosts: Vec::new(),
        source_servers: Vec::new(),
        enabled: true,
        scoped: false,
        max_message_size: None,
    };
    Router::new(RoutingSettings {
        name: "a".into(),
        site: Some("A".into()),
        servers: ["B", "C", "D", "E", "F"].map(server).into(),
        site_links: [("A", "B"), ("B", "C"), ("B", "D"), ("D", "E"), ("A", "F")].map(link).into(),
        hub_sites: hub_sites.iter().map(|site| (*site).into()).collect(),
        send_connectors: vec![lab],
        ..RoutingSettings::default()
    })
    .unwrap()
}

/// A small letter is a mailbox at that server, `-` nobody, everything else a domain.
fn recipients(words: &[&str]) -> Vec<Recipient> {
    let recipient = |word: &&str| match *word {
        "-" => Recipient { domain: "example.com".parse().unwrap(), lookup: Lookup::NoSuchMailbox },
        domain if domain.len() > 1 => Recipient { domain: domain.parse().unwrap(), lookup: Lookup::NotOurs },
        server => Recipient { domain: "example.com".parse().unwrap(), lookup: Lookup::At(server.into()) },
    };
    words.iter().map(recipient).collect()
}

fn check(hub_sites: &[&str], words: &[&str], expected: &[(&str, &[usize])]) {
    let all = fan_out(&router(hub_sites), &recipients(words), &Message::default());
    let found: Vec<(String, &[usize])> =
        all.copies.iter().map(|copy| (copy.key.to_string(), &*copy.recipients)).collect();
    let expected: Vec<(String, &[usize])> =
        expected.iter().map(|(key, places)| ((*key).to_owned(), *places)).collect();
    assert_eq!(found, expected, "{words:?}");
}

#[test]
fn recipients_of_one_next_hop_share_a_copy() {
    check(
        &[],
        &["x.test", "a", "y.test", "x.test", "a"],
        &[
            ("DnsConnectorDelivery/x.test/lab", &[0, 3]),
            ("MailboxDelivery", &[1, 4]),
            ("DnsConnectorDelivery/y.test/lab", &[2]),
        ],
    );
}

#[test]
fn copies_for_other_sites_part_where_their_ways_do() {
    check(&[], &["c"], &[("SmtpRelayToRemoteSite/C", &[0])]);
    check(&[], &["c", "e"], &[("SmtpRelayToRemoteSite/B", &[0, 1])]);
    check(&[], &["e", "d"], &[("SmtpRelayToRemoteSite/D", &[0, 1])]);
    check(&[], &["e", "d", "c"], &[("SmtpRelayToRemoteSite/B", &[0, 1, 2])]);
    check(&[], &["e", "f", "e"], &[("SmtpRelayToRemoteSite/E", &[0, 2]), ("SmtpRelayToRemoteSite/F", &[1])]);
    check(&["B"], &["e", "e"], &[("SmtpRelayToRemoteSite/B", &[0, 1])]);
}

#[test]
fn who_has_no_way_or_no_mailbox_stands_apart() {
    let all = fan_out(&router(&[]), &recipients(&["-", "x.org", "a"]), &Message::default());
    assert_eq!(all.copies.len(), 1);
    assert_eq!(all.rejected, [(0, Rejected::NoSuchMailbox)]);
    assert_eq!(all.unreachable, [(1, Unreachable::NoConnector { domain: "x.org".parse().unwrap() })]);
}

proptest! {
    #[test]
    fn every_recipient_is_in_one_place_and_on_his_way(
        words in prop::collection::vec(
            prop::sample::select(vec!["a", "b", "c", "d", "e", "f", "z", "-", "x.test", "y.test", "x.org"]),
            0..30,
        ),
    ) {
        let router = router(&[]);
        let recipients = recipients(&words);
        let all = fan_out(&router, &recipients, &Message::default());
        let copied = all.copies.iter().flat_map(|copy| copy.recipients.iter().copied());
        let apart = all.unreachable.iter().map(|(place, _)| *place).chain(all.rejected.iter().map(|(place, _)| *place));
        let mut places: Vec<usize> = copied.chain(apart).collect();
        places.sort_unstable();
        prop_assert_eq!(places, (0..words.len()).collect::<Vec<_>>());
        for copy in &all.copies {
            for place in &copy.recipients {
                let Route::Hop(alone) = router.route(&recipients[*place], &Message::default()) else {
                    panic!("{place} has no way of its own");
                };
                prop_assert!(alone.way.starts_with(&copy.way));
                prop_assert!(!copy.way.is_empty() || alone.key == copy.key);
            }
        }
        let mut keys: Vec<_> = all.copies.iter().map(|copy| &copy.key).collect();
        keys.sort();
        keys.dedup();
        prop_assert_eq!(keys.len(), all.copies.len(), "one copy for each next hop");
    }
}
