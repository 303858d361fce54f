//! `HAProxy` as the load balancer before a mail server, which tells it whose connection it passes on.

use std::net::SocketAddr;
use std::process::Command;

use crate::place::Place;
use crate::process::Process;

/// The version of the header that it sends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Header {
    /// Text.
    V1,
    /// Bytes.
    V2,
}

/// A running `HAProxy`.
pub(crate) struct Haproxy {
    _process: Process,
}

impl Haproxy {
    /// One that passes on what comes to `front`, from the same address, to `server`.
    pub(crate) fn start(place: &Place, front: SocketAddr, server: SocketAddr, header: Header) -> Haproxy {
        let option = match header {
            Header::V1 => "send-proxy",
            Header::V2 => "send-proxy-v2",
        };
        let text = format!(
            "global\n    maxconn 200\ndefaults\n    mode tcp\n    timeout connect 5s\n    timeout client 60s\n    \
             timeout server 60s\nlisten mail\n    bind {front}\n    server mail {server} source {} {option}\n",
            front.ip()
        );
        let config = place.write("haproxy/haproxy.cfg", &text);
        let mut command = Command::new("haproxy");
        command.arg("-db").arg("-f").arg(config);
        Haproxy { _process: Process::start(&mut command, &place.path("haproxy/out")).listens(front) }
    }
}
