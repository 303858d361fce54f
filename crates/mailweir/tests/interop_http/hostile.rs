//! Bodies that are too large, too slow, too deep or no SOAP at all: a clean refusal, bounded memory, and the server
//! goes on for everybody else.

use crate::support::http::{self, Reply};
use crate::support::soap::{Client, SINCE_2010, envelope, get_folder};
use crate::support::{Server, eventually};
use std::fmt::Write as _;
use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

/// Small limits, so that a test meets them soon.
const LIMITS: &str =
    "[limits]\nbody_bytes = \"2MiB\"\nbody_grace = \"1s\"\nidle_time = \"3s\"\nfirst_byte_time = \"2s\"\n";

/// How much the process may grow over one bad input, in KiB.
const GROWTH_KIB: u64 = 48 << 10;

/// Sends a body that is whole, and checks that it is refused with one of these statuses and harms nobody.
fn check(sentence: &str, body: &[u8], statuses: &[u16], said: &str) {
    let server = Server::start(LIMITS);
    let john = Client::new(&server, "john.doe");
    assert!(john.is_served());
    let before = server.resident_kib();
    let began = Instant::now();
    let reply = http::post(server.http, &john.authorization(), body);
    assert!(statuses.contains(&reply.status), "{sentence}: {reply:?}");
    assert!(reply.body.contains(said), "{sentence}: {reply:?}");
    assert!(began.elapsed() < Duration::from_secs(5), "{sentence}: took {:?}", began.elapsed());
    still_well(&server, before, sentence);
}

fn still_well(server: &Server, before_kib: u64, sentence: &str) {
    assert!(Client::new(server, "john.doe").is_served(), "{sentence}: a good request is not served any more");
    let after = server.resident_kib();
    assert!(after <= before_kib + GROWTH_KIB, "{sentence}: from {before_kib} to {after} KiB");
}

#[test]
fn ten_thousand_nested_elements_are_refused() {
    let nested = format!("{}{}", "<x>".repeat(10_000), "</x>".repeat(10_000));
    check("nested", envelope(SINCE_2010, &nested).as_bytes(), &[400, 500], "Fault");
}

#[test]
fn an_entity_bomb_is_refused_unexpanded() {
    let mut bomb = String::from("<?xml version=\"1.0\"?><!DOCTYPE bomb [<!ENTITY e0 \"ha\">");
    for level in 1..30 {
        let inner = format!("&e{};", level - 1).repeat(10);
        write!(bomb, "<!ENTITY e{level} \"{inner}\">").unwrap();
    }
    bomb.push_str("]><s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body>&e29;</s:Body></s:Envelope>");
    check("bomb", bomb.as_bytes(), &[400, 500], "Fault");
}

#[test]
fn invalid_utf_8_is_refused() {
    let mut body = envelope(SINCE_2010, &get_folder("inbox")).into_bytes();
    let place = body.len() / 2;
    body.splice(place..place, [0xC3, 0x28, 0xFF]);
    check("utf-8", &body, &[400, 500], "Fault");
}

#[test]
fn a_soap_body_without_an_operation_is_refused() {
    check("empty", envelope(SINCE_2010, "").as_bytes(), &[400, 500], "Fault");
}

#[test]
fn an_operation_that_is_not_known_is_refused_by_its_name() {
    check("unknown", envelope(SINCE_2010, "<m:FoldLaundry/>").as_bytes(), &[500], "FoldLaundry");
}

#[test]
fn what_is_not_xml_is_refused() {
    check("text", b"GetFolder please", &[400, 500], "Fault");
    check("nothing", b"", &[400, 411, 500], "");
}

#[test]
fn a_body_of_two_gigabytes_is_refused_before_it_is_read() {
    let server = Server::start(LIMITS);
    let john = Client::new(&server, "john.doe");
    assert!(john.is_served());
    let before = server.resident_kib();
    let began = Instant::now();
    let mut stream = http::connect(server.http);
    stream.write_all(http::head(&john.authorization(), "Content-Length: 2147483648").as_bytes()).unwrap();
    let reply = http::reply(&mut stream).unwrap();
    assert!(is_too_large(&reply), "{reply:?}");
    // The answer comes at once; the connection lingers for a moment, so that a client that still sends reads it.
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    still_well(&server, before, "two gigabytes");
}

#[test]
fn a_body_without_an_end_is_cut_at_the_limit() {
    let server = Server::start(LIMITS);
    let john = Client::new(&server, "john.doe");
    assert!(john.is_served());
    let before = server.resident_kib();
    let began = Instant::now();
    let reply = pour(&server, &john.authorization());
    assert!(began.elapsed() < Duration::from_secs(10), "it was taken for {:?}", began.elapsed());
    assert!(reply.as_ref().is_some_and(is_too_large), "{reply:?}");
    still_well(&server, before, "endless");
}

/// Sends chunk after chunk until the server has closed the connection, and gives its answer.
fn pour(server: &Server, authorization: &str) -> Option<Reply> {
    let mut stream = http::connect(server.http);
    stream.write_all(http::head(authorization, "Transfer-Encoding: chunked").as_bytes()).unwrap();
    let mut reader = stream.try_clone().unwrap();
    let answer = thread::spawn(move || http::reply(&mut reader).ok());
    let start = envelope(SINCE_2010, "").replace("</s:Body></s:Envelope>", "<m:Endless>");
    stream.write_all(format!("{:x}\r\n{start}\r\n", start.len()).as_bytes()).unwrap();
    let chunk = format!("10000\r\n{}\r\n", "more".repeat(1 << 14));
    let end = Instant::now() + Duration::from_secs(30);
    while Instant::now() < end && stream.write_all(chunk.as_bytes()).is_ok() {}
    answer.join().unwrap()
}

/// The fault that names the size. It comes with 500, because clients read faults only there.
fn is_too_large(reply: &Reply) -> bool {
    reply.status == 500 && reply.body.contains("ErrorMessageSizeExceeded")
}

#[test]
fn a_body_that_trickles_is_cut_off() {
    let server = Server::start(LIMITS);
    let john = Client::new(&server, "john.doe");
    assert!(john.is_served());
    let before = server.resident_kib();
    let mut stream = http::connect(server.http);
    stream.write_all(http::head(&john.authorization(), "Content-Length: 100000").as_bytes()).unwrap();
    let mut reader = stream.try_clone().unwrap();
    let began = Instant::now();
    let answer = thread::spawn(move || http::reply(&mut reader));
    let cut = eventually(Duration::from_secs(15), || {
        thread::sleep(Duration::from_millis(200));
        stream.write_all(b"<").is_err().then_some(()).or_else(|| answer.is_finished().then_some(()))
    });
    assert!(cut.is_some(), "still open after {:?}", began.elapsed());
    assert!(john.is_served());
    still_well(&server, before, "trickle");
}

#[test]
fn a_connection_that_says_nothing_is_closed() {
    let server = Server::start(LIMITS);
    let mut stream = http::connect(server.http);
    let began = Instant::now();
    assert!(http::reply(&mut stream).is_err(), "an answer to nothing");
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
}
