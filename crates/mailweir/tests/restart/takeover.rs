//! Servers that follow one another on a listening socket that outlives them.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crate::program::folder;
use crate::wire::{GET_FOLDER, answer, head, until};

const PATIENCE: Duration = Duration::from_mins(1);

/// How long the service manager waits for a sign of life.
const WATCHDOG: Duration = Duration::from_millis(500);

/// The address of http is the socket's business; it would be another one.
const CONFIG: &str = "[listen]\nhttp = \"127.0.0.1:0\"\nhttps = \"\"\nadmin = \"127.0.0.1:0\"\nsmtp = \"\"\n\
                      submission = \"\"\nimap = \"\"\npop3 = \"\"\n";

/// Whoever comes may send anywhere, and for elsewhere there is no way.
const RELAY: &str = "[[transport.receive_connector]]\nname = \"smtp\"\nbindings = [\"127.0.0.1:25\"]\n\
                     remote_ranges = [\"127.0.0.0/8\"]\npermission_groups = [\"relay\"]\n";

#[test]
fn a_successor_serves_while_the_one_before_finishes_and_no_connection_is_refused() {
    let folder = folder(CONFIG);
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let old = Serving::start(folder.path(), &socket, "http");
    old.says("mailweir ready");
    let mut slow = connect(address);
    slow.write_all(head("Expect: 100-continue\r\n").as_bytes()).unwrap();
    assert!(until(&mut slow, "\r\n\r\n").unwrap().starts_with("HTTP/1.1 100 "), "the request runs");
    let callers = Callers::start(address);
    callers.are_served(50);

    let new = Serving::start(folder.path(), &socket, "http");
    new.says("is told to stop");
    callers.are_served(50);
    old.signal("TERM");
    new.says("mailweir ready");
    callers.are_served(50);
    let holder = fs::read_to_string(folder.path().join("mailweir-data/lock")).unwrap();
    assert_eq!(holder.trim(), new.child.id().to_string(), "the successor has the directory");

    assert!(old.runs(), "the one before still has a request to finish");
    slow.write_all(GET_FOLDER.as_bytes()).unwrap();
    let answered = answer(&mut slow).unwrap();
    assert!(answered.starts_with("HTTP/1.1 200 "), "{answered}");
    assert!(answered.contains("<t:DisplayName>Inbox</t:DisplayName>"), "{answered}");
    assert_eq!(old.end(), 0);
    callers.are_served(50);
    callers.stop();
    new.signal("TERM");
    assert_eq!(new.end(), 0);
}

#[test]
fn mail_that_waits_goes_over_to_a_successor_and_no_connection_is_refused() {
    let folder = folder(&format!("{CONFIG}{RELAY}"));
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let old = Serving::start(folder.path(), &socket, "smtp");
    old.says("mailweir ready");
    let mut idle = connect(address);
    assert!(until(&mut idle, "\r\n").unwrap().starts_with("220 "));
    for (line, code) in [
        ("HELO client.test", "250"),
        ("MAIL FROM:<somebody@outside.test>", "250"),
        ("RCPT TO:<somebody@elsewhere.test>", "250"),
        ("DATA", "354"),
        ("Subject: hello\r\n\r\nhello\r\n.", "250"),
    ] {
        idle.write_all(format!("{line}\r\n").as_bytes()).unwrap();
        let said = until(&mut idle, "\r\n").unwrap();
        assert!(said.starts_with(code), "{line}: {said}");
    }
    let new = Serving::start(folder.path(), &socket, "smtp");
    new.says("waiting until the server");
    old.signal("TERM");
    let mut between = connect(address);
    assert!(until(&mut idle, "\r\n").unwrap().starts_with("421 "), "an idle client is told to come again");
    assert!(
        until(&mut between, "\r\n").unwrap().starts_with("220 "),
        "whoever comes is served by one or the other"
    );
    new.says("the queue is open messages=1");
    new.says("mailweir ready");
    assert_eq!(old.end(), 0);
}

#[test]
fn who_connects_between_two_servers_waits_for_the_second() {
    let folder = folder(CONFIG);
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let first = Serving::start(folder.path(), &socket, "http");
    first.says("mailweir ready");
    first.signal("TERM");
    assert_eq!(first.end(), 0);
    let mut between = connect(socket.local_addr().unwrap());
    between.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let second = Serving::start(folder.path(), &socket, "http");
    assert!(answer(&mut between).unwrap().starts_with("HTTP/1.1 404 "));
    second.says("mailweir ready");
}

#[test]
fn a_socket_whose_name_means_nothing_is_refused_with_what_to_do() {
    let folder = folder(CONFIG);
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = Serving::start(folder.path(), &socket, "mailweir.socket");
    server.says("name it http, https, admin, smtp or submission (systemd: FileDescriptorName=)");
    assert_eq!(server.end(), 1);
}

#[test]
fn the_service_manager_is_told_of_readiness_of_life_and_of_the_stop() {
    let folder = folder(CONFIG);
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let manager = UnixDatagram::bind(folder.path().join("notify")).unwrap();
    manager.set_read_timeout(Some(PATIENCE)).unwrap();
    let told = || {
        let mut message = [0; 64];
        let length = manager.recv(&mut message).unwrap();
        String::from_utf8_lossy(&message[..length]).into_owned()
    };
    let server = Serving::start(folder.path(), &socket, "http");
    assert_eq!(told(), "READY=1");
    for _ in 0..3 {
        assert_eq!(told(), "WATCHDOG=1", "a sign of life, again and again");
    }
    TcpStream::connect(socket.local_addr().unwrap()).unwrap();
    server.signal("TERM");
    assert_eq!((0..100).map(|_| told()).find(|told| told != "WATCHDOG=1").as_deref(), Some("STOPPING=1"));
    assert_eq!(server.end(), 0);
}

#[test]
fn a_server_that_hangs_gives_no_sign_of_life() {
    let folder = folder(CONFIG);
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let manager = UnixDatagram::bind(folder.path().join("notify")).unwrap();
    let server = Serving::start(folder.path(), &socket, "http");
    server.says("mailweir ready");
    manager.set_read_timeout(Some(PATIENCE)).unwrap();
    let sign = || manager.recv(&mut [0; 64]).is_ok();
    assert!(sign() && sign(), "ready, and alive");
    server.signal("STOP");
    manager.set_read_timeout(Some(WATCHDOG)).unwrap();
    // What was sent before it hung is read first.
    assert!((0..100).any(|_| !sign()), "silent for as long as the manager waits");
    server.signal("CONT");
    assert!(sign(), "alive again");
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// A server with a socket at descriptor 3, as systemd hands it over.
struct Serving {
    child: Child,
    lines: Receiver<String>,
}

impl Serving {
    fn start(folder: &Path, socket: &TcpListener, name: &str) -> Self {
        let script = "LISTEN_PID=$$ exec \"$0\" serve --demo 3<&0 </dev/null 2>&1";
        let mut child = Command::new("sh")
            .args(["-c", script, env!("CARGO_BIN_EXE_mailweir")])
            .env("LISTEN_FDS", "1")
            .env("LISTEN_FDNAMES", name)
            .env("NOTIFY_SOCKET", folder.join("notify"))
            .env("WATCHDOG_USEC", WATCHDOG.as_micros().to_string())
            .env_remove("RUST_LOG")
            .current_dir(folder)
            .stdin(Stdio::from(OwnedFd::from(socket.try_clone().unwrap())))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, lines }
    }

    /// Waits until it says a line with `part` in it.
    #[track_caller]
    fn says(&self, part: &str) {
        let mut said = Vec::new();
        while said.last().is_none_or(|line: &String| !line.contains(part)) {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => said.push(line),
                Err(error) => panic!("it never said {part:?} ({error}): {said:#?}"),
            }
        }
    }

    fn signal(&self, name: &str) {
        let number = self.child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &number]).status().unwrap().success());
    }

    fn runs(&self) -> bool {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        stat.rsplit(") ").next().is_some_and(|state| !state.is_empty() && !state.starts_with('Z'))
    }

    fn end(mut self) -> i32 {
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Clients that connect, ask and close, again and again, until one of them is not answered.
struct Callers {
    stop: Arc<AtomicBool>,
    served: Arc<AtomicUsize>,
    threads: Vec<thread::JoinHandle<()>>,
}

impl Callers {
    fn start(address: SocketAddr) -> Self {
        let (stop, served) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let threads = (0..3).map(|_| {
            let (stop, served) = (Arc::clone(&stop), Arc::clone(&served));
            thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let mut stream = connect(address);
                    let request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
                    stream.write_all(request.as_bytes()).unwrap();
                    let answer = answer(&mut stream).expect("every connection is answered");
                    assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
                    served.fetch_add(1, Ordering::Relaxed);
                }
            })
        });
        let threads = threads.collect();
        Self { stop, served, threads }
    }

    /// Waits until so many more were served.
    #[track_caller]
    fn are_served(&self, more: usize) {
        let enough = self.served.load(Ordering::Relaxed) + more;
        while self.served.load(Ordering::Relaxed) < enough {
            assert!(self.threads.iter().all(|thread| !thread.is_finished()), "somebody was not answered");
            thread::yield_now();
        }
    }

    fn stop(self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads {
            thread.join().unwrap();
        }
    }
}
