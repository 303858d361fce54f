use fastrand::Rng;
use proptest::prelude::*;

use super::super::answer::{DnsFault, MxRecords};
use super::*;

fn domain(text: &str) -> Domain {
    text.parse().unwrap()
}

/// `10 mx1.test 20 mx2.test`.
fn records(text: &str) -> MxAnswer {
    let words: Vec<&str> = text.split_whitespace().collect();
    let record = |pair: &[&str]| Mx { preference: pair[0].parse().unwrap(), exchange: pair[1].to_owned() };
    MxAnswer::Records(MxRecords { records: words.chunks(2).map(record).collect(), ttl: Micros::MINUTE })
}

fn own() -> Own {
    Own { names: [domain("us.test")].into(), addresses: BTreeSet::new() }
}

fn found(answer: &MxAnswer, settings: &ResolutionSettings, seed: u64) -> Result<Hosts, Resolution> {
    exchangers(&domain("pool.test"), answer, &own(), settings, &mut Rng::with_seed(seed))
}

fn check(answer: &MxAnswer, expected: &str) {
    let text = match found(answer, &ResolutionSettings::default(), 1) {
        Ok(hosts) => {
            let hosts = hosts.hosts.iter().map(|host| format!("{} {}", host.preference, host.name));
            hosts.collect::<Vec<_>>().join(" ")
        }
        Err(Resolution::Later(later)) => later.to_string(),
        Err(Resolution::Never(never)) => never.to_string(),
        Err(Resolution::Targets(_)) => panic!("hosts have no targets yet"),
    };
    assert_eq!(text, expected, "{answer:?}");
}

#[test]
fn mail_exchangers_come_in_the_order_of_their_preference() {
    check(&records("20 b.test 10 A.test. 30 c.test"), "10 a.test 20 b.test 30 c.test");
    check(&records("20 a.test 10 a.test"), "10 a.test");
}

#[test]
fn a_domain_without_mail_exchangers_is_its_own() {
    check(&MxAnswer::None, "0 pool.test");
    check(&MxAnswer::Records(MxRecords { records: Vec::new(), ttl: Micros::MINUTE }), "0 pool.test");
}

#[test]
fn a_null_mx_and_a_domain_that_is_not_there_are_told_to_the_sender() {
    check(&records("0 ."), "556 5.1.10 pool.test takes no mail");
    check(&MxAnswer::NoSuchDomain, "550 5.1.2 there is no domain pool.test");
    check(
        &records("10 192.0.2.1"),
        "550 5.4.4 no mail exchanger of pool.test has an address that can be used",
    );
    check(
        &MxAnswer::Failed(DnsFault::TimedOut),
        "mail exchangers of pool.test: no name server answered in time",
    );
    let settings = ResolutionSettings { dns_failures: DnsFailures::Retry, ..ResolutionSettings::default() };
    let Err(Resolution::Later(later)) = found(&MxAnswer::NoSuchDomain, &settings, 1) else { panic!("kept") };
    assert_eq!(
        later.to_string(),
        "550 5.1.2 there is no domain pool.test (kept, since DNS failures are to be retried)"
    );
}

#[test]
fn a_null_mx_beside_others_is_a_record_that_names_no_host() {
    check(&records("0 . 10 a.test"), "10 a.test");
    let hosts = found(&records("0 . 10 a.test 20 192.0.2.1"), &ResolutionSettings::default(), 1).unwrap();
    assert!(hosts.flawed);
}

#[test]
fn this_server_and_whatever_is_not_better_is_left_out() {
    check(&records("10 a.test 20 us.test 20 b.test 30 c.test"), "10 a.test");
    check(&records("20 US.test. 10 b.test 15 c.test"), "10 b.test 15 c.test");
    check(&records("10 us.test 20 b.test"), "554 5.4.6 mail for pool.test loops back to this server");
}

#[test]
fn an_address_in_brackets_needs_no_records() {
    let answer = MxAnswer::NoSuchDomain;
    let settings = ResolutionSettings::default();
    let hosts =
        exchangers(&domain("[192.0.2.1]"), &answer, &own(), &settings, &mut Rng::with_seed(1)).unwrap();
    assert_eq!(hosts.hosts, [Host { preference: 0, name: domain("[192.0.2.1]") }]);
}

#[test]
fn hosts_of_one_preference_are_first_equally_often() {
    let answer = records("10 a.test 10 b.test 10 c.test 20 d.test");
    let mut first = std::collections::BTreeMap::new();
    for seed in 0..3000 {
        let hosts = found(&answer, &ResolutionSettings::default(), seed).unwrap();
        assert_eq!(hosts.hosts[3].name, domain("d.test"));
        *first.entry(hosts.hosts[0].name.to_string()).or_insert(0_u32) += 1;
    }
    assert!(first.len() == 3 && first.values().all(|count| (900..1100).contains(count)), "{first:?}");
}

proptest! {
    /// The obvious model: one preference after the other, until ours comes.
    #[test]
    fn the_hosts_are_those_better_than_us_level_by_level(
        records in prop::collection::vec(
            (0..4_u16, prop::sample::select(vec!["a.test", "b.test", "c.test", "us.test", ".", "10.0.0.1"])),
            1..10,
        ),
        seed: u64,
        most in 1..8_usize,
    ) {
        let mut expected: Vec<BTreeSet<&str>> = Vec::new();
        let mut seen = BTreeSet::new();
        for preference in 0..4 {
            let here = records.iter().filter(|(other, _)| *other == preference).map(|(_, name)| *name);
            let here: BTreeSet<&str> = here.collect();
            if here.contains("us.test") {
                break;
            }
            let named = here.into_iter().filter(|name| name.contains(".test") && seen.insert(*name));
            expected.push(named.collect());
        }
        let text: Vec<String> = records.iter().map(|(preference, name)| format!("{preference} {name}")).collect();
        let settings = ResolutionSettings { mx_hosts: most, ..ResolutionSettings::default() };
        let hosts = found(&super::tests::records(&text.join(" ")), &settings, seed);
        let total: usize = expected.iter().map(BTreeSet::len).sum();
        let Ok(hosts) = hosts else {
            prop_assert_eq!(total, 0);
            return Ok(());
        };
        prop_assert_eq!(hosts.hosts.len(), total.min(most));
        let mut hosts = hosts.hosts.iter().map(|host| host.name.as_str());
        for level in expected {
            let found: BTreeSet<&str> = hosts.by_ref().take(level.len()).collect();
            prop_assert!(found.is_subset(&level));
        }
    }
}
