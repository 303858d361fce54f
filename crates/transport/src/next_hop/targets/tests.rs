use proptest::prelude::*;

use super::super::answer::DnsFault;
use super::super::settings::Families;
use super::*;

fn domain(text: &str) -> Domain {
    text.parse().unwrap()
}

fn hosts(names: &[(u16, &str)]) -> Hosts {
    let host = |(preference, name): &(u16, &str)| Host { preference: *preference, name: domain(name) };
    Hosts {
        domain: domain("pool.test"),
        hosts: names.iter().map(host).collect(),
        ttl: Micros::MINUTE,
        implicit: false,
        flawed: false,
        cut_at_us: false,
    }
}

/// What each name leads to; the letter alone says what went wrong.
fn zone(name: &Domain) -> AddressAnswer {
    let addresses = match name.as_str() {
        "a.test" => "10.0.0.1 10.0.0.2 2001:db8::1",
        "b.test" => "10.0.0.3",
        "c.test" => "10.0.0.3 10.0.0.4",
        "bad.test" => "0.0.0.0 224.0.0.1 255.255.255.255 ff02::1 ::",
        "us.test" => "10.0.0.9",
        "mapped.test" => "::ffff:10.0.0.5",
        "empty.test" => return AddressAnswer::None,
        "slow.test" => return AddressAnswer::Failed(DnsFault::TimedOut),
        _ => return AddressAnswer::NoSuchDomain,
    };
    let addresses = addresses.split(' ').map(|address| address.parse().unwrap()).collect();
    AddressAnswer::Addresses(Addresses { addresses, ttl: Micros::MINUTE.times(5) })
}

fn own() -> Own {
    Own { addresses: ["10.0.0.9".parse().unwrap()].into(), ..Own::default() }
}

fn text(resolution: &Resolution) -> String {
    match resolution {
        Resolution::Targets(targets) => {
            let level = |level: &Level| {
                let targets = level.targets.iter().map(|target| target.address.to_string());
                format!("{}: {}", level.preference, targets.collect::<Vec<_>>().join(" "))
            };
            targets.levels.iter().map(level).collect::<Vec<_>>().join(" / ")
        }
        Resolution::Later(later) => later.to_string(),
        Resolution::Never(never) => never.to_string(),
    }
}

fn check(names: &[(u16, &str)], settings: &ResolutionSettings, expected: &str) {
    assert_eq!(text(&targets(&hosts(names), zone, &own(), settings)), expected, "{names:?}");
}

const DEFAULT: fn() -> ResolutionSettings = ResolutionSettings::default;

#[test]
fn addresses_of_one_level_are_dealt_out_host_by_host() {
    let levels = "10: 10.0.0.1:25 10.0.0.3:25 10.0.0.2:25 [2001:db8::1]:25 / 20: 10.0.0.4:25";
    check(&[(10, "a.test"), (10, "b.test"), (20, "c.test")], &DEFAULT(), levels);
    check(&[(10, "mapped.test")], &DEFAULT(), "10: 10.0.0.5:25");
    check(&[(10, "[192.0.2.1]")], &DEFAULT(), "10: 192.0.2.1:25");
}

#[test]
fn families_ports_and_bounds_are_settings() {
    let names = [(10, "a.test"), (20, "c.test")];
    check(
        &names,
        &ResolutionSettings { targets: 4, ..DEFAULT() },
        "10: 10.0.0.1:25 10.0.0.2:25 [2001:db8::1]:25 / 20: 10.0.0.3:25",
    );
    check(&names, &ResolutionSettings { targets: 0, ..DEFAULT() }, "10: 10.0.0.1:25");
    check(
        &names,
        &ResolutionSettings { families: Families::Ipv6, port: 26, ..DEFAULT() },
        "10: [2001:db8::1]:26",
    );
    let ipv4 = ResolutionSettings { families: Families::Ipv4, ..DEFAULT() };
    check(&names, &ipv4, "10: 10.0.0.1:25 10.0.0.2:25 / 20: 10.0.0.3:25 10.0.0.4:25");
}

#[test]
fn a_failed_look_up_is_passed_over_or_waited_for() {
    let names = [(10, "slow.test"), (20, "b.test")];
    check(&names, &DEFAULT(), "20: 10.0.0.3:25");
    let normal = ResolutionSettings { dns_fault_tolerance: DnsFaultTolerance::Normal, ..DEFAULT() };
    check(&names, &normal, "addresses of slow.test: no name server answered in time");
    check(&[(10, "slow.test")], &DEFAULT(), "addresses of slow.test: no name server answered in time");
    check(
        &[(10, "slow.test"), (10, "gone.test")],
        &DEFAULT(),
        "addresses of slow.test: no name server answered in time",
    );
    let Resolution::Targets(found) = targets(&hosts(&names), zone, &own(), &DEFAULT()) else {
        panic!("b is there")
    };
    assert_eq!(found.holds_for, Micros::ZERO, "what is flawed is not remembered");
}

#[test]
fn exchangers_without_a_usable_address_are_none() {
    let none = "550 5.4.4 no mail exchanger of pool.test has an address that can be used";
    check(&[(10, "bad.test")], &DEFAULT(), none);
    check(&[(10, "gone.test"), (20, "empty.test")], &DEFAULT(), none);
    let alone = |name| Hosts { implicit: true, ..hosts(&[(0, name)]) };
    let told = |name| text(&targets(&alone(name), zone, &own(), &DEFAULT()));
    assert_eq!(told("gone.test"), "550 5.1.2 there is no domain pool.test");
    assert_eq!(told("empty.test"), "550 5.4.4 pool.test has neither mail exchangers nor an address");
}

#[test]
fn our_own_address_cuts_the_list_as_our_name_does() {
    check(&[(10, "b.test"), (20, "us.test"), (20, "c.test"), (30, "a.test")], &DEFAULT(), "10: 10.0.0.3:25");
    check(
        &[(10, "us.test"), (20, "a.test")],
        &DEFAULT(),
        "554 5.4.6 mail for pool.test loops back to this server",
    );
}

#[test]
fn answers_hold_as_long_as_the_shortest_of_them_within_bounds() {
    let holds = |ttl: Micros, settings: ResolutionSettings| {
        let hosts = Hosts { ttl, ..hosts(&[(10, "a.test")]) };
        match targets(&hosts, zone, &own(), &settings) {
            Resolution::Targets(targets) => targets.holds_for,
            Resolution::Later(_) | Resolution::Never(_) => panic!("a is there"),
        }
    };
    assert_eq!(holds(Micros::MINUTE, DEFAULT()), Micros::MINUTE);
    assert_eq!(holds(Micros::MINUTE.times(9), DEFAULT()), Micros::MINUTE.times(5));
    assert_eq!(holds(Micros::ZERO, DEFAULT()), Micros::SECOND.times(30));
    let hour = Micros::MINUTE.times(60);
    assert_eq!(
        holds(hour, ResolutionSettings { ttl_max: Micros::SECOND, ttl_min: Micros::ZERO, ..DEFAULT() }),
        Micros::SECOND
    );
}

proptest! {
    #[test]
    fn every_address_stands_once_and_never_too_many(
        names in prop::collection::vec(
            prop::sample::select(vec!["a.test", "b.test", "c.test", "bad.test", "us.test", "slow.test", "gone.test"]),
            1..7,
        ),
        most in 1..5_usize,
    ) {
        let names: Vec<(u16, &str)> = (0..).zip(names).map(|(place, name)| (place / 2, name)).collect();
        let settings = ResolutionSettings { targets: most, ..DEFAULT() };
        if let Resolution::Targets(found) = targets(&hosts(&names), zone, &own(), &settings) {
            let targets = found.levels.iter().flat_map(|level| &level.targets);
            let all: Vec<_> = targets.map(|target| target.address).collect();
            let unique: BTreeSet<_> = all.iter().collect();
            prop_assert_eq!(unique.len(), all.len());
            prop_assert!((1..=most).contains(&all.len()));
            prop_assert!(found.levels.iter().all(|level| !level.targets.is_empty()));
            prop_assert!(!all.iter().any(|address| own().addresses.contains(&address.ip())));
        }
    }
}
