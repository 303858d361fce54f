use hyper::header::HeaderMap;
use hyper::http::{request, response};
use hyper::{Request, Response, Version};
use proptest::prelude::*;
use weir_wire::forwarded::TrustedProxies;

use super::super::settings::{ForwardingSettings, HostHeader};
use super::{Forwarding, asks_for_web_socket, for_client, for_origin};

const STRANGER: Forwarding<'static> = Forwarding {
    from: std::net::IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 7)),
    trusted: None,
    secure: true,
    id: "6f1c",
    answer_is_read: false,
    server: "10.0.0.1:8080",
    settings: ForwardingSettings { x_forwarded_for: true, forwarded: false, host: HostHeader::AsSent },
};

fn lines(headers: &HeaderMap) -> Vec<String> {
    headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect()
}

fn head(uri: &str, sent: &[&str]) -> request::Parts {
    let mut builder = Request::get(uri);
    for line in sent {
        let (name, value) = line.split_once(": ").unwrap();
        builder = builder.header(name, value);
    }
    builder.body(()).unwrap().into_parts().0
}

fn check(sent: &[&str], forwarding: &Forwarding<'_>, passed_on: &[&str]) {
    let mut head = head("/EWS/Exchange.asmx", sent);
    for_origin(&mut head, forwarding);
    assert_eq!(lines(&head.headers), passed_on, "of {sent:?}");
}

fn check_answer(status: u16, sent: &[&str], passed_on: &[&str]) {
    let mut builder = Response::builder().status(status);
    for line in sent {
        let (name, value) = line.split_once(": ").unwrap();
        builder = builder.header(name, value);
    }
    let mut head: response::Parts = builder.body(()).unwrap().into_parts().0;
    for_client(&mut head);
    assert_eq!(lines(&head.headers), passed_on, "of {sent:?}");
}

#[test]
fn what_belongs_to_the_connection_is_left_out_and_the_rest_keeps_its_order() {
    let sent = [
        "host: mail.example.com",
        "connection: keep-alive, X-Hop",
        "x-first: 1",
        "keep-alive: timeout=5",
        "x-hop: 2",
        "te: trailers",
        "trailer: x-late",
        "proxy-authorization: Basic eA==",
        "proxy-connection: keep-alive",
        "upgrade: h2c",
        "authorization: NTLM TlRM",
        "content-length: 3",
        "accept-encoding: gzip",
        "x-last: 3",
    ];
    let passed_on = [
        "host: mail.example.com",
        "x-first: 1",
        "authorization: NTLM TlRM",
        "content-length: 3",
        "accept-encoding: gzip",
        "x-last: 3",
        "x-forwarded-for: 192.0.2.7",
        "client-request-id: 6f1c",
    ];
    check(&sent, &STRANGER, &passed_on);
}

#[test]
fn connection_cannot_name_what_frames_or_routes_a_request() {
    let sent = ["host: a", "connection: Host, Content-Length, X-Forwarded-For", "content-length: 3"];
    let passed_on = ["host: a", "content-length: 3", "x-forwarded-for: 192.0.2.7", "client-request-id: 6f1c"];
    check(&sent, &STRANGER, &passed_on);
}

#[test]
fn a_length_beside_a_transfer_coding_is_left_out() {
    let sent = ["host: a", "content-length: 3", "transfer-encoding: chunked"];
    let passed_on =
        ["host: a", "transfer-encoding: chunked", "x-forwarded-for: 192.0.2.7", "client-request-id: 6f1c"];
    check(&sent, &STRANGER, &passed_on);
    check_answer(200, &["transfer-encoding: chunked", "content-length: 3"], &["transfer-encoding: chunked"]);
}

#[test]
fn a_stranger_is_not_believed_about_the_client() {
    let sent =
        ["host: a", "x-forwarded-for: 203.0.113.1", "forwarded: for=203.0.113.1", "client-request-id: x"];
    let settings = ForwardingSettings { forwarded: true, ..STRANGER.settings };
    let passed_on = [
        "host: a",
        "client-request-id: x",
        "x-forwarded-for: 192.0.2.7",
        "forwarded: for=192.0.2.7;proto=https",
        "x-request-id: 6f1c",
    ];
    check(&sent, &Forwarding { settings, ..STRANGER }, &passed_on);
}

#[test]
fn what_trusted_proxies_say_stays_in_front_and_what_a_stranger_said_to_them_does_not() {
    let sent = ["host: a", "x-forwarded-for: 203.0.113.66, 203.0.113.1", "x-forwarded-for: 198.51.100.2"];
    let settings = ForwardingSettings { forwarded: true, ..STRANGER.settings };
    let from = "2001:db8::7".parse().unwrap();
    let ranges = ["2001:db8::7/128", "198.51.100.0/24"].map(|range| range.parse().unwrap());
    let trusted = TrustedProxies::new(ranges.into());
    let forwarding = Forwarding { trusted: Some(&trusted), secure: false, from, settings, ..STRANGER };
    let passed_on = [
        "host: a",
        "x-forwarded-for: 203.0.113.1, 198.51.100.2, 2001:db8::7",
        "forwarded: for=203.0.113.1, for=198.51.100.2, for=\"[2001:db8::7]\";proto=http",
        "client-request-id: 6f1c",
    ];
    check(&sent, &forwarding, &passed_on);
}

#[test]
fn an_ipv4_client_on_an_ipv6_socket_is_written_as_ipv4() {
    let from = "::ffff:192.0.2.9".parse().unwrap();
    let passed_on = ["host: a", "x-forwarded-for: 192.0.2.9", "client-request-id: 6f1c"];
    check(&["host: a"], &Forwarding { from, ..STRANGER }, &passed_on);
}

#[test]
fn nothing_is_said_of_the_client_where_the_setting_says_so() {
    let settings = ForwardingSettings { x_forwarded_for: false, ..STRANGER.settings };
    let sent = ["host: a", "x-forwarded-for: 203.0.113.1"];
    let passed_on = ["host: a", "x-forwarded-for: 203.0.113.1", "client-request-id: 6f1c"];
    check(&sent, &Forwarding { settings, ..STRANGER }, &passed_on);
}

#[test]
fn the_clients_own_request_ids_are_never_overwritten() {
    let sent = ["host: a", "client-request-id: x", "x-request-id: y"];
    let passed_on = ["host: a", "client-request-id: x", "x-request-id: y", "x-forwarded-for: 192.0.2.7"];
    check(&sent, &STRANGER, &passed_on);
}

#[test]
fn an_answer_that_is_read_is_asked_for_uncompressed() {
    let passed_on = ["host: a", "x-forwarded-for: 192.0.2.7", "client-request-id: 6f1c"];
    let forwarding = Forwarding { answer_is_read: true, ..STRANGER };
    check(&["host: a", "accept-encoding: gzip, br"], &forwarding, &passed_on);
}

#[test]
fn a_web_socket_keeps_its_upgrade() {
    let sent = ["host: a", "upgrade: websocket", "connection: keep-alive, Upgrade", "sec-websocket-key: k"];
    let passed_on = [
        "host: a",
        "upgrade: websocket",
        "connection: Upgrade",
        "sec-websocket-key: k",
        "x-forwarded-for: 192.0.2.7",
        "client-request-id: 6f1c",
    ];
    check(&sent, &STRANGER, &passed_on);
    let answer = ["connection: Upgrade", "upgrade: websocket", "sec-websocket-accept: s"];
    check_answer(101, &answer, &answer);
    check_answer(200, &answer, &["sec-websocket-accept: s"]);
}

#[test]
fn only_a_web_socket_may_upgrade() {
    let asks = |sent: &[&str]| asks_for_web_socket(&head("/", sent).headers);
    assert!(asks(&["connection: upgrade", "upgrade: WebSocket"]));
    assert!(!asks(&["connection: upgrade", "upgrade: h2c"]));
    assert!(!asks(&["upgrade: websocket"]));
    assert!(!asks(&["connection: upgrade"]));
}

#[test]
fn a_whole_address_becomes_a_path_and_its_host_counts() {
    let mut asked = head("http://mail.example.com/owa/?a=b", &["host: evil.example"]);
    asked.version = Version::HTTP_10;
    for_origin(&mut asked, &STRANGER);
    assert_eq!((asked.uri.to_string(), asked.version), ("/owa/?a=b".to_owned(), Version::HTTP_11));
    assert_eq!(asked.headers.get("host").unwrap(), "mail.example.com");
}

#[test]
fn a_missing_host_is_the_servers_own_and_so_it_is_where_the_setting_says_so() {
    let passed_on = ["host: 10.0.0.1:8080", "x-forwarded-for: 192.0.2.7", "client-request-id: 6f1c"];
    check(&[], &STRANGER, &passed_on);
    let settings = ForwardingSettings { host: HostHeader::Server, ..STRANGER.settings };
    check(&["host: mail.example.com"], &Forwarding { settings, ..STRANGER }, &passed_on);
}

#[test]
fn cookies_and_challenges_of_an_answer_stay_apart_and_in_order() {
    let sent = [
        "server: IIS",
        "www-authenticate: Negotiate",
        "connection: close",
        "www-authenticate: NTLM",
        "set-cookie: a=1",
        "set-cookie: b=2",
        "persistent-auth: true",
        "keep-alive: timeout=5",
    ];
    let passed_on = [
        "server: IIS",
        "www-authenticate: Negotiate",
        "www-authenticate: NTLM",
        "set-cookie: a=1",
        "set-cookie: b=2",
        "persistent-auth: true",
    ];
    check_answer(401, &sent, &passed_on);
}

/// What stays of a head, told in the slowest and plainest way.
fn model(sent: &[(&str, String)]) -> Vec<String> {
    const LEFT_OUT: [&str; 8] = [
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "upgrade",
    ];
    let framed = sent.iter().any(|(name, _)| *name == "transfer-encoding");
    let named = |name: &str| {
        let tokens =
            sent.iter().filter(|(other, _)| *other == "connection").flat_map(|(_, value)| value.split(','));
        tokens.map(str::trim).any(|token| token.eq_ignore_ascii_case(name))
    };
    let mut order: Vec<&str> = Vec::new();
    for (name, _) in sent {
        let stays = ["host", "content-length", "transfer-encoding"].contains(name) || !named(name);
        let stays = stays && !LEFT_OUT.contains(name) && !(framed && *name == "content-length");
        if stays && !order.contains(name) {
            order.push(name);
        }
    }
    let values = |name| sent.iter().filter(move |(other, _)| *other == name);
    order.into_iter().flat_map(values).map(|(name, value)| format!("{name}: {value}")).collect()
}

fn any_field() -> impl Strategy<Value = (&'static str, String)> {
    let names = [
        "connection",
        "keep-alive",
        "te",
        "trailer",
        "upgrade",
        "transfer-encoding",
        "content-length",
        "cookie",
        "authorization",
        "accept",
        "x-one",
        "proxy-connection",
    ];
    let values = ["x-one", "Accept , te", "close", "chunked", "websocket", "1", ""];
    let value = prop::sample::select(values.to_vec()).prop_map(str::to_owned);
    (prop::sample::select(names.to_vec()), value)
}

proptest! {
    #[test]
    fn whatever_is_sent_the_rest_stays_and_keeps_its_order(fields in prop::collection::vec(any_field(), 0..12)) {
        let sent: Vec<_> = std::iter::once(("host", "a".to_owned())).chain(fields).collect();
        let lines_sent: Vec<String> = sent.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let lines_sent: Vec<&str> = lines_sent.iter().map(String::as_str).collect();
        let mut expected = model(&sent);
        expected.extend(["x-forwarded-for: 192.0.2.7".to_owned(), "client-request-id: 6f1c".to_owned()]);
        let mut head = head("/", &lines_sent);
        prop_assume!(!asks_for_web_socket(&head.headers));
        for_origin(&mut head, &STRANGER);
        prop_assert_eq!(lines(&head.headers), expected);
    }
}
