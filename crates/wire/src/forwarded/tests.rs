use proptest::prelude::*;

use super::*;

/// Proxies in `10.0.0.0/8` and `2001:db8:10::/48` are trusted.
fn trusted() -> TrustedProxies {
    TrustedProxies::new(vec!["10.0.0.0/8".parse().unwrap(), "2001:db8:10::/48".parse().unwrap()])
}

fn read(peer: &str, x_forwarded_for: &[&str], forwarded: &[&str]) -> Chain {
    let bytes = |lines: &[&str]| lines.iter().map(|line| line.as_bytes().to_vec()).collect::<Vec<_>>();
    let (list, described) = (bytes(x_forwarded_for), bytes(forwarded));
    let list: Vec<&[u8]> = list.iter().map(Vec::as_slice).collect();
    let described: Vec<&[u8]> = described.iter().map(Vec::as_slice).collect();
    Chain::read(peer.parse().unwrap(), &trusted(), Claims { x_forwarded_for: &list, forwarded: &described })
}

/// What one header leads to, seen from the trusted peer 10.0.0.1.
fn client_by_list(lines: &[&str]) -> (String, Option<Doubt>) {
    let chain = read("10.0.0.1", lines, &[]);
    (chain.client().to_string(), chain.doubt())
}

fn client_by_forwarded(lines: &[&str]) -> (String, Option<Doubt>) {
    let chain = read("10.0.0.1", &[], lines);
    (chain.client().to_string(), chain.doubt())
}

#[test]
fn a_stranger_is_never_believed() {
    for (list, forwarded) in [
        (vec!["203.0.113.7"], vec![]),
        (vec![], vec!["for=203.0.113.7"]),
        (vec!["203.0.113.7"], vec!["for=203.0.113.7"]),
        (vec!["10.0.0.1"], vec!["for=10.0.0.1"]),
        (vec!["garbage"], vec!["\"\"\""]),
    ] {
        for peer in ["198.51.100.1", "2001:db8:11::1", "11.0.0.0"] {
            let chain = read(peer, &list, &forwarded);
            assert_eq!(chain.client().to_string(), peer);
            assert_eq!(chain.x_forwarded_for(), peer, "and nothing of it goes upstream");
            assert!(!chain.forwarded(Scheme::Http).contains("203.0.113.7"));
        }
    }
}

#[test]
fn nobody_is_trusted_unless_stated() {
    let chain = Chain::read(
        "127.0.0.1".parse().unwrap(),
        &TrustedProxies::default(),
        Claims { x_forwarded_for: &[b"203.0.113.7"], ..Claims::default() },
    );
    assert_eq!((chain.client().to_string().as_str(), chain.doubt()), ("127.0.0.1", None));
}

#[test]
fn the_right_most_stranger_of_the_list_is_the_client() {
    let cases: [(&[&str], &str); 14] = [
        (&[], "10.0.0.1"),
        (&["203.0.113.7"], "203.0.113.7"),
        (&["192.0.2.66, 203.0.113.7"], "203.0.113.7"),
        (&["192.0.2.66,203.0.113.7 ,\t10.0.0.3"], "203.0.113.7"),
        (&["192.0.2.66", "203.0.113.7, 10.0.0.3", "10.0.0.2"], "203.0.113.7"),
        (&["10.0.0.5, 203.0.113.7, 10.0.0.3"], "203.0.113.7"),
        (&["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        (&["garbage, 203.0.113.7"], "203.0.113.7"),
        (&["203.0.113.7:4711"], "203.0.113.7"),
        (&["2001:db8::7"], "2001:db8::7"),
        (&["[2001:db8::7]"], "2001:db8::7"),
        (&["203.0.113.7, [2001:db8:10::2]:443"], "203.0.113.7"),
        (&["203.0.113.7, ::ffff:10.0.0.2"], "203.0.113.7"),
        (&["::ffff:203.0.113.7"], "203.0.113.7"),
    ];
    for (lines, client) in cases {
        assert_eq!(client_by_list(lines), (client.to_owned(), None), "{lines:?}");
    }
}

#[test]
fn the_right_most_stranger_of_forwarded_is_the_client() {
    let cases: [(&[&str], &str); 14] = [
        (&["for=203.0.113.7"], "203.0.113.7"),
        (&["For=\"203.0.113.7\";proto=https;by=10.0.0.1"], "203.0.113.7"),
        (&["for=\"203.0.113.7:4711\""], "203.0.113.7"),
        (&["for=203.0.113.7:4711"], "203.0.113.7"),
        (&["for=\"203.0.113.7:_hidden\""], "203.0.113.7"),
        (&["for=\"[2001:db8:cafe::17]:4711\""], "2001:db8:cafe::17"),
        (&["for=\"[2001:db8:cafe::17]\""], "2001:db8:cafe::17"),
        (&["for=[2001:db8:cafe::17]"], "2001:db8:cafe::17"),
        (&["for=\"\\203.0.113.7\""], "203.0.113.7"),
        (&["for=192.0.2.66, for=203.0.113.7; proto=http ;;, for=\"[2001:db8:10::2]\""], "203.0.113.7"),
        (&["for=192.0.2.66", "for=203.0.113.7", "by=10.0.0.1;for=10.0.0.2"], "203.0.113.7"),
        (&["\"garbage\", for=203.0.113.7"], "203.0.113.7"),
        (&["for=192.0.2.66;by=\"", "for=203.0.113.7"], "203.0.113.7"),
        (&["for=192.0.2.66;by=\", for=203.0.113.7"], "203.0.113.7"),
    ];
    for (lines, client) in cases {
        assert_eq!(client_by_forwarded(lines), (client.to_owned(), None), "{lines:?}");
    }
}

#[test]
fn what_names_no_address_ends_the_walk_at_the_proxy_that_wrote_it() {
    for element in [
        "",
        " ",
        "unknown",
        "host.example",
        "203.0.113",
        "203.0.113.07",
        "203.0.113.7:",
        "203.0.113.7:65536",
        "203.0.113.7:+1",
        "203.0.113.7:_a",
        "203.0.113.7 x",
        "[203.0.113.7]",
        "[2001:db8::1",
        "[2001:db8::1]x",
        "[2001:db8::1]:",
        "2001:db8::1]",
        "fe80::1%eth0",
        "\"203.0.113.7\"",
        "203.0.113.7;",
        "for=203.0.113.7",
        "203.0.113.7\u{0}",
        "２０３.0.113.7",
    ] {
        let (at_once, behind) =
            (format!("192.0.2.66, {element}"), format!("192.0.2.66, {element}, 10.0.0.9"));
        assert_eq!(
            client_by_list(&[&at_once]),
            ("10.0.0.1".to_owned(), Some(Doubt::NoAddress)),
            "{element:?}"
        );
        assert_eq!(
            client_by_list(&[&behind]),
            ("10.0.0.9".to_owned(), Some(Doubt::NoAddress)),
            "{element:?}"
        );
    }
    for element in [
        "",
        ";",
        "for",
        "for=",
        "=203.0.113.7",
        "for=unknown",
        "for=_secret",
        "by=203.0.113.7",
        "for =203.0.113.7",
        "for= 203.0.113.7",
        "203.0.113.7",
        "for=\"203.0.113.7",
        "for=203.0.113.7\"",
        "for=\"203.0.113.7\"x",
        "for=\"203.0.113.7\\",
        "for=\"\"",
        "for=203.0.113.7:_",
        "for=203.0.113.7;x=\"\r\ny: z\"",
        "for=203.0.113.7;x=\"\u{7f}\"",
        "for=203.0.113.7;x=\"é\"",
        "for=203.0.113.7:_a/b",
        "for=2001:db8::1x",
        "for=203.0.113.7;for=203.0.113.7",
        "for=203.0.113.7;x",
        "for=203.0.113.7;b(=1",
        "for=203.0.113.7 proto=http",
        "for=203.0.113.7;proto=",
        "y=\\\"a\";for=203.0.113.7",
    ] {
        let (at_once, behind) =
            (format!("for=192.0.2.66, {element}"), format!("for=192.0.2.66, {element}, for=10.0.0.9"));
        assert_eq!(
            client_by_forwarded(&[&at_once]),
            ("10.0.0.1".to_owned(), Some(Doubt::NoAddress)),
            "{element:?}"
        );
        assert_eq!(
            client_by_forwarded(&[&behind]),
            ("10.0.0.9".to_owned(), Some(Doubt::NoAddress)),
            "{element:?}"
        );
    }
}

#[test]
fn a_host_name_that_a_proxy_quotes_cannot_forge_an_element() {
    for host in [
        "x, for=192.0.2.66",
        "x, for=192.0.2.66;y=\\\"",
        "x, for=192.0.2.66, y=\\\"z",
        "\\\\\\\", for=192.0.2.66;y=\\\"",
    ] {
        let line = format!("for=203.0.113.7;host=\"{host}\"");
        assert_eq!(client_by_forwarded(&[&line]), ("10.0.0.1".to_owned(), Some(Doubt::NoAddress)), "{line}");
    }
}

#[test]
fn two_headers_are_believed_where_they_agree() {
    let chain = read(
        "10.0.0.1",
        &["192.0.2.66, 203.0.113.7, 10.0.0.2"],
        &["for=203.0.113.7;proto=https, for=10.0.0.2"],
    );
    assert_eq!((chain.client().to_string().as_str(), chain.doubt()), ("203.0.113.7", None));
    assert_eq!(
        chain.forwarded(Scheme::Http),
        "for=203.0.113.7;proto=https, for=10.0.0.2, for=10.0.0.1;proto=http"
    );
}

#[test]
fn a_header_that_only_the_client_wrote_makes_neither_believed() {
    for (list, forwarded) in
        [("203.0.113.7", "for=192.0.2.66"), ("192.0.2.66", "for=203.0.113.7"), ("203.0.113.7", "x")]
    {
        let chain = read("10.0.0.1", &[list], &[forwarded]);
        assert_eq!(chain.client().to_string(), "10.0.0.1");
        assert_eq!(chain.doubt(), Some(Doubt::Disagreement));
        assert_eq!(chain.x_forwarded_for(), "10.0.0.1");
        assert_eq!(chain.forwarded(Scheme::Https), "for=10.0.0.1;proto=https");
    }
}

#[test]
fn what_is_believed_goes_upstream_with_the_peer_at_its_end() {
    let chain = read("2001:db8:10::1", &["192.0.2.66, 2001:db8::7, 10.0.0.3:8080"], &[]);
    assert_eq!(chain.x_forwarded_for(), "2001:db8::7, 10.0.0.3, 2001:db8:10::1");
    assert_eq!(
        chain.forwarded(Scheme::Https),
        "for=\"[2001:db8::7]\", for=10.0.0.3, for=\"[2001:db8:10::1]\";proto=https"
    );
    let chain = read("::ffff:198.51.100.1", &[], &[]);
    assert_eq!(chain.x_forwarded_for(), "198.51.100.1");
    assert_eq!(chain.forwarded(Scheme::Http), "for=198.51.100.1;proto=http");
}

#[test]
fn the_walk_and_an_element_have_an_end() {
    let proxies = |count| vec!["10.0.0.9"; count].join(",");
    assert_eq!(client_by_list(&[&proxies(MAX_HOPS)]), ("10.0.0.9".to_owned(), None));
    let chain = read("10.0.0.1", &[&format!("203.0.113.7,{}", proxies(MAX_HOPS))], &[]);
    assert_eq!((chain.client().to_string().as_str(), chain.doubt()), ("10.0.0.9", Some(Doubt::TooManyHops)));
    let long = |length: usize| format!("for=203.0.113.7;x=\"{}\"", "y".repeat(length - 20));
    assert_eq!(long(MAX_ELEMENT).len(), MAX_ELEMENT);
    assert_eq!(client_by_forwarded(&[&long(MAX_ELEMENT)]), ("203.0.113.7".to_owned(), None));
    assert_eq!(
        client_by_forwarded(&[&long(MAX_ELEMENT + 1)]),
        ("10.0.0.1".to_owned(), Some(Doubt::NoAddress))
    );
}

#[test]
fn every_doubt_says_what_to_do() {
    for (doubt, advice) in [
        (Doubt::Disagreement, "let the proxy remove"),
        (Doubt::NoAddress, "let the proxy append"),
        (Doubt::TooManyHops, "more than 32 trusted proxies: look for a loop"),
    ] {
        assert!(doubt.to_string().contains(advice), "{doubt}");
    }
}

prop_compose! {
    fn addresses()(kind in 0..4_u8, octets in any::<[u8; 4]>(), segments in any::<[u16; 8]>()) -> IpAddr {
        match kind {
            0 => IpAddr::from([10, octets[1], octets[2], octets[3]]),
            1 => IpAddr::from([0x2001, 0xdb8, 0x10, segments[3], segments[4], segments[5], segments[6], segments[7]]),
            2 => IpAddr::from(segments).to_canonical(),
            _ => IpAddr::from(octets),
        }
    }
}

/// An address as a proxy may write it.
fn spelled(address: IpAddr, port: bool) -> String {
    match (address, port) {
        (IpAddr::V4(address), true) => format!("{address}:80"),
        (IpAddr::V6(address), true) => format!("[{address}]:80"),
        (address, false) => address.to_string(),
    }
}

/// Both headers of a request that says `claimed` and then came by `way`.
fn headers(claimed: &str, way: &[IpAddr], ports: bool) -> (String, String) {
    way.iter().fold((claimed.to_owned(), claimed.to_owned()), |(list, forwarded), address| {
        let listed = format!("{list}, {}", spelled(*address, ports));
        (listed, format!("{forwarded}, proto=https;for=\"{}\"", spelled(*address, address.is_ipv6())))
    })
}

proptest! {
    #[test]
    fn nothing_left_of_the_client_matters(
        peer in addresses(),
        proxies in prop::collection::vec(addresses(), 0..6),
        claimed in "[ -~]{0,60}",
        ports: bool,
    ) {
        let trusted = trusted();
        let way: Vec<IpAddr> = std::iter::once("203.0.113.7".parse().unwrap()).chain(proxies).collect();
        let mut from_the_right = std::iter::once(peer).chain(way.iter().rev().copied());
        let client = from_the_right.find(|address| !trusted.trusts(*address));
        let (list, forwarded) = headers(&claimed, &way, ports);
        for (x_forwarded_for, forwarded) in [
            (vec![list.as_bytes()], vec![]),
            (vec![], vec![forwarded.as_bytes()]),
            (vec![list.as_bytes()], vec![forwarded.as_bytes()]),
        ] {
            let claims = Claims { x_forwarded_for: &x_forwarded_for, forwarded: &forwarded };
            let chain = Chain::read(peer, &trusted, claims);
            prop_assert_eq!((Some(chain.client()), chain.doubt()), (client, None));
        }
    }

    #[test]
    fn what_goes_upstream_is_read_back_the_same(
        peer in addresses(),
        lines in prop::collection::vec("[ -~]{0,40}|(for=)?10\\.0\\.0\\.[1-9](, 203\\.0\\.113\\.9)?", 0..4),
        as_list: bool,
    ) {
        let lines: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
        let claims = if as_list {
            Claims { x_forwarded_for: &lines, ..Claims::default() }
        } else {
            Claims { forwarded: &lines, ..Claims::default() }
        };
        let chain = Chain::read(peer, &trusted(), claims);
        let everyone = TrustedProxies::new(vec!["0.0.0.0/0".parse().unwrap(), "::/0".parse().unwrap()]);
        let upstream = (chain.x_forwarded_for(), chain.forwarded(Scheme::Https));
        let (list, forwarded) = ([upstream.0.as_bytes()], [upstream.1.as_bytes()]);
        let claims = Claims { x_forwarded_for: &list, forwarded: &forwarded };
        let again = Chain::read("192.0.2.1".parse().unwrap(), &everyone, claims);
        prop_assert_eq!((again.client(), again.doubt()), (chain.client(), None));
    }

    #[test]
    fn arbitrary_bytes_never_panic(
        lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..80), 0..4),
    ) {
        let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        let claims = Claims { x_forwarded_for: &lines, forwarded: &lines };
        let chain = Chain::read("10.0.0.1".parse().unwrap(), &trusted(), claims);
        let value = chain.forwarded(Scheme::Http);
        prop_assert!(value.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~')), "{}", value);
    }
}
