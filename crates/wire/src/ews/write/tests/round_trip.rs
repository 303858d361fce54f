//! What is written of an item is what a client may send to make the same item.

use super::*;

/// Writes an item into an answer, and reads it out of a request that sends the same element.
fn there_and_back(item: &Item) -> Item {
    let request = Request::GetItem(GetItem { shape: Shape::id_only(), items: Vec::new() });
    let mut answer = body(&answer(&request, &[Ok(Answer::Items(vec![item.clone()]))]));
    let mut take = |name: &str| answer = answer.take_child(name).unwrap();
    ["GetItemResponse", "ResponseMessages", "GetItemResponseMessage", "Items"]
        .into_iter()
        .for_each(&mut take);
    let create = Element::new(Namespace::Messages, "CreateItem").with_child(answer);
    let soap = |name: &str| Element::new(Namespace::Soap, name);
    let envelope = soap("Envelope").with_child(soap("Body").with_child(create));
    let mut reader = RequestReader::new(Limits::default());
    reader.feed(&envelope.to_xml()).unwrap();
    let Request::CreateItem(mut create) = reader.finish().unwrap().request else { panic!("{item:?}") };
    create.items.remove(0)
}

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(any::<char>(), 0..10)
        .prop_map(|characters| characters.into_iter().collect::<String>())
        .prop_filter("XML allows it", |text| {
            !text.contains(|c| matches!(c, '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}'))
        })
}

fn trimmed() -> impl Strategy<Value = Option<String>> {
    proptest::option::of("[a-z&<>\"éß]{1,8}")
}

fn mailbox() -> impl Strategy<Value = Mailbox> {
    (trimmed(), trimmed(), trimmed(), trimmed()).prop_map(|(name, address, routing, kind)| Mailbox {
        name,
        address,
        routing,
        kind,
    })
}

fn time() -> impl Strategy<Value = WallTime> {
    (-2_000_000_000_i64..4_000_000_000).prop_map(|seconds| WallTime::from_unix_micros(seconds * 1_000_000))
}

fn attendee() -> impl Strategy<Value = Attendee> {
    (mailbox(), trimmed(), proptest::option::of(time()))
        .prop_map(|(mailbox, response, responded_at)| Attendee { mailbox, response, responded_at })
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..40),
        (3000_usize..3200).prop_map(|length| b"abcdefg".iter().copied().cycle().take(length).collect()),
    ]
}

fn extended(
    kind: &'static str,
    value: impl Strategy<Value = Value>,
) -> impl Strategy<Value = (PropertyPath, Value)> {
    let name = prop_oneof![
        any::<u16>().prop_map(ExtendedName::Tag),
        any::<u32>().prop_map(|id| ExtendedName::Numbered { set: "Common".to_owned(), id }),
        text().prop_map(|name| ExtendedName::Named {
            set: "00020329-0000-0000-c000-000000000046".to_owned(),
            name,
        }),
    ];
    (name, value)
        .prop_map(move |(name, value)| (ExtendedProperty { name, kind: kind.to_owned() }.into(), value))
}

fn entry(field: Field, value: impl Strategy<Value = Value>) -> impl Strategy<Value = (PropertyPath, Value)> {
    value.prop_map(move |value| (field.into(), value))
}

fn message_property() -> impl Strategy<Value = (PropertyPath, Value)> {
    let pairs = proptest::collection::vec((text(), text()), 0..3);
    prop_oneof![
        entry(Field::SUBJECT, text().prop_map(Value::Text)),
        entry(Field::MIME_CONTENT, bytes().prop_map(Value::Bytes)),
        entry(Field::BODY, (any::<bool>(), text()).prop_map(|(html, text)| Value::Body(Body { html, text }))),
        entry(Field::SIZE, any::<i64>().prop_map(Value::Integer)),
        entry(Field::IS_READ, any::<bool>().prop_map(Value::Bool)),
        entry(Field::DATE_TIME_SENT, time().prop_map(Value::Time)),
        entry(Field::CATEGORIES, proptest::collection::vec(text(), 0..3).prop_map(Value::Texts)),
        entry(Field::INTERNET_MESSAGE_HEADERS, pairs.prop_map(Value::Pairs)),
        entry(Field::FROM, mailbox().prop_map(Value::Mailbox)),
        entry(Field::TO_RECIPIENTS, proptest::collection::vec(mailbox(), 0..3).prop_map(Value::Mailboxes)),
        extended("String", text().prop_map(Value::Text)),
        extended("Integer", any::<i64>().prop_map(Value::Integer)),
        extended("Boolean", any::<bool>().prop_map(Value::Bool)),
        extended("Binary", bytes().prop_map(Value::Bytes)),
        extended("SystemTime", time().prop_map(Value::Time)),
        extended("Double", (-1e300..1e300).prop_map(Value::Double)),
        extended("StringArray", proptest::collection::vec(text(), 0..3).prop_map(Value::Texts)),
    ]
}

proptest! {
    #[test]
    fn a_message_comes_back_with_every_property(properties in proptest::collection::vec(message_property(), 0..8)) {
        let item = Item { kind: ItemKind::Message, properties: properties.into_iter().collect() };
        prop_assert_eq!(there_and_back(&item), item);
    }

    #[test]
    fn an_appointment_comes_back_with_its_attendees(
        start in time(),
        attendees in proptest::collection::vec(attendee(), 0..4),
    ) {
        let properties = Properties::from([
            (Field::START.into(), Value::Time(start)),
            (Field::REQUIRED_ATTENDEES.into(), Value::Attendees(attendees)),
        ]);
        let item = Item { kind: ItemKind::CalendarItem, properties };
        prop_assert_eq!(there_and_back(&item), item);
    }
}

#[test]
fn a_contact_comes_back_with_the_entries_of_its_dictionaries() {
    let text = |text: &str| Value::Text(text.to_owned());
    let properties = Properties::from([
        (Field::CONTACT_FILE_AS.into(), text("Doe, Jane")),
        (Field::CONTACT_SURNAME.into(), text("Doe")),
        (PropertyPath::indexed("contacts:EmailAddress", "EmailAddress1"), text("jane@example.com")),
        (PropertyPath::indexed("contacts:EmailAddress", "EmailAddress2"), text("j@example.com")),
        (PropertyPath::indexed("contacts:ImAddress", "ImAddress1"), text("im:jane")),
        (PropertyPath::indexed("contacts:PhoneNumber", "HomePhone"), text("1")),
        (PropertyPath::indexed("contacts:PhysicalAddress:City", "Home"), text("Oslo")),
        (PropertyPath::indexed("contacts:PhysicalAddress:Street", "Business"), text("1 Main")),
        (PropertyPath::indexed("contacts:PhysicalAddress:Street", "Home"), text("2 Side")),
    ]);
    let item = Item { kind: ItemKind::Contact, properties };
    assert_eq!(there_and_back(&item), item);
}

#[test]
fn elements_stand_in_the_order_of_the_schema() {
    let tag = ExtendedProperty { name: ExtendedName::Tag(0x0e07), kind: "Integer".to_owned() };
    let properties = Properties::from([
        (tag.into(), Value::Integer(1)),
        (Field::IS_READ.into(), Value::Bool(true)),
        (Field::CULTURE.into(), Value::Text("en-US".to_owned())),
        (Field::HAS_ATTACHMENTS.into(), Value::Bool(false)),
        (PropertyPath::indexed("item:InternetMessageHeader", "X-A"), Value::Text("1".to_owned())),
        (Field::SUBJECT.into(), Value::Text("x".to_owned())),
    ]);
    let item = Item { kind: ItemKind::Message, properties };
    let mut out = Vec::new();
    super::super::value::item(&item, &mut out);
    assert_eq!(
        String::from_utf8(out).unwrap(),
        concat!(
            "<t:Message><t:Subject>x</t:Subject><t:InternetMessageHeaders>",
            r#"<t:InternetMessageHeader HeaderName="X-A">1</t:InternetMessageHeader></t:InternetMessageHeaders>"#,
            "<t:HasAttachments>false</t:HasAttachments><t:ExtendedProperty>",
            r#"<t:ExtendedFieldURI PropertyTag="0xe07" PropertyType="Integer"/><t:Value>1</t:Value>"#,
            "</t:ExtendedProperty><t:Culture>en-US</t:Culture><t:IsRead>true</t:IsRead></t:Message>",
        )
    );
}
