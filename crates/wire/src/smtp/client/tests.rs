use proptest::prelude::*;

use super::super::command::{Command, Hello};
use super::super::content::Framing;
use super::super::mailbox::{ForwardPath, ReversePath};
use super::super::parameter::{Mail, Recipient};
use super::*;

fn encode(message: &[u8], framing: Framing, sizes: &[usize]) -> Vec<u8> {
    let (mut encoder, mut out) = (Encoder::new(framing), Vec::new());
    let (mut rest, mut sizes) = (message, sizes.iter().cycle());
    while !rest.is_empty() {
        let (piece, later) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
        encoder.write(piece, &mut out);
        rest = later;
    }
    encoder.finish(&mut out);
    out
}

#[test]
fn dots_get_another_dot_and_lone_line_endings_become_whole_ones() {
    let cases: [(&[u8], &[u8]); 9] = [
        (b"", b".\r\n"),
        (b"a", b"a\r\n.\r\n"),
        (b"a\r\n", b"a\r\n.\r\n"),
        (b".", b"..\r\n.\r\n"),
        (b".\r\n..\r\na.\r\n", b"..\r\n...\r\na.\r\n.\r\n"),
        (b"a\n.\nb", b"a\r\n..\r\nb\r\n.\r\n"),
        (b"a\r.\rb", b"a\r\n..\r\nb\r\n.\r\n"),
        (b"a\r", b"a\r\n.\r\n"),
        (b"\r\r\n\n", b"\r\n\r\n\r\n.\r\n"),
    ];
    for (message, expected) in cases {
        for size in 1..6 {
            let out = encode(message, Framing::Dots, &[size]);
            assert_eq!(out.escape_ascii().to_string(), expected.escape_ascii().to_string());
        }
    }
    assert_eq!(encode(b".a\n.b", Framing::Counted, &[9]), b".a\r\n.b");
}

/// The slow and obvious encoding.
fn model(message: &str, framing: Framing) -> String {
    let lines = message.replace("\r\n", "\n").replace('\r', "\n");
    if framing == Framing::Counted {
        return lines.replace('\n', "\r\n");
    }
    let stuffed = lines.split_inclusive('\n').map(|line| {
        let dot = if line.starts_with('.') { "." } else { "" };
        format!("{dot}{}\r\n", line.trim_end_matches('\n'))
    });
    stuffed.collect::<String>() + ".\r\n"
}

proptest! {
    #[test]
    fn every_message_is_encoded_as_the_model_does(
        message in "(\r\n|\r\n\\.|[.\r\na-c]){0,40}",
        sizes in proptest::collection::vec(1..10_usize, 1..6),
        dots in any::<bool>(),
    ) {
        let framing = if dots { Framing::Dots } else { Framing::Counted };
        let out = encode(message.as_bytes(), framing, &sizes);
        prop_assert_eq!(String::from_utf8(out).unwrap(), model(&message, framing));
    }
}

fn recipients(count: usize) -> Vec<Command> {
    let recipient = Command::Recipient(Recipient::new(ForwardPath::Postmaster));
    let mut commands = vec![Command::Mail(Mail::new(ReversePath::Null))];
    commands.extend(std::iter::repeat_n(recipient, count));
    commands.push(Command::Data);
    commands
}

/// How many commands go out at once until all are answered.
fn groups(commands: Vec<Command>, pipelining: bool) -> Vec<usize> {
    let (mut pipeline, mut groups) = (Pipeline::new(commands, pipelining), Vec::new());
    while !pipeline.is_done() {
        let mut out = Vec::new();
        pipeline.write(&mut out);
        groups.push(out.split_inclusive(|byte| *byte == b'\n').count());
        for _ in 0..*groups.last().unwrap() {
            pipeline.answered().unwrap();
        }
    }
    assert_eq!(pipeline.answered(), None, "nothing is left to be answered");
    groups
}

#[test]
fn an_envelope_is_one_group_and_without_pipelining_one_command_after_another() {
    assert_eq!(groups(recipients(3), true), [5]);
    assert_eq!(groups(recipients(3), false), [1, 1, 1, 1, 1]);
}

#[test]
fn no_more_commands_wait_than_the_bound_allows() {
    assert_eq!(groups(recipients(MAX_IN_FLIGHT), true), [MAX_IN_FLIGHT, 2]);
}

#[test]
fn nothing_is_sent_behind_a_command_that_changes_what_follows() {
    let hello = Command::Hello(Hello::Ehlo, "hub01".to_owned());
    let commands = vec![hello, Command::StartTls, Command::Reset, Command::Data, Command::Quit];
    assert_eq!(groups(commands, true), [1, 1, 2, 1]);
}

#[test]
fn what_was_not_sent_can_be_given_up() {
    let (mut pipeline, mut out) = (Pipeline::new(recipients(3), false), Vec::new());
    pipeline.write(&mut out);
    pipeline.give_up();
    assert!(!pipeline.is_done(), "MAIL waits for its reply");
    assert!(matches!(pipeline.answered(), Some(Command::Mail(_))));
    assert!(pipeline.is_done());
}
