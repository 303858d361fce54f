use weir_wire::ews::field::Field;
use weir_wire::ews::property::{Folder, FolderId, FolderKind, FolderRef, Value};
use weir_wire::ews::request::{
    BaseShape, CreateFolder, DeleteFolder, DeleteType, FindFolder, FolderChange, GetFolder, Operand, Request,
    Restriction, Shape, Traversal, Update, UpdateFolder, View,
};
use weir_wire::ews::request::{Comparison, ContainmentMode};
use weir_wire::ews::response::{Answer, Found, Paging};

use crate::test_world::{World, folder_id_of, folders, john, known, message, page, tag, text};

fn get(named: FolderRef) -> Request {
    let shape = Shape { base: BaseShape::AllProperties, ..Shape::id_only() };
    Request::GetFolder(GetFolder { shape, folders: vec![named] })
}

fn find(parent: &str, traversal: Traversal, restriction: Option<Restriction>, view: View) -> Request {
    let shape = Shape { base: BaseShape::Default, ..Shape::id_only() };
    Request::FindFolder(FindFolder { traversal, shape, view, restriction, parents: vec![known(parent)] })
}

fn new_folder(name: &str, class: Option<&str>) -> Folder {
    let mut properties = vec![(Field::FOLDER_DISPLAY_NAME.into(), text(name))];
    properties.extend(class.map(|class| (Field::FOLDER_CLASS.into(), text(class))));
    Folder { kind: FolderKind::Folder, properties: properties.into_iter().collect() }
}

fn create(parent: FolderRef, name: &str) -> Request {
    Request::CreateFolder(CreateFolder { parent, folders: vec![new_folder(name, None)] })
}

async fn created(world: &World, parent: FolderRef, name: &str) -> FolderId {
    folder_id_of(&folders(world.one(&john(), create(parent, name)).await.unwrap())[0])
}

async fn found(world: &World, request: Request) -> Found<Folder> {
    match world.one(&john(), request).await.unwrap() {
        Answer::FoundFolders(found) => found,
        other => panic!("{other:?}"),
    }
}

fn name(folder: &Folder) -> String {
    match folder.properties.get(&Field::FOLDER_DISPLAY_NAME.into()) {
        Some(Value::Text(name)) => name.clone(),
        other => panic!("{other:?}"),
    }
}

async fn names(world: &World, parent: &str, traversal: Traversal) -> Vec<String> {
    found(world, find(parent, traversal, None, View::Unpaged)).await.page.iter().map(name).collect()
}

#[tokio::test]
async fn every_mailbox_has_its_well_known_folders_from_the_first_visit_on() {
    let world = World::new();
    let ids = [
        "root",
        "msgfolderroot",
        "inbox",
        "drafts",
        "sentitems",
        "deleteditems",
        "outbox",
        "junkemail",
        "calendar",
        "contacts",
        "tasks",
        "notes",
        "journal",
        "searchfolders",
        "recoverableitemsdeletions",
    ];
    for id in ids {
        assert!(world.one(&john(), get(known(id))).await.is_ok(), "{id}");
    }
    for id in ["publicfoldersroot", "conflicts", "", "Inbox"] {
        assert_eq!(world.refusal(&john(), get(known(id))).await, "ErrorFolderNotFound", "{id}");
    }
}

#[tokio::test]
async fn a_folder_tells_how_many_items_it_holds_and_how_many_are_unread() {
    let world = World::new();
    world
        .server
        .deliver_many(&john(), "inbox", vec![message("a", ""), message("b", "")], world.now)
        .await
        .unwrap();
    world.save(&john(), Some("inbox"), message("read", "")).await;
    let folder = folders(world.one(&john(), get(known("inbox"))).await.unwrap()).remove(0);
    let count = |field: Field| folder.properties.get(&field.into()).cloned();
    assert_eq!(count(Field::FOLDER_TOTAL_COUNT), Some(Value::Integer(3)));
    assert_eq!(count(Field::FOLDER_UNREAD_COUNT), Some(Value::Integer(2)));
    assert_eq!(count(Field::FOLDER_CHILD_FOLDER_COUNT), Some(Value::Integer(0)));
    assert_eq!(count(Field::FOLDER_CLASS), Some(text("IPF.Note")));
}

#[tokio::test]
async fn the_mapi_names_of_a_folder_that_imap_bridges_ask_for_are_answered() {
    let world = World::new();
    world.save(&john(), Some("inbox"), message("a", "")).await;
    let asked = [
        (0x3008, "SystemTime", Value::Time(world.now)),
        (0x6752, "Integer", Value::Integer(1)),
        (0x360a, "Boolean", Value::Bool(false)),
        (0x6751, "Integer", Value::Integer(2)),
        (0x3603, "Integer", Value::Integer(0)),
        (0x10f3, "String", text("Inbox")),
        (0x3613, "String", text("IPF.Note")),
        (0x3602, "Integer", Value::Integer(1)),
        (0x670a, "SystemTime", Value::Time(world.now)),
    ];
    let additional = asked.iter().map(|(number, kind, _)| tag(*number, kind)).collect();
    let shape = Shape { additional, ..Shape::id_only() };
    let request = Request::GetFolder(GetFolder { shape, folders: vec![known("inbox")] });
    let folder = folders(world.one(&john(), request).await.unwrap()).remove(0);
    for (number, kind, expected) in asked {
        assert_eq!(folder.properties.get(&tag(number, kind)), Some(&expected), "0x{number:04x}");
    }
}

#[tokio::test]
async fn a_folder_of_anothers_mailbox_is_refused_and_ones_own_address_is_not() {
    let world = World::new();
    let of = |address: &str| FolderRef::Distinguished { name: "inbox".into(), mailbox: Some(address.into()) };
    for own in ["john.doe@example.com", "John.Doe@Example.com", "JohnDoe"] {
        assert!(world.one(&john(), get(of(own))).await.is_ok(), "{own}");
    }
    assert_eq!(world.refusal(&john(), get(of("jane.doe@example.com"))).await, "ErrorAccessDenied");
    assert_eq!(world.refusal(&john(), get(of("nobody@example.com"))).await, "ErrorNonExistentMailbox");
}

#[tokio::test]
async fn identifiers_that_name_nothing_here_are_refused_each_in_its_own_words() {
    let world = World::new();
    let id = |id: &str| FolderRef::Id(FolderId { id: id.into(), change_key: None });
    assert_eq!(world.refusal(&john(), get(id("DUMMY"))).await, "ErrorInvalidIdMalformed");
    let item = world.save(&john(), None, message("a", "")).await;
    assert_eq!(world.refusal(&john(), get(id(&item.id))).await, "ErrorCannotUseItemIdForFolderId");
    let folder = created(&world, known("inbox"), "Projects").await;
    let as_jane = world.refusal(&crate::test_world::jane(), get(id(&folder.id))).await;
    assert_eq!(as_jane, "ErrorFolderNotFound", "another's folder looks as if it were not there");
}

#[tokio::test]
async fn folders_are_found_by_depth_in_the_order_of_their_names() {
    let world = World::new();
    let projects = created(&world, known("inbox"), "Projects").await;
    created(&world, FolderRef::Id(projects), "alpha").await;
    created(&world, known("inbox"), "Bills").await;
    assert_eq!(names(&world, "inbox", Traversal::Shallow).await, ["Bills", "Projects"]);
    assert_eq!(names(&world, "inbox", Traversal::Deep).await, ["alpha", "Bills", "Projects"]);
    assert!(names(&world, "msgfolderroot", Traversal::Shallow).await.contains(&"Inbox".to_owned()));
    assert!(names(&world, "root", Traversal::Deep).await.contains(&"alpha".to_owned()));
}

#[tokio::test]
async fn a_page_of_folders_says_how_to_go_on() {
    let world = World::new();
    for name in ["a", "b", "c"] {
        created(&world, known("inbox"), name).await;
    }
    let first = found(&world, find("inbox", Traversal::Shallow, None, page(2, 0))).await;
    assert_eq!((first.page.len(), first.total, first.paging, first.last), (2, 3, Paging::Indexed(2), false));
    let rest = found(&world, find("inbox", Traversal::Shallow, None, page(2, 2))).await;
    assert_eq!((rest.page.len(), rest.total, rest.paging, rest.last), (1, 3, Paging::Indexed(3), true));
}

#[tokio::test]
async fn the_restriction_of_an_imap_bridge_finds_mail_folders() {
    let world = World::new();
    let class = tag(0x3613, "String");
    let is = |name: &str| Restriction::Compare {
        path: class.clone(),
        how: Comparison::Equal,
        with: Operand::Constant(name.into()),
    };
    let without = Restriction::Not(Box::new(Restriction::Exists(class.clone())));
    let restriction = Restriction::Or(vec![is("IPF.Note"), is("ipf.stickynote"), without]);
    let view = View::Unpaged;
    let all = found(&world, find("msgfolderroot", Traversal::Shallow, Some(restriction), view)).await;
    let names: Vec<String> = all.page.iter().map(name).collect();
    assert_eq!(names, ["Deleted Items", "Drafts", "Inbox", "Junk E-Mail", "Notes", "Outbox", "Sent Items"]);
    let about_items = Restriction::Contains {
        path: Field::FOLDER_DISPLAY_NAME.into(),
        mode: ContainmentMode::PrefixOnWords,
        ignore_case: true,
        value: "item".into(),
    };
    let all =
        found(&world, find("msgfolderroot", Traversal::Shallow, Some(about_items), View::Unpaged)).await;
    assert_eq!(all.total, 2);
}

#[tokio::test]
async fn a_folder_name_is_taken_in_any_case() {
    let world = World::new();
    created(&world, known("inbox"), "Übersicht").await;
    assert_eq!(world.refusal(&john(), create(known("inbox"), "ÜBERSICHT")).await, "ErrorFolderExists");
    assert!(
        world.one(&john(), create(known("drafts"), "Übersicht")).await.is_ok(),
        "elsewhere the name is free"
    );
}

#[tokio::test]
async fn folders_are_renamed_and_well_known_ones_are_not() {
    let world = World::new();
    let id = created(&world, known("inbox"), "Old").await;
    created(&world, known("inbox"), "Taken").await;
    let rename = |folder: FolderRef, name: &str| {
        let updates = vec![Update::Set(Field::FOLDER_DISPLAY_NAME.into(), text(name))];
        Request::UpdateFolder(UpdateFolder { changes: vec![FolderChange { folder, updates }] })
    };
    assert_eq!(world.refusal(&john(), rename(FolderRef::Id(id.clone()), "taken")).await, "ErrorFolderExists");
    assert!(world.one(&john(), rename(FolderRef::Id(id.clone()), "New")).await.is_ok());
    assert_eq!(names(&world, "inbox", Traversal::Shallow).await, ["New", "Taken"]);
    assert_eq!(world.refusal(&john(), rename(known("drafts"), "Sketches")).await, "ErrorFolderSave");
    assert_eq!(world.refusal(&john(), rename(FolderRef::Id(id.clone()), " ")).await, "ErrorFolderSave");
    let change = |update| {
        let changes = vec![FolderChange { folder: FolderRef::Id(id.clone()), updates: vec![update] }];
        Request::UpdateFolder(UpdateFolder { changes })
    };
    let rights = weir_wire::ews::xml::Element::types("PermissionSet");
    let grant = change(Update::Set(Field::FOLDER_PERMISSION_SET.into(), Value::Xml(rights)));
    assert_eq!(
        world.refusal(&john(), grant).await,
        "ErrorInvalidPropertySet",
        "rights that nobody heeds are not kept"
    );
    assert!(world.one(&john(), change(Update::Delete(Field::FOLDER_PERMISSION_SET.into()))).await.is_ok());
}

#[tokio::test]
async fn a_folder_goes_the_way_that_was_asked_with_all_that_is_in_it() {
    let world = World::new();
    for (how, items_left) in
        [(DeleteType::HardDelete, 0), (DeleteType::SoftDelete, 1), (DeleteType::MoveToDeletedItems, 0)]
    {
        let top = created(&world, known("inbox"), "Top").await;
        let below = created(&world, FolderRef::Id(top.clone()), "Below").await;
        let put = world.save(&john(), None, message("m", "")).await;
        let transfer = weir_wire::ews::request::TransferItem {
            to: FolderRef::Id(below.clone()),
            items: vec![put],
            return_new_ids: true,
        };
        world.one(&john(), Request::MoveItem(transfer)).await.unwrap();
        let delete = Request::DeleteFolder(DeleteFolder { how, folders: vec![FolderRef::Id(top.clone())] });
        assert_eq!(world.one(&john(), delete).await, Ok(Answer::Done), "{how:?}");
        assert!(names(&world, "inbox", Traversal::Deep).await.is_empty(), "{how:?}");
        let gone = world.one(&john(), get(FolderRef::Id(below))).await.is_err();
        assert_eq!(gone, how != DeleteType::MoveToDeletedItems, "{how:?}");
        let kept = world.subjects(&john(), "recoverableitemsdeletions").await.len();
        assert_eq!(kept, usize::from(items_left == 1 || how == DeleteType::MoveToDeletedItems), "{how:?}");
    }
    assert_eq!(names(&world, "deleteditems", Traversal::Deep).await, ["Below", "Top"]);
    let delete =
        Request::DeleteFolder(DeleteFolder { how: DeleteType::HardDelete, folders: vec![known("inbox")] });
    assert_eq!(world.refusal(&john(), delete).await, "ErrorDeleteDistinguishedFolder");
}

#[tokio::test]
async fn two_folders_of_one_name_both_fit_among_the_deleted_items() {
    let world = World::new();
    for _ in 0..2 {
        let id = created(&world, known("inbox"), "Twin").await;
        let how = DeleteType::MoveToDeletedItems;
        let delete = Request::DeleteFolder(DeleteFolder { how, folders: vec![FolderRef::Id(id)] });
        world.one(&john(), delete).await.unwrap();
    }
    assert_eq!(names(&world, "deleteditems", Traversal::Shallow).await, ["Twin", "Twin1"]);
}

#[tokio::test]
async fn a_mailbox_has_no_more_folders_than_it_may() {
    let settings = crate::Settings { max_folders: 20, ..crate::Settings::default() };
    let world = World::with(settings);
    let mut refused = None;
    for number in 0..5 {
        let answer = world.one(&john(), create(known("inbox"), &format!("f{number}"))).await;
        refused = answer.err().map(|error| error.code);
    }
    assert_eq!(refused, Some("ErrorQuotaExceeded"));
}
