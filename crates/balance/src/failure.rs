//! How an attempt to connect ended when it did not end well, and whose fault that is (H4).
//!
//! Only what speaks about the peer, or about the way to it, makes a target unhealthy. That we ran out of descriptors,
//! buffers or ports says nothing about anybody but us. Each failure has the Winsock code that the connectivity log
//! writes (H11), where Winsock has one.

use std::fmt;
use std::io;

/// Whose fault a failure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Blame {
    /// The target's, or the way's to it: the target is marked.
    Peer,
    /// Ours: nothing is marked.
    Us,
}

/// How an attempt failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Failure {
    /// Nobody listens there (`ECONNREFUSED`).
    Refused,
    /// No answer to the connect in time (`ETIMEDOUT`, or the caller's own limit).
    TimedOut,
    /// No way to the host (`EHOSTUNREACH`).
    HostUnreachable,
    /// The host is known to be down (`EHOSTDOWN`).
    HostDown,
    /// No way to the network (`ENETUNREACH`).
    NetworkUnreachable,
    /// The network is down (`ENETDOWN`).
    NetworkDown,
    /// The peer cut the connection (`ECONNRESET`).
    Reset,
    /// The connection was given up on the way (`ECONNABORTED`).
    Aborted,
    /// It accepted, and closed before its banner.
    ClosedBeforeBanner,
    /// It accepted, and said nothing in time.
    SilentBeforeBanner,
    /// It answered 421 where its banner belongs.
    Busy421,
    /// The TLS handshake failed, at a target that is reached by TLS alone.
    Handshake,
    /// It connects, and fails an active check (H10).
    CheckFailed,
    /// The process or the system has no descriptor left (`EMFILE`, `ENFILE`).
    TooManyFiles,
    /// No memory for the socket (`ENOBUFS`, `ENOMEM`).
    NoBuffers,
    /// No local address or port to connect from (`EADDRNOTAVAIL`).
    AddressNotAvailable,
    /// The local address is taken (`EADDRINUSE`).
    AddressInUse,
    /// This host forbids it, such as by a firewall of its own (`EACCES`, `EPERM`).
    Forbidden,
    /// Something else, of which nothing is known.
    Other,
}

impl Failure {
    /// Every failure there is.
    pub const ALL: [Self; 19] = [
        Self::Refused,
        Self::TimedOut,
        Self::HostUnreachable,
        Self::HostDown,
        Self::NetworkUnreachable,
        Self::NetworkDown,
        Self::Reset,
        Self::Aborted,
        Self::ClosedBeforeBanner,
        Self::SilentBeforeBanner,
        Self::Busy421,
        Self::Handshake,
        Self::CheckFailed,
        Self::TooManyFiles,
        Self::NoBuffers,
        Self::AddressNotAvailable,
        Self::AddressInUse,
        Self::Forbidden,
        Self::Other,
    ];

    /// What the system's error on connecting means here. The numbers are Linux's; elsewhere the kind decides.
    pub fn of(error: &io::Error) -> Self {
        error.raw_os_error().and_then(of_linux).unwrap_or_else(|| of_kind(error.kind()))
    }

    /// Whose fault it is.
    pub const fn blame(self) -> Blame {
        match self {
            Self::Refused
            | Self::TimedOut
            | Self::HostUnreachable
            | Self::HostDown
            | Self::NetworkUnreachable
            | Self::NetworkDown
            | Self::Reset
            | Self::Aborted
            | Self::ClosedBeforeBanner
            | Self::SilentBeforeBanner
            | Self::Busy421
            | Self::Handshake
            | Self::CheckFailed => Blame::Peer,
            Self::TooManyFiles
            | Self::NoBuffers
            | Self::AddressNotAvailable
            | Self::AddressInUse
            | Self::Forbidden
            | Self::Other => Blame::Us,
        }
    }

    /// Whether it makes a target unhealthy (H4).
    pub const fn marks(self) -> bool {
        match self.blame() {
            Blame::Peer => true,
            Blame::Us => false,
        }
    }

    /// The Winsock code for it (H11); nothing where no socket call failed.
    pub const fn winsock(self) -> Option<u16> {
        match self {
            Self::Refused => Some(10061),
            Self::TimedOut | Self::SilentBeforeBanner => Some(10060),
            Self::HostUnreachable => Some(10065),
            Self::HostDown => Some(10064),
            Self::NetworkUnreachable => Some(10051),
            Self::NetworkDown => Some(10050),
            Self::Reset => Some(10054),
            Self::Aborted => Some(10053),
            Self::ClosedBeforeBanner => Some(10101),
            Self::TooManyFiles => Some(10024),
            Self::NoBuffers => Some(10055),
            Self::AddressNotAvailable => Some(10049),
            Self::AddressInUse => Some(10048),
            Self::Forbidden => Some(10013),
            Self::Busy421 | Self::Handshake | Self::CheckFailed | Self::Other => None,
        }
    }

    /// What happened, in a few lower-case words.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Refused => "connection refused",
            Self::TimedOut => "no answer in time",
            Self::HostUnreachable => "host unreachable",
            Self::HostDown => "host down",
            Self::NetworkUnreachable => "network unreachable",
            Self::NetworkDown => "network down",
            Self::Reset => "connection reset",
            Self::Aborted => "connection aborted",
            Self::ClosedBeforeBanner => "closed before its banner",
            Self::SilentBeforeBanner => "silent where its banner belongs",
            Self::Busy421 => "answered 421 where its banner belongs",
            Self::Handshake => "TLS handshake failed",
            Self::CheckFailed => "failed its check",
            Self::TooManyFiles => "no file descriptor left here",
            Self::NoBuffers => "no socket memory left here",
            Self::AddressNotAvailable => "no local address or port left here",
            Self::AddressInUse => "local address in use",
            Self::Forbidden => "forbidden by this host",
            Self::Other => "failed for an unknown reason",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// Those of Linux's numbers that [`io::ErrorKind`] does not tell apart.
fn of_linux(errno: i32) -> Option<Failure> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    match errno {
        23 | 24 => Some(Failure::TooManyFiles),
        12 | 105 => Some(Failure::NoBuffers),
        112 => Some(Failure::HostDown),
        _ => None,
    }
}

/// The kinds of error that say something.
const KINDS: [(io::ErrorKind, Failure); 11] = [
    (io::ErrorKind::ConnectionRefused, Failure::Refused),
    (io::ErrorKind::TimedOut, Failure::TimedOut),
    (io::ErrorKind::HostUnreachable, Failure::HostUnreachable),
    (io::ErrorKind::NetworkUnreachable, Failure::NetworkUnreachable),
    (io::ErrorKind::NetworkDown, Failure::NetworkDown),
    (io::ErrorKind::ConnectionReset, Failure::Reset),
    (io::ErrorKind::ConnectionAborted, Failure::Aborted),
    (io::ErrorKind::OutOfMemory, Failure::NoBuffers),
    (io::ErrorKind::AddrNotAvailable, Failure::AddressNotAvailable),
    (io::ErrorKind::AddrInUse, Failure::AddressInUse),
    (io::ErrorKind::PermissionDenied, Failure::Forbidden),
];

fn of_kind(kind: io::ErrorKind) -> Failure {
    KINDS.into_iter().find(|(known, _)| *known == kind).map_or(Failure::Other, |(_, failure)| failure)
}

#[cfg(test)]
mod tests;
