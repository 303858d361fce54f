//! Asked to stop, the server finishes what runs and leaves nothing behind.

use crate::support::Server;
use crate::support::http;
use crate::support::soap::{Client, SINCE_2010, envelope, get_folder};
use std::io::Write;
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

#[test]
fn a_server_that_is_asked_to_stop_ends_well() {
    let mut server = Server::start("");
    assert!(Client::new(&server, "john.doe").is_served());
    assert_eq!(server.stop(), Some(0), "{}", server.stderr());
    assert!(TcpStream::connect(server.http).is_err(), "it still listens");
}

#[test]
fn a_call_that_runs_is_finished_first() {
    let mut server = Server::start("");
    let john = Client::new(&server, "john.doe");
    assert!(john.is_served());
    let body = envelope(SINCE_2010, &get_folder("inbox"));
    let mut stream = http::connect(server.http);
    let head = http::head(&john.authorization(), &format!("Content-Length: {}", body.len()));
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&body.as_bytes()[..10]).unwrap();
    thread::sleep(Duration::from_millis(300));
    let rest = body.as_bytes()[10..].to_vec();
    let call = thread::spawn(move || {
        thread::sleep(Duration::from_millis(500));
        stream.write_all(&rest).unwrap();
        http::reply(&mut stream).unwrap()
    });
    assert_eq!(server.stop(), Some(0), "{}", server.stderr());
    let reply = call.join().unwrap();
    assert_eq!(reply.status, 200, "{reply:?}");
}
