use super::*;

fn range(text: &str) -> AddressRange {
    text.parse().unwrap()
}

#[test]
fn a_range_holds_its_first_and_last_address_and_no_neighbour() {
    let cases: [(&str, &[&str], &[&str]); 7] = [
        ("10.0.0.0/8", &["10.0.0.0", "10.255.255.255"], &["9.255.255.255", "11.0.0.0"]),
        ("192.0.2.4/30", &["192.0.2.4", "192.0.2.7"], &["192.0.2.3", "192.0.2.8"]),
        ("192.0.2.1", &["192.0.2.1", "::ffff:192.0.2.1"], &["192.0.2.0", "::ffff:192.0.2.2", "::192.0.2.1"]),
        ("0.0.0.0/0", &["0.0.0.0", "255.255.255.255"], &["::", "2001:db8::1"]),
        ("::/0", &["::", "2001:db8::1"], &["0.0.0.0", "::ffff:192.0.2.1"]),
        ("2001:db8::/33", &["2001:db8::", "2001:db8:7fff:ffff:ffff:ffff:ffff:ffff"], &["2001:db8:8000::"]),
        ("2001:db8::1", &["2001:db8::1"], &["2001:db8::2", "2001:db8::"]),
    ];
    for (text, inside, outside) in cases {
        for address in inside {
            assert!(range(text).contains(address.parse().unwrap()), "{address} in {text}");
        }
        for address in outside {
            assert!(!range(text).contains(address.parse().unwrap()), "{address} in {text}");
        }
    }
}

#[test]
fn a_range_is_printed_as_it_is_read() {
    for text in ["10.0.0.0/8", "0.0.0.0/0", "192.0.2.1/32", "::/0", "2001:db8::/32", "2001:db8::1/128"] {
        assert_eq!(range(text).to_string(), text);
    }
    assert_eq!((range("192.0.2.1").bits(), range("2001:db8::1").bits()), (32, 128));
    assert_eq!(range("10.0.0.0/8").first(), "10.0.0.0".parse::<IpAddr>().unwrap());
}

#[test]
fn a_mistake_says_what_to_write() {
    let cases = [
        ("", "\"\" is not a range of addresses, such as \"10.0.0.0/8\" or \"2001:db8::/32\""),
        (
            "10.0.0.0/",
            "\"10.0.0.0/\" is not a range of addresses, such as \"10.0.0.0/8\" or \"2001:db8::/32\"",
        ),
        (
            "10.0.0.0/+8",
            "\"10.0.0.0/+8\" is not a range of addresses, such as \"10.0.0.0/8\" or \"2001:db8::/32\"",
        ),
        (
            "proxy.example",
            "\"proxy.example\" is not a range of addresses, such as \"10.0.0.0/8\" or \"2001:db8::/32\"",
        ),
        ("10.0.0.0/33", "\"10.0.0.0/33\": a prefix of 33 bits is too long; at most 32"),
        ("2001:db8::/129", "\"2001:db8::/129\": a prefix of 129 bits is too long; at most 128"),
        ("10.0.0.1/8", "\"10.0.0.1/8\" has bits set behind its prefix; write \"10.0.0.0/8\""),
        ("2001:db8::1/0", "\"2001:db8::1/0\" has bits set behind its prefix; write \"::/0\""),
        (
            "::ffff:10.0.0.0/104",
            "\"::ffff:10.0.0.0/104\" is an IPv4 range written as IPv6; write it as IPv4, such as \"10.0.0.0/8\"",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(text.parse::<AddressRange>().unwrap_err().to_string(), message);
    }
}
