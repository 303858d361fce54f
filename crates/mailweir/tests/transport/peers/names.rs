//! Who answers for names: dnsmasq where all is well, and beside it somebody who says that it has failed, or lies.

use std::net::{SocketAddr, UdpSocket};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::place::Place;
use crate::process::Process;

/// A running dnsmasq. It knows names below `test` and nothing else.
pub(crate) struct Dnsmasq {
    _process: Process,
}

impl Dnsmasq {
    /// One that answers at `address`, with these options without their dashes: `mx-host=pool.test,mx1.pool.test,10`.
    pub(crate) fn start(place: &Place, address: SocketAddr, options: &[String]) -> Dnsmasq {
        let mut command = Command::new("dnsmasq");
        command.args(["--keep-in-foreground", "--conf-file=/dev/null", "--pid-file=", "--user=nobody"]);
        command.args([
            "--no-resolv",
            "--no-hosts",
            "--bind-interfaces",
            "--local=/test/",
            "--log-facility=-",
        ]);
        command.arg("--log-queries");
        command.arg(format!("--listen-address={}", address.ip())).arg(format!("--port={}", address.port()));
        command.args(options.iter().map(|option| format!("--{option}")));
        Dnsmasq { _process: Process::start(&mut command, &place.path("dnsmasq.out")).listens(address) }
    }
}

/// What somebody says who is no help.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    /// That it has failed.
    Failure,
    /// Nothing.
    Silence,
    /// Bytes that mean nothing.
    Noise,
    /// That the name is another name for itself.
    Loop,
}

/// A name server that is no help.
pub(crate) struct Unhelpful {
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Unhelpful {
    /// One that says always the same at `address`.
    pub(crate) fn start(address: SocketAddr, answer: Answer) -> Unhelpful {
        let socket = UdpSocket::bind(address).unwrap();
        socket.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let stopped = Arc::new(AtomicBool::new(false));
        let is_stopped = Arc::clone(&stopped);
        let thread = std::thread::spawn(move || {
            let mut query = [0; 512];
            while !is_stopped.load(Ordering::Relaxed) {
                let Ok((length, asker)) = socket.recv_from(&mut query) else { continue };
                if let Some(bytes) = said(answer, &query[..length]) {
                    let _asker_gone = socket.send_to(&bytes, asker);
                }
            }
        });
        Unhelpful { stopped, thread: Some(thread) }
    }
}

impl Drop for Unhelpful {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
    }
}

/// The answer to a query, which begins with twelve bytes of header and ends with the question.
fn said(answer: Answer, query: &[u8]) -> Option<Vec<u8>> {
    const FAILURE: u8 = 2;
    const CNAME: [u8; 10] = [0, 5, 0, 1, 0, 0, 0, 60, 0, 2];
    const SAME_NAME: [u8; 2] = [0xc0, 12];
    let name = query[12..].iter().position(|byte| *byte == 0)? + 13;
    let mut bytes = query[..name + 4].to_vec();
    bytes[2] |= 0x80;
    bytes[6..12].fill(0);
    match answer {
        Answer::Failure => bytes[3] = FAILURE,
        Answer::Silence => return None,
        Answer::Noise => bytes[2..].iter_mut().for_each(|byte| *byte = !*byte),
        Answer::Loop => {
            bytes[3] = 0x80;
            bytes[7] = 1;
            bytes.extend(SAME_NAME.iter().chain(&CNAME).chain(&SAME_NAME));
        }
    }
    Some(bytes)
}
