use super::*;

fn trust(ranges: &[&str]) -> Trust {
    let trusted_proxies = ranges.iter().map(|range| range.parse().unwrap()).collect();
    Trust::new(&Listen { trusted_proxies, proxy_protocol: true, ..Listen::default() })
}

fn check(ranges: &[&str], peer: &str, headers: &[(&'static str, &'static str)], client: &str) {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    let found = trust(ranges).client(&map, peer.parse().unwrap());
    assert_eq!(found.to_string(), client, "{peer} with {headers:?}");
}

#[test]
fn a_stranger_is_who_he_is_whatever_he_writes() {
    let claims = [("x-forwarded-for", "192.0.2.7"), ("forwarded", "for=192.0.2.7")];
    check(&[], "127.0.0.1", &claims, "127.0.0.1");
    check(&["10.0.0.0/8"], "198.51.100.1", &claims, "198.51.100.1");
    check(&["10.0.0.0/8"], "2001:db8::1", &claims, "2001:db8::1");
}

#[test]
fn a_trusted_proxy_is_believed_about_its_client_and_no_further() {
    let proxies = ["10.0.0.0/8"];
    check(&proxies, "10.0.0.1", &[("x-forwarded-for", "203.0.113.7")], "203.0.113.7");
    check(&proxies, "10.0.0.1", &[("x-forwarded-for", "192.0.2.66, 203.0.113.7, 10.0.0.2")], "203.0.113.7");
    check(
        &proxies,
        "10.0.0.1",
        &[("forwarded", "for=192.0.2.66, for=\"[2001:db8::9]:4711\"")],
        "2001:db8::9",
    );
    check(&proxies, "10.0.0.1", &[], "10.0.0.1");
}

#[test]
fn a_header_in_several_lines_is_one_list() {
    let lines = [("x-forwarded-for", "192.0.2.66"), ("x-forwarded-for", "203.0.113.7, 10.0.0.2")];
    check(&["10.0.0.0/8"], "10.0.0.1", &lines, "203.0.113.7");
}

#[test]
fn headers_that_name_different_clients_leave_the_proxy_itself() {
    let headers = [("x-forwarded-for", "203.0.113.7"), ("forwarded", "for=192.0.2.66")];
    check(&["10.0.0.0/8"], "10.0.0.1", &headers, "10.0.0.1");
}

#[test]
fn an_ipv4_proxy_is_known_on_an_ipv6_socket_too() {
    check(&["10.0.0.0/8"], "::ffff:10.0.0.1", &[("x-forwarded-for", "203.0.113.7")], "203.0.113.7");
    check(&["10.0.0.0/8"], "::ffff:192.0.2.1", &[("x-forwarded-for", "203.0.113.7")], "192.0.2.1");
}

#[test]
fn a_proxy_header_is_expected_from_trusted_proxies_alone_and_only_where_switched_on() {
    let [proxy, stranger] = ["10.0.0.1", "198.51.100.1"].map(|address| address.parse().unwrap());
    let on = trust(&["10.0.0.0/8"]);
    assert!(on.expects_header(proxy));
    assert!(!on.expects_header(stranger));
    let off =
        Trust::new(&Listen { trusted_proxies: vec!["10.0.0.0/8".parse().unwrap()], ..Listen::default() });
    assert!(!off.expects_header(proxy));
}
