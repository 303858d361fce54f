use super::*;

#[test]
fn a_server_is_named_by_host_and_port() {
    for (text, written) in [
        ("10.0.2.4:2525", "10.0.2.4:2525"),
        ("10.0.2.4", "10.0.2.4:25"),
        ("[10.0.2.4]:26", "10.0.2.4:26"),
        ("[2001:db8::1]:25", "[2001:db8::1]:25"),
        ("[2001:db8::1]", "[2001:db8::1]:25"),
        ("Smart.Example:587", "smart.example:587"),
        ("smart.example", "smart.example:25"),
    ] {
        assert_eq!(text.parse::<HostPort>().unwrap().to_string(), written);
    }
    for bad in ["", ":25", "a:", "a:+5", "a:0", "a:65536", "a b:25", "a:b:25", "[2001:db8::1"] {
        assert!(bad.parse::<HostPort>().is_err(), "{bad}");
    }
}
