//! Messages that the disk does not give back.

use std::os::unix::fs::FileExt;
use std::path::Path;

use tempfile::TempDir;
use weir_spool::{Identity, Limits, PIECE_BYTES, Spool, State};
use weir_transport::queue::Fate::Deferred;
use weir_units::WallTime;

use super::*;

const PIECES: usize = 5;

/// A message of several pieces on a disk that has lost the one at `lost`.
async fn damaged(folder: &Path, lost: usize) -> Content {
    let spool = Spool::open(folder, Limits::default(), Identity(1)).unwrap().0;
    let mut draft = spool.draft();
    for number in 0..PIECES {
        let line = format!("this is piece {number}\r\n");
        let text = line.repeat(PIECE_BYTES / line.len() + 1);
        draft.write(&text.as_bytes()[..PIECE_BYTES]).await.unwrap();
    }
    let state = State { due: Some(WallTime::from_unix_micros(0)), bytes: Vec::new() };
    let id = draft.queue(Vec::new(), vec![state]).await.unwrap();
    let body = spool.locate(id).await.unwrap().read().unwrap().body;
    drop(spool);
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
    Content::Spooled(Some(Box::new(body)))
}

async fn send_damaged(lost: usize, script: &str) -> Sent {
    let folder = TempDir::new().unwrap();
    let content = damaged(folder.path(), lost).await;
    let (ours, theirs) = pair();
    let (dialer, way) = (dialer(), smtp());
    let callee = Callee { address: address(), name: "target.test" };
    let sending = async {
        let mut connection = dialer.greet(Box::new(ours), callee, &way, way.tls).await.unwrap();
        let facts = Facts { bytes: u64::try_from(PIECES * PIECE_BYTES).unwrap(), eight_bit: false };
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
