//! The client's side of a transcript.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// How long any wait of a test lasts at most.
const LONGEST: Duration = Duration::from_secs(20);

/// The same where time is pretended, and goes on by itself.
pub(super) const AFTER: Duration = Duration::from_hours(24);

/// The client's end of a session.
pub(crate) struct Peer<S> {
    stream: S,
    read: Vec<u8>,
    longest: Duration,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Peer<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { stream, read: Vec::new(), longest: LONGEST }
    }

    /// The same, in pretended time.
    pub(super) fn patient(self) -> Self {
        Self { longest: AFTER, ..self }
    }

    pub(crate) fn into_stream(self) -> S {
        self.stream
    }

    /// Plays a transcript. Lines of `C:` that stand together are sent together, each with its CR LF, and `\r`, `\n`, `\0`
    /// and `\x80` in them are bytes; a `C|` has no line ending. A line of `S:` has to come as it stands, or as it begins where it ends
    /// in `*`; `S.` is the end of the connection.
    pub(crate) async fn play(&mut self, transcript: &str) {
        let mut sent = Vec::new();
        for line in transcript.lines().map(str::trim_start).filter(|line| !line.is_empty()) {
            let (who, what) = line.split_at_checked(2).unwrap_or((line, ""));
            let what = what.strip_prefix(' ').unwrap_or(what);
            if who.starts_with('S') {
                self.send(&std::mem::take(&mut sent)).await;
            }
            match who {
                "C:" => sent.extend([&bytes(what), b"\r\n".as_slice()].concat()),
                "C|" => sent.extend(bytes(what)),
                "S:" => self.hear(what).await,
                "S." => assert_eq!(self.line().await, None, "the connection ends"),
                _ => panic!("{line:?} is no line of a transcript"),
            }
        }
        self.send(&sent).await;
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        let sent = tokio::time::timeout(self.longest, self.stream.write_all(bytes)).await;
        sent.expect("the server reads").expect("the connection stands");
    }

    /// The next line is that, or begins so where that ends in `*`.
    pub(crate) async fn hear(&mut self, expected: &str) {
        let line = self.line().await.unwrap_or_else(|| panic!("{expected:?} comes before the end"));
        let fits = match expected.strip_suffix('*') {
            Some(front) => line.starts_with(front),
            None => line == expected,
        };
        assert!(fits, "{expected:?} comes, and not {line:?}");
    }

    /// The next line without its ending; nothing at the end.
    pub(crate) async fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.read.windows(2).position(|pair| pair == b"\r\n") {
                let line: Vec<u8> = self.read.drain(..end + 2).collect();
                return Some(String::from_utf8(line[..end].to_vec()).unwrap());
            }
            if self.more().await == 0 {
                assert_eq!(String::from_utf8_lossy(&self.read), "", "the connection ends within a line");
                return None;
            }
        }
    }

    /// What one read brings.
    pub(crate) async fn piece(&mut self) -> String {
        self.more().await;
        String::from_utf8(std::mem::take(&mut self.read)).unwrap()
    }

    async fn more(&mut self) -> usize {
        self.read.reserve(16 << 10);
        let read = tokio::time::timeout(self.longest, self.stream.read_buf(&mut self.read)).await;
        read.expect("something comes").unwrap_or(0)
    }
}

/// A line of a transcript as bytes.
fn bytes(text: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::new(), text);
    while let Some(letter) = rest.chars().next() {
        let escapes: [(&str, &[u8]); 4] =
            [(r"\r", b"\r"), (r"\n", b"\n"), (r"\0", b"\0"), (r"\x80", b"\x80")];
        let escape = escapes.into_iter().find(|(written, _)| rest.starts_with(written));
        let (length, meant) = match escape {
            Some((written, meant)) => (written.len(), meant),
            None => (letter.len_utf8(), &rest.as_bytes()[..letter.len_utf8()]),
        };
        bytes.extend_from_slice(meant);
        rest = &rest[length..];
    }
    bytes
}
