//! The mail transport beside the gateway: its listeners, what a load balancer asks, what a start says.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::program::{Server, folder, run_in};

const PATIENCE: Duration = Duration::from_secs(30);

/// The listeners of [`CONFIG`](crate::program::CONFIG) with those for mail on.
const LISTEN: &str = "[listen]\nhttp = \"127.0.0.1:0\"\nhttps = \"\"\nadmin = \"127.0.0.1:0\"\nsmtp = \"127.0.0.1:0\"\n\
                      submission = \"127.0.0.1:0\"\nimap = \"\"\npop3 = \"\"\n";

/// One SMTP connection.
struct Smtp(BufReader<TcpStream>);

impl Smtp {
    fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut smtp = Self(BufReader::new(stream));
        assert!(smtp.reply().starts_with("220 "));
        smtp
    }

    /// The last line of the answer to `line`.
    fn ask(&mut self, line: &str) -> String {
        self.0.get_mut().write_all(format!("{line}\r\n").as_bytes()).unwrap();
        self.reply()
    }

    fn reply(&mut self) -> String {
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).unwrap();
            if line.as_bytes().get(3) != Some(&b'-') {
                return line;
            }
        }
    }

    /// What comes of a message to `to`.
    fn send(&mut self, to: &str) -> String {
        self.ask("MAIL FROM:<somebody@outside.test>");
        let asked = self.ask(&format!("RCPT TO:<{to}>"));
        if !asked.starts_with("250 ") {
            return asked;
        }
        self.ask("DATA");
        self.ask("Subject: hello\r\n\r\nhello\r\n.")
    }
}

/// What `/readyz` says.
fn readiness(server: &Server) -> String {
    let mut stream = TcpStream::connect(server.address("admin")).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    std::io::read_to_string(stream).unwrap()
}

#[test]
fn mail_for_a_mailbox_is_taken_and_other_mail_from_who_logs_in_alone() {
    let server = Server::start(folder(LISTEN), &["serve", "--demo"]);
    let mut smtp = Smtp::connect(server.address("smtp"));
    assert!(smtp.ask("EHLO client.test").starts_with("250 "));
    assert!(smtp.send("john.doe@example.com").starts_with("250 "));
    assert!(smtp.send("nobody@example.com").starts_with("550 5.1.1 "));
    assert!(
        smtp.send("somebody@elsewhere.test").starts_with("550 5.7.1 "),
        "nobody relays unless it is said"
    );
    let mut submission = Smtp::connect(server.address("submission"));
    assert!(submission.ask("EHLO client.test").starts_with("250 "));
    assert!(submission.ask("MAIL FROM:<john.doe@example.com>").starts_with("530 5.7."));
}

#[test]
fn a_load_balancer_hears_when_no_mail_is_taken() {
    let transport = "[transport.pressure]\nqueue_length_low_to_medium = 0\nqueue_length_medium_to_high = 1\n\
        queue_length_high_to_medium = 1\nqueue_length_medium_to_low = 0\n\
        [[transport.receive_connector]]\nname = \"smtp\"\nbindings = [\"127.0.0.1:0\"]\n\
        remote_ranges = [\"127.0.0.0/8\"]\npermission_groups = [\"relay\"]\n";
    let server = Server::start(folder(&format!("{LISTEN}{transport}")), &["serve", "--demo"]);
    assert!(readiness(&server).starts_with("HTTP/1.1 200 "));
    let mut smtp = Smtp::connect(server.address("smtp"));
    smtp.ask("EHLO client.test");
    for _ in 0..2 {
        assert!(smtp.send("somebody@elsewhere.test").starts_with("250 "), "no way out: it waits");
    }
    // Each look takes its time: a connection, and an answer.
    let mut looks = (0..20_000).map(|_| readiness(&server));
    let refused = looks.find(|said| said.starts_with("HTTP/1.1 503 "));
    let refused = refused.expect("back pressure is told");
    assert!(refused.contains("back pressure is high"), "{refused}");
    assert!(smtp.ask("MAIL FROM:<somebody@outside.test>").starts_with("452 4.3.1 "));
    let waits = server.run("queue list").good();
    assert!(waits.contains("Unreachable"), "{waits}");
}

#[test]
fn a_secret_that_others_may_read_keeps_a_server_from_starting() {
    let folder = folder(&format!("{LISTEN}[transport]\nserver_secret_file = \"secret\"\n"));
    std::fs::write(folder.path().join("secret"), "0123456789abcdef\n").unwrap();
    for words in [&["serve"][..], &["config", "check", "mailweir.toml"]] {
        let why = run_in(folder.path(), words, "").refused();
        assert!(
            why.starts_with("transport.server_secret_file: secret is open to others"),
            "{words:?}: {why}"
        );
    }
}
