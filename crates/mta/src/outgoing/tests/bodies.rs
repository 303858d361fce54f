//! Messages as the disk gives them back, or does not.

use std::os::unix::fs::FileExt;
use std::path::Path;

use tempfile::TempDir;
use weir_spool::{Identity, Limits, PIECE_BYTES, Spool, State};
use weir_transport::queue::Fate::Deferred;
use weir_units::WallTime;

use super::*;
use crate::outgoing::body::{BURST, Body};

/// A message on a disk.
async fn spooled(folder: &Path, text: &str) -> Content {
    let spool = Spool::open(folder, Limits::default(), Identity(1)).unwrap().0;
    let mut draft = spool.draft();
    draft.write(text.as_bytes()).await.unwrap();
    let state = State { due: Some(WallTime::from_unix_micros(0)), bytes: Vec::new() };
    let id = draft.queue(Vec::new(), vec![state]).await.unwrap();
    Content::Spooled(Some(Box::new(spool.locate(id).await.unwrap().read().unwrap().body)))
}

/// Five pieces, each of lines that say which it is.
fn pieces() -> String {
    let piece =
        |number: usize| format!("this is piece {number}\r\n").repeat(PIECE_BYTES)[..PIECE_BYTES].to_owned();
    (0..5).map(piece).collect()
}

/// A message of which the disk has lost a piece.
async fn damaged(folder: &Path, lost: usize) -> Content {
    let content = spooled(folder, &pieces()).await;
    let mark = format!("this is piece {lost}");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        if let Some(place) = bytes.windows(mark.len()).position(|window| window == mark.as_bytes()) {
            // Into the file that is open, not into another of its name.
            let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
            file.write_all_at(b"T", u64::try_from(place).unwrap()).unwrap();
        }
    }
    content
}

async fn send_damaged(lost: usize, script: &str) -> Sent {
    let folder = TempDir::new().unwrap();
    let content = damaged(folder.path(), lost).await;
    let (ours, theirs) = pair();
    let (dialer, way) = (dialer(), smtp());
    let callee = Callee { address: address(), name: "target.test" };
    let sending = async {
        let mut connection = dialer.greet(Box::new(ours), callee, &way, way.tls).await.unwrap();
        let facts = Facts { bytes: u64::try_from(5 * PIECE_BYTES).unwrap(), eight_bit: false };
        connection.send(&mail("<a@x.test>"), &recipients(&["<b@y.test>"]), content, facts).await
    };
    let (sent, theirs) = tokio::join!(sending, play_and_listen(theirs, script));
    assert!(!theirs.ends_with("\r\n.\r\n"), "it is not ended");
    assert!(sent.unreadable.is_some() && sent.broken.is_none());
    assert_eq!((sent.outcomes[0].fate, sent.outcomes[0].in_doubt), (Deferred, false));
    sent
}

/// Plays a script, and hears what else comes until the connection ends.
async fn play_and_listen(mut stream: DuplexStream, script: &str) -> String {
    play(&mut stream, script).await;
    let mut rest = String::new();
    tokio::io::AsyncReadExt::read_to_string(&mut stream, &mut rest).await.unwrap();
    rest
}

#[tokio::test]
async fn a_message_that_cannot_be_read_to_its_end_is_not_ended() {
    let script = format!(
        "{BARE}C: MAIL FROM:<a@x.test>\nS: 250 OK\nC: RCPT TO:<b@y.test>\nS: 250 OK\nC: DATA\nS: 354 go on\n"
    );
    assert!(!send_damaged(3, &script).await.usable);
}

#[tokio::test]
async fn of_a_message_that_cannot_be_read_at_all_nothing_is_said() {
    assert!(send_damaged(0, BARE).await.usable);
}

#[tokio::test]
async fn a_message_of_many_pieces_is_written_in_bursts_of_bounded_size() {
    let folder = TempDir::new().unwrap();
    let text = pieces();
    let mut body = Body::begin(spooled(folder.path(), &text).await).await.unwrap();
    let (mut written, mut bursts) = (Vec::new(), 0);
    loop {
        let mut out = Vec::new();
        let ended = body.burst(&mut out).await.unwrap();
        assert!(out.len() <= BURST + 8);
        written.extend(out);
        bursts += 1;
        if ended {
            break;
        }
    }
    assert_eq!(String::from_utf8(written).unwrap(), format!("{}\r\n.\r\n", text.trim_end_matches("\r\n")));
    assert_eq!(bursts, 3);
}

#[tokio::test]
async fn a_header_is_read_to_its_end_and_no_further_before_it_is_judged() {
    let ascii = "X-Field: x\r\n".repeat(4000);
    let rest = format!("\r\n{}", "grün\r\n".repeat(50_000));
    let cases = [
        (format!("{ascii}{rest}"), false),
        (format!("{}X-Field: grün\r\n{rest}", "X-Field: x\r\n".repeat(1900)), true),
        (format!("X-Long: {}grün\r\n{rest}", "x".repeat(PIECE_BYTES)), true),
    ];
    for (text, expected) in cases {
        let folder = TempDir::new().unwrap();
        let mut body = Body::begin(spooled(folder.path(), &text).await).await.unwrap();
        assert_eq!(body.has_eight_bit_header().await.unwrap(), expected);
        assert!(body.read_ahead() <= 2, "{} pieces", body.read_ahead());
        let mut written = Vec::new();
        while !body.burst(&mut written).await.unwrap() {}
        assert_eq!(String::from_utf8(written).unwrap(), format!("{text}.\r\n"));
    }
}
