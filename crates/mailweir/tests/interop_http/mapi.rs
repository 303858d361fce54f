//! MAPI sessions as an administrator sees, ends and keeps them out, at the embedded mailbox server and before a remote
//! origin that is one (R13, R16, R17).

use std::io::{Read, Write};
use std::time::Duration;

use serde_json::Value;

use crate::support::http;
use crate::support::{PASSWORD, Server, eventually};

const JOHN: &str =
    "/o=example.com/ou=Exchange Administrative Group (FYDIBOHF23SPDLT)/cn=Recipients/cn=john.doe";

/// A client of John's that runs in a process of this name.
struct Client<'s> {
    server: &'s Server,
    process: &'static str,
    cookies: Vec<String>,
}

/// An answer, as far as it is of interest here.
#[derive(Debug)]
struct Answer {
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        let fields = self.head.lines().filter_map(|line| line.split_once(": "));
        fields.into_iter().find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

impl<'s> Client<'s> {
    fn new(server: &'s Server, process: &'static str) -> Self {
        Self { server, process, cookies: Vec::new() }
    }

    fn ask(&mut self, asks: &str, body: &[u8]) -> Answer {
        let mut stream = http::connect(self.server.http);
        let request = format!(
            "POST /mapi/emsmdb/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: {}\r\n\
             Content-Type: application/mapi-http\r\nX-RequestType: {asks}\r\nX-RequestId: {{A}}:1\r\nX-ClientInfo: {{C}}:1\r\n\
             X-ClientApplication: Outlook/16.0.5000.1000\r\nCookie: {}\r\nContent-Length: {}\r\n\r\n",
            http::basic("john.doe@example.com", PASSWORD),
            self.cookies.join("; "),
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let body = bytes.split_off(end);
        let answer = Answer { head: String::from_utf8(bytes).unwrap(), body };
        for cookie in answer.head.lines().filter_map(|line| {
            let (field, value) = line.split_once(": ")?;
            field.eq_ignore_ascii_case("set-cookie").then(|| value.split(';').next().unwrap_or_default())
        }) {
            let name = cookie.split('=').next().unwrap_or_default().to_owned() + "=";
            self.cookies.retain(|known| !known.starts_with(&name));
            self.cookies.push(cookie.to_owned());
        }
        answer
    }

    /// Connects, and tells the process on the way.
    fn connect(&mut self) -> Answer {
        let numbers =
            |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>();
        let short = |number: usize| u16::try_from(number).unwrap().to_le_bytes();
        let name: Vec<u8> = self.process.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
        let content = [&[0; 20][..], &short(28), &[0; 2], &name].concat();
        let block = [&short(content.len() + 4)[..], &[2, 0x0B], &content].concat();
        let size = short(block.len());
        let auxiliary = [&[0, 0, 4, 0][..], &size, &size, &block].concat();
        let length = numbers(&[u32::try_from(auxiliary.len()).unwrap()]);
        let body = [JOHN.as_bytes(), &[0], &numbers(&[0, 1252, 1033, 1033]), &length, &auxiliary].concat();
        self.ask("Connect", &body)
    }
}

/// The sessions that the server lists.
fn sessions(server: &Server) -> Vec<Value> {
    let listed: Value =
        serde_json::from_str(&server.run(&["session", "list", "--owner", "JohnDoe", "--json"])).unwrap();
    listed["items"].as_array().unwrap().clone()
}

/// Connects to `server`, finds the session in the listing, and ends it.
fn is_seen_and_ended(server: &Server) {
    let mut client = Client::new(server, "SearchIndexer.exe");
    let connected = client.connect();
    assert_eq!(connected.header("X-ResponseCode"), Some("0"), "{connected:?}");
    let [session] = &sessions(server)[..] else { panic!("{:?}", sessions(server)) };
    assert_eq!(session["owner"], "john.doe@example.com");
    assert_eq!(session["process"], "SearchIndexer.exe", "{session}");
    assert_eq!(session["client"], "Outlook/16.0.5000.1000");
    let id = session["id"].to_string();
    let page = server.run(&["session", "list"]);
    assert!(page.contains("RPC average latency") && page.contains("SearchIndexer.exe"), "{page}");
    let card = server.run(&["budget", "show", "JohnDoe"]);
    assert!(card.contains("\nMAPI  CLIENT") && card.contains("\nRCA\n"), "{card}");
    let told = server.run(&["session", "close", &id]);
    assert_eq!(told, format!("ended session {id} of john.doe@example.com; its client opens another one\n"));
    assert!(sessions(server).is_empty());
    let after = client.ask("PING", &[]);
    assert_eq!(after.header("X-ResponseCode"), Some("10"), "it has to connect anew: {after:?}");
    assert_eq!(client.connect().header("X-ResponseCode"), Some("0"));
    assert_eq!(sessions(server).len(), 1);
}

#[test]
fn a_mapi_session_is_seen_and_ended_at_the_embedded_server() {
    is_seen_and_ended(&Server::start(""));
}

#[test]
fn a_mapi_session_is_seen_and_ended_before_a_remote_origin() {
    let origin = Server::start("");
    is_seen_and_ended(&Server::before(&origin, "[throttle]\nenforce = true\n"));
}

#[test]
fn a_mapi_process_is_kept_out_and_others_connect() {
    let rule = "[[block]]\nprotocol = \"mapi\"\nprocess = \"searchindexer.exe\"\nmessage = \"Search in Outlook instead.\"\n";
    let server = Server::start(rule);
    let refused = Client::new(&server, "SearchIndexer.exe").connect();
    assert_eq!(refused.header("X-FailureDescription"), Some("Search in Outlook instead."), "{refused:?}");
    let error = [0, 0, 0, 0, 0xDF, 0x04, 0, 0];
    assert!(refused.body.windows(8).any(|eight| eight == error), "{refused:?}");
    assert!(sessions(&server).is_empty());
    let line = eventually(Duration::from_secs(5), || server.requests().pop()).unwrap();
    assert!(line.contains("Why=BlockList;") && line.contains(" john.doe@example.com "), "{line}");
    assert_eq!(Client::new(&server, "OUTLOOK.EXE").connect().header("X-FailureDescription"), None);
    assert_eq!(sessions(&server).len(), 1);
}
