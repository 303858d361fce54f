//! Whatever a client says, and however it is cut: what was acknowledged is kept, and nothing else.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// One thing that a client says, and what follows if the server lets it.
#[derive(Clone, Debug)]
enum Said {
    Line(&'static str),
    /// DATA, and this behind a 354.
    Data(&'static str),
    /// BDAT, with its bytes at once.
    Chunk(&'static str, bool),
}

fn said() -> impl Strategy<Value = Said> {
    let lines = [
        "EHLO pc1",
        "MAIL FROM:<a@example.net>",
        "MAIL FROM:<a@example.net>",
        "MAIL FROM:<a@example.net",
        "RCPT TO:<john@example.com>",
        "RCPT TO:<jane@example.com>",
        "RCPT TO:<nobody@example.com>",
        "RCPT TO:<a@elsewhere.example>",
        "RSET",
        "NOOP",
    ];
    let messages = ["Subject: one\r\n\r\n1\r\n.\r\n", ".\r\n", "bare\n\r\n.\r\n", "\r\n..\r\n.\r\n"];
    prop_oneof![
        6 => select(lines.to_vec()).prop_map(Said::Line),
        2 => select(messages.to_vec()).prop_map(Said::Data),
        2 => (select(vec!["Subject: x\r\n", "", "\r\n.\r\n", "bare\n"]), any::<bool>())
            .prop_map(|(bytes, last)| Said::Chunk(bytes, last)),
    ]
}

/// A client that cuts what it sends, and keeps count.
struct Keeping {
    peer: Peer<DuplexStream>,
    cut: usize,
    /// Recipients of the message under way.
    recipients: Option<Vec<&'static str>>,
    acknowledged: Vec<Vec<&'static str>>,
}

impl Keeping {
    async fn send(&mut self, bytes: &[u8]) {
        for piece in bytes.chunks(self.cut) {
            self.peer.send(piece).await;
            tokio::task::yield_now().await;
        }
    }

    /// The last line of the next reply; nothing at the end.
    async fn reply(&mut self) -> Option<String> {
        loop {
            let line = self.peer.line().await?;
            if line.as_bytes()[3] == b' ' {
                return Some(line);
            }
        }
    }

    /// Says it, and whether the session goes on.
    async fn say(&mut self, said: &Said) -> bool {
        match said {
            Said::Line(line) => {
                self.send(format!("{line}\r\n").as_bytes()).await;
                let Some(reply) = self.reply().await else { return false };
                self.lined(line, &reply);
            }
            Said::Data(message) => {
                self.send(b"DATA\r\n").await;
                let Some(reply) = self.reply().await else { return false };
                if reply.starts_with("354") {
                    self.send(message.as_bytes()).await;
                    return self.ended().await;
                }
            }
            Said::Chunk(bytes, last) => {
                let command = format!("BDAT {}{}\r\n{bytes}", bytes.len(), if *last { " LAST" } else { "" });
                self.send(command.as_bytes()).await;
                return self.ended().await;
            }
        }
        true
    }

    fn lined(&mut self, line: &'static str, reply: &str) {
        let address = line.strip_prefix("RCPT TO:");
        match (address, &mut self.recipients) {
            _ if !reply.starts_with("250") => {}
            (Some(address), Some(recipients)) => recipients.push(address),
            (Some(_), None) => panic!("{line} was let without MAIL"),
            (None, _) if line.starts_with("MAIL") => self.recipients = Some(Vec::new()),
            (None, _) if line != "NOOP" => self.recipients = None,
            (None, _) => {}
        }
    }

    /// A message, or a chunk of one, was answered.
    async fn ended(&mut self) -> bool {
        let Some(reply) = self.reply().await else { return false };
        if reply.ends_with("Queued mail for delivery") {
            self.acknowledged.push(self.recipients.take().unwrap());
        } else if !reply.contains("CHUNK received") && !reply.starts_with("50") {
            self.recipients = None;
        }
        true
    }
}

async fn play(history: &[Said], cut: usize) -> (Vec<Vec<&'static str>>, Vec<Vec<String>>) {
    let world = World::with(|plan| plan.connector.limits.max_protocol_errors = 20);
    let peer = world.connect("198.51.100.7");
    let mut client = Keeping { peer, cut, recipients: None, acknowledged: Vec::new() };
    client.reply().await;
    let begin = Said::Line("EHLO pc1");
    for said in std::iter::once(&begin).chain(history) {
        if !client.say(said).await {
            break;
        }
    }
    let acknowledged = std::mem::take(&mut client.acknowledged);
    drop(client);
    let kept = world.kept().await.into_iter().map(|kept| kept.envelope.recipients);
    let kept = kept.map(|recipients| recipients.iter().map(|one| one.to.to_string()).collect());
    (acknowledged, kept.collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn what_was_acknowledged_is_kept_and_nothing_else(
        history in prop::collection::vec(said(), 0..40),
        cut in 1_usize..40,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (acknowledged, kept) = runtime.block_on(play(&history, cut));
        prop_assert_eq!(acknowledged, kept);
    }
}
