//! Postfix's smtp-sink: takes every message, counts them, and writes down those that it is asked to.

use std::fs;
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::place::Place;
use crate::process::Process;
use crate::support::eventually;

/// How long messages may take until all are there.
const ARRIVAL: Duration = Duration::from_mins(1);

/// What a sink has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// Connections that have ended.
    pub(crate) sessions: usize,
    /// Messages.
    pub(crate) messages: usize,
}

/// A running smtp-sink.
pub(crate) struct Sink {
    process: Process,
    address: SocketAddr,
    dump: PathBuf,
    waiting: Vec<TcpStream>,
}

impl Sink {
    /// One that takes what comes to `address`.
    pub(crate) fn start(place: &Place, address: SocketAddr) -> Sink {
        Sink::start_with(place, address, &[])
    }

    /// One with further options.
    pub(crate) fn start_with(place: &Place, address: SocketAddr, options: &[&str]) -> Sink {
        Sink::queueing(place, address, options, 100)
    }

    /// One that nobody gets through to until it is healed: it never answers, and when two connections wait for it the
    /// system drops whatever asks for a third.
    pub(crate) fn black_hole(place: &Place, address: SocketAddr) -> Sink {
        let mut sink = Sink::queueing(place, address, &[], 1);
        sink.process.freeze();
        let silence = Duration::from_millis(300);
        sink.waiting.extend((0..2).map(|_| TcpStream::connect_timeout(&address, silence).unwrap()));
        let third = TcpStream::connect_timeout(&address, silence).map_err(|error| error.kind());
        assert_eq!(third.unwrap_err(), ErrorKind::TimedOut);
        sink
    }

    /// Lets it answer.
    pub(crate) fn heal(&mut self) {
        self.waiting.clear();
        self.process.thaw();
    }

    fn queueing(place: &Place, address: SocketAddr, options: &[&str], waiting: u32) -> Sink {
        let name = format!("sink-{}-{}", address.ip(), address.port());
        let folder = place.folder_of("nobody", &name);
        let dump = folder.join("mail");
        let mut command = Command::new("smtp-sink");
        command.args(["-u", "nobody", "-c", "-D"]).arg(&dump).args(options);
        command.arg(address.to_string()).arg(waiting.to_string());
        let printed = place.path(&format!("{name}.out"));
        let process = Process::start(&mut command, &printed).listens(address);
        Sink { process, address, dump, waiting: Vec::new() }
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it has counted so far.
    pub(crate) fn counted(&self) -> Counted {
        let printed = self.process.printed();
        let last = printed.rsplit('\r').find(|line| line.contains("mesg=")).unwrap_or_default();
        let number = |name: &str| {
            let mut words = last.split_whitespace();
            words.find_map(|word| word.strip_prefix(name)).map_or(0, |number| number.parse().unwrap())
        };
        Counted { sessions: number("sess="), messages: number("mesg=") }
    }

    /// Waits until it has so many messages, and says how many it has then.
    pub(crate) fn waits_for(&self, messages: usize) -> usize {
        eventually(ARRIVAL, || (self.counted().messages >= messages).then_some(()));
        self.counted().messages
    }

    /// All messages so far, in one text, each after lines that say what the envelope was.
    pub(crate) fn mail(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.dump).unwrap_or_default()).into_owned()
    }

    /// The envelopes' recipients, in the order in which they came.
    pub(crate) fn recipients(&self) -> Vec<String> {
        let mail = self.mail();
        let arguments = mail.lines().filter_map(|line| line.strip_prefix("X-Rcpt-Args: <"));
        arguments.map(|rest| rest.split('>').next().unwrap().to_owned()).collect()
    }
}
