//! Somebody guesses John's password from John's own address (T8).

use crate::support::Server;
use crate::support::http;
use crate::support::soap::{Client, SINCE_2010, envelope, get_folder};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// How many guesses; the rest of a thousand is a matter of a pretended clock, lower down.
const GUESSES: u32 = 20;

#[test]
fn a_guesser_is_slowed_down_and_john_goes_on_undisturbed() {
    let server = Server::start("");
    let john = Client::new(&server, "john.doe");
    assert!(john.is_served());
    let over = AtomicBool::new(false);
    let answers = AtomicU32::new(0);
    let (took, longest) = thread::scope(|scope| {
        let johns_work = scope.spawn(|| {
            let mut longest = Duration::ZERO;
            while !over.load(Relaxed) {
                let began = Instant::now();
                assert!(john.is_served(), "John is refused");
                longest = longest.max(began.elapsed());
                answers.fetch_add(1, Relaxed);
                thread::sleep(Duration::from_millis(20));
            }
            longest
        });
        let began = Instant::now();
        for number in 0..GUESSES {
            guess(&server, number);
        }
        let took = began.elapsed();
        over.store(true, Relaxed);
        (took, johns_work.join().unwrap())
    });
    assert!(took > Duration::from_millis(200) * (GUESSES - 5), "{GUESSES} guesses in {took:?}");
    assert!(took < Duration::from_mins(1), "{GUESSES} guesses in {took:?}");
    assert!(longest < Duration::from_secs(2), "John waited {longest:?}");
    assert!(answers.load(Relaxed) > 10, "John was served {answers:?} times");
    assert_untouched(&server);
}

fn guess(server: &Server, number: u32) {
    let wrong = http::basic("john.doe@example.com", &format!("guess-{number}"));
    let reply = http::post(server.http, &wrong, envelope(SINCE_2010, &get_folder("inbox")).as_bytes());
    assert_eq!(reply.status, 401, "{reply:?}");
    assert!(reply.head.to_ascii_lowercase().contains("www-authenticate: basic"), "{}", reply.head);
}

/// No guess is charged to the person whose name it used.
fn assert_untouched(server: &Server) {
    let denied: Vec<String> = server.requests().into_iter().filter(|line| line.contains(" 401 ")).collect();
    assert!(!denied.is_empty(), "{}", server.request_log());
    assert!(
        denied.iter().all(|line| !line.contains("john.doe@example.com ")),
        "a 401 is charged to John: {denied:?}"
    );
}

#[test]
fn a_wrong_password_costs_the_person_whose_name_was_used_nothing() {
    let server = Server::start("");
    let john = Client::new(&server, "john.doe");
    assert!(john.is_served());
    let before = server.budget("JohnDoe");
    for number in 0..5 {
        guess(&server, number);
    }
    assert_eq!(server.budget("JohnDoe"), before);
}

#[test]
fn a_request_without_credentials_is_asked_for_them_and_costs_nothing() {
    let server = Server::start("");
    let mut stream = http::connect(server.http);
    let body = envelope(SINCE_2010, &get_folder("inbox"));
    let request = format!(
        "POST /ews/exchange.asmx HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
    let reply = http::reply(&mut stream).unwrap();
    assert_eq!(reply.status, 401, "{reply:?}");
    assert!(reply.head.to_ascii_lowercase().contains("www-authenticate: basic"), "{}", reply.head);
}
