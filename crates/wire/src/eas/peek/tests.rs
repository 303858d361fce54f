use proptest::prelude::*;

use super::*;

/// An element to be written as WBXML, with numbers of the public code pages.
#[derive(Clone, Debug)]
enum Node {
    Element((u8, u8), Vec<Node>),
    Text(String),
    Opaque(Vec<u8>),
}

use Node::{Element, Opaque, Text};

const COLLECTIONS: (u8, u8) = (0, 0x1C);
const COLLECTION: (u8, u8) = (0, 0x0F);
const SYNC_KEY: (u8, u8) = (0, 0x0B);
const COLLECTION_ID: (u8, u8) = (0, 0x12);
const ADD: (u8, u8) = (0, 0x07);
const APPLICATION_DATA: (u8, u8) = (0, 0x1D);
const WINDOW_SIZE: (u8, u8) = (0, 0x15);
/// `Email:Subject`, and `AirSyncBase:Data`.
const SUBJECT: (u8, u8) = (2, 0x14);
const DATA: (u8, u8) = (17, 0x0B);
const FOLDERS: (u8, u8) = (13, 0x09);
const FOLDER: (u8, u8) = (13, 0x0A);
const ID: (u8, u8) = (13, 0x0B);
const CLASS: (u8, u8) = (13, 0x0C);

fn number(name: (u8, u8), value: &str) -> Node {
    Element(name, vec![Text(value.to_owned())])
}

/// A document of version 1.3, unknown public identifier, UTF-8, without a string table.
fn document(root: &Node) -> Vec<u8> {
    let (mut bytes, mut page) = (vec![0x03, 0x01, 0x6A, 0x00], 0);
    write(root, &mut page, &mut bytes);
    bytes
}

fn write(node: &Node, page: &mut u8, bytes: &mut Vec<u8>) {
    match node {
        Element((own, tag), children) => {
            if *page != *own {
                bytes.extend([0x00, *own]);
                *page = *own;
            }
            bytes.push(if children.is_empty() { *tag } else { tag | 0x40 });
            for child in children {
                write(child, page, bytes);
            }
            if !children.is_empty() {
                bytes.push(0x01);
            }
        }
        Text(text) => {
            bytes.push(0x03);
            bytes.extend(text.bytes().filter(|byte| *byte != 0));
            bytes.push(0x00);
        }
        Opaque(data) => {
            bytes.extend([
                0xC3,
                0x80 | u8::try_from(data.len() >> 7).unwrap(),
                u8::try_from(data.len() & 0x7F).unwrap(),
            ]);
            bytes.extend(data);
        }
    }
}

/// The same answer, found slowly in the tree.
fn slow(command: Command, root: &Node) -> Call {
    let Element(name, children) = root else { panic!("a root is an element") };
    let values = |wanted: (u8, u8)| -> Vec<Option<u64>> {
        let wanted = |node: &&Node| matches!(node, Element(name, _) if *name == wanted);
        children.iter().filter(wanted).map(value).collect()
    };
    let (ping, sync) = (*name == name::PING, *name == name::SYNC);
    let seconds = |values: Vec<Option<u64>>| values.into_iter().map(|value| value.filter(|value| *value > 0));
    let given: Vec<Option<u64>> = if ping {
        seconds(values(name::PING_HEARTBEAT)).collect()
    } else {
        let minutes = values(name::WAIT).into_iter();
        let minutes =
            minutes.map(|value| value.filter(|value| (1..=59).contains(value)).map(|value| value * 60));
        minutes.chain(seconds(values(name::SYNC_HEARTBEAT))).collect()
    };
    match (command, given.as_slice()) {
        (Command::Sync, [Some(seconds)]) if sync => {
            hangs(*seconds, children.iter().any(|child| has(child, name::COMMANDS, 0)))
        }
        (Command::Ping, [Some(seconds)]) if ping => hangs(*seconds, false),
        (Command::Ping, _) if ping => Call::AS_BEFORE,
        _ => Call::Works,
    }
}

fn value(element: &Node) -> Option<u64> {
    let Element(_, children) = element else { return None };
    let mut text = String::new();
    for child in children {
        if let Text(more) = child {
            text.push_str(more);
        }
    }
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse::<u32>().ok()).flatten().map(u64::from)
}

/// Whether `node` has an element of that name below itself.
fn has(node: &Node, wanted: (u8, u8), depth: u8) -> bool {
    matches!(node, Element(name, children)
        if (depth > 0 && *name == wanted) || children.iter().any(|child| has(child, wanted, depth + 1)))
}

fn hangs(seconds: u64, changes: bool) -> Call {
    Call::Hangs { interval: Some(Millis::new(seconds * 1000)), changes }
}

fn peek(command: Command, body: &[u8]) -> Call {
    let mut peek = HangPeek::new(command);
    peek.feed(body);
    peek.finish()
}

fn collection(commands: Vec<Node>) -> Node {
    let mut children = vec![number(SYNC_KEY, "560109801"), number(COLLECTION_ID, "5")];
    if !commands.is_empty() {
        children.push(Element(name::COMMANDS, commands));
    }
    Element(COLLECTIONS, vec![Element(COLLECTION, children)])
}

fn addition(size: usize) -> Node {
    let data = Element(DATA, vec![Opaque(vec![0x01; size.min(16_000)])]);
    Element(ADD, vec![Element(APPLICATION_DATA, vec![number(SUBJECT, "Hello"), data])])
}

fn sync(children: Vec<Node>) -> Vec<u8> {
    document(&Element(name::SYNC, children))
}

fn ping(children: Vec<Node>) -> Vec<u8> {
    document(&Element(name::PING, children))
}

#[test]
fn the_helper_writes_the_numbers_of_the_public_specification() {
    assert_eq!(
        ping(vec![
            number(name::PING_HEARTBEAT, "80"),
            Element(FOLDERS, vec![Element(FOLDER, vec![number(ID, "5"), number(CLASS, "Email")])]),
        ]),
        b"\x03\x01\x6A\x00\x00\x0D\x45\x48\x0380\x00\x01\x49\x4A\x4B\x035\x00\x01\x4C\x03Email\x00\x01\x01\x01\x01"
    );
    assert_eq!(
        sync(vec![collection(vec![]), number(name::SYNC_HEARTBEAT, "60"), number(WINDOW_SIZE, "512")]),
        b"\x03\x01\x6A\x00\x45\x5C\x4F\x4B\x03560109801\x00\x01\x52\x035\x00\x01\x01\x01\x69\x0360\x00\x01\x55\x03512\x00\x01\x01"
    );
}

#[test]
fn a_sync_hangs_where_its_own_child_says_so() {
    let heartbeat = |value| number(name::SYNC_HEARTBEAT, value);
    let wait = |value| number(name::WAIT, value);
    let cases = [
        (vec![], Call::Works),
        (vec![collection(vec![])], Call::Works),
        (vec![collection(vec![]), heartbeat("60")], hangs(60, false)),
        (vec![heartbeat("3540"), collection(vec![])], hangs(3540, false)),
        (vec![wait("8"), collection(vec![])], hangs(480, false)),
        (vec![collection(vec![]), wait("59")], hangs(3540, false)),
        (vec![collection(vec![addition(3)]), wait("1")], hangs(60, true)),
        (vec![wait("1"), collection(vec![addition(3)])], hangs(60, true)),
        (vec![collection(vec![addition(3)])], Call::Works),
        (
            vec![Element(COLLECTIONS, vec![wait("8"), Element(COLLECTION, vec![heartbeat("60")])])],
            Call::Works,
        ),
        (vec![wait("8"), heartbeat("60")], Call::Works),
        (vec![wait("8"), wait("8")], Call::Works),
        (vec![wait("0")], Call::Works),
        (vec![wait("60")], Call::Works),
        (vec![heartbeat("0")], Call::Works),
        (vec![heartbeat("4294967296")], Call::Works),
        (vec![heartbeat("4294967295")], hangs(4_294_967_295, false)),
        (vec![heartbeat("-1")], Call::Works),
        (vec![heartbeat("6 0")], Call::Works),
        (vec![Element(name::WAIT, vec![])], Call::Works),
        (vec![Element(name::WAIT, vec![Text("1".to_owned()), Text("2".to_owned())])], hangs(720, false)),
        (vec![Element(name::WAIT, vec![Element(WINDOW_SIZE, vec![Text("8".to_owned())])])], Call::Works),
        (vec![Element((13, 0x24), vec![Text("8".to_owned())])], Call::Works),
    ];
    for (children, expected) in cases {
        let root = Element(name::SYNC, children);
        assert_eq!(peek(Command::Sync, &document(&root)), expected, "{root:?}");
        assert_eq!(slow(Command::Sync, &root), expected, "{root:?}");
    }
}

#[test]
fn a_ping_always_hangs() {
    let folders = || Element(FOLDERS, vec![Element(FOLDER, vec![number(ID, "5"), number(CLASS, "Email")])]);
    for (children, expected) in [
        (vec![number(name::PING_HEARTBEAT, "480"), folders()], hangs(480, false)),
        (vec![folders(), number(name::PING_HEARTBEAT, "60")], hangs(60, false)),
        (vec![folders()], Call::AS_BEFORE),
        (vec![], Call::AS_BEFORE),
        (vec![number(name::PING_HEARTBEAT, "soon")], Call::AS_BEFORE),
        (vec![number(name::SYNC_HEARTBEAT, "60")], Call::AS_BEFORE),
    ] {
        assert_eq!(peek(Command::Ping, &ping(children.clone())), expected, "{children:?}");
    }
    for broken in [&b"\x03"[..], b"\xff\xff", b"<Ping/>", b"\x03\x01\x6A\x00\x00\x0D\x45\x48\x038"] {
        assert_eq!(peek(Command::Ping, broken), Call::AS_BEFORE, "{broken:?}");
    }
}

#[test]
fn an_empty_body_repeats_the_call_before() {
    for command in [Command::Ping, Command::Sync] {
        let mut peek = HangPeek::new(command);
        assert_eq!((peek.known(), peek.feed(b"")), (None, None));
        assert_eq!(peek.finish(), Call::AS_BEFORE);
    }
}

#[test]
fn every_other_command_works_whatever_its_body() {
    let body = sync(vec![number(name::WAIT, "8")]);
    for code in 0..=u8::MAX {
        let command = Command::from_code(code);
        if !matches!(command, Command::Ping | Command::Sync) {
            assert_eq!(HangPeek::new(command).known(), Some(Call::Works), "{command}");
            assert_eq!(HangPeek::new(command).feed(&body), Some(Call::Works), "{command}");
        }
    }
}

#[test]
fn the_body_of_another_command_is_work() {
    assert_eq!(peek(Command::Ping, &sync(vec![number(name::WAIT, "8")])), Call::Works);
    assert_eq!(peek(Command::Sync, &ping(vec![number(name::PING_HEARTBEAT, "80")])), Call::Works);
}

#[test]
fn a_sync_that_is_not_understood_is_work() {
    let tail = b"\x45\x64\x038\x00\x01\x01";
    let hangs_after = |head: &[u8]| peek(Command::Sync, &[head, tail].concat());
    for head in [
        &b"\x03\x01\x6A\x00"[..],
        b"\x01\x01\x6A\x00",
        b"\x03\x00\x05\x6A\x00",
        b"\x03\x81\x01\x6A\x00",
        b"\x03\x01\x6A\x05table",
        b"\x03\x01\x6A\x80\x00",
        b"\x03\x01\x6A\x00\x00\x11\x00\x00",
    ] {
        assert_eq!(hangs_after(head), hangs(480, false), "{head:?}");
    }
    for head in [
        &b"\x00\x01\x6A\x00"[..],
        b"\x04\x01\x6A\x00",
        b"<?xml",
        b"\x03\x01\x6A\x00\x01",
        b"\x03\x01\x6A\x00\x00\x01",
        b"\x03\x01\x6A\x00\x02\x60",
        b"\x03\x01\x6A\x00\x04\x00",
        b"\x03\x01\x6A\x00\xC5",
        b"\x03\x01\x6A\x00\x83\x00",
        b"\x03\x01\x6A\xFF\xFF\xFF\xFF\x7F",
    ] {
        assert_eq!(hangs_after(head), Call::Works, "{head:?}");
    }
    assert_eq!(peek(Command::Sync, &sync(vec![number(name::WAIT, "8")])[..9]), Call::Works, "it breaks off");
    let deep = (0..40).fold(number(name::WAIT, "8"), |inner, _| Element(COLLECTION, vec![inner]));
    assert_eq!(peek(Command::Sync, &sync(vec![number(name::WAIT, "8"), deep])), Call::Works, "too deep");
}

#[test]
fn a_body_is_followed_so_far_and_no_farther() {
    let body = |size: usize| {
        let data = (0..5).map(|part: usize| addition(size.saturating_sub(part * 16_000))).collect();
        sync(vec![collection(data), number(name::WAIT, "8")])
    };
    let overhead = body(0).len();
    let exactly = body(MAX_FOLLOWED - overhead);
    assert_eq!(exactly.len(), MAX_FOLLOWED);
    assert_eq!(peek(Command::Sync, &exactly), hangs(480, true));
    let beyond = body(MAX_FOLLOWED - overhead + 1);
    let mut peek = HangPeek::new(Command::Sync);
    assert_eq!(peek.feed(&beyond[..MAX_FOLLOWED - 1]), None);
    assert_eq!(peek.feed(&beyond[MAX_FOLLOWED - 1..]), Some(Call::Works));
    assert_eq!(peek.feed(&sync(vec![number(name::WAIT, "8")])), Some(Call::Works), "it stays");
}

fn nodes() -> impl Strategy<Value = Node> {
    let names = prop::sample::select(vec![
        name::WAIT,
        name::SYNC_HEARTBEAT,
        name::PING_HEARTBEAT,
        name::COMMANDS,
        name::PING,
        name::SYNC,
        COLLECTIONS,
        COLLECTION,
        SUBJECT,
        DATA,
        (13, 0x24),
        (0, 0x08),
    ]);
    let leaf = prop_oneof![
        "[0-9]{1,3}".prop_map(Text),
        "\\PC{0,6}".prop_map(Text),
        prop::collection::vec(any::<u8>(), 0..200).prop_map(Opaque),
    ];
    let names_again = names.clone();
    let value = (names_again, "[0-9]{1,3}").prop_map(|(name, value)| number(name, &value));
    prop_oneof![leaf, value].prop_recursive(4, 24, 5, move |inner| {
        (names.clone(), prop::collection::vec(inner, 0..5))
            .prop_map(|(name, children)| Element(name, children))
    })
}

/// Bytes that mean something here.
const TOKENS: &[u8] = &[0, 1, 3, 13, 0x45, 0x64, 0x69, 0x48, 0xC3];

proptest! {
    #[test]
    fn any_body_in_any_pieces_is_what_its_tree_says(
        children in prop::collection::vec(nodes(), 0..6),
        as_ping: bool,
        command in prop::sample::select(vec![Command::Ping, Command::Sync]),
        sizes in prop::collection::vec(1..60_usize, 1..6),
    ) {
        let root = Element(if as_ping { name::PING } else { name::SYNC }, children);
        let body = document(&root);
        let expected = slow(command, &root);
        prop_assert_eq!(peek(command, &body), expected);
        let (mut pieces, mut rest, mut sizes) = (HangPeek::new(command), body.as_slice(), sizes.iter().cycle());
        while !rest.is_empty() {
            let (piece, later) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
            pieces.feed(piece);
            rest = later;
        }
        prop_assert_eq!(pieces.known(), Some(expected), "known before the end is told");
        prop_assert_eq!(pieces.finish(), expected);
    }

    #[test]
    fn arbitrary_bytes_never_panic_and_the_cutting_makes_no_difference(
        bytes in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(TOKENS)], 0..200),
        at in any::<prop::sample::Index>(),
        command in prop::sample::select(vec![Command::Ping, Command::Sync]),
        headed: bool,
    ) {
        let bytes = if headed { [&[3, 1, 0x6A, 0][..], &bytes].concat() } else { bytes };
        let (one, other) = bytes.split_at(at.index(bytes.len() + 1));
        let mut pieces = HangPeek::new(command);
        pieces.feed(one);
        pieces.feed(other);
        prop_assert_eq!(pieces.finish(), peek(command, &bytes));
    }
}
