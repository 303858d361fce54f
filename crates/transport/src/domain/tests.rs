use super::*;

#[test]
fn domains_are_compared_without_case_and_without_the_last_dot() {
    let domain = |text: &str| text.parse::<Domain>().unwrap();
    assert_eq!(domain("Example.COM."), domain("example.com"));
    assert_eq!(domain("EXAMPLE").to_string(), "example");
    assert!(domain("a.example.com").is_below(&domain("example.com")));
    assert!(!domain("example.com").is_below(&domain("example.com")));
    assert!(!domain("anexample.com").is_below(&domain("example.com")));
}

#[test]
fn what_is_no_domain_is_refused() {
    let long = "a.".repeat(126) + "aa";
    for bad in
        ["", ".", "a..b", ".a", "a b", "a/b", "a\r\nb", "[1.2.3]", "[IPv6:1.2.3.4]", "[::1]", "a@b", &long]
    {
        assert!(bad.parse::<Domain>().is_err(), "{bad:?}");
    }
    let label = "a".repeat(MAX_LABEL + 1);
    assert!(label.parse::<Domain>().is_err());
    assert!("[IPv6:\u{e9}".parse::<Domain>().is_err(), "cut between bytes of a letter");
}

#[test]
fn an_address_in_brackets_is_an_address() {
    let address = |text: &str| text.parse::<Domain>().unwrap().address();
    assert_eq!(address("[192.0.2.1]"), "192.0.2.1".parse().ok());
    assert_eq!(address("[ipv6:2001:DB8::1]"), "2001:db8::1".parse().ok());
    assert_eq!(address("192.0.2.1"), None, "without brackets these are labels");
}
