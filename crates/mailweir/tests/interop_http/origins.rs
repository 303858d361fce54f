//! The real program before others of its kind: which origin serves whom, and whose connection it is.

use std::io::Write;
use std::time::Duration;

use crate::support::{PASSWORD, Server, eventually, http, soap};

const GET_INBOX: &str = "<m:GetFolder><m:FolderShape><t:BaseShape>IdOnly</t:BaseShape></m:FolderShape><m:FolderIds>\
                         <t:DistinguishedFolderId Id=\"inbox\"/></m:FolderIds></m:GetFolder>";

fn get_inbox() -> Vec<u8> {
    soap::envelope("Exchange2010", GET_INBOX).into_bytes()
}

/// Where a request of this user came from, as the log of `server` has it.
fn client_in_log(server: &Server, user: &str) -> Option<String> {
    let lines = server.requests();
    let columns = |line: &String| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    lines.iter().map(columns).rfind(|columns| columns[7] == user).map(|columns| columns[8].clone())
}

#[test]
fn each_domain_is_served_by_its_own_origin() {
    let (one, other) = (Server::start(""), Server::start(""));
    other.run(&["organisation", "new", "b.example", "--domain", "b.example", "--short-name", "B"]);
    other.run(&["mailbox", "new", "ann@b.example", "--alias", "ann", "--no-password"]);
    let settings = format!("[[origin.for]]\ndomains = [\"b.example\"]\nhttp = [\"http://{}\"]\n", other.http);
    let front = Server::before(&one, &settings);
    let john = http::post(front.http, &http::basic("john.doe@example.com", PASSWORD), &get_inbox());
    assert_eq!(john.status, 200, "{}", john.body);
    let ann = http::post(front.http, &http::basic("ann@b.example", PASSWORD), &get_inbox());
    assert_eq!(ann.status, 401, "she has no password at the other origin: {}", ann.body);
    let [at_one, at_other] = [&one, &other].map(|origin| {
        eventually(Duration::from_secs(5), || Some(origin.requests()).filter(|lines| !lines.is_empty()))
            .unwrap()
    });
    assert_eq!((at_one.len(), at_other.len()), (1, 1), "{at_one:?} {at_other:?}");
    assert!(at_one[0].contains(" john.doe@example.com "), "{at_one:?}");
    assert!(at_other[0].contains(" 401 "), "{at_other:?}");
}

#[test]
fn a_trusted_proxys_word_about_the_client_is_taken_and_passed_on() {
    let trusted = "trusted_proxies = [\"127.0.0.0/8\"]\n";
    let origin = Server::start(trusted);
    let front = Server::before_listening(&origin, &format!("{trusted}proxy_protocol = true\n"), "");
    let authorization = http::basic("john.doe@example.com", PASSWORD);
    let body = get_inbox();
    let mut stream = http::connect(front.http);
    stream.write_all(b"PROXY TCP4 203.0.113.7 192.0.2.1 40000 443\r\n").unwrap();
    let head = http::head(&authorization, &format!("Content-Length: {}", body.len()));
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&body).unwrap();
    let answer = http::reply(&mut stream).unwrap();
    assert_eq!(answer.status, 200, "{}", answer.body);
    for server in [&front, &origin] {
        let logged = eventually(Duration::from_secs(5), || client_in_log(server, "john.doe@example.com"));
        assert_eq!(logged.as_deref(), Some("203.0.113.7"));
    }
}

#[test]
fn a_strangers_word_about_the_client_is_not_taken() {
    let server = Server::start("");
    let body = get_inbox();
    let length = format!("X-Forwarded-For: 203.0.113.7\r\nContent-Length: {}", body.len());
    let mut stream = http::connect(server.http);
    let head = http::head(&http::basic("john.doe@example.com", PASSWORD), &length);
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&body).unwrap();
    assert_eq!(http::reply(&mut stream).unwrap().status, 200);
    let logged = eventually(Duration::from_secs(5), || client_in_log(&server, "john.doe@example.com"));
    assert_eq!(logged.as_deref(), Some("127.0.0.1"));
}
