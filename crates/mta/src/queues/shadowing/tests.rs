use weir_transport::routing::{RoutingSettings, SendConnector, Server};

use super::*;

#[test]
fn what_went_to_a_partner_goes_another_way_where_there_is_one() {
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
        name: "hub01".into(),
        site: Some("here".into()),
        servers: vec![
            server("hub02", "here", "192.0.2.2"),
            server("hub03", "there", "192.0.2.3"),
            server("hub04", "there", "192.0.2.4"),
            server("hub05", "alone", "192.0.2.5"),
        ],
        send_connectors: vec![
            connector("one", &["192.0.2.2"], &[]),
            connector("two", &["192.0.2.2", "192.0.2.9"], &[]),
            connector("sourced", &[], &["hub02"]),
        ],
        ..RoutingSettings::default()
    };
    let router = Router::new(settings).unwrap();
    let cases = [
        ("SmtpRelayWithinSite/hub02", "hub02", false),
        ("SmtpRelayWithinSite//sourced", "hub02", false),
        ("SmtpRelayToRemoteSite/there", "hub03", true),
        ("SmtpRelayToRemoteSite/alone", "hub05", false),
        ("SmartHostConnectorDelivery/one", "hub02", false),
        ("SmartHostConnectorDelivery/two", "hub02", true),
        ("SmartHostConnectorDelivery/gone", "hub02", true),
        ("SmtpRelayWithinSite/hub09", "hub09", true),
        ("DnsConnectorDelivery/b.example/lab", "hub02", true),
        ("Unreachable", "hub02", true),
    ];
    for (key, partner, expected) in cases {
        assert_eq!(has_other_target(&router, &key.parse().unwrap(), partner), expected, "{key}");
    }
}
