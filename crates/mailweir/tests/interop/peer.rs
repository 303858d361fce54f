//! How a client's script is run: which interpreter, where its library is, what it may see of our environment.

use crate::support::{self, Server};
use std::env;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long a script may run. The longest waits out a minute's budget once.
const SCRIPT: Duration = Duration::from_mins(3);

/// What would make a client verify against, or talk through, somebody else.
const MISLEADING: [&str; 12] = [
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "NODE_OPTIONS",
];

/// A client that `./check` has installed.
pub(crate) struct Peer {
    /// Its folder in `peers/` and below the installed ones.
    pub(crate) name: &'static str,
    /// What runs its scripts.
    pub(crate) interpreter: &'static str,
    /// The variable that says whom its TLS trusts.
    pub(crate) trust: &'static str,
}

impl Peer {
    /// Runs a script over plain HTTP; every sentence in it has to be true.
    pub(crate) fn run(&self, server: &Server, script: &str, arguments: &[&str]) {
        let command = self.command("http", server.http, script, arguments);
        self.check(command, script, server);
    }

    /// Runs a script over TLS, trusting the server's own certificate and nothing else.
    pub(crate) fn run_over_tls(&self, server: &Server, script: &str, arguments: &[&str]) {
        let mut command = self.command("https", server.https, script, arguments);
        command.env(self.trust, server.certificate());
        self.check(command, script, server);
    }

    fn command(&self, scheme: &str, address: SocketAddr, script: &str, arguments: &[&str]) -> Command {
        let installed = installed().join(self.name);
        assert!(installed.is_dir(), "{} is not installed in {}; run ./check", self.name, installed.display());
        let mut command = Command::new(self.interpreter);
        command
            .arg(project().join("peers").join(self.name).join(script))
            .args(arguments)
            .env("MAILWEIR_URL", format!("{scheme}://{address}/EWS/Exchange.asmx"))
            .env("MAILWEIR_PEER", &installed)
            .env("PYTHONPATH", &installed)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("NO_PROXY", "127.0.0.1");
        for name in MISLEADING {
            command.env_remove(name);
        }
        command
    }

    fn check(&self, mut command: Command, script: &str, server: &Server) {
        let printed = server.data().with_file_name(format!("{}-{script}.out", self.name));
        let (succeeded, text) = support::run_within(SCRIPT, &mut command, &printed);
        println!("{} {script}\n{text}", self.name);
        assert!(succeeded && text.contains("ok      "), "{} {script}:\n{text}", self.name);
    }
}

/// The root of the project.
pub(crate) fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

/// Where `./check` installs the clients.
pub(crate) fn installed() -> PathBuf {
    env::var_os("MAILWEIR_PEERS").map_or_else(|| project().join("target/peers"), PathBuf::from)
}

/// How many requests of this operation the server has answered, once the log has stopped growing.
pub(crate) fn requests_of(server: &Server, operation: &str) -> usize {
    let action = format!("SoapAction=m:{operation};");
    let mut before = usize::MAX;
    support::eventually(Duration::from_secs(5), || {
        let count = server.requests().len();
        let settled = count == before;
        before = count;
        settled.then_some(())
    });
    server.requests().iter().filter(|line| line.contains(&action)).count()
}
