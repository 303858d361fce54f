//! Peers that say what a script says.
//!
//! `S:` is said by the peer and `C:` has to be said by us; `slow:` is said a byte a minute; `hold` neither says nor
//! reads anything as long as the connection is there; at its end a script closes the connection.

mod acquaintances;
mod bad_peers;
mod bodies;
mod envelopes;
mod lmtp;
mod own_servers;
mod sockets;
mod tls;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream};
use weir_transport::queue::Fate;
use weir_wire::smtp::{Command, Extension, Extensions, Mail, Mechanism, Recipient};

use super::connection::Connection;
use super::dialer::{Callee, Dialer};
use super::trust::Trust;
use super::{Facts, OpenError, Protocol, Sent, Way};
use crate::content::Content;
use crate::settings::{SendSettings, TlsPolicy};

/// Room between the two sides.
const ROOM: usize = 1 << 20;

/// A peer with everything that a modern one has.
const HELLO: &str = "S: 220 mx.test ESMTP\nC: EHLO hub01.test\nS: 250-mx.test\nS: 250-PIPELINING\nS: 250-SIZE\n\
                     S: 250-8BITMIME\nS: 250-SMTPUTF8\nS: 250 DSN\n";
/// A peer with nothing.
const BARE: &str = "S: 220 mx.test ESMTP\nC: EHLO hub01.test\nS: 250 mx.test\n";
const MESSAGE: &str = "Subject: x\r\n\r\n.dot\r\n";
/// [`MESSAGE`] as it is written.
const WRITTEN: &str = "C: Subject: x\nC: \nC: ..dot\nC: .\n";

fn dialer_with(settings: SendSettings, trust: Trust) -> Dialer {
    Dialer { host_name: "hub01.test".parse().unwrap(), settings: Arc::new(settings), trust }
}

fn dialer() -> Dialer {
    dialer_with(SendSettings::default(), Trust::of(rustls::RootCertStore::empty()).unwrap())
}

fn smtp() -> Way {
    Way { protocol: Protocol::Smtp, tls: TlsPolicy::Opportunistic, login: None, shadow_holder: None }
}

fn lmtp() -> Way {
    Way { protocol: Protocol::Lmtp, ..smtp() }
}

fn address() -> SocketAddr {
    "192.0.2.1:25".parse().unwrap()
}

fn everything() -> Extensions {
    Extensions { keywords: Extension::ALL.into(), size: Some(0), mechanisms: vec![Mechanism::Plain] }
}

/// What an envelope's line says, with every parameter there is.
fn mail(text: &str) -> Mail {
    let command = Command::parse(format!("MAIL FROM:{text}").as_bytes(), &everything()).unwrap();
    let Command::Mail(mail) = command else { panic!("{command}") };
    mail
}

fn recipients(texts: &[&str]) -> Vec<Recipient> {
    let recipient = |text: &&str| {
        let command = Command::parse(format!("RCPT TO:{text}").as_bytes(), &everything()).unwrap();
        let Command::Recipient(recipient) = command else { panic!("{command}") };
        recipient
    };
    texts.iter().map(recipient).collect()
}

fn content(text: &str) -> (Content, Facts) {
    let facts = Facts { bytes: u64::try_from(text.len()).unwrap(), eight_bit: !text.is_ascii() };
    (Content::Fresh(Some(Bytes::copy_from_slice(text.as_bytes()))), facts)
}

/// Plays the peer's part, and fails where we do not play ours. Lines of `S:` that stand together are said at once.
async fn play(stream: impl AsyncRead + AsyncWrite + Unpin, script: &str) {
    let mut stream = BufReader::new(stream);
    let mut said = String::new();
    for (number, line) in script.lines().enumerate() {
        let (who, text) = line.split_once(": ").or_else(|| line.split_once(':')).unwrap_or((line, ""));
        if who == "S" {
            said.extend([text, "\r\n"]);
            continue;
        }
        say(&mut stream, &std::mem::take(&mut said)).await;
        match who {
            "C" => {
                let mut heard = String::new();
                stream.read_line(&mut heard).await.unwrap();
                assert_eq!(heard.trim_end_matches("\r\n"), text, "line {number} of\n{script}");
            }
            "slow" => {
                for byte in format!("{text}\r\n").chars() {
                    tokio::time::sleep(Duration::from_mins(1)).await;
                    say(&mut stream, &byte.to_string()).await;
                }
            }
            "hold" => tokio::time::sleep(Duration::from_hours(24)).await,
            other => panic!("{other} is no part of a script"),
        }
    }
    say(&mut stream, &said).await;
}

/// Says it to whoever is still there: who is refused may be gone.
async fn say(stream: &mut (impl AsyncWrite + Unpin), text: &str) {
    drop(stream.write_all(text.as_bytes()).await);
    drop(stream.flush().await);
}

fn pair() -> (DuplexStream, DuplexStream) {
    tokio::io::duplex(ROOM)
}

/// Becomes acquainted with a peer.
async fn meet(way: &Way, script: &str) -> Result<Connection, OpenError> {
    let (ours, theirs) = pair();
    let (dialer, callee) = (dialer(), Callee { address: address(), name: "target.test" });
    let greeting = async {
        let met = dialer.greet(Box::new(ours), callee, way, way.tls).await;
        met.map(|mut connection| {
            // The script is over: nothing that follows reaches its end.
            connection.at_rest = false;
            connection
        })
    };
    tokio::join!(greeting, play(theirs, script)).0
}

/// Sends one message to a peer, which hears nothing else.
async fn send(way: &Way, script: &str, mail: &Mail, to: &[Recipient], text: &str) -> Sent {
    let (ours, theirs) = pair();
    send_over(ours, theirs, way, script, mail, to, text).await
}

async fn send_over(
    ours: DuplexStream,
    theirs: DuplexStream,
    way: &Way,
    script: &str,
    mail: &Mail,
    to: &[Recipient],
    text: &str,
) -> Sent {
    let (dialer, callee) = (dialer(), Callee { address: address(), name: "target.test" });
    let sending = async {
        let mut connection = dialer.greet(Box::new(ours), callee, way, way.tls).await.unwrap();
        let (content, facts) = content(text);
        connection.send(mail, to, content, facts).await
    };
    tokio::join!(sending, play(theirs, script)).0
}

/// Sends [`MESSAGE`] from a to b and c.
async fn send_plain(script: &str) -> Sent {
    send(&smtp(), script, &mail("<a@x.test>"), &recipients(&["<b@y.test>", "<c@y.test>"]), MESSAGE).await
}

/// What became of each recipient: fate, and the reply's code.
fn fates(sent: &Sent) -> Vec<(Fate, Option<u16>)> {
    sent.outcomes
        .iter()
        .map(|outcome| (outcome.fate, outcome.reply.as_ref().map(|reply| reply.code)))
        .collect()
}
