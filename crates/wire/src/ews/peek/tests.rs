//! Requests as clients write them, cut in all ways.

mod rewriting;

use proptest::prelude::*;

use super::{Delivery, Detail, FindRequest, FindView, FindWhat, Peek, PeekLimits, Progress, Unreadable};
use crate::ews::request::{BasePoint, Version};
use crate::ews::xml::Malformed;

const HEADER: &str = "<?xml version='1.0' encoding='utf-8'?><s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/' \
    xmlns:m='http://schemas.microsoft.com/exchange/services/2006/messages' \
    xmlns:t='http://schemas.microsoft.com/exchange/services/2006/types'><s:Header>\
    <t:RequestServerVersion Version='Exchange2010_SP2'/><t:ExchangeImpersonation><t:ConnectingSID>\
    <t:PrimarySmtpAddress> jane&amp;co@example.com </t:PrimarySmtpAddress></t:ConnectingSID></t:ExchangeImpersonation>\
    <t:TimeZoneContext><t:TimeZoneDefinition Id='UTC'/></t:TimeZoneContext></s:Header><s:Body>";
const FOOTER: &str = "</s:Body></s:Envelope>\n";

fn request(operation: &str) -> String {
    [HEADER, operation, FOOTER].concat()
}

/// Reads the whole document, in pieces of this size.
fn peek(document: &[u8], size: usize) -> Peek {
    let mut peek = Peek::new(PeekLimits::default());
    for piece in document.chunks(size) {
        let _ = peek.feed(piece);
    }
    let _ = peek.end();
    peek
}

/// What is asked; the same for every cutting.
fn asked(operation: &str) -> (Detail, u32) {
    let document = request(operation);
    let whole = peek(document.as_bytes(), document.len());
    for size in [1, 2, 5, 64] {
        let cut = peek(document.as_bytes(), size);
        assert_eq!((cut.asked(), cut.named()), (whole.asked(), whole.named()), "{operation} by {size}");
        assert!(document.as_bytes().starts_with(cut.kept()), "{operation} by {size}");
    }
    let asked = whole.asked().expect("the request is readable");
    assert_eq!(asked.version, Version::Exchange2010Sp2);
    assert_eq!(asked.impersonated.as_deref(), Some("jane&co@example.com"));
    (asked.detail.clone(), whole.named())
}

fn find(operation: &str) -> FindRequest {
    let (Detail::Find(find), named) = asked(operation) else { panic!("{operation} is a find") };
    assert_eq!(find.parents, named, "{operation}");
    find
}

#[test]
fn an_operation_is_known_at_its_first_tag_and_counted_to_its_end() {
    let document = request(
        "<m:DeleteItem DeleteType='HardDelete'><m:ItemIds><t:ItemId Id='1'/><!-- <t:ItemId/> --><t:ItemId Id='2'>\
         <t:Inner/></t:ItemId></m:ItemIds></m:DeleteItem>",
    );
    let known = HEADER.len() + "<m:DeleteItem DeleteType='HardDelete'>".len();
    let mut peek = Peek::new(PeekLimits::default());
    for (place, byte) in document.bytes().enumerate() {
        let expected = if place + 1 < known { Progress::NeedMore } else { Progress::Known };
        assert_eq!(peek.feed(&[byte]), Ok(expected), "{place}");
    }
    assert_eq!(peek.end(), Ok(()));
    assert_eq!(peek.kept(), &document.as_bytes()[..known], "nothing is kept once it is known");
    assert_eq!((peek.asked().map(|asked| asked.operation.as_str()), peek.named()), (Some("DeleteItem"), 2));
}

#[test]
fn what_an_operation_is_about_is_counted_in_every_list() {
    for (operation, named) in [
        (
            "<m:GetFolder><m:FolderIds><t:FolderId Id='1'/><t:DistinguishedFolderId Id='inbox'/></m:FolderIds></m:GetFolder>",
            2,
        ),
        ("<CreateItem><Items><Message><Subject/></Message><Task/><Contact/></Items></CreateItem>", 3),
        (
            "<m:UpdateItem><m:ItemChanges><t:ItemChange><t:Updates><t:A/><t:B/></t:Updates></t:ItemChange></m:ItemChanges></m:UpdateItem>",
            1,
        ),
        (
            "<m:MoveItem><m:ToFolderId><t:FolderId/></m:ToFolderId><m:ItemIds><t:ItemId/></m:ItemIds></m:MoveItem>",
            1,
        ),
        ("<m:ConvertId><m:SourceIds><t:AlternateId/><t:AlternateId/></m:SourceIds></m:ConvertId>", 2),
        ("<m:GetUserOofSettingsRequest/>", 0),
        ("<m:Unheard><m:Of><t:A/></m:Of></m:Unheard>", 0),
    ] {
        assert_eq!(asked(operation), (Detail::None, named), "{operation}");
    }
}

#[test]
fn a_find_is_known_with_its_view_and_its_folders() {
    let parents = "<m:ParentFolderIds><t:FolderId Id='1'/><t:FolderId Id='2'/></m:ParentFolderIds>";
    for (view, expected) in [
        ("", FindView::Unpaged),
        (
            "<m:IndexedPageItemView MaxEntriesReturned='25' Offset=' 50 ' BasePoint='End'/>",
            FindView::Indexed { max: Some(25), offset: 50, base: BasePoint::End },
        ),
        (
            "<m:IndexedPageItemView Offset='0' BasePoint='Beginning'></m:IndexedPageItemView>",
            FindView::Indexed { max: None, offset: 0, base: BasePoint::Beginning },
        ),
        (
            "<m:FractionalPageItemView Denominator='4' MaxEntriesReturned='99999999999' Numerator='3'/>",
            FindView::Fractional { max: Some(u32::MAX), numerator: 3, denominator: 4 },
        ),
        (
            "<m:CalendarView MaxEntriesReturned='25' StartDate='x' EndDate='y'/>",
            FindView::Calendar { max: Some(25) },
        ),
        ("<m:ContactsView/>", FindView::Contacts { max: None }),
    ] {
        let find =
            find(&format!("<m:FindItem Traversal='Shallow'><m:ItemShape/>{view}{parents}</m:FindItem>"));
        assert_eq!((find.what, find.view, find.parents), (FindWhat::Items, expected, 2), "{view}");
    }
    let find = find(
        "<FindFolder><FolderShape/><IndexedPageFolderView Offset='1' MaxEntriesReturned='2'/></FindFolder>",
    );
    let view = FindView::Indexed { max: Some(2), offset: 1, base: BasePoint::Beginning };
    assert_eq!((find.what, find.view, find.parents), (FindWhat::Folders, view, 0));
}

#[test]
fn subscriptions_are_known_with_their_delivery_and_their_names() {
    let subscribe = |request: &str| asked(&format!("<m:Subscribe>{request}</m:Subscribe>")).0;
    let pull = "<m:PullSubscriptionRequest><t:FolderIds><t:FolderId/></t:FolderIds><t:Timeout>10</t:Timeout></m:PullSubscriptionRequest>";
    let expected = Detail::Subscribe { delivery: Some(Delivery::Pull), timeout_minutes: Some(10) };
    assert_eq!(subscribe(pull), expected);
    for (name, delivery) in
        [("Push", Some(Delivery::Push)), ("Streaming", Some(Delivery::Streaming)), ("Other", None)]
    {
        let request = format!("<m:{name}SubscriptionRequest/>");
        assert_eq!(subscribe(&request), Detail::Subscribe { delivery, timeout_minutes: None });
    }
    let streaming = "<m:GetStreamingEvents><m:SubscriptionIds><t:SubscriptionId>a</t:SubscriptionId>\
        <t:SubscriptionId><![CDATA[b]]>&#x63;</t:SubscriptionId></m:SubscriptionIds><m:ConnectionTimeout>30</m:ConnectionTimeout>\
        </m:GetStreamingEvents>";
    let subscriptions = vec!["a".to_owned(), "bc".to_owned()];
    assert_eq!(asked(streaming), (Detail::StreamingEvents { subscriptions, timeout_minutes: Some(30) }, 2));
    let named = "<m:SubscriptionId>\n abc </m:SubscriptionId>";
    assert_eq!(
        asked(&format!("<m:GetEvents>{named}</m:GetEvents>")).0,
        Detail::Events { subscription: "abc".to_owned() }
    );
    assert_eq!(
        asked(&format!("<m:Unsubscribe>{named}</m:Unsubscribe>")).0,
        Detail::Unsubscribe { subscription: "abc".to_owned() }
    );
}

#[test]
fn a_version_nobody_knows_is_as_good_as_none() {
    for (header, version) in [
        (
            "<h:RequestServerVersion xmlns:h='x' Version=\"Exchange2016\"></h:RequestServerVersion>",
            Version::Exchange2013,
        ),
        ("<RequestServerVersion Version='Exchange2007_SP1'/>", Version::Exchange2007Sp1),
        ("<RequestServerVersion Version='Exchange5'/>", Version::Unstated),
        ("<RequestServerVersion/>", Version::Unstated),
        ("", Version::Unstated),
    ] {
        let document =
            format!("<Envelope><Header>{header}</Header><Body><GetItem></GetItem></Body></Envelope>");
        let peek = peek(document.as_bytes(), 9);
        assert_eq!(peek.asked().map(|asked| asked.version), Some(version), "{header}");
    }
}

#[test]
fn what_cannot_be_read_says_why_and_keeps_every_byte() {
    for (document, expected) in [
        ("", Malformed::Unfinished.into()),
        ("<Envelope><Body><FindItem>", Malformed::Unfinished.into()),
        ("<Envelope><Header></Body>", Malformed::Unbalanced.into()),
        ("<!DOCTYPE x><Envelope/>", Malformed::Doctype.into()),
        ("POST / HTTP/1.1", Malformed::Syntax.into()),
        ("<Envelope><Body><FindItem><IndexedPageItemView Offset=0/>", Malformed::Syntax.into()),
        ("<Envelope><Body/></Envelope>", Unreadable::NoOperation),
        ("<Envelope><Header/></Envelope>", Unreadable::NoOperation),
        ("<html><Body><FindItem/></Body></html>", Unreadable::NoOperation),
    ] {
        let mut peek = Peek::new(PeekLimits::default());
        let fed = peek.feed(document.as_bytes());
        assert!(fed.is_err() || peek.end() == Err(expected.clone()), "{document}");
        assert_eq!(peek.feed(b"more"), Err(expected.clone()), "{document}");
        assert_eq!(peek.end(), Err(expected), "{document}");
        assert_eq!(peek.take_kept(), document.as_bytes());
    }
}

#[test]
fn a_request_is_kept_up_to_the_limit_and_no_further() {
    let limits = PeekLimits { kept: 1000, ..PeekLimits::default() };
    let mut peek = Peek::new(limits);
    assert_eq!(peek.feed(b"<Envelope><Body><FindItem>"), Ok(Progress::NeedMore));
    let mut fed = peek.kept().len();
    let too_long = loop {
        fed += 10;
        if let Err(error) = peek.feed(b"<Excess/> ") {
            break error;
        }
        assert!(fed <= 1000);
    };
    assert_eq!((too_long, peek.kept().len()), (Unreadable::TooLong { limit: 1000 }, fed));
    assert!(peek.feed(b"</FindItem>").is_err());
    assert_eq!(peek.kept().len(), fed, "nothing more is kept");
}

#[test]
fn a_request_of_any_length_is_counted_in_the_same_memory() {
    let mut peek = Peek::new(PeekLimits::default());
    assert_eq!(peek.feed(b"<Envelope><Body><CreateItem><Items>"), Ok(Progress::Known));
    let kept = peek.kept().len();
    for _ in 0..10_000 {
        assert_eq!(peek.feed(b"<Message><Body>text and more text</Body></Message>"), Ok(Progress::Known));
    }
    assert_eq!((peek.named(), peek.kept().len()), (10_000, kept));
    assert_eq!(peek.feed(b"</Wrong>"), Ok(Progress::Known), "the rest is the origin's to judge");
    assert_eq!(peek.named(), 10_000);
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic_and_no_cutting_changes_what_is_learned(
        at in 0usize..900,
        noise in proptest::collection::vec(any::<u8>(), 0..6),
        size in 1usize..40,
    ) {
        let parents = "<m:ParentFolderIds><t:FolderId Id='1'/></m:ParentFolderIds>";
        let view = "<m:IndexedPageItemView MaxEntriesReturned='25' Offset='50' BasePoint='End'/>";
        let mut document = request(&format!("<m:FindItem><m:ItemShape/>{view}{parents}</m:FindItem>")).into_bytes();
        let at = at.min(document.len());
        document.splice(at..at, noise);
        let whole = peek(&document, document.len());
        let cut = peek(&document, size);
        prop_assert_eq!(cut.asked(), whole.asked());
        prop_assert_eq!(&cut.failed, &whole.failed);
    }
}
