use weir_wire::ews::field::Field;
use weir_wire::ews::property::{Body, FolderId, FolderRef, Item, ItemId, ItemKind, PropertyPath, Value};
use weir_wire::ews::request::{
    BaseShape, BodyType, ConflictResolution, DeleteItem, DeleteType, Disposition, GetItem, ItemChange,
    Request, Shape, TransferItem, Update, UpdateItem,
};
use weir_wire::ews::response::{Answer, ResponseMessage};
use weir_wire::ews::xml::Element;

use crate::test_world::{
    World, id_of, item, items, jane, john, known, mailboxes, message, message_to, subject, tag, text, value,
    with,
};

fn update(id: &ItemId, conflict: ConflictResolution, updates: Vec<Update>) -> Request {
    let changes = vec![ItemChange { item: id.clone(), updates }];
    Request::UpdateItem(UpdateItem { disposition: Some(Disposition::SaveOnly), conflict, changes })
}

fn set(field: Field, value: Value) -> Vec<Update> {
    vec![Update::Set(field.into(), value)]
}

async fn overwrite(world: &World, id: &ItemId, updates: Vec<Update>) -> ResponseMessage {
    world.one(&john(), update(id, ConflictResolution::AlwaysOverwrite, updates)).await
}

fn new_id(answer: ResponseMessage) -> ItemId {
    id_of(&items(answer.unwrap())[0])
}

#[tokio::test]
async fn a_batch_answers_each_identifier_in_order_and_errors_are_of_one_each() {
    let world = World::new();
    let good = world.save(&john(), None, message("good", "")).await;
    let gone = world.save(&john(), None, message("gone", "")).await;
    let how = DeleteType::HardDelete;
    world.one(&john(), Request::DeleteItem(DeleteItem { how, items: vec![gone.clone()] })).await.unwrap();
    let malformed = ItemId { id: "AAA=".into(), change_key: None };
    let folder = crate::test_world::folders(
        world
            .one(
                &john(),
                Request::GetFolder(weir_wire::ews::request::GetFolder {
                    shape: Shape::id_only(),
                    folders: vec![known("inbox")],
                }),
            )
            .await
            .unwrap(),
    );
    let folder = ItemId { id: crate::test_world::folder_id_of(&folder[0]).id, change_key: None };
    let theirs = world.save(&jane(), None, message("theirs", "")).await;
    let bare = ItemId { change_key: None, ..good.clone() };
    let shape = Shape { base: BaseShape::Default, ..Shape::id_only() };
    let ids = vec![good.clone(), gone, malformed, folder, theirs, bare];
    let answers = world.ask(&john(), Request::GetItem(GetItem { shape, items: ids })).await;
    let codes: Vec<_> = answers.iter().map(|answer| answer.as_ref().err().map(|error| error.code)).collect();
    let expected = [
        None,
        Some("ErrorItemNotFound"),
        Some("ErrorInvalidIdMalformed"),
        Some("ErrorCannotUseFolderIdForItemId"),
        Some("ErrorItemNotFound"),
        None,
    ];
    assert_eq!(codes, expected);
}

#[tokio::test]
async fn properties_are_set_added_to_and_removed() {
    let world = World::new();
    let id = world.save(&john(), None, message_to("before", &["a@example.com"])).await;
    let name = PropertyPath::Extended(weir_wire::ews::property::ExtendedProperty {
        name: weir_wire::ews::property::ExtendedName::Named {
            set: "publicstrings".into(),
            name: "colour".into(),
        },
        kind: "String".into(),
    });
    let answer = overwrite(
        &world,
        &id,
        vec![
            Update::Set(Field::SUBJECT.into(), text("after")),
            Update::Set(Field::CATEGORIES.into(), Value::Texts(vec!["red".into()])),
            Update::Set(name.clone(), text("blue")),
            Update::Append(Field::TO_RECIPIENTS.into(), mailboxes(&["b@example.com"])),
            Update::Append(Field::BODY.into(), Value::Body(Body { html: false, text: " More.".into() })),
            Update::Set(Field::IMPORTANCE.into(), text("High")),
        ],
    )
    .await;
    let changed = new_id(answer);
    assert_ne!(changed.change_key, id.change_key);
    let additional = vec![name.clone()];
    let shape = Shape { base: BaseShape::AllProperties, additional, ..Shape::id_only() };
    let whole = world.get_shaped(&john(), &id, shape).await.unwrap();
    assert_eq!(subject(&whole), "after");
    assert_eq!(value(&whole, Field::DISPLAY_TO), Some(&text("a@example.com; b@example.com")));
    assert_eq!(
        value(&whole, Field::BODY),
        Some(&Value::Body(Body { html: false, text: "Hello. More.".into() }))
    );
    assert_eq!(value(&whole, Field::IMPORTANCE), Some(&text("High")));
    assert_eq!(value(&whole, Field::CATEGORIES), Some(&Value::Texts(vec!["red".into()])));
    assert_eq!(whole.properties.get(&name), Some(&text("blue")));
    let removals =
        [Field::SUBJECT, Field::CATEGORIES, Field::TO_RECIPIENTS].map(|field| Update::Delete(field.into()));
    overwrite(&world, &id, removals.into_iter().chain([Update::Delete(name)]).collect()).await.unwrap();
    let whole = world.get(&john(), &id).await;
    for field in [Field::SUBJECT, Field::CATEGORIES, Field::TO_RECIPIENTS, Field::DISPLAY_TO] {
        assert_eq!(value(&whole, field), None, "{field}");
    }
}

#[tokio::test]
async fn what_clients_may_not_set_is_refused() {
    let world = World::new();
    let id = world.save(&john(), None, message("a", "")).await;
    let cases = [
        (Update::Set(Field::SIZE.into(), Value::Integer(1)), "ErrorInvalidPropertySet"),
        (Update::Set(Field::START.into(), Value::Time(world.now)), "ErrorInvalidPropertySet"),
        (Update::Set(tag(0x0e23, "Integer"), Value::Integer(7)), "ErrorInvalidPropertySet"),
        (Update::Set(Field::IMPORTANCE.into(), text("Huge")), "ErrorInvalidValueForProperty"),
        (Update::Append(Field::SUBJECT.into(), text("x")), "ErrorAppendPropertyNotSupported"),
        (Update::Delete(Field::IS_READ.into()), "ErrorInvalidPropertyDelete"),
    ];
    for (update, code) in cases {
        assert_eq!(overwrite(&world, &id, vec![update.clone()]).await.unwrap_err().code, code, "{update:?}");
    }
}

#[tokio::test]
async fn two_that_change_one_item_meet_as_they_chose() {
    use ConflictResolution::{AlwaysOverwrite, AutoResolve, NeverOverwrite};
    let subject_to = |name: &str| set(Field::SUBJECT, text(name));
    let flag = || set(Field::IMPORTANCE, text("Low"));
    let cases = [
        (NeverOverwrite, subject_to("mine"), Some("ErrorIrresolvableConflict")),
        (NeverOverwrite, flag(), Some("ErrorIrresolvableConflict")),
        (AutoResolve, subject_to("mine"), Some("ErrorIrresolvableConflict")),
        (
            AutoResolve,
            vec![Update::Set(tag(0x0037, "String"), text("mine"))],
            Some("ErrorIrresolvableConflict"),
        ),
        (AutoResolve, flag(), None),
        (AlwaysOverwrite, subject_to("mine"), None),
    ];
    for (conflict, updates, refused) in cases {
        let world = World::new();
        let stale = world.save(&john(), None, message("first", "")).await;
        let fresh = new_id(overwrite(&world, &stale, subject_to("theirs")).await);
        let answer = world.one(&john(), update(&stale, conflict, updates.clone())).await;
        assert_eq!(answer.as_ref().err().map(|error| error.code), refused, "{conflict:?} {updates:?}");
        if refused.is_some() {
            assert!(
                world.one(&john(), update(&fresh, conflict, updates)).await.is_ok(),
                "the current key passes"
            );
        }
    }
}

#[tokio::test]
async fn a_missing_or_malformed_change_key_is_told() {
    let world = World::new();
    let id = world.save(&john(), None, message("a", "")).await;
    let bare = ItemId { change_key: None, ..id.clone() };
    let wrong = ItemId { change_key: Some("nonsense".into()), ..id };
    let change = set(Field::SUBJECT, text("b"));
    let never = ConflictResolution::NeverOverwrite;
    assert_eq!(world.refusal(&john(), update(&bare, never, change.clone())).await, "ErrorChangeKeyRequired");
    assert_eq!(world.refusal(&john(), update(&wrong, never, change.clone())).await, "ErrorInvalidChangeKey");
    assert!(world.one(&john(), update(&bare, ConflictResolution::AutoResolve, change)).await.is_ok());
}

#[tokio::test]
async fn flags_are_set_under_both_their_names() {
    let world = World::new();
    let id = world.save(&john(), None, message("a", "")).await;
    let flag = Element::types("Flag").with_child(Element::types("FlagStatus").with_text("Flagged"));
    overwrite(&world, &id, set(Field::FLAG, Value::Xml(flag.clone()))).await.unwrap();
    let additional = vec![Field::FLAG.into(), tag(0x1090, "Integer"), tag(0x0e07, "Integer")];
    let shape = Shape { additional, ..Shape::id_only() };
    let whole = world.get_shaped(&john(), &id, shape.clone()).await.unwrap();
    assert_eq!(value(&whole, Field::FLAG), Some(&Value::Xml(flag)));
    assert_eq!(whole.properties[&tag(0x1090, "Integer")], Value::Integer(2));
    assert_eq!(whole.properties[&tag(0x0e07, "Integer")], Value::Integer(9), "read and unsent");
    overwrite(&world, &id, vec![Update::Set(tag(0x0e07, "Integer"), Value::Integer(0))]).await.unwrap();
    overwrite(&world, &id, vec![Update::Delete(tag(0x1090, "Integer"))]).await.unwrap();
    let whole = world.get_shaped(&john(), &id, shape).await.unwrap();
    assert_eq!(whole.properties[&tag(0x0e07, "Integer")], Value::Integer(0));
    assert_eq!(whole.properties[&tag(0x1090, "Integer")], Value::Integer(0));
}

#[tokio::test]
async fn a_body_comes_in_the_kind_that_is_asked_for() {
    let world = World::new();
    let html = Value::Body(Body { html: true, text: "<p>Hello <b>you</b></p>".into() });
    let html = world.save(&john(), None, with(message("h", ""), Field::BODY, html)).await;
    let plain = world.save(&john(), None, message("t", "a < b")).await;
    let body = async |id: &ItemId, body| {
        let shape = Shape { additional: vec![Field::BODY.into()], body, ..Shape::id_only() };
        match value(&world.get_shaped(&john(), id, shape).await.unwrap(), Field::BODY) {
            Some(Value::Body(body)) => body.clone(),
            other => panic!("{other:?}"),
        }
    };
    assert!(body(&html, None).await.html && body(&html, Some(BodyType::Best)).await.html);
    let text = body(&html, Some(BodyType::Text)).await;
    assert!(!text.html && text.text.trim() == "Hello you", "{text:?}");
    assert!(!body(&plain, None).await.html);
    let wrapped = body(&plain, Some(BodyType::Html)).await;
    assert!(wrapped.html && wrapped.text.contains("a &lt; b"), "{wrapped:?}");
}

#[tokio::test]
async fn a_changed_message_in_internet_form_says_what_was_changed_and_keeps_its_attachment() {
    let world = World::new();
    let mime = b"From: a@example.com\r\nSubject: before\r\nMIME-Version: 1.0\r\n\
Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nHello\r\n--b\r\n\
Content-Type: application/pdf; name=x.pdf\r\nContent-Disposition: attachment; filename=x.pdf\r\n\
Content-Transfer-Encoding: base64\r\n\r\nAQID\r\n--b--\r\n";
    let new = item(ItemKind::Message, vec![(Field::MIME_CONTENT, Value::Bytes(mime.to_vec()))]);
    let id = world.save(&john(), None, new).await;
    let whole = world.get(&john(), &id).await;
    assert_eq!(value(&whole, Field::HAS_ATTACHMENTS), Some(&Value::Bool(true)));
    let Some(Value::Xml(list)) = value(&whole, Field::ATTACHMENTS) else { panic!("{whole:?}") };
    assert_eq!(list.children[0].child_text("Name"), Some("x.pdf"));
    assert_eq!(list.children[0].child_text("Size"), Some("3"));
    overwrite(&world, &id, set(Field::IS_READ, Value::Bool(false))).await.unwrap();
    let shape = Shape { mime_content: true, ..Shape::id_only() };
    let unchanged = world.get_shaped(&john(), &id, shape.clone()).await.unwrap();
    assert_eq!(value(&unchanged, Field::MIME_CONTENT), Some(&Value::Bytes(mime.to_vec())));
    overwrite(&world, &id, set(Field::SUBJECT, text("after"))).await.unwrap();
    let changed = world.get_shaped(&john(), &id, shape).await.unwrap();
    let Some(Value::Bytes(changed)) = value(&changed, Field::MIME_CONTENT) else { panic!("{changed:?}") };
    let parsed = mail_parser::MessageParser::default().parse(changed).unwrap();
    assert_eq!(parsed.subject(), Some("after"));
    assert_eq!(parsed.body_text(0).unwrap().trim(), "Hello");
    assert_eq!(parsed.attachment(0).unwrap().contents(), [1, 2, 3]);
}

#[tokio::test]
async fn moving_and_copying_give_identifiers_at_the_other_place() {
    let world = World::new();
    let id = world.save(&john(), None, message("a", "the body")).await;
    let transfer =
        |id: &ItemId, to: &str| TransferItem { to: known(to), items: vec![id.clone()], return_new_ids: true };
    let copy = new_id(world.one(&john(), Request::CopyItem(transfer(&id, "inbox"))).await);
    assert_ne!(copy.id, id.id);
    let moved = new_id(world.one(&john(), Request::MoveItem(transfer(&id, "junkemail"))).await);
    assert_ne!(moved.id, id.id);
    assert_eq!(world.subjects(&john(), "drafts").await, [""; 0]);
    for (id, folder) in [(&copy, "inbox"), (&moved, "junkemail")] {
        assert_eq!(world.subjects(&john(), folder).await, ["a"]);
        let whole = world.get(&john(), id).await;
        let body = Value::Body(Body { html: false, text: "the body".into() });
        assert_eq!(value(&whole, Field::BODY), Some(&body));
    }
    assert_eq!(world.refusal(&john(), Request::MoveItem(transfer(&id, "inbox"))).await, "ErrorItemNotFound");
    assert_eq!(
        world.refusal(&john(), Request::CopyItem(transfer(&moved, "nowhere"))).await,
        "ErrorFolderNotFound"
    );
    let to = FolderRef::Id(FolderId { id: moved.id.clone(), change_key: None });
    let request = Request::MoveItem(TransferItem { to, items: vec![moved], return_new_ids: false });
    assert_eq!(world.refusal(&john(), request).await, "ErrorCannotUseItemIdForFolderId");
}

#[tokio::test]
async fn numbers_within_a_folder_are_never_used_twice() {
    let world = World::new();
    let uid = tag(0x0e23, "Integer");
    let shape = Shape { additional: vec![uid.clone()], ..Shape::id_only() };
    let mut seen = Vec::new();
    for _ in 0..3 {
        let id = world.save(&john(), None, message("a", "")).await;
        seen.push(world.get_shaped(&john(), &id, shape.clone()).await.unwrap().properties[&uid].clone());
        let how = DeleteType::HardDelete;
        world.one(&john(), Request::DeleteItem(DeleteItem { how, items: vec![id] })).await.unwrap();
    }
    assert_eq!(seen, [1, 2, 3].map(Value::Integer));
}

#[tokio::test]
async fn deleting_goes_as_far_as_asked() {
    let world = World::new();
    for (how, found, in_deleted) in [
        (DeleteType::HardDelete, false, 0),
        (DeleteType::SoftDelete, true, 0),
        (DeleteType::MoveToDeletedItems, false, 1),
    ] {
        let id = world.save(&john(), None, message("a", "")).await;
        let delete = Request::DeleteItem(DeleteItem { how, items: vec![id.clone()] });
        assert_eq!(world.one(&john(), delete).await, Ok(Answer::Done));
        assert_eq!(world.get_shaped(&john(), &id, Shape::id_only()).await.is_ok(), found, "{how:?}");
        assert_eq!(world.subjects(&john(), "deleteditems").await.len(), in_deleted, "{how:?}");
        assert!(world.subjects(&john(), "drafts").await.is_empty());
    }
}

#[tokio::test]
async fn an_update_can_send_what_it_changed() {
    let world = World::new();
    let id = world.save(&john(), None, message_to("draft", &["jane.doe@example.com"])).await;
    let changes = vec![ItemChange { item: id, updates: set(Field::SUBJECT, text("final")) }];
    let disposition = Some(Disposition::SendAndSaveCopy);
    let conflict = ConflictResolution::AutoResolve;
    world.one(&john(), Request::UpdateItem(UpdateItem { disposition, conflict, changes })).await.unwrap();
    assert_eq!(world.subjects(&jane(), "inbox").await, ["final"]);
    assert_eq!(world.subjects(&john(), "sentitems").await, ["final"]);
    assert!(world.subjects(&john(), "drafts").await.is_empty());
}

#[tokio::test]
async fn a_contact_keeps_its_dictionaries_and_gets_the_names_that_follow() {
    let world = World::new();
    let mail = PropertyPath::indexed("contacts:EmailAddress", "EmailAddress1");
    let city = PropertyPath::indexed("contacts:PhysicalAddress:City", "Home");
    let mut contact: Item = item(
        ItemKind::Contact,
        vec![(Field::CONTACT_GIVEN_NAME, text("Ada")), (Field::CONTACT_SURNAME, text("Lovelace"))],
    );
    contact.properties.insert(mail.clone(), text("ada@example.com"));
    contact.properties.insert(city.clone(), text("London"));
    let id = world.save(&john(), None, contact).await;
    let whole = world.get(&john(), &id).await;
    assert_eq!(value(&whole, Field::CONTACT_DISPLAY_NAME), Some(&text("Ada Lovelace")));
    assert_eq!(value(&whole, Field::CONTACT_FILE_AS), Some(&text("Lovelace, Ada")));
    assert_eq!(whole.properties.get(&mail), Some(&text("ada@example.com")));
    assert_eq!(whole.properties.get(&city), Some(&text("London")));
    overwrite(&world, &id, vec![Update::Delete(Field::CONTACT_EMAIL_ADDRESSES.into())]).await.unwrap();
    let whole = world.get(&john(), &id).await;
    assert_eq!(whole.properties.get(&mail), None);
    assert_eq!(whole.properties.get(&city), Some(&text("London")));
}
