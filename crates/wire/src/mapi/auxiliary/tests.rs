use proptest::prelude::*;

use super::*;

fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
}

fn buffer(blocks: &[(u8, u8, Vec<u8>)]) -> Vec<u8> {
    let blocks: Vec<_> = blocks
        .iter()
        .map(|(version, kind, content)| Block { version: *version, kind: *kind, content })
        .collect();
    let mut buffer = Vec::new();
    write(&blocks, &mut buffer);
    buffer
}

fn process(name: &str) -> (u8, u8, Vec<u8>) {
    let fixed = [&7u16.to_le_bytes()[..], &[0; 2], &[9; 16], &28u16.to_le_bytes(), &[0; 2]].concat();
    (2, 0x0B, [fixed, wide(name)].concat())
}

/// A client block: machine, user, mode.
fn client(machine: &str, user: &str, mode: u16) -> (u8, u8, Vec<u8>) {
    let (machine, user) = (wide(machine), wide(user));
    let user_at = 32 + machine.len();
    let mut content = [0; 6].to_vec();
    for number in [32, user_at, 0, 0, 0, 0, 0, 0, 0, usize::from(mode), 0] {
        content.extend(u16::try_from(number).unwrap().to_le_bytes());
    }
    (1, 0x02, [content, machine, user].concat())
}

#[test]
fn process_machine_and_mode_are_told() {
    for (mode, meant) in [(0, ClientMode::Unknown), (1, ClientMode::Classic), (2, ClientMode::Cached)] {
        let buffer =
            buffer(&[process("OUTLOOK.EXE"), (1, 0x17, vec![3, 0, 0, 0]), client("DESK-7", "Zoë", mode)]);
        let client = Told::Client { machine: "DESK-7".into(), user: "Zoë".into(), mode: meant };
        assert_eq!(told(&buffer), [Told::Process { name: "OUTLOOK.EXE".into() }, client]);
    }
}

#[test]
fn calls_are_told_with_their_times_in_every_layout() {
    use Callee::{Directory, Either, Mailbox};
    use Ground::{Background, Foreground, Unknown};
    for (version, kind, before, callee, ground) in [
        (1, 0x05, 0, Mailbox, Unknown),
        (1, 0x06, 4, Directory, Unknown),
        (1, 0x07, 8, Mailbox, Unknown),
        (2, 0x07, 12, Mailbox, Unknown),
        (1, 0x08, 8, Directory, Unknown),
        (2, 0x08, 8, Directory, Unknown),
        (1, 0x09, 8, Either, Unknown),
        (1, 0x0C, 0, Mailbox, Background),
        (2, 0x0E, 12, Mailbox, Background),
        (2, 0x10, 12, Either, Background),
        (1, 0x11, 0, Mailbox, Foreground),
        (1, 0x13, 8, Mailbox, Foreground),
        (2, 0x14, 8, Directory, Foreground),
    ] {
        let content =
            [vec![0xEE; before], 5000u32.to_le_bytes().into(), 42u32.to_le_bytes().into(), vec![0; 8]];
        let (took, ago) = (Millis::new(42), Millis::new(5000));
        let call = SeenCall { callee, ground, took, ago, failed: callee == Either };
        assert_eq!(told(&buffer(&[(version, kind, content.concat())])), [Told::Call(call)], "{kind:#x}");
    }
}

#[test]
fn text_is_bounded_and_fit_for_a_log() {
    let name = |text: &str| told(&buffer(&[process(text)])).remove(0);
    let long = "x".repeat(MAX_TEXT + 1);
    assert_eq!(name(&long), Told::Process { name: long[1..].into() });
    assert_eq!(name("a\nb\u{7f}"), Told::Process { name: "a\u{FFFD}b\u{FFFD}".into() });
}

#[test]
fn a_text_that_is_not_there_is_empty_and_one_that_is_out_of_bounds_is_nothing() {
    let mut empty = process("x");
    empty.2[20..22].copy_from_slice(&[0, 0]);
    assert_eq!(told(&buffer(&[empty])), [Told::Process { name: String::new() }]);
    for offset in [1u8, 3, 200] {
        let mut wrong = process("x");
        wrong.2[20] = offset;
        let told = told(&buffer(&[wrong, process("later")]));
        assert_eq!(told, [Told::Process { name: "later".into() }], "{offset}");
    }
}

#[test]
fn no_more_blocks_are_listened_to_than_the_limit() {
    let payload = process("x").2;
    let blocks = vec![Block { version: 2, kind: 0x0B, content: &payload }; MAX_BLOCKS + 1];
    let mut plain = Vec::new();
    write(&blocks, &mut plain);
    assert_eq!(told(&plain).len(), MAX_BLOCKS);
    // The same once more, in few bytes: a second payload says nothing.
    let payload = Payloads::new(&plain).next().unwrap().unwrap();
    let mut packed = Vec::new();
    for last in [false, true] {
        Form { compressed: true, mixed: false }.write(&payload.bytes, last, &mut packed);
    }
    assert!(packed.len() < 300);
    assert_eq!(told(&packed).len(), MAX_BLOCKS);
}

#[test]
fn a_size_that_lies_ends_the_blocks() {
    for payload in [&[3, 0, 1, 2][..], &[9, 0, 1, 2, 0], &[4, 0, 1]] {
        let mut blocks = Blocks::new(payload);
        assert!(blocks.next().unwrap().is_err());
        assert!(blocks.next().is_none());
    }
    assert!(told(b"no payload at all").is_empty());
}

proptest! {
    #[test]
    fn any_bytes_are_told_or_passed_over(
        bytes in prop::collection::vec(any::<u8>(), 0..200), kind in 0u8..0x20, version in 0u8..4
    ) {
        let _ = told(&bytes);
        prop_assert!(told(&buffer(&[(version, kind, bytes)])).len() <= 1);
    }
}
