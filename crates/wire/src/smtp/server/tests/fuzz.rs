//! Random sessions: in pieces of any size they come to the same, and nothing in them is read as what it is not.

use proptest::prelude::*;

use super::super::super::client::{Encoder, Pipeline};
use super::super::super::command::Hello;
use super::super::super::parameter::Mail;
use super::super::super::reply::{Class, ReplyReader};
use super::super::super::tests::{any_mail, any_recipient};
use super::*;

/// What a client sends before it waits: commands and chunks together, or content behind DATA.
fn any_burst() -> impl Strategy<Value = Vec<u8>> {
    let command = prop_oneof![
        "(EHLO x|HELO x|RSET|NOOP|VRFY x|HELP|FOO|AUTH PLAIN|XSHADOW a|MAIL FROM:<a@b>|RCPT TO:<c@d>)\r\n",
        "(MAIL FROM:<a@b> BODY=8BITMIME|RCPT TO:<no@d>|RCPT TO:<c@d>|MAIL|NO\rOP|N\0|\u{e4}|NOOP \n)\r?\n",
    ];
    let chunk = (message(), any::<bool>()).prop_map(|(content, last)| {
        let last = if last { " LAST" } else { "" };
        format!("BDAT {}{last}\r\n{content}", content.len())
    });
    let burst = prop_oneof![5 => command, 3 => chunk];
    prop_oneof![
        4 => proptest::collection::vec(burst, 1..8).prop_map(|parts| parts.concat().into_bytes()),
        1 => Just(b"DATA\r\n".to_vec()),
        2 => message().prop_map(|content| format!("{content}\r\n.\r\n").into_bytes()),
        1 => Just(b"EHLO x\r\nMAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\n".to_vec()),
    ]
}

fn message() -> impl Strategy<Value = String> {
    "(\r\n|\r\n|\r\n\\.|\\.|a|QUIT\r\n|BDAT 3\r\n|\r|\n|\u{0}|\u{e4}){0,8}"
}

fn run(bursts: &[Vec<u8>], size: usize) -> Vec<String> {
    let mut driver = Driver::new(limits(), plain());
    bursts.iter().flat_map(|burst| driver.feed(burst, size)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn pieces_of_any_size_come_to_the_same(
        bursts in proptest::collection::vec(any_burst(), 0..12),
        size in 1..20_usize,
    ) {
        let hello = b"EHLO x\r\nMAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\n".to_vec();
        let bursts: Vec<Vec<u8>> = std::iter::once(hello).chain(bursts).collect();
        prop_assert_eq!(run(&bursts, size), run(&bursts, usize::MAX));
    }

    #[test]
    fn any_bytes_are_answered_and_never_panic(
        bytes in proptest::collection::vec(any::<u8>(), 0..400),
        size in 1..50_usize,
    ) {
        run(&[bytes], size);
    }

    #[test]
    fn chunks_of_any_cut_are_the_message_that_was_sent(
        lines in proptest::collection::vec("[.a-z]{0,10}\r\n", 0..20),
        cuts in proptest::collection::vec(0..40_usize, 0..8),
        size in 1..20_usize,
    ) {
        let message = lines.concat();
        let (mut rest, mut bytes) = (message.as_bytes(), b"EHLO x\r\nMAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\n".to_vec());
        for cut in cuts {
            let (chunk, later) = rest.split_at(cut.min(rest.len()));
            bytes.extend([format!("BDAT {}\r\n", chunk.len()).as_bytes(), chunk].concat());
            rest = later;
        }
        bytes.extend([format!("BDAT {} LAST\r\n", rest.len()).as_bytes(), rest].concat());
        let log = run(&[bytes], size);
        let taken = format!("M: {}", message.as_bytes().escape_ascii()).trim_end().to_owned();
        prop_assert_eq!(log.iter().filter(|line| line.starts_with("M:")).collect::<Vec<_>>(), [&taken]);
    }

    #[test]
    fn a_client_of_ours_and_the_server_understand_one_another(
        mail in any_mail(),
        recipients in proptest::collection::vec(any_recipient(), 1..60),
        message in "[.a-z\r\n]{0,60}",
        pipelining in any::<bool>(),
    ) {
        let mail = Mail { size: None, shadow: None, smtp_utf8: true, ..mail };
        let mut talk = Talk::new(pipelining);
        let commands = [Command::Mail(mail)].into_iter().chain(recipients.into_iter().map(Command::Recipient));
        let hello = Command::Hello(Hello::Ehlo, "hub02".to_owned());
        let commands = std::iter::once(hello).chain(commands).chain([Command::Data]);
        prop_assert_eq!(talk.run(commands.collect()), Class::GoOn);
        let (mut encoder, mut out) = (Encoder::new(Framing::Dots), Vec::new());
        encoder.write(message.as_bytes(), &mut out);
        encoder.finish(&mut out);
        let log = talk.driver.feed(&out, 7);
        prop_assert!(log[0].starts_with("M:") && log[1].starts_with("S: 250 "), "{:?}", log);
        prop_assert_eq!(talk.run(vec![Command::Quit]), Class::Done);
    }
}

/// A client and a server without anything between them.
struct Talk {
    driver: Driver,
    reader: ReplyReader,
    pipelining: bool,
}

impl Talk {
    fn new(pipelining: bool) -> Self {
        let mut offered = plain();
        offered.mechanisms = vec![super::super::super::auth::Mechanism::Plain];
        Self { driver: Driver::new(limits(), offered), reader: ReplyReader::default(), pipelining }
    }

    /// Sends commands as they may be sent; the class of the last reply.
    fn run(&mut self, commands: Vec<Command>) -> Class {
        let mut pipeline = Pipeline::new(commands, self.pipelining);
        let mut last = Class::Never;
        while !pipeline.is_done() {
            let mut out = Vec::new();
            pipeline.write(&mut out);
            let said = self.driver.feed(&out, 11);
            let said: Vec<&str> = said.iter().map(|line| line.get(3..).unwrap_or_default()).collect();
            let said = said.join("\r\n") + "\r\n";
            let mut said = said.as_bytes();
            while let Some(reply) = self.reader.next(&mut said).unwrap() {
                let command = pipeline.answered().expect("each command has one reply");
                last = reply.code().class();
                assert!(matches!(last, Class::Done | Class::GoOn), "{command}: {reply}");
            }
        }
        last
    }
}
