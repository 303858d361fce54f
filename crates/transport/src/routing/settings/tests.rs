use super::*;

fn connector(name: &str) -> SendConnector {
    SendConnector {
        name: name.into(),
        address_spaces: vec!["*".parse().unwrap()],
        smart_hosts: Vec::new(),
        source_servers: Vec::new(),
        enabled: true,
        scoped: false,
        max_message_size: None,
    }
}

fn server(name: &str, site: Option<&str>) -> Server {
    Server { name: name.into(), site: site.map(Into::into), address: "10.0.2.1:25".parse().unwrap() }
}

fn settings() -> RoutingSettings {
    RoutingSettings {
        name: "hub01".into(),
        site: Some("A".into()),
        bindings: vec!["0.0.0.0:2525".parse().unwrap(), "10.0.1.1:25".parse().unwrap()],
        servers: vec![server("hub01", Some("A")), server("hub04", Some("B"))],
        send_connectors: vec![connector("lab")],
        ..RoutingSettings::default()
    }
}

#[test]
fn a_mistake_is_refused_in_words() {
    let check = |change: fn(&mut RoutingSettings), expected: &str| {
        let mut settings = settings();
        assert_eq!(settings.check(), Ok(()));
        change(&mut settings);
        assert_eq!(settings.check().unwrap_err().to_string(), expected);
    };
    check(
        |s| s.send_connectors[0].smart_hosts = vec!["127.0.0.1:2525".parse().unwrap()],
        "send connector \"lab\": smart host 127.0.0.1:2525 is this server, so that mail would run in a circle",
    );
    check(
        |s| s.send_connectors[0].smart_hosts = vec!["10.0.2.1:25".parse().unwrap()],
        "send connector \"lab\": smart host 10.0.2.1:25 is this server, so that mail would run in a circle",
    );
    check(
        |s| s.send_connectors[0].source_servers = vec!["hub09".into()],
        "send connector \"lab\": source server \"hub09\" is neither this server nor a known one",
    );
    check(
        |s| s.send_connectors[0].address_spaces.clear(),
        "send connector \"lab\" has no address space; write \"*\" for all domains",
    );
    check(|s| s.send_connectors.push(connector("lab")), "two send connectors are named \"lab\"");
    check(
        |s| s.send_connectors[0].name = "a/b".into(),
        "send connectors: \"a/b\" is no name; a name is 1 to 255 letters without \"/\" and control characters",
    );
    check(
        |s| s.servers[0].site = None,
        "this server is in site \"A\", and its line among the servers says \"default\"",
    );
    check(
        |s| s.hub_sites = vec!["C".into()],
        "no server is in site \"C\", which the list of hub sites names",
    );
    check(
        |s| s.servers.extend((0..MAX_SITES).map(|n| server(&format!("x{n}"), Some(&format!("x{n}"))))),
        "there may be at most 64 sites, and 66 are named",
    );
}

#[test]
fn a_smart_host_at_another_port_is_another_server() {
    let mut settings = settings();
    settings.send_connectors[0].smart_hosts =
        ["127.0.0.1:2526", "smart.example"].map(|host| host.parse().unwrap()).into();
    assert_eq!(settings.check(), Ok(()));
}

#[test]
fn a_server_without_a_site_is_in_the_default_one() {
    let settings =
        RoutingSettings { name: "hub01".into(), servers: vec![server("hub02", None)], ..Default::default() };
    assert_eq!(settings.sites().len(), 1);
    assert_eq!(settings.site_of("hub02"), settings.site_of("hub01"));
    assert_eq!(settings.site_of("hub03"), None);
}
