//! The real program, started for one test: its own data directory, its own free ports, stopped by its own id.
//!
//! These tests run on a real clock and with real sockets; everything that can be proved lower down is proved there.

#![allow(dead_code, reason = "each test program uses a part of it")]
#![allow(clippy::disallowed_methods, reason = "a real program runs on a real clock")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a broken test has to stop")]

pub(crate) mod http;
pub(crate) mod soap;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// How long the program may take until it is ready.
const START: Duration = Duration::from_mins(1);
/// How long it may take to stop.
const STOP: Duration = Duration::from_secs(10);
/// How long between two looks at something that is awaited.
const LOOK: Duration = Duration::from_millis(20);

/// The password of every demo account.
pub(crate) const PASSWORD: &str = "demo-password";

/// A running `mailweir serve`.
pub(crate) struct Server {
    process: Child,
    folder: tempfile::TempDir,
    arguments: Vec<String>,
    /// Where it serves plain HTTP.
    pub(crate) http: SocketAddr,
    /// Where it serves HTTP over TLS.
    pub(crate) https: SocketAddr,
    /// Where its API, its metrics and its health are.
    pub(crate) admin: SocketAddr,
}

impl Server {
    /// Starts it with the demo's accounts and with `settings`, TOML tables beside `[listen]`, and waits until it is
    /// ready.
    pub(crate) fn start(settings: &str) -> Server {
        Server::serve(&["--demo"], settings)
    }

    /// Starts it before another server as its origin, whose people it knows without their passwords.
    pub(crate) fn before(origin: &Server, settings: &str) -> Server {
        Server::before_listening(origin, "", settings)
    }

    /// The same with `listen` among the keys of `[listen]`.
    pub(crate) fn before_listening(origin: &Server, listen: &str, settings: &str) -> Server {
        let remote = format!("[origin]\nkind = \"remote\"\nhttp = [\"http://{}\"]\n", origin.http);
        let server = Server::serve(&[], &format!("{listen}{remote}{settings}"));
        let organisation = ["organisation", "new", "example.com", "--domain", "example.com"];
        server.run(&[&organisation[..], &["--short-name", "EXAMPLE"]].concat());
        for (address, alias) in [("john.doe", "JohnDoe"), ("ken.malcolmson", "KenMalcolmson")] {
            let address = format!("{address}@example.com");
            server.run(&["mailbox", "new", &address, "--alias", alias, "--no-password"]);
        }
        server
    }

    /// Starts it with the demo's accounts and `listen` as the keys of `[listen]`.
    pub(crate) fn listening(listen: &str, settings: &str) -> Server {
        Server::begin(&["--demo"], &format!("[listen]\n{listen}\n{settings}\n"))
    }

    fn serve(arguments: &[&str], settings: &str) -> Server {
        let listen = "[listen]\nhttp = \"127.0.0.1:0\"\nhttps = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\n";
        let off = ["smtp", "submission", "imap", "pop3"].map(|name| format!("{name} = \"\"\n")).concat();
        Server::begin(arguments, &format!("{listen}{off}\n{settings}\n"))
    }

    fn begin(arguments: &[&str], config: &str) -> Server {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("mailweir.toml"), config).unwrap();
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let (process, greeting) = spawn(folder.path(), &arguments);
        let [http, https, admin] = ["http", "https", "admin"].map(|name| address(&greeting, name));
        let nowhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let [http, https, admin] = [http, https, admin].map(|address| address.unwrap_or(nowhere));
        let server = Server { process, folder, arguments, http, https, admin };
        assert!(admin != nowhere, "the server did not get ready: {}", server.stderr());
        server
    }

    /// Ends it as a fault would, without a word.
    pub(crate) fn crash(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Starts it once more after its end, with the same folder; its addresses have to be such as it gets again.
    pub(crate) fn start_again(&mut self) {
        let (process, greeting) = spawn(self.folder.path(), &self.arguments);
        self.process = process;
        assert_eq!(address(&greeting, "admin"), Some(self.admin), "{}", self.stderr());
    }

    /// Runs a command against it, which has to succeed; gives what it printed.
    pub(crate) fn run(&self, words: &[&str]) -> String {
        let output = self.output(words);
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Writes `after` in the place of `before` into its configuration, and has it read that again.
    pub(crate) fn rewrite(&self, before: &str, after: &str) {
        let file = self.folder.path().join("mailweir.toml");
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(before), "{text}");
        fs::write(&file, text.replace(before, after)).unwrap();
        self.run(&["reload"]);
    }

    /// Makes a policy of these settings and gives it to these mailboxes.
    pub(crate) fn limit(&self, policy: &str, settings: &[&str], mailboxes: &[&str]) {
        let mut words = vec!["policy", "new", policy];
        for setting in settings {
            words.extend(["--set", setting]);
        }
        self.run(&words);
        for mailbox in mailboxes {
            self.run(&["mailbox", "set", mailbox, "--policy", policy]);
        }
    }

    fn output(&self, words: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_mailweir"))
            .arg("--data")
            .arg(self.data())
            .args(words)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// What an owner uses of EWS, as `budget show` says it.
    pub(crate) fn budget(&self, owner: &str) -> serde_json::Value {
        let shown: serde_json::Value =
            serde_json::from_str(&self.run(&["budget", "show", owner, "--json"])).unwrap();
        let components = shown["components"].as_array().unwrap();
        components.iter().find(|component| component["component"] == "EWS").unwrap().clone()
    }

    /// Its data directory.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The certificate that it made for itself.
    pub(crate) fn certificate(&self) -> PathBuf {
        let folder = self.data().join("tls");
        let is_certificate =
            |path: &PathBuf| fs::read_to_string(path).is_ok_and(|text| text.contains("BEGIN CERTIFICATE"));
        let mut files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        files.find(is_certificate).unwrap_or_else(|| panic!("no certificate in {}", folder.display()))
    }

    /// What it said on standard error.
    pub(crate) fn stderr(&self) -> String {
        fs::read_to_string(self.folder.path().join("stderr")).unwrap_or_default()
    }

    /// The lines of the request log that are not directives.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.request_log().lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
    }

    /// The whole request log, of all days.
    pub(crate) fn request_log(&self) -> String {
        let Ok(folder) = fs::read_dir(self.data().join("log")) else { return String::new() };
        let mut files: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.file_name().unwrap().to_str().unwrap().starts_with("requests-"));
        files.sort();
        files.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
    }

    /// The memory it occupies, in KiB.
    pub(crate) fn resident_kib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").trim().parse().unwrap()
    }

    /// Asks it to stop and gives its exit code.
    pub(crate) fn stop(&mut self) -> Option<i32> {
        let id = self.process.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &id]).status().unwrap();
        assert!(asked.success(), "the server had ended by itself: {}", self.stderr());
        eventually(STOP, || self.process.try_wait().unwrap()).and_then(|status| status.code())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if matches!(self.process.try_wait(), Ok(None)) {
            let _already_gone = self.process.kill();
            let _ended = self.process.wait();
        }
        if thread::panicking() {
            let mut tail = String::new();
            for line in self.stderr().lines().rev().take(20) {
                writeln!(tail, "  {line}").unwrap();
            }
            eprintln!("the server's last words, latest first:\n{tail}\nits first requests:");
            for line in self.requests().iter().take(8) {
                eprintln!("  {line}");
            }
        }
    }
}

/// What `look` gives, once it gives something within `time`.
pub(crate) fn eventually<T>(time: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + time;
    loop {
        if let Some(found) = look() {
            return Some(found);
        }
        if Instant::now() >= end {
            return None;
        }
        thread::sleep(LOOK);
    }
}

/// Runs a program to its end within `time`; gives whether it succeeded, and all it printed.
pub(crate) fn run_within(time: Duration, command: &mut Command, printed: &Path) -> (bool, String) {
    let file = File::create(printed).unwrap();
    let mut process =
        command.stdin(Stdio::null()).stdout(file.try_clone().unwrap()).stderr(file).spawn().unwrap();
    let ended = eventually(time, || process.try_wait().unwrap());
    if ended.is_none() {
        let _already_gone = process.kill();
        let _ended = process.wait();
    }
    let text = fs::read_to_string(printed).unwrap();
    match ended {
        Some(status) => (status.success(), text),
        None => (false, format!("{text}\nnot at its end after {time:?}")),
    }
}

/// Starts the program in its folder; gives what it prints up to its ready line.
fn spawn(folder: &Path, arguments: &[String]) -> (Child, String) {
    let errors = File::options().create(true).append(true).open(folder.join("stderr")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_mailweir"));
    command.arg("serve").args(arguments).arg("--config").arg(folder.join("mailweir.toml"));
    command.arg("--data").arg(folder.join("data")).current_dir(folder);
    let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(errors).spawn().unwrap();
    let greeting = greeting(&mut process);
    (process, greeting)
}

/// What the program prints up to its ready line, or nothing where that does not come; goes on reading, so that the program
/// never waits for us.
fn greeting(process: &mut Child) -> String {
    let lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let (ready, is_ready) = mpsc::channel();
    thread::spawn(move || {
        let mut greeting = String::new();
        for line in lines.map_while(Result::ok) {
            if line.trim() == "mailweir ready" {
                let _nobody_waits = ready.send(std::mem::take(&mut greeting));
            }
            greeting = greeting + &line + "\n";
        }
    });
    is_ready.recv_timeout(START).unwrap_or_default()
}

/// The address of the listener `name`, as the greeting tells it: `  http   http://127.0.0.1:8080/EWS/Exchange.asmx`.
fn address(greeting: &str, name: &str) -> Option<SocketAddr> {
    let mut lines = greeting.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let url = lines.find_map(|words| match *words {
        [of, url] if of == name => Some(url.to_owned()),
        _ => None,
    })?;
    url.split('/').nth(2)?.parse().ok()
}
