use super::super::answer::DnsFault;
use super::*;

fn list(text: &str) -> Vec<SmartHost> {
    text.split(' ').map(|host| host.parse().unwrap()).collect()
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
    let found = match smart_hosts(&list(hosts), zone, settings) {
        Resolution::Targets(found) => {
            assert_eq!(found.levels.len(), 1, "one level");
            let targets = found.levels[0].targets.iter().map(|target| target.address.to_string());
            targets.collect::<Vec<_>>().join(" ")
        }
        Resolution::Later(later) => later.to_string(),
        Resolution::Never(never) => panic!("{never}"),
    };
    assert_eq!(found, expected, "{hosts}");
}

#[test]
fn a_smart_host_is_a_host_and_a_port() {
    for (text, written) in [
        ("10.0.2.4:2525", "10.0.2.4:2525"),
        ("10.0.2.4", "10.0.2.4:25"),
        ("[10.0.2.4]:26", "10.0.2.4:26"),
        ("[2001:db8::1]:25", "[2001:db8::1]:25"),
        ("[2001:db8::1]", "[2001:db8::1]:25"),
        ("Smart.Example:587", "smart.example:587"),
        ("smart.example", "smart.example:25"),
    ] {
        assert_eq!(text.parse::<SmartHost>().unwrap().to_string(), written);
    }
    for bad in ["", ":25", "a:", "a:+5", "a:0", "a:65536", "a b:25", "a:b:25", "[2001:db8::1"] {
        assert!(bad.parse::<SmartHost>().is_err(), "{bad}");
    }
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
    let told = "smart host gone.test:25 has no address that can be used; correct the connector's smart hosts";
    check("gone.test", &settings, told);
    check("slow.test gone.test", &settings, "addresses of slow.test:25: the name server failed");
    let normal = ResolutionSettings { dns_fault_tolerance: DnsFaultTolerance::Normal, ..settings };
    check("pair.test slow.test", &normal, "addresses of slow.test:25: the name server failed");
}
