use proptest::prelude::*;

use super::super::settings::ReceiveLimits;
use super::*;

/// `name | bindings | ranges | groups`, the name with a `~` behind a load balancer.
fn connector(text: &str) -> ReceiveConnector {
    let parts: Vec<Vec<&str>> = text.split('|').map(|part| part.split_whitespace().collect()).collect();
    let group = |word: &&str| match *word {
        "servers" => PermissionGroup::Servers,
        "users" => PermissionGroup::Users,
        "relay" => PermissionGroup::Relay,
        _ => PermissionGroup::Anonymous,
    };
    ReceiveConnector {
        name: parts[0][0].trim_end_matches('~').into(),
        bindings: parts[1].iter().map(|word| word.parse().unwrap()).collect(),
        remote_ranges: parts[2].iter().map(|word| word.parse().unwrap()).collect(),
        permission_groups: parts.get(3).map(|words| words.iter().map(group).collect()).unwrap_or_default(),
        behind_load_balancer: parts[0][0].ends_with('~'),
        limits: ReceiveLimits::default(),
    }
}

fn all(texts: &[&str], servers: &[(&str, &str)]) -> Result<Connectors, ReceiveError> {
    let server = |(name, address): &(&str, &str)| OwnServer {
        name: (*name).into(),
        address: address.parse().unwrap(),
    };
    Connectors::new(
        texts.iter().map(|text| connector(text)).collect(),
        &servers.iter().map(server).collect::<Vec<_>>(),
    )
}

#[test]
fn the_most_specific_range_at_the_most_specific_binding_wins() {
    let all = all(
        &[
            "world | 0.0.0.0:25 | 0.0.0.0/0",
            "net | 0.0.0.0:25 | 10.0.0.0/8",
            "host | 0.0.0.0:25 | 10.0.2.4 10.0.2.5",
            "inside | 10.0.1.1:25 | 10.0.0.0/8",
            "six | [::]:25 | ::/0",
            "submission | 0.0.0.0:587 | 0.0.0.0/0 ::/0",
        ],
        &[],
    )
    .unwrap();
    let check = |local: &str, remote: &str, expected: Option<&str>| {
        let chosen = all.choose(local.parse().unwrap(), remote.parse().unwrap());
        assert_eq!(chosen.map(|connector| &*connector.name), expected, "{remote} to {local}");
    };
    check("192.0.2.1:25", "198.51.100.7", Some("world"));
    check("192.0.2.1:25", "10.1.1.1", Some("net"));
    check("192.0.2.1:25", "10.0.2.5", Some("host"));
    check("10.0.1.1:25", "10.0.2.5", Some("inside"));
    check("10.0.1.1:25", "198.51.100.7", Some("world"));
    check("[2001:db8::1]:25", "2001:db8::2", Some("six"));
    check("[::ffff:192.0.2.1]:25", "::ffff:10.0.2.4", Some("host"));
    check("192.0.2.1:587", "10.0.2.4", Some("submission"));
    check("[2001:db8::1]:587", "2001:db8::2", None);
    check("192.0.2.1:26", "10.0.2.4", None);
    assert_eq!(all.bindings().len(), 4);
}

#[test]
fn what_makes_no_sense_is_refused_with_what_to_change() {
    let check = |texts: &[&str], servers: &[(&str, &str)], expected: &str| {
        assert_eq!(all(texts, servers).unwrap_err().to_string(), expected);
    };
    check(
        &["a | 10.0.1.1:25 | 10.0.0.0/8 10.0.2.4", "b | 10.0.1.1:25 10.0.1.1:26 | 10.0.2.4"],
        &[],
        "receive connectors \"a\" and \"b\" both take connections from 10.0.2.4/32 at 10.0.1.1:25",
    );
    check(
        &["a | 10.0.1.1:25 | 10.0.0.0/8", "a | 10.0.1.1:26 | 10.0.0.0/8"],
        &[],
        "two receive connectors are named \"a\"",
    );
    check(
        &["a | | 10.0.0.0/8"],
        &[],
        "receive connector \"a\" has no binding, so that it takes no connection",
    );
    check(
        &["a | 10.0.1.1:25 |"],
        &[],
        "receive connector \"a\" has no remote range, so that it takes no connection",
    );
    check(
        &["front~ | 10.0.1.1:25 | 0.0.0.0/0 | anonymous servers"],
        &[],
        "receive connector \"front\" is behind a load balancer and must not hold the permission group \"servers\": \
         traffic between the organisation's own servers never goes through a load balancer",
    );
    check(
        &["front~ | 10.0.1.1:25 | 0.0.0.0/0"],
        &[("hub04", "10.0.2.4:25")],
        "mail from server \"hub04\" at 10.0.2.4 would be taken by receive connector \"front\", which is behind a load \
         balancer; add a connector for 10.0.2.4 with the permission group \"servers\"",
    );
    check(
        &["a | 10.0.1.1:25 | 0.0.0.0/0"],
        &[("hub04", "10.0.2.9:25"), ("hub05", "10.0.2.9:25")],
        "servers \"hub04\" and \"hub05\" have one address, 10.0.2.9:25, as behind a load balancer: traffic between the \
         organisation's own servers never goes through one; name each server's own address",
    );
}

#[test]
fn own_servers_that_meet_a_connector_of_their_own_are_fine() {
    let hub = [("hub04", "10.0.2.4:25")];
    for texts in [
        &["front~ | 10.0.1.1:25 | 0.0.0.0/0", "servers | 10.0.1.1:25 | 10.0.2.0/24 | servers"][..],
        &["front~ | 10.0.1.1:25 | 0.0.0.0/0", "servers | 10.0.1.1:2525 | 10.0.2.0/24 | servers"],
        &["front~ | 10.0.1.1:25 | 192.0.2.0/24"],
    ] {
        assert!(all(texts, &hub).is_ok(), "{texts:?}");
    }
}

proptest! {
    /// Every pair of binding and range of every connector is looked at, and the best kept.
    #[test]
    fn the_choice_is_the_best_of_all_pairs(
        connectors in prop::collection::vec(
            (
                prop::sample::subsequence(vec!["0.0.0.0:25", "10.0.0.1:25", "10.0.0.2:25"], 1..3),
                prop::sample::subsequence(vec!["0.0.0.0/0", "10.0.0.0/8", "10.0.2.0/24", "10.0.2.4/32"], 1..4),
            ),
            1..5,
        ),
        local in prop::sample::select(vec!["10.0.0.1:25", "10.0.0.2:25", "10.0.0.3:25", "10.0.0.1:26"]),
        remote in prop::sample::select(vec!["10.0.2.4", "10.0.2.5", "10.9.9.9", "192.0.2.1"]),
    ) {
        let texts: Vec<String> = connectors
            .iter()
            .enumerate()
            .map(|(number, (bindings, ranges))| format!("c{number} | {} | {}", bindings.join(" "), ranges.join(" ")))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (local, remote): (SocketAddr, IpAddr) = (local.parse().unwrap(), remote.parse().unwrap());
        let mut pairs = Vec::new();
        for (number, (bindings, ranges)) in connectors.iter().enumerate() {
            for binding in bindings {
                for range in ranges {
                    let everywhere = *binding == "0.0.0.0:25" && local.port() == 25;
                    let exact = binding.parse() == Ok(local);
                    let range: AddressRange = range.parse().unwrap();
                    if (everywhere || exact) && range.contains(remote) {
                        pairs.push((exact, range.bits(), format!("c{number}")));
                    }
                }
            }
        }
        match all(&texts, &[]) {
            Ok(all) => {
                let chosen = all.choose(local, remote).map(|connector| connector.name.to_string());
                let best = pairs.iter().map(|(exact, bits, _)| (*exact, *bits)).max();
                let best = pairs.iter().filter(|pair| Some((pair.0, pair.1)) == best);
                let names: Vec<_> = best.map(|pair| &pair.2).collect();
                prop_assert_eq!(chosen.is_some(), !names.is_empty());
                prop_assert!(chosen.is_none_or(|chosen| names.contains(&&chosen)));
            }
            Err(error) => prop_assert!(error.to_string().contains("both take connections"), "{}", error),
        }
    }
}
