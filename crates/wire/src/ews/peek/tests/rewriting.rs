//! A find with a smaller page: the bytes that change, and what the request then means.

use proptest::prelude::*;

use super::super::{Detail, FindView, Peek, PeekLimits};
use crate::ews::RequestReader;
use crate::ews::request::{BasePoint, Request, View};
use crate::ews::xml::{Limits, Namespace};

/// The request with at most `max` entries asked for.
fn rewritten(document: &str, max: u32) -> String {
    let mut peek = Peek::new(PeekLimits::default());
    for piece in document.as_bytes().chunks(11) {
        peek.feed(piece).expect("it is readable");
    }
    let Some(Detail::Find(find)) = peek.asked().map(|asked| &asked.detail) else {
        panic!("{document} is a find")
    };
    let bytes = find.rewritten(peek.kept(), max);
    let rest = &document.as_bytes()[peek.kept().len()..];
    String::from_utf8([&bytes[..], rest].concat()).expect("it is text")
}

fn check(max: u32, operation: &str, expected: &str) {
    let document = |operation: &str| {
        format!("\u{feff}<?xml version='1.0'?>\n<Envelope ><Body>{operation}</Body></Envelope>")
    };
    assert_eq!(rewritten(&document(operation), max), document(expected), "{operation}");
}

#[test]
fn a_page_is_made_smaller_in_its_place_and_never_larger() {
    check(
        10,
        "<m:FindItem><m:ItemShape/><m:IndexedPageItemView  MaxEntriesReturned = '0025'\n Offset='5'/></m:FindItem>",
        "<m:FindItem><m:ItemShape/><m:IndexedPageItemView  MaxEntriesReturned = '10'\n Offset='5'/></m:FindItem>",
    );
    check(
        10,
        "<FindItem><ItemShape/><FractionalPageItemView Numerator=\"1\" Denominator=\"2\"></FractionalPageItemView></FindItem>",
        "<FindItem><ItemShape/><FractionalPageItemView MaxEntriesReturned=\"10\" Numerator=\"1\" Denominator=\"2\"></FractionalPageItemView></FindItem>",
    );
    check(
        10,
        "<FindFolder><FolderShape/><IndexedPageFolderView MaxEntriesReturned='99999999999'/></FindFolder>",
        "<FindFolder><FolderShape/><IndexedPageFolderView MaxEntriesReturned='10'/></FindFolder>",
    );
    for max in ["10", "9", "0", "-1", "many", ""] {
        let same = format!("<FindItem><ItemShape/><CalendarView MaxEntriesReturned='{max}'/></FindItem>");
        check(10, &same, &same);
    }
    check(
        11,
        "<FindItem><ItemShape/><CalendarView StartDate='a'/></FindItem>",
        "<FindItem><ItemShape/><CalendarView MaxEntriesReturned=\"11\" StartDate='a'/></FindItem>",
    );
}

#[test]
fn a_find_without_a_view_gets_one_behind_its_shape() {
    let page = |prefix, kind, max| {
        format!(
            "<{prefix}IndexedPage{kind}View MaxEntriesReturned=\"{max}\" Offset=\"0\" BasePoint=\"Beginning\"/>"
        )
    };
    check(
        1001,
        "<m:FindItem>\n <m:ItemShape><t:BaseShape>IdOnly</t:BaseShape></m:ItemShape >\n <m:Restriction/></m:FindItem>",
        &format!(
            "<m:FindItem>\n <m:ItemShape><t:BaseShape>IdOnly</t:BaseShape></m:ItemShape >{}\n <m:Restriction/></m:FindItem>",
            page("m:", "Item", 1001)
        ),
    );
    check(
        2,
        "<FindFolder Traversal='Deep'><!-- <FolderShape/> --><FolderShape/><ParentFolderIds/></FindFolder>",
        &format!(
            "<FindFolder Traversal='Deep'><!-- <FolderShape/> --><FolderShape/>{}<ParentFolderIds/></FindFolder>",
            page("", "Folder", 2)
        ),
    );
    check(
        2,
        "<a:FindItem><a:ParentFolderIds/></a:FindItem>",
        &format!("<a:FindItem>{}<a:ParentFolderIds/></a:FindItem>", page("a:", "Item", 2)),
    );
    check(2, "<m:FindItem/>", "<m:FindItem/>");
}

/// The view that the strict reader finds.
fn view(document: &str) -> View {
    let mut reader = RequestReader::new(Limits::default());
    reader.feed(document.as_bytes()).expect("it is well-formed");
    let request = reader.finish().expect("it is a request").request;
    let Request::FindItem(find) = request else { panic!("{document} is no FindItem") };
    find.view
}

proptest! {
    #[test]
    fn the_rewritten_request_asks_what_it_asked_with_a_smaller_page(
        kind in 0u8..5, stated in proptest::option::of(1u32..50), max in 1u32..50, a in 0u32..9, b in 9u32..20, end: bool,
        default_namespace: bool,
    ) {
        let number = stated.map(|max| format!(" MaxEntriesReturned='{max}'")).unwrap_or_default();
        let base = if end { "End" } else { "Beginning" };
        let p = if default_namespace { "" } else { "m:" };
        let written = match kind {
            0 => String::new(),
            1 => format!("<{p}IndexedPageItemView{number} BasePoint='{base}' Offset='{a}'/>"),
            2 => format!("<{p}FractionalPageItemView Numerator='{a}' Denominator='{b}'{number}/>"),
            3 => format!("<{p}CalendarView StartDate='2010-03-01T00:00:00Z'{number} EndDate='2010-03-04T00:00:00Z'/>"),
            _ => format!("<{p}ContactsView InitialName='A&amp;' FinalName='B'{number}/>"),
        };
        let (soap, messages, types) = (Namespace::SOAP, Namespace::MESSAGES, Namespace::TYPES);
        let declared = if default_namespace { "xmlns" } else { "xmlns:m" };
        let document = format!(
            "<s:Envelope xmlns:s='{soap}'><s:Body><{p}FindItem {declared}='{messages}' xmlns:t='{types}' Traversal='Shallow'>\
             <{p}ItemShape><t:BaseShape>IdOnly</t:BaseShape></{p}ItemShape>{written}<{p}ParentFolderIds>\
             <t:DistinguishedFolderId Id='inbox'/></{p}ParentFolderIds></{p}FindItem></s:Body></s:Envelope>"
        );
        let smaller = Some(stated.map_or(max, |stated| stated.min(max)));
        let expected = match view(&document) {
            View::Unpaged => View::Indexed { max: Some(max), offset: 0, base: BasePoint::Beginning },
            View::Indexed { offset, base, .. } => View::Indexed { max: smaller, offset, base },
            View::Fractional { numerator, denominator, .. } => View::Fractional { max: smaller, numerator, denominator },
            View::Calendar { start, end, .. } => View::Calendar { max: smaller, start, end },
            View::Contacts { first, last, .. } => View::Contacts { max: smaller, first, last },
        };
        let rewritten = rewritten(&document, max);
        prop_assert_eq!(view(&rewritten), expected);
        if stated.is_some_and(|stated| stated <= max) && kind > 0 {
            prop_assert_eq!(rewritten, document);
        }
    }

    #[test]
    fn both_readers_agree_on_what_was_asked(kind in 0u8..3, max in proptest::option::of(1u32..50), a in 0u32..9, b in 9u32..20) {
        let number = max.map(|max| format!(" MaxEntriesReturned='{max}'")).unwrap_or_default();
        let (written, expected) = match kind {
            0 => (String::new(), FindView::Unpaged),
            1 => (
                format!("<IndexedPageItemView{number} Offset='{a}'/>"),
                FindView::Indexed { max, offset: a, base: BasePoint::Beginning },
            ),
            _ => (
                format!("<FractionalPageItemView Numerator='{a}' Denominator='{b}'{number}/>"),
                FindView::Fractional { max, numerator: a, denominator: b },
            ),
        };
        let document = format!(
            "<s:Envelope xmlns:s='{}'><s:Body><FindItem xmlns='{}' xmlns:t='{}' Traversal='Shallow'><ItemShape>\
             <t:BaseShape>IdOnly</t:BaseShape></ItemShape>{written}<ParentFolderIds><t:FolderId Id='x'/></ParentFolderIds>\
             </FindItem></s:Body></s:Envelope>",
            Namespace::SOAP, Namespace::MESSAGES, Namespace::TYPES,
        );
        let mut peek = Peek::new(PeekLimits::default());
        peek.feed(document.as_bytes()).expect("it is readable");
        let Some(Detail::Find(find)) = peek.asked().map(|asked| &asked.detail) else { panic!("a find") };
        prop_assert_eq!(find.view, expected);
        let strict = match view(&document) {
            View::Unpaged => FindView::Unpaged,
            View::Indexed { max, offset, base } => FindView::Indexed { max, offset, base },
            View::Fractional { max, numerator, denominator } => FindView::Fractional { max, numerator, denominator },
            View::Calendar { max, .. } => FindView::Calendar { max },
            View::Contacts { max, .. } => FindView::Contacts { max },
        };
        prop_assert_eq!(find.view, strict);
    }
}
