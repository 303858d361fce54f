use std::path::Path;

use super::*;
use crate::config::Config;

fn settings(text: &str) -> Settings {
    let config = Config::parse(text, "mailweir.toml").unwrap();
    config.transport_settings(Path::new("data")).unwrap().unwrap()
}

#[test]
fn ports_that_the_system_chooses_are_told_apart() {
    let mut settings = settings("[listen]\nsmtp = \"127.0.0.1:0\"\nsubmission = \"127.0.0.1:0\"");
    let opened = settle(&mut settings, &mut Sockets::new()).unwrap();
    let bindings = settings.receive.bindings();
    assert_eq!(opened.keys().copied().collect::<Vec<_>>(), bindings);
    assert_eq!(bindings.len(), 2);
    assert_eq!(settings.routing.bindings, bindings);
    for binding in bindings {
        let connector = settings.receive.choose(binding, [127, 0, 0, 1].into()).unwrap();
        assert_eq!(connector.bindings, [binding]);
    }
}

#[test]
fn a_socket_that_is_given_takes_the_place_of_an_address_at_every_connector_of_it() {
    let connector = |name: &str, range: &str| {
        format!(
            "[[transport.receive_connector]]\nname = \"{name}\"\nbindings = [\"127.0.0.1:25\"]\nremote_ranges = [\"{range}\"]\n"
        )
    };
    let mut settings =
        settings(&format!("{}{}", connector("smtp", "0.0.0.0/0"), connector("lan", "10.0.0.0/8")));
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let unused = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut given = Sockets::from([("smtp", socket), ("http", unused)]);
    let opened = settle(&mut settings, &mut given).unwrap();
    assert!(opened.contains_key(&address));
    assert_eq!(given.keys().copied().collect::<Vec<_>>(), ["http"], "what is no way in is left for others");
    assert_eq!(settings.receive.bindings(), [address]);
    for (client, name) in [([10, 1, 2, 3], "lan"), ([192, 0, 2, 1], "smtp")] {
        assert_eq!(&*settings.receive.choose(address, client.into()).unwrap().name, name);
    }
}
