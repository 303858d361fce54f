//! What a relay keeps, and what it does with what it cannot read.

use proptest::prelude::*;

use super::*;

const START: &str = "<E:Envelope><E:Body><FindItemResponse><ResponseMessages>";
const MESSAGE: &str = "<FindItemResponseMessage><RootFolder TotalItemsInView='9'><Items>";

fn started(limits: RelayLimits, document: &str) -> (Relay, Vec<u8>, Option<Event>) {
    let (mut relay, mut out, mut piece) = (Relay::new(limits), Vec::new(), document.as_bytes());
    let event = relay.feed(&mut piece, &mut out);
    (relay, out, event)
}

/// Feeds a piece that asks nothing.
fn feed(relay: &mut Relay, mut piece: &[u8], out: &mut Vec<u8>) {
    assert_eq!(relay.feed(&mut piece, out), None);
}

#[test]
fn a_folder_is_asked_about_before_any_byte_of_it_goes_on() {
    let document = [START.replace("E:", ""), MESSAGE.to_owned()].concat();
    let (mut relay, mut out, event) = started(RelayLimits::default(), &document);
    let Some(Event::Folder(folder)) = event else { panic!("{event:?}") };
    assert_eq!(
        (folder.total, String::from_utf8_lossy(&out).into_owned()),
        (Some(9), START.replace("E:", ""))
    );
    let mut rest = &b"<Items>"[..];
    assert_eq!(
        relay.feed(&mut rest, &mut out),
        Some(Event::Folder(folder)),
        "it is asked about until it is decided"
    );
    assert_eq!(rest, b"<Items>");
}

#[test]
fn items_stream_through_in_constant_memory() {
    let document = [START.replace("E:", ""), MESSAGE.to_owned()].concat();
    for decision in [Decision::Pass, keep(2, 2), Decision::TooMany(error())] {
        let (mut relay, mut out, event) = started(RelayLimits::default(), &document);
        assert!(matches!(event, Some(Event::Folder(_))));
        relay.decide(decision, &mut out);
        feed(&mut relay, b"<Items>", &mut out);
        for _ in 0..2000 {
            out.clear();
            feed(&mut relay, b"<Message><Subject>some text</Subject></Message><Mess", &mut out);
            assert!(relay.held() <= "<Mess".len(), "{}", relay.held());
            feed(&mut relay, b"age/>", &mut out);
        }
    }
}

#[test]
fn a_head_that_is_too_long_passes_unjudged() {
    let limits = RelayLimits { head: 200, ..RelayLimits::default() };
    let head = |length: usize| {
        let text = "x".repeat(length);
        let folder = "<RootFolder TotalItemsInView='9'><Items><Task/></Items></RootFolder>";
        let message = format!(
            "<FindItemResponseMessage><MessageText>{text}</MessageText>{folder}</FindItemResponseMessage>"
        );
        format!("{}{message}{message}</ResponseMessages>", START.replace("E:", ""))
    };
    for (length, asked) in [(100, 2), (300, 0)] {
        for size in [1, 1000] {
            let relayed = relay(&limits, head(length).as_bytes().chunks(size), |_| Decision::Pass);
            assert_eq!(
                (relayed.folders.len(), relayed.out == head(length)),
                (asked, true),
                "{length} by {size}"
            );
        }
    }
}

#[test]
fn what_is_held_has_a_bound_and_goes_on_beyond_it() {
    let limits = RelayLimits { held: 1000, ..RelayLimits::default() };
    let document = [START.replace("E:", ""), MESSAGE.to_owned()].concat();
    let hold = Decision::Hold { most: 150, error: error(), unpaged: false };
    let (mut relay, mut out, event) = started(limits, &document);
    assert!(matches!(event, Some(Event::Folder(_))));
    relay.decide(hold, &mut out);
    let before = out.len();
    let mut most = 0;
    feed(&mut relay, b"<Items>", &mut out);
    for _ in 0..200 {
        feed(&mut relay, b"<Message></Message>", &mut out);
        most = most.max(relay.held());
    }
    let mut end = &b"</Items></RootFolder>"[..];
    assert_eq!(relay.feed(&mut end, &mut out), Some(Event::Counted { index: 0, entries: Some(200) }));
    assert!((900..=1000).contains(&most), "{most}");
    assert_eq!((out.len() - before, relay.held()), (MESSAGE.len() + 200 * 19 + 21, 0), "nothing is lost");
}

#[test]
fn a_document_that_breaks_off_gives_out_what_was_held() {
    let whole = format!(
        "{}{MESSAGE}<Task/><Task a='1'></Task></Items></RootFolder></FindItemResponseMessage></ResponseMessages>",
        START.replace("E:", "")
    );
    for end in 0..whole.len() {
        let piece = &whole.as_bytes()[..end];
        let hold = Decision::Hold { most: 5, error: error(), unpaged: false };
        for decision in [Decision::Pass, hold] {
            let relayed = relay(&RelayLimits::default(), [piece], |_| decision.clone());
            assert_eq!(relayed.out.as_bytes(), piece, "{end}");
        }
    }
}

#[test]
fn bytes_nobody_can_read_pass_unless_they_belong_to_what_is_dropped() {
    let start = START.replace("E:", "");
    let broken = format!("{start}{MESSAGE}<Task/><Task></Wrong><Task/>");
    let out = |decision: Decision| relay_cut(&broken, |_| decision.clone()).out;
    assert_eq!(out(Decision::Pass), broken);
    assert_eq!(out(Decision::Hold { most: 2, error: error(), unpaged: false }), broken);
    let cut = "<FindItemResponseMessage><RootFolder IncludesLastItemInRange=\"false\" TotalItemsInView='9'><Items><Task/>";
    let kept = Decision::Keep(Keep { skip: 0, entries: 1, next: Paging::None });
    assert_eq!(out(kept), format!("{start}{cut}"));
    let replaced = out(Decision::TooMany(error()));
    assert!(replaced.ends_with("</FindItemResponseMessage>"), "{replaced}");
    let unreadable = format!("{start}<FindItemResponseMessage><RootFolder TotalItemsInView=9></RootFolder>");
    assert_eq!(relay_cut(&unreadable, |_| Decision::TooMany(error())).out, unreadable);
}

fn any_decision() -> impl Strategy<Value = Decision> {
    prop_oneof![
        Just(Decision::Pass),
        Just(Decision::Unpaged),
        (0u32..3, 0u32..3).prop_map(|(skip, entries)| {
            Decision::Keep(Keep { skip, entries, next: Paging::Indexed(entries) })
        }),
        (0u32..3, any::<bool>()).prop_map(|(most, unpaged)| Decision::Hold { most, error: error(), unpaged }),
        Just(Decision::TooMany(error())),
    ]
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic_and_no_cutting_changes_what_comes_out(
        parts in proptest::collection::vec(prop_oneof![
            Just("<FindItemResponseMessage>"), Just("<FindItemResponseMessage/>"), Just("</FindItemResponseMessage>"),
            Just("<RootFolder IndexedPagingOffset='1'>"), Just("<RootFolder/>"), Just("</RootFolder>"), Just("<Items>"),
            Just("</Items>"), Just("<Items/>"), Just("<A>"), Just("</A>"), Just("<A/>"), Just("<Groups>"), Just("</Groups>"),
            Just("<GroupedItems>"), Just("</GroupedItems>"), Just("x&amp;"), Just("<!-- <A> -->"), Just("<![CDATA[<A>]]>"),
        ], 0..30),
        noise in proptest::collection::vec(any::<u8>(), 0..4),
        decision in any_decision(),
        size in 1usize..30,
        limits in (20usize..200, 20usize..200),
    ) {
        let limits = RelayLimits { head: limits.0, held: limits.1, ..RelayLimits::default() };
        let document = [START.replace("E:", "").as_bytes(), parts.concat().as_bytes(), &noise].concat();
        let whole = relay(&limits, [&document[..]], |_| decision.clone());
        let cut = relay(&limits, document.chunks(size), |_| decision.clone());
        prop_assert_eq!(&cut, &whole);
        if decision == Decision::Pass {
            prop_assert_eq!(&whole.out, &String::from_utf8_lossy(&document));
        }
    }
}
