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
fn a_domain_of_any_script_is_the_one_that_the_domain_name_system_knows() {
    let domain = |text: &str| text.parse::<Domain>().unwrap();
    assert_eq!(domain("B\u{fc}cher.example").as_str(), "xn--bcher-kva.example");
    assert_eq!(domain("fa\u{df}.test").as_str(), "xn--fa-hia.test");
    assert_eq!(domain("_mail.b\u{fc}cher.test").as_str(), "_mail.xn--bcher-kva.test");
    assert_eq!(domain("\u{4f8b}\u{3048}.\u{30c6}\u{30b9}\u{30c8}").as_str(), "xn--r8jz45g.xn--zckzah");
    assert_eq!(domain("bu\u{308}cher.example."), domain("XN--BCHER-KVA.example"), "composed or not");
    assert!(
        domain("post.\u{939}\u{93f}\u{928}\u{94d}\u{926}\u{940}.example").as_str().starts_with("post.xn--")
    );
    let spread: String = (0..21).filter_map(|step| char::from_u32(0x4E00 + step * 997)).collect();
    assert!(format!("{spread}.test").parse::<Domain>().is_err(), "a label too long in ASCII");
    assert!("\u{fc}".repeat(MAX_DOMAIN).parse::<Domain>().is_err());
    assert!("\u{fc}".repeat(1 << 20).parse::<Domain>().is_err(), "and takes no time");
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
