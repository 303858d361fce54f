//! The request log as an administrator finds it on the disk (T17).

use crate::support::soap::{Client, get_folder};
use crate::support::{Server, eventually};
use std::time::Duration;

/// How often a line may be late because the machine that runs the tests does something else.
const TRIES: usize = 3;

/// The columns, in their order.
const FIELDS: &str = "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip \
                      cs(User-Agent) sc-status sc-substatus sc-win32-status time-taken";

#[test]
fn a_request_is_in_the_log_within_200_ms_and_has_every_column() {
    let server = Server::start("");
    let john = Client::new(&server, "john.doe");
    assert!(john.is_served());
    assert!(eventually(Duration::from_secs(2), || (!server.requests().is_empty()).then_some(())).is_some());
    let line = (0..TRIES).find_map(|_| line_of_one_call(&server, &john));
    let line = line.unwrap_or_else(|| panic!("no line after 200 ms: {}", server.request_log()));

    assert!(server.request_log().lines().any(|line| line == FIELDS), "{}", server.request_log());
    let columns: Vec<&str> = line.split(' ').collect();
    assert_eq!(columns.len(), FIELDS.split(' ').count() - 1, "{line}");
    assert_eq!(columns[3..5], ["POST", "/EWS/Exchange.asmx"], "{line}");
    assert_eq!(columns[6], server.http.port().to_string(), "{line}");
    assert_eq!(columns[7], "john.doe@example.com", "{line}");
    assert_eq!(columns[8..13], ["127.0.0.1", "Interop+Test/1.0", "200", "0", "0"], "{line}");
    check_budget(columns[5]);
}

/// Makes one call and gives its line, if that is in the file 200 ms after the answer.
fn line_of_one_call(server: &Server, john: &Client<'_>) -> Option<String> {
    let before = server.requests().len();
    assert_eq!(john.call(&get_folder("inbox")).status, 200);
    let line = eventually(Duration::from_millis(200), || server.requests().get(before).cloned());
    if line.is_none() {
        eventually(Duration::from_secs(5), || (server.requests().len() > before).then_some(()));
    }
    line
}

/// The budget of a lone call before and after, in the documents' form, with the default policy's limits.
fn check_budget(query: &str) {
    let init = between(query, "Init>>", ";");
    let end = &query[query.find(";End(").unwrap()..];
    let end = between(end, ">>", ";");
    assert!(query.starts_with(";RC:"), "{query}");
    assert!(query.contains(";SoapAction=m:GetFolder;Version=1;RpcC="), "{query}");
    for name in ["RpcL=", "LdapC=", "LdapL="] {
        assert!(query.contains(&format!(";{name}")), "no {name} in {query}");
    }
    for (snapshot, place) in [(init, "Conn:0,"), (end, "Conn:1,")] {
        assert!(snapshot.starts_with(place), "{snapshot}");
        for part in
            [",AD:30000/", ",CAS:54000/", ",AB:30000/", ",RPC:36000/", ",FC:1000/0,", ",Hash:", ",Sub:5000/0"]
        {
            assert!(snapshot.contains(part), "no {part} in {snapshot}");
        }
    }
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let rest = &text[text.find(start).unwrap() + start.len()..];
    &rest[..rest.find(end).unwrap()]
}

#[test]
fn a_request_cannot_write_a_second_line_or_another_column() {
    let server = Server::start("");
    let john = Client::new(&server, "john.doe");
    let mut stream = crate::support::http::connect(server.http);
    let request = format!(
        "GET /EWS/Exchange.asmx?a=%0A%20b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Authorization: {}\r\nUser-Agent: a b\t#Fields: x\r\n\r\n",
        john.authorization()
    );
    std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
    let _whatever = crate::support::http::reply(&mut stream).unwrap();
    let lines =
        eventually(Duration::from_secs(2), || Some(server.requests()).filter(|lines| !lines.is_empty()))
            .unwrap();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(lines[0].split(' ').count(), FIELDS.split(' ').count() - 1, "{}", lines[0]);
}
