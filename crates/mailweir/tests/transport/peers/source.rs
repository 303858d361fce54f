//! Postfix's smtp-source: sends as many messages as it is told to, and counts them.

use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use crate::place::Place;
use crate::process::Process;

/// How long sending may take.
const SENDING: Duration = Duration::from_secs(100);

/// What is to be sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load<'a> {
    /// How many messages.
    pub(crate) messages: usize,
    /// Over how many connections at a time.
    pub(crate) sessions: usize,
    /// Whether a connection carries more than one message.
    pub(crate) kept: bool,
    /// To whom; a number that counts the messages is written before the name where there is one session.
    pub(crate) to: &'a str,
}

impl<'a> Load<'a> {
    /// So many messages over a few connections that stay.
    pub(crate) fn of(messages: usize, to: &'a str) -> Load<'a> {
        Load { messages, sessions: 5, kept: true, to }
    }
}

/// A running smtp-source.
pub(crate) struct Source(Process);

impl Source {
    /// Begins to send `load` to the server at `address`.
    pub(crate) fn start(place: &Place, address: SocketAddr, load: Load<'_>) -> Source {
        let mut command = Command::new("smtp-source");
        command.args(["-c", "-N", "-l", "1024", "-f", "source@outside.test", "-t", load.to]);
        command.args(["-s", &load.sessions.to_string(), "-m", &load.messages.to_string()]);
        if load.kept {
            command.arg("-d");
        }
        let name = format!("source-{}-{}.out", load.to, address);
        Source(Process::start(command.arg(address.to_string()), &place.path(&name)))
    }

    /// Sends `load`, all of which has to be taken.
    pub(crate) fn send(place: &Place, address: SocketAddr, load: Load<'_>) {
        let mut source = Source::start(place, address, load);
        let ended = source.0.ends_well(SENDING);
        assert!(ended, "not all was taken: {}", source.0.printed());
        assert_eq!(source.sent(), load.messages);
    }

    /// How many messages have been sent whole. smtp-source counts one before the server's last word on it, so that of a
    /// connection that broke the last one may not have been taken.
    pub(crate) fn sent(&self) -> usize {
        let printed = self.0.printed();
        printed.split(['\r', '\n']).filter_map(|number| number.parse().ok()).max().unwrap_or(0)
    }

    /// Waits until it has ended, content or not, and says how many were sent whole.
    pub(crate) fn end(mut self) -> usize {
        self.0.ends_well(SENDING);
        self.sent()
    }
}
