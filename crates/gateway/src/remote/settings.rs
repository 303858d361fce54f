//! Every limit and switch of a remote HTTP origin, each with its name.
//!
//! Times are what the gateway waits for a server, never for a client: who pays for a client's slowness is decided
//! where its body is read.

use std::path::PathBuf;
use std::time::Duration;

use super::server_url::ServerUrl;

/// Everything that a remote HTTP origin can be told.
#[derive(Clone, Debug)]
pub struct RemoteSettings {
    /// Its servers, in the order of the configuration; each is a target of the healthy server selector (H10).
    pub servers: Vec<ServerUrl>,
    /// A PEM file of certificates to trust besides the system's roots.
    pub ca: Option<PathBuf>,
    /// How long connecting may take, the look-up of a name included.
    pub connect_time: Duration,
    /// How long the TLS handshake with a server may take.
    pub tls_handshake: Duration,
    /// How long a server may take until its answer begins, from the moment when it was given the whole request or
    /// stopped reading it. Calls that hang by their nature are given a time of their own.
    pub response_head_time: Duration,
    /// How long a server may be silent in the middle of an answer.
    pub answer_idle_time: Duration,
    /// How long an idle connection is kept. Shorter than the servers' own limit: a request that meets a connection
    /// just as it closes is lost, since nothing is retried that may have had an effect.
    pub idle_time: Duration,
    /// Idle connections that are kept for each server.
    pub idle_per_server: usize,
    /// Connections to each server at the same time, busy and idle ones together.
    pub connections_per_server: usize,
    /// Bytes of an answer's head.
    pub head_bytes: usize,
    /// Header fields of an answer.
    pub headers: usize,
    /// How requests are marked for the origin.
    pub forwarding: ForwardingSettings,
    /// Requests that ask a server whether it works; without them, connecting is all that is asked of it.
    pub check: Option<ActiveCheck>,
}

impl RemoteSettings {
    /// The default settings for these servers.
    pub fn new(servers: Vec<ServerUrl>) -> Self {
        Self {
            servers,
            ca: None,
            connect_time: Duration::from_secs(5),
            tls_handshake: Duration::from_secs(5),
            response_head_time: Duration::from_mins(5),
            answer_idle_time: Duration::from_mins(2),
            idle_time: Duration::from_secs(4),
            idle_per_server: 64,
            connections_per_server: 10_000,
            head_bytes: 64 << 10,
            headers: 100,
            forwarding: ForwardingSettings::default(),
            check: None,
        }
    }
}

/// What is added to a request on its way to the origin.
#[derive(Clone, Copy, Debug)]
pub struct ForwardingSettings {
    /// Whether `X-Forwarded-For` says who asked.
    pub x_forwarded_for: bool,
    /// Whether `Forwarded` (RFC 7239) says who asked, by which scheme and for which host.
    pub forwarded: bool,
    /// Which `Host` the origin sees.
    pub host: HostHeader,
}

impl Default for ForwardingSettings {
    fn default() -> Self {
        Self { x_forwarded_for: true, forwarded: false, host: HostHeader::AsSent }
    }
}

/// Which `Host` the origin sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HostHeader {
    /// The one that the client sent, so that the origin's own addresses and redirections stay those of the gateway.
    #[default]
    AsSent,
    /// The server's, as the configuration names it.
    Server,
}

/// A request that asks a server whether it works (H10).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveCheck {
    /// What is asked for by GET, beginning with a slash.
    pub path: String,
    /// How often each healthy server is asked; an unhealthy one is asked when its retry is due.
    pub interval: Duration,
    /// How long the answer may take to begin.
    pub time: Duration,
    /// Whether an answer of 500 or above counts as failed; any other HTTP answer, 401 among them, is a sign of life.
    pub fail_on_5xx: bool,
}

impl ActiveCheck {
    /// A check of `path` every ten seconds, which has five for its answer and has to stay below 500.
    pub fn new(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            interval: Duration::from_secs(10),
            time: Duration::from_secs(5),
            fail_on_5xx: true,
        }
    }
}
