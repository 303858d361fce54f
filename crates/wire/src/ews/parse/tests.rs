use super::*;
use crate::ews::field::Field;
use crate::ews::property::*;
use crate::ews::request::*;
use proptest::prelude::*;
use weir_units::WallTime;

mod operations;
mod values;

/// Reads a whole envelope.
fn read(envelope: &str) -> Result<Envelope, RequestError> {
    let mut reader = RequestReader::new(Limits::default());
    reader.feed(envelope.as_bytes())?;
    reader.finish()
}

/// An envelope with prefixes as .NET clients write them.
fn wrap(header: &str, operation: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\
         <soap:Envelope xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
         xmlns:m=\"http://schemas.microsoft.com/exchange/services/2006/messages\" \
         xmlns:t=\"http://schemas.microsoft.com/exchange/services/2006/types\" \
         xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\">\
         <soap:Header>{header}</soap:Header><soap:Body>{operation}</soap:Body></soap:Envelope>"
    )
}

/// Reads an operation.
fn ask(operation: &str) -> Result<Request, RequestError> {
    read(&wrap("", operation)).map(|envelope| envelope.request)
}

fn at(seconds: i64) -> WallTime {
    WallTime::from_unix_micros(seconds * 1_000_000)
}

fn distinguished(name: &str) -> FolderRef {
    FolderRef::Distinguished { name: name.to_owned(), mailbox: None }
}

fn item_id(id: &str, change_key: Option<&str>) -> ItemId {
    ItemId { id: id.to_owned(), change_key: change_key.map(str::to_owned) }
}

const UNSUBSCRIBE: &str = "<m:Unsubscribe><m:SubscriptionId>abc</m:SubscriptionId></m:Unsubscribe>";

/// The documents' own request for six drafts (T11, E5).
const SIX_DRAFTS: &str = r#"<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"
    xmlns:t="http://schemas.microsoft.com/exchange/services/2006/types">
<soap:Header>
    <t:RequestServerVersion Version="Exchange2010"/>
</soap:Header>
<soap:Body>
<FindItem xmlns="http://schemas.microsoft.com/exchange/services/2006/messages"
           xmlns:t="http://schemas.microsoft.com/exchange/services/2006/types" Traversal="Shallow">
    <ItemShape>
        <t:BaseShape>IdOnly</t:BaseShape>
        <t:AdditionalProperties>
            <t:FieldURI FieldURI="item:Subject"/>
        </t:AdditionalProperties>
    </ItemShape>
    <IndexedPageItemView BasePoint="Beginning" Offset="0" MaxEntriesReturned="10000"/>
    <ParentFolderIds>
           <t:DistinguishedFolderId Id="drafts"/>
        </ParentFolderIds>
</FindItem>
</soap:Body>
</soap:Envelope>"#;

#[test]
fn the_documents_request_for_six_drafts_is_understood() {
    let envelope = read(SIX_DRAFTS).unwrap();
    assert_eq!(envelope.version, Version::Exchange2010);
    assert_eq!(
        envelope.request,
        Request::FindItem(FindItem {
            traversal: Traversal::Shallow,
            shape: Shape { additional: vec![Field::SUBJECT.into()], ..Shape::id_only() },
            view: View::Indexed { max: Some(10_000), offset: 0, base: BasePoint::Beginning },
            restriction: None,
            order: Vec::new(),
            query: None,
            parents: vec![distinguished("drafts")],
        })
    );
}

#[test]
fn a_byte_at_a_time_is_the_same_request() {
    let mut reader = RequestReader::new(Limits::default());
    for byte in SIX_DRAFTS.bytes() {
        reader.feed(&[byte]).unwrap();
    }
    assert_eq!(reader.finish(), read(SIX_DRAFTS));
}

#[test]
fn headers_say_version_impersonation_and_time_zone_and_may_say_more() {
    let header = r#"<t:RequestServerVersion Version="Exchange2010_SP2"/><x:Odd xmlns:x="urn:odd"><y/></x:Odd>
        <t:MailboxCulture>en-US</t:MailboxCulture>
        <t:ExchangeImpersonation><t:ConnectingSID><t:PrimarySmtpAddress>jane@example.com</t:PrimarySmtpAddress>
        </t:ConnectingSID></t:ExchangeImpersonation>
        <t:TimeZoneContext><t:TimeZoneDefinition Id="Tokyo Standard Time"/></t:TimeZoneContext>"#;
    let envelope = read(&wrap(header, UNSUBSCRIBE)).unwrap();
    assert_eq!(envelope.version, Version::Exchange2010Sp2);
    assert_eq!(envelope.impersonated.as_deref(), Some("jane@example.com"));
    assert_eq!(envelope.time_zone.as_deref(), Some("Tokyo Standard Time"));
}

#[test]
fn versions_are_known_by_their_names() {
    let cases = [
        ("Exchange2007", Some(Version::Exchange2007)),
        ("Exchange2007_SP1", Some(Version::Exchange2007Sp1)),
        ("Exchange2010", Some(Version::Exchange2010)),
        ("Exchange2010_SP1", Some(Version::Exchange2010Sp1)),
        ("Exchange2010_SP2", Some(Version::Exchange2010Sp2)),
        ("Exchange2013_SP1", Some(Version::Exchange2013)),
        ("Exchange2016", Some(Version::Exchange2013)),
        ("V2017_07_11", Some(Version::Exchange2013)),
        ("Exchange5.5", None),
        ("", None),
    ];
    for (name, expected) in cases {
        let header = format!("<t:RequestServerVersion Version=\"{name}\"/>");
        let version = read(&wrap(&header, UNSUBSCRIBE)).map(|envelope| envelope.version);
        assert_eq!(version.ok(), expected, "{name}");
    }
    assert_eq!(read(&wrap("", UNSUBSCRIBE)).unwrap().version, Version::Unstated);
}

#[test]
fn times_without_an_offset_are_meant_in_the_zone_of_the_header() {
    let find = r#"<m:FindItem Traversal="Shallow"><m:ItemShape><t:BaseShape>IdOnly</t:BaseShape></m:ItemShape>
        <m:CalendarView MaxEntriesReturned="25" StartDate="2010-03-09T09:00:00" EndDate="2010-03-12T00:00:00Z"/>
        <m:ParentFolderIds><t:DistinguishedFolderId Id="calendar"/></m:ParentFolderIds></m:FindItem>"#;
    let zone = r#"<t:TimeZoneContext><t:TimeZoneDefinition Id="Tokyo Standard Time"/></t:TimeZoneContext>"#;
    for (header, start) in [("", 1_268_125_200), (zone, 1_268_092_800)] {
        let Request::FindItem(find) = read(&wrap(header, find)).unwrap().request else { panic!() };
        assert_eq!(find.view, View::Calendar { max: Some(25), start: at(start), end: at(1_268_352_000) });
    }
}

#[test]
fn what_cannot_be_carried_out_says_what_is_wrong_with_it() {
    let empty = |name: &str| format!("<m:{name}/>");
    let cases = [
        (wrap("", ""), "ErrorInvalidRequest", "has no operation"),
        ("<a/>".to_owned(), "ErrorSchemaValidation", "not a SOAP 1.1 envelope"),
        ("<a".to_owned(), "ErrorSchemaValidation", "ends in the middle"),
        ("<!DOCTYPE a>".to_owned(), "ErrorSchemaValidation", "document type"),
        (wrap("", &empty("ExpandDL")), "ErrorInvalidOperation", "'ExpandDL' is not supported"),
        (wrap("", "<FindItem/>"), "ErrorInvalidOperation", "'FindItem' is not supported"),
        (wrap("", &empty("GetItem")), "ErrorSchemaValidation", "'GetItem' lacks 'ItemShape'"),
        (wrap("<t:RequestServerVersion/>", UNSUBSCRIBE), "ErrorSchemaValidation", "lacks 'Version'"),
        (
            wrap("<t:RequestServerVersion Version='Exchange4'/>", UNSUBSCRIBE),
            "ErrorInvalidServerVersion",
            "'Exchange4' is unknown",
        ),
        (
            wrap("<t:ExchangeImpersonation><t:ConnectingSID/></t:ExchangeImpersonation>", UNSUBSCRIBE),
            "ErrorSchemaValidation",
            "'ConnectingSID' lacks",
        ),
    ];
    for (request, code, text) in cases {
        let error = read(&request).unwrap_err();
        assert_eq!(error.code(), code, "{request}");
        let fault = String::from_utf8(error.fault()).unwrap();
        assert!(error.to_string().contains(text), "{error}");
        assert!(fault.contains(&format!(">a:{code}</faultcode>")), "{fault}");
    }
}

#[test]
fn a_wrong_value_is_repeated_in_short() {
    let long = "x".repeat(1000);
    let error = ask(&format!("<m:DeleteItem DeleteType='{long}'/>")).unwrap_err();
    assert_eq!(error, RequestError::Invalid { name: "DeleteType".to_owned(), value: "x".repeat(64) });
}

/// Every operation in a form that is right, to be damaged.
fn some_requests() -> Vec<String> {
    operations::RIGHT.iter().map(|operation| wrap("", operation)).chain([SIX_DRAFTS.to_owned()]).collect()
}

proptest! {
    #[test]
    fn damaged_requests_never_panic_and_are_read_alike_however_cut(
        which in any::<proptest::sample::Index>(),
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 0..3),
        size in 1_usize..50,
    ) {
        let requests = some_requests();
        let mut bytes = which.get(&requests).clone().into_bytes();
        for (place, byte) in damage {
            *place.get_mut(&mut bytes) = byte;
        }
        let whole = {
            let mut reader = RequestReader::new(Limits::default());
            reader.feed(&bytes).and_then(|()| reader.finish())
        };
        let mut reader = RequestReader::new(Limits::default());
        let cut = bytes.chunks(size).try_for_each(|piece| reader.feed(piece)).and_then(|()| reader.finish());
        prop_assert_eq!(format!("{cut:?}"), format!("{whole:?}"));
    }
}
