//! Targets through the command line.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

use serde_json::{Value, json};

use crate::program::{CONFIG, Server, folder, run_in};

/// A server of the origin at `address`, which answers each request on a connection of its own.
fn origin(address: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind(address).unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || answer(stream));
        }
    });
    address
}

fn answer(mut stream: TcpStream) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    // A connection that was only tried ends before a head does.
    while reader.read_line(&mut line).is_ok_and(|read| read > 0) {
        if line == "\r\n" {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
            return;
        }
        line.clear();
    }
}

/// An address that nobody listens on.
fn nobodys() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn remote(servers: &[SocketAddr]) -> String {
    let servers: Vec<String> = servers.iter().map(|address| format!("\"http://{address}\"")).collect();
    format!("{CONFIG}[origin]\nkind = \"remote\"\nhttp = [{}]\n", servers.join(", "))
}

/// How the target at `address` is, once it is in one of these states.
fn once(server: &Server, address: SocketAddr, states: &[&str]) -> Value {
    let mut last = Value::Null;
    for _ in 0..500 {
        let targets = server.run("target list --json").json();
        let targets = targets.as_array().unwrap();
        last = targets.iter().find(|target| target["address"] == json!(address.to_string())).unwrap().clone();
        if states.contains(&last["state"].as_str().unwrap()) {
            break;
        }
    }
    assert!(states.contains(&last["state"].as_str().unwrap()), "{states:?}: {last}");
    last
}

/// The status of an answer through the gateway.
fn status(server: &Server) -> String {
    let mut stream = TcpStream::connect(server.address("http")).unwrap();
    stream.write_all(b"GET /owa/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).unwrap_or_default().to_owned()
}

#[test]
fn the_embedded_origin_has_no_targets() {
    let server = Server::demo();
    assert_eq!(server.run("target list --json").json(), json!([]));
    let told = server.run("target list").good();
    assert_eq!(
        told,
        "there are no targets: the origin is the embedded mailbox server, and no mail goes elsewhere\n"
    );
    for command in ["disable", "drain", "enable", "retry"] {
        let why = server.run(&format!("target {command} 192.0.2.10:443")).refused();
        assert!(why.starts_with("there is no target \"192.0.2.10:443\""), "{why}");
        assert_eq!(server.run(&format!("target {command}")).status, 2);
    }
}

#[test]
fn a_server_that_comes_back_is_used_as_soon_as_it_is_retried() {
    let down = nobodys();
    let server = Server::start(folder(&remote(&[down])), &["serve"]);
    let target = once(&server, down, &["unhealthy"]);
    assert_eq!((&target["error"], &target["retries"]), (&json!("connection refused"), &json!(0)));
    assert_eq!(status(&server), "503");
    origin(down);
    server.run(&format!("target retry {down}")).good();
    once(&server, down, &["healthy"]);
    assert_eq!(status(&server), "200");
}

#[test]
fn a_server_that_is_taken_out_gets_nothing_until_it_is_put_back() {
    let only = origin("127.0.0.1:0".parse().unwrap());
    let server = Server::start(folder(&remote(&[only])), &["serve"]);
    once(&server, only, &["healthy"]);
    assert_eq!(status(&server), "200");
    for (command, state) in [("disable", "disabled"), ("drain", "draining")] {
        server.run(&format!("target {command} http://{only}")).good();
        once(&server, only, &[state]);
        assert_eq!(status(&server), "503", "{state}");
    }
    server.run(&format!("target enable {only}")).good();
    once(&server, only, &["healthy"]);
    assert_eq!(status(&server), "200");
}

#[test]
fn the_demo_is_for_the_embedded_origin() {
    let folder = folder(&remote(&[nobodys()]));
    let why = run_in(folder.path(), &["serve", "--demo"], "").refused();
    assert!(why.starts_with("--demo fills the embedded mailbox server"), "{why}");
}
