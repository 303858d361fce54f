//! How a call to the origin failed, whose fault that is, and whether it may be made again (T27).
//!
//! Nothing is retried that may have had an effect. Whether it may have had one is not guessed from the kind of the
//! failure: the connection counts the bytes that were handed to the network, and a request of which none was handed
//! over is known to have had none.

use std::net::SocketAddr;
use std::time::Duration;

use hyper::Request;
use weir_units::Tick;

use super::upstream::Outgoing;

/// A call that brought no answer.
#[derive(Debug, thiserror::Error)]
#[error("{}{kind}", place(*.server))]
pub(crate) struct Failure {
    /// Which server; none where none was chosen.
    pub(crate) server: Option<SocketAddr>,
    /// What happened.
    pub(crate) kind: FailureKind,
    /// Whether a byte of the request was handed to the network, so that the call may have had an effect.
    pub(crate) sent: bool,
    /// The request, where it came back untouched.
    pub(crate) request: Option<Box<Request<Outgoing>>>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FailureKind {
    /// No server may be used: all are disabled or drain.
    #[error("no server is in service; `target list` says why")]
    NoServer {
        /// When one may be there again, as far as is known.
        until: Tick,
    },
    /// As many connections are open as are allowed.
    #[error("all {bound} connections that connections_per_server allows are in use")]
    TooMany {
        /// The setting.
        bound: usize,
    },
    /// No connection came about.
    #[error("{failure}: {detail}")]
    Connect {
        /// As the selector knows it.
        failure: weir_balance::Failure,
        /// What the system or the TLS library says.
        detail: String,
    },
    /// The server closed the connection where its answer belongs.
    #[error("closed before its answer began")]
    ClosedBeforeHead,
    /// The connection broke.
    #[error("the connection broke: {detail}")]
    Broken {
        /// What the system says.
        detail: String,
    },
    /// The answer did not begin in time.
    #[error("no answer within {} s", after.as_secs_f32())]
    SilentBeforeHead {
        /// The limit that ran out.
        after: Duration,
    },
    /// What came is no HTTP/1.1 answer, or larger than allowed.
    #[error("its answer cannot be understood: {detail}")]
    BadAnswer {
        /// What is wrong with it.
        detail: String,
    },
    /// The answer ended before its end.
    #[error("its answer broke off")]
    BrokenOff,
    /// The answer stopped in its middle.
    #[error("silent for {} s in the middle of its answer", after.as_secs_f32())]
    SilentInAnswer {
        /// The limit that ran out.
        after: Duration,
    },
    /// The client did not send the whole of its request.
    #[error("the client went away before its request was whole")]
    ClientGone,
}

/// Whose fault a failure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blame {
    /// The client's.
    Client,
    /// The origin's, or the way's to it.
    Origin,
    /// The gateway's, or its administrator's wish.
    Us,
}

impl Failure {
    /// A failure before anything was sent.
    pub(super) fn unsent(server: Option<SocketAddr>, kind: FailureKind) -> Self {
        Self { server, kind, sent: false, request: None }
    }

    /// Whether the call may be made again: it had no effect, and somebody is there to read the answer.
    pub(crate) const fn retry(&self) -> bool {
        !self.sent && !matches!(self.kind.blame(), Blame::Client)
    }
}

impl FailureKind {
    /// Whose fault it is.
    pub(crate) const fn blame(&self) -> Blame {
        match self {
            Self::NoServer { .. } | Self::TooMany { .. } => Blame::Us,
            Self::Connect { failure, .. } => match failure.blame() {
                weir_balance::Blame::Peer => Blame::Origin,
                weir_balance::Blame::Us => Blame::Us,
            },
            Self::ClosedBeforeHead
            | Self::Broken { .. }
            | Self::SilentBeforeHead { .. }
            | Self::BadAnswer { .. }
            | Self::BrokenOff
            | Self::SilentInAnswer { .. } => Blame::Origin,
            Self::ClientGone => Blame::Client,
        }
    }

    /// What the HTTP library's error means for a request whose answer has not begun.
    pub(super) fn before_head(error: &hyper::Error) -> Self {
        if error.is_user() {
            return Self::ClientGone;
        }
        if error.is_parse() {
            return Self::BadAnswer { detail: error.to_string() };
        }
        match source_of(error) {
            Some(detail) => Self::Broken { detail },
            None => Self::ClosedBeforeHead,
        }
    }
}

/// What the system said, where the HTTP library only passes it on.
fn source_of(error: &hyper::Error) -> Option<String> {
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref::<std::io::Error>() {
            return Some(error.to_string());
        }
        source = error.source();
    }
    None
}

fn place(server: Option<SocketAddr>) -> String {
    server.map_or_else(String::new, |server| format!("{server}: "))
}
