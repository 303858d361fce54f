//! A server that a test starts, in the foreground, with a process group of its own: whatever it starts ends with it.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::support::eventually;

/// How long a server may take until it listens.
const START: Duration = Duration::from_secs(20);
/// How long it may take to end when it is asked to.
const STOP: Duration = Duration::from_secs(5);

/// A running server.
pub(crate) struct Process {
    child: Child,
    printed: PathBuf,
}

impl Process {
    /// Starts it; what it prints goes into a file.
    pub(crate) fn start(command: &mut Command, printed: &Path) -> Process {
        let file = File::create(printed).unwrap();
        command.stdin(Stdio::null()).stdout(file.try_clone().unwrap()).stderr(file).process_group(0);
        let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}; run ./check"));
        Process { child, printed: printed.to_owned() }
    }

    /// Waits until somebody listens at `address`, without connecting: that would be counted.
    pub(crate) fn listens(mut self, address: SocketAddr) -> Process {
        let begun = eventually(START, || {
            let ended = !self.runs();
            (ended || is_listening(address)).then_some(!ended)
        });
        assert_eq!(begun, Some(true), "nobody listens at {address}: {}", self.printed());
        self
    }

    /// What it has printed.
    pub(crate) fn printed(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.printed).unwrap()).into_owned()
    }

    /// Whether it ended by itself, within `time`, and was content.
    pub(crate) fn ends_well(&mut self, time: Duration) -> bool {
        eventually(time, || self.child.try_wait().unwrap()).is_some_and(|status| status.success())
    }

    /// Whether it is there.
    pub(crate) fn runs(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Stops it for the time being: what it listens to stays, and nobody answers.
    pub(crate) fn freeze(&self) {
        assert!(self.signal("STOP"));
    }

    /// Lets it go on.
    pub(crate) fn thaw(&self) {
        assert!(self.signal("CONT"));
    }

    /// Ends it and all that it started.
    pub(crate) fn end(&mut self) {
        if self.runs() {
            self.signal("CONT");
            self.signal("TERM");
            eventually(STOP, || self.child.try_wait().unwrap());
        }
        self.signal("KILL");
        let _ended = self.child.wait();
    }

    fn signal(&self, name: &str) -> bool {
        let group = format!("-{}", self.child.id());
        Command::new("kill")
            .args(["-s", name, "--", &group])
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success()
    }
}

/// Whether somebody listens there, as the system says it: address and port in hexadecimal digits, and state 0A.
pub(crate) fn is_listening(address: SocketAddr) -> bool {
    let SocketAddr::V4(v4) = address else { panic!("{address} is not in 127.0.0.0/8") };
    let number = u32::from_le_bytes(v4.ip().octets());
    let local = format!("{number:08X}:{:04X}", v4.port());
    let sockets = fs::read_to_string("/proc/net/tcp").unwrap();
    sockets.lines().any(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.get(1) == Some(&local.as_str()) && words.get(3) == Some(&"0A")
    })
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}
