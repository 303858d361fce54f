use super::super::answer::DnsFault;
use super::*;

/// Levels with slashes between.
fn list(text: &str) -> Vec<Vec<HostPort>> {
    let level = |level: &str| level.split_whitespace().map(|host| host.parse().unwrap()).collect();
    text.split('/').map(level).collect()
}

fn zone(name: &Domain) -> AddressAnswer {
    let addresses = match name.as_str() {
        "pair.test" => vec!["10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap()],
        "slow.test" => return AddressAnswer::Failed(DnsFault::ServerFailure),
        _ => return AddressAnswer::NoSuchDomain,
    };
    AddressAnswer::Addresses(Addresses { addresses, ttl: Micros::MINUTE })
}

fn check(hosts: &str, settings: &ResolutionSettings, expected: &str) {
    let found = match configured(&list(hosts), zone, settings) {
        Resolution::Targets(found) => {
            let level = |level: &Level| {
                let targets = level.targets.iter().map(|target| target.address.to_string());
                targets.collect::<Vec<_>>().join(" ")
            };
            found.levels.iter().map(level).collect::<Vec<_>>().join(" / ")
        }
        Resolution::Later(later) => later.to_string(),
        Resolution::Never(never) => panic!("{never}"),
    };
    assert_eq!(found, expected, "{hosts}");
}

#[test]
fn smart_hosts_are_one_level_with_all_addresses_of_their_names() {
    let settings = ResolutionSettings::default();
    check("127.0.0.11:2601 127.0.0.12:2602", &settings, "127.0.0.11:2601 127.0.0.12:2602");
    check("pair.test:26 10.0.0.9", &settings, "10.0.0.1:26 10.0.0.9:25 10.0.0.2:26");
    check("pair.test 10.0.0.1", &settings, "10.0.0.1:25 10.0.0.2:25");
    check("pair.test gone.test slow.test", &settings, "10.0.0.1:25 10.0.0.2:25");
}

#[test]
fn what_the_administrator_wrote_wrong_bothers_no_sender() {
    let settings = ResolutionSettings::default();
    let told = "server gone.test:25 has no address that can be used; correct it in the configuration";
    check("gone.test", &settings, told);
    check("slow.test gone.test", &settings, "addresses of slow.test:25: the name server failed");
    let normal = ResolutionSettings { dns_fault_tolerance: DnsFaultTolerance::Normal, ..settings };
    check("pair.test slow.test", &normal, "addresses of slow.test:25: the name server failed");
}

#[test]
fn levels_keep_their_order_and_an_empty_one_is_left_out() {
    let settings = ResolutionSettings::default();
    check("10.0.0.9 / gone.test / pair.test 10.0.0.9", &settings, "10.0.0.9:25 / 10.0.0.1:25 10.0.0.2:25");
    let two = ResolutionSettings { targets: 2, ..settings };
    check("10.0.0.9 / pair.test / 10.0.0.8", &two, "10.0.0.9:25 / 10.0.0.1:25");
}
