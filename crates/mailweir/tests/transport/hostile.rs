//! Clients that mean harm, byte by byte: they are answered as the standard says or cut off, and cost little memory.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::hub::{Hub, Settings};
use crate::peers::swaks::swaks;
use crate::place::Place;

/// By how much the server may grow while somebody floods it, in KiB.
const GROWTH: u64 = 64 << 10;
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A client that says what it likes.
struct Raw(TcpStream);

impl Raw {
    fn greeted(address: SocketAddr) -> Raw {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        let mut raw = Raw(stream);
        assert!(raw.reply().starts_with("220 "));
        raw
    }

    /// Says a line, and gives the reply.
    fn says(&mut self, line: &str) -> String {
        self.0.write_all(line.as_bytes()).unwrap();
        self.0.write_all(b"\r\n").unwrap();
        self.reply()
    }

    /// Begins a message to John.
    fn begins(address: SocketAddr) -> Raw {
        let mut raw = Raw::greeted(address);
        for line in ["EHLO client.test", "MAIL FROM:<a@outside.test>", "RCPT TO:<john.doe@example.com>"] {
            let reply = raw.says(line);
            assert!(reply.starts_with("250"), "{line}: {reply}");
        }
        assert!(raw.says("DATA").starts_with("354 "));
        raw
    }

    /// Sends as much of `bytes` as the server takes, as often as that; says whether it took all.
    fn floods(&mut self, bytes: &[u8], times: usize) -> bool {
        (0..times).all(|_| self.0.write_all(bytes).is_ok())
    }

    /// The last line of the next reply; nothing where the connection ended.
    fn reply(&mut self) -> String {
        let mut line = Vec::new();
        let mut byte = [0];
        loop {
            match self.0.read(&mut byte) {
                Ok(1) => line.push(byte[0]),
                Ok(_) => return String::from_utf8(line).unwrap(),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return String::new(),
                Err(error) => panic!("{error} after {:?}", String::from_utf8_lossy(&line)),
            }
            if line.ends_with(b"\n") {
                if line.get(3) != Some(&b'-') {
                    return String::from_utf8(line).unwrap();
                }
                line.clear();
            }
        }
    }
}

/// What the server has to answer afterwards, and how little it may have grown.
fn still_serves(hub: &Hub, before: u64) {
    let grown = hub.server.resident_kib().saturating_sub(before);
    assert!(grown < GROWTH, "it grew by {grown} KiB");
    let said = swaks(hub.smtp, "a@outside.test", "john.doe@example.com", &[]);
    assert!(said.sent, "{said:?}");
}

fn hub(place: &Place) -> Hub {
    let keys = "tarpit_interval = \"0s\"\nmax_message_size = \"1MiB\"";
    Hub::start(place, 1, &Settings::new().way_in("all", place.at(1, 2525), "anonymous", keys))
}

#[test]
#[ignore = "needs swaks, which ./check installs"]
fn a_command_of_a_gigabyte_is_refused_and_costs_no_memory() {
    let place = Place::new();
    let hub = hub(&place);
    let before = hub.server.resident_kib();
    let mut raw = Raw::greeted(hub.smtp);
    if raw.floods(&vec![b'A'; 1 << 20], 1 << 10) {
        let reply = raw.says("");
        assert!(reply.starts_with("500 ") || reply.starts_with("421 ") || reply.is_empty(), "{reply}");
    }
    still_serves(&hub, before);
}

#[test]
#[ignore = "needs swaks, which ./check installs"]
fn a_message_that_does_not_end_costs_no_memory_and_is_refused() {
    let lines =
        [b"X-Header: and another one of these, and so on and on\r\n".repeat(20_000), vec![b'x'; 1 << 20]];
    let beginnings = ["", "Subject: one\r\n\r\n"];
    let place = Place::new();
    let hub = hub(&place);
    let before = hub.server.resident_kib();
    for line in &lines {
        for beginning in beginnings {
            let mut raw = Raw::begins(hub.smtp);
            raw.0.write_all(beginning.as_bytes()).unwrap();
            if raw.floods(line, 100) {
                let reply = raw.says("\r\n.");
                assert!(reply.starts_with("552 ") || reply.is_empty(), "{reply}");
            }
        }
    }
    still_serves(&hub, before);
    assert_eq!(hub.mails_within("john.doe", 1), 1);
}

#[test]
#[ignore = "needs swaks, which ./check installs"]
fn garbage_before_its_replies_is_cut_off() {
    let place = Place::new();
    let hub = hub(&place);
    let before = hub.server.resident_kib();
    let mut raw = Raw::greeted(hub.smtp);
    raw.floods(b"garbage that is no command\r\n", 200_000);
    let mut replies = Vec::new();
    loop {
        let reply = raw.reply();
        if reply.is_empty() {
            break;
        }
        replies.push(reply);
    }
    assert!(replies.len() < 100, "{} replies", replies.len());
    assert!(
        replies.iter().all(|reply| reply.starts_with("500 ") || reply.starts_with("421 ")),
        "{replies:?}"
    );
    still_serves(&hub, before);
}

#[test]
#[ignore = "needs swaks, which ./check installs"]
fn nothing_is_smuggled_by_bare_line_ends_or_nuls() {
    let place = Place::new();
    let hub = hub(&place);
    let before = hub.server.resident_kib();
    for end in ["\n.\n", "\r\n.\n", "\n.\r\n", "\r.\r", "\r\n.\r"] {
        let mut raw = Raw::begins(hub.smtp);
        let smuggled = "MAIL FROM:<b@outside.test>\r\nRCPT TO:<john.doe@example.com>\r\nDATA\r\nSubject: Smuggled\r\n\r\n";
        let reply = raw.says(&format!("Subject: Carrier\r\n\r\nbody{end}{smuggled}.\r\n."));
        assert!(reply.starts_with('5'), "{end:?}: {reply}");
    }
    let mut raw = Raw::greeted(hub.smtp);
    for line in ["EHLO a\0b", "MAIL FROM:<a\0b@outside.test>", "\0\0\0\0", "RCPT TO:\0"] {
        let reply = raw.says(line);
        assert!(reply.starts_with('5'), "{line:?}: {reply}");
    }
    still_serves(&hub, before);
    assert_eq!(hub.mails_within("john.doe", 1), 1);
}
