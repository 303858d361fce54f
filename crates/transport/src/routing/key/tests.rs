use super::*;

#[test]
fn a_key_is_read_as_it_is_written() {
    for text in [
        "MailboxDelivery",
        "SmtpRelayWithinSite/hub02",
        "SmtpRelayWithinSite//lab",
        "SmtpRelayToRemoteSite/B",
        "DnsConnectorDelivery/pool.test/lab",
        "DnsConnectorDelivery/pool.test/a/b",
        "DnsConnectorDelivery/[ipv6:2001:db8::1]/lab",
        "SmartHostConnectorDelivery/lab",
        "ShadowRedundancy/hub04",
        "Unreachable",
    ] {
        let key: NextHopKey = text.parse().unwrap();
        assert_eq!(key.to_string(), text);
        assert!(text.starts_with(key.delivery_type().name()));
    }
}

#[test]
fn what_names_no_next_hop_is_refused_with_a_way_to_find_one() {
    for text in [
        "",
        "Mailbox",
        "MailboxDelivery/x",
        "Unreachable/",
        "DnsConnectorDelivery/lab",
        "SmtpRelayToRemoteSite/",
    ] {
        assert!(text.parse::<NextHopKey>().is_err(), "{text}");
    }
    let told = "lab".parse::<NextHopKey>().unwrap_err().to_string();
    assert_eq!(told, "\"lab\" names no next hop; `mailweir queue list` shows those there are");
}

#[test]
fn the_columns_of_a_listing_are_type_domain_and_connector() {
    let columns = |text: &str| {
        let key: NextHopKey = text.parse().unwrap();
        (key.domain().map(str::to_owned), key.connector().map(str::to_owned))
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(columns("DnsConnectorDelivery/pool.test/lab"), (some("pool.test"), some("lab")));
    assert_eq!(columns("SmtpRelayWithinSite//lab"), (None, some("lab")));
    assert_eq!(columns("SmtpRelayToRemoteSite/B"), (some("B"), None));
    assert_eq!(columns("MailboxDelivery"), (None, None));
}
