//! Runs the program, and servers in folders of their own.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// How long anything may take before a test gives up.
const PATIENCE: Duration = Duration::from_mins(1);

/// Every listener on a port of the system's choice, the ones that are not served switched off.
pub(crate) const CONFIG: &str = "[listen]\nhttp = \"127.0.0.1:0\"\nhttps = \"127.0.0.1:0\"\nadmin = \"127.0.0.1:0\"\n\
                                 smtp = \"\"\nsubmission = \"\"\nimap = \"\"\npop3 = \"\"\n";

/// Asks for one folder.
pub(crate) const GET_FOLDER: &str = "<s:Body><m:GetFolder xmlns:m=\"http://schemas.microsoft.com/exchange/services/2006/messages\" \
    xmlns:t=\"http://schemas.microsoft.com/exchange/services/2006/types\"><m:FolderShape><t:BaseShape>IdOnly</t:BaseShape>\
    </m:FolderShape><m:FolderIds><t:DistinguishedFolderId Id=\"inbox\"/></m:FolderIds></m:GetFolder></s:Body>";

/// What a command that ended said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    /// The text of a command that succeeded without complaint.
    #[track_caller]
    pub(crate) fn good(self) -> String {
        assert_eq!((self.status, self.err.as_str()), (0, ""), "{self:?}");
        self.out
    }

    /// The document of a command that succeeded.
    #[track_caller]
    pub(crate) fn json(self) -> Value {
        let text = self.good();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// The one line of a command that was refused or failed.
    #[track_caller]
    pub(crate) fn refused(self) -> String {
        assert_eq!((self.status, self.out.as_str()), (1, ""), "{self:?}");
        assert_eq!(self.err.lines().count(), 1, "one line, not {:?}", self.err);
        self.err.trim_end().strip_prefix("mailweir: ").unwrap_or(&self.err).to_owned()
    }
}

/// The program with these words, in `folder`, not yet running.
fn program(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mailweir"));
    command.args(words).current_dir(folder).env_remove("RUST_LOG");
    command
}

/// Runs the program with these words in `folder`, and `input` on its standard input.
pub(crate) fn run_in(folder: &Path, words: &[&str], input: &str) -> Said {
    let mut command = program(folder, words);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A command that wants no input may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Said { status: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

/// A command that goes on, and what it prints; it is ended when this goes.
pub(crate) struct Follower {
    child: Child,
    printed: Receiver<String>,
}

impl Follower {
    /// The next line that it prints.
    #[track_caller]
    pub(crate) fn line(&self) -> String {
        self.printed.recv_timeout(PATIENCE).unwrap()
    }

    /// Ends it by Ctrl-C; gives its exit status, -1 where it was the signal that ended it.
    pub(crate) fn interrupt(mut self) -> i32 {
        signal(&self.child, "INT");
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder with a configuration.
pub(crate) fn folder(config: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mailweir.toml"), config).unwrap();
    folder
}

/// A server that runs, in a folder with `mailweir.toml` and `mailweir-data`.
pub(crate) struct Server {
    child: Child,
    folder: TempDir,
    /// What it printed before it was ready.
    pub(crate) greeting: Vec<String>,
    errors: Receiver<String>,
}

impl Server {
    /// Starts one with the demo.
    pub(crate) fn demo() -> Self {
        Self::start(folder(CONFIG), &["serve", "--demo"])
    }

    /// Starts one with these words in `folder`, and waits until it is ready.
    pub(crate) fn start(folder: TempDir, words: &[&str]) -> Self {
        let mut command = program(folder.path(), words);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = lines(child.stdout.take().unwrap());
        let errors = self::lines(child.stderr.take().unwrap());
        let mut greeting = Vec::new();
        while greeting.last().is_none_or(|line| line != "mailweir ready") {
            match lines.recv_timeout(PATIENCE) {
                Ok(line) => greeting.push(line),
                Err(error) => {
                    let _ = child.kill();
                    panic!("not ready ({error}) after {greeting:?}: {:?}", errors.iter().collect::<Vec<_>>());
                }
            }
        }
        Self { child, folder, greeting, errors }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder().join("mailweir-data")
    }

    /// Runs a command against it; the words are split at blanks.
    pub(crate) fn run(&self, line: &str) -> Said {
        self.run_with(line, "")
    }

    /// Runs a command against it that does not end by itself.
    pub(crate) fn follow(&self, line: &str) -> Follower {
        let words: Vec<_> = line.split_whitespace().collect();
        let mut command = program(self.folder(), &words);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let printed = lines(child.stdout.take().unwrap());
        Follower { child, printed }
    }

    /// As [`Server::run`], with standard input.
    pub(crate) fn run_with(&self, line: &str, input: &str) -> Said {
        run_in(self.folder(), &line.split_whitespace().collect::<Vec<_>>(), input)
    }

    /// Where its listener of this name is.
    pub(crate) fn address(&self, listener: &str) -> SocketAddr {
        let line =
            self.greeting.iter().find(|line| line.split_whitespace().next() == Some(listener)).unwrap();
        let url = line.split_whitespace().nth(1).unwrap();
        url.split("//").nth(1).unwrap().split('/').next().unwrap().parse().unwrap()
    }

    /// Replaces its configuration.
    pub(crate) fn configure(&self, text: &str) {
        fs::write(self.folder().join("mailweir.toml"), text).unwrap();
    }

    /// Sends it a signal, by name.
    pub(crate) fn signal(&self, name: &str) {
        signal(&self.child, name);
    }

    /// The next of its own messages that holds `part`.
    #[track_caller]
    pub(crate) fn message(&self, part: &str) -> String {
        loop {
            let line =
                self.errors.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("it never said {part:?}"));
            if line.contains(part) {
                return line;
            }
        }
    }

    /// Waits until it ends by itself: its exit status, -1 for a killed one, and its folder.
    pub(crate) fn end(self) -> (i32, TempDir) {
        let (status, folder, _) = self.end_with_messages();
        (status, folder)
    }

    /// As [`Server::end`], with the rest of its own messages.
    pub(crate) fn end_with_messages(mut self) -> (i32, TempDir, Vec<String>) {
        let status = self.child.wait().unwrap().code().unwrap_or(-1);
        let folder = std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap());
        (status, folder, self.errors.iter().collect())
    }

    /// The status line of its answer to a request to EWS with this name and password.
    pub(crate) fn ews_status(&self, user: &str, password: &str) -> String {
        let answer = self.ews(user, password, "<s:Body/>");
        answer.lines().next().unwrap_or_default().to_owned()
    }

    /// Its whole answer to a request to EWS with this name, password and SOAP body.
    pub(crate) fn ews(&self, user: &str, password: &str, body: &str) -> String {
        let credential = base64(format!("{user}:{password}").as_bytes());
        let body =
            format!("<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\">{body}</s:Envelope>");
        let mut stream = TcpStream::connect(self.address("http")).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(
            stream,
            "POST /EWS/Exchange.asmx HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic {credential}\r\nContent-Type: \
             text/xml\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a process of ours a signal, by name.
fn signal(child: &Child, name: &str) {
    let number = child.id().to_string();
    assert!(Command::new("kill").args([&format!("-{name}"), &number]).status().unwrap().success());
}

fn lines(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let word =
            (0..3).fold(0_usize, |word, at| word << 8 | usize::from(chunk.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let letter = char::from(LETTERS[word >> (18 - 6 * at) & 63]);
            text.push(if at <= chunk.len() { letter } else { '=' });
        }
    }
    text
}

#[test]
fn base64_is_what_the_standard_says() {
    for (plain, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
        assert_eq!(base64(plain.as_bytes()), coded);
    }
}
