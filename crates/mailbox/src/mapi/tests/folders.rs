use weir_wire::ews::field::Field;
use weir_wire::ews::property::FolderKind;
use weir_wire::mapi::call::folder::{
    CreateFolder, DeleteFolder, EmptyFolder, FolderNames, GetContentsTable as Table, GetHierarchyTable,
    GetReceiveFolder,
};
use weir_wire::mapi::call::table::{QueryRows, Restrict};
use weir_wire::mapi::restriction::Restriction;

use super::*;
use crate::test_world::{folders, known, message};

const COLUMNS: [PropertyTag; 2] = [tag::DISPLAY_NAME, tag::DEPTH];

/// The names and depths of the folders below one.
async fn hierarchy(client: &mut Client<'_>, folder: u64, flags: u8) -> Vec<(String, i32)> {
    client.open_folder(99, folder).await.unwrap();
    let open = GetHierarchyTable { input: 99, output: 100, flags };
    let Ok(Success::GetHierarchyTable(table)) = client.one(open).await else { panic!("a table") };
    client.set_columns(&COLUMNS).await;
    let (_, rows) = client.rows(100, &COLUMNS).await;
    assert_eq!(rows.len(), usize::try_from(table.rows).unwrap());
    let depth = |cell: &Cell| match cell {
        Cell::Value(PropertyValue::Integer32(depth)) => *depth,
        other => panic!("{other:?}"),
    };
    rows.iter().map(|row| (text(&row[0]), depth(&row[1]))).collect()
}

async fn make(client: &mut Client<'_>, input: u8, output: u8, name: &str) -> Result<(u64, bool), ErrorCode> {
    let names = FolderNames { open_existing: false, display_name: name.into(), comment: "for tests".into() };
    made(client.one(CreateFolder { input, output, kind: CreateFolder::GENERIC, names }).await)
}

fn made(answer: Result<Success, ErrorCode>) -> Result<(u64, bool), ErrorCode> {
    match answer? {
        Success::CreateFolder(made) => Ok((made.folder, made.existing.is_some())),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_hierarchy_lists_folders_by_name() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    let found = hierarchy(&mut client, folders.ipm_subtree, 0).await;
    let names: Vec<_> = found.iter().map(|(name, depth)| (name.as_str(), *depth)).collect();
    assert_eq!(names[..4], [("Calendar", 0), ("Contacts", 0), ("Deleted Items", 0), ("Drafts", 0)]);
    assert_eq!(names.len(), 11);
}

#[tokio::test]
async fn a_deep_hierarchy_lists_folders_behind_their_parents_with_their_depth() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.open_folder(1, folders.inbox).await.unwrap();
    make(&mut client, 1, 2, "Work").await.unwrap();
    make(&mut client, 2, 3, "Today").await.unwrap();
    make(&mut client, 1, 4, "Play").await.unwrap();
    let found = hierarchy(&mut client, folders.inbox, GetHierarchyTable::DEPTH).await;
    let expected = [("Play", 0), ("Work", 0), ("Today", 1)].map(|(name, depth)| (name.to_owned(), depth));
    assert_eq!(found, expected);
}

#[tokio::test]
async fn a_hierarchy_is_restricted_too() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    hierarchy(&mut client, folders.ipm_subtree, 0).await;
    let restriction = Restriction::Content {
        place: Restriction::SUBSTRING,
        fuzziness: Restriction::IGNORE_CASE,
        tag: tag::DISPLAY_NAME,
        value: unicode(tag::DISPLAY_NAME, "items"),
    };
    client.one(Restrict { input: 100, flags: 0, restriction: Some(restriction) }).await.unwrap();
    let (_, rows) = client.rows(100, &COLUMNS).await;
    assert_eq!(rows.iter().map(|row| text(&row[0])).collect::<Vec<_>>(), ["Deleted Items", "Sent Items"]);
    let query = QueryRows { input: 100, flags: 0, forward: false, count: 1 };
    let (_, rows) = client.query(query, &COLUMNS).await.unwrap();
    assert_eq!(text(&rows[0][0]), "Sent Items");
}

#[tokio::test]
async fn a_folder_tells_what_it_holds_and_what_it_is() {
    let world = inbox_of(&["a", "b"]).await;
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.open_folder(1, folders.inbox).await.unwrap();
    let tags = [
        tag::CONTENT_COUNT,
        tag::CONTENT_UNREAD_COUNT,
        tag::SUBFOLDERS,
        tag::CONTAINER_CLASS,
        tag::PARENT_FOLDER_ID,
        tag::FOLDER_TYPE,
        tag::COMMENT,
    ];
    let cells = client.properties(1, &tags).await;
    assert_eq!(cells[0], PropertyValue::Integer32(2).into());
    assert_eq!(cells[1], PropertyValue::Integer32(2).into());
    assert_eq!(cells[2], PropertyValue::Boolean(false).into());
    assert_eq!(text(&cells[3]), "IPF.Note");
    assert_eq!(number(&cells[4]), folders.ipm_subtree);
    assert_eq!(cells[5], PropertyValue::Integer32(1).into());
    assert_eq!(text(&cells[6]), "");
    let Ok(Success::GetPropertiesList(list)) =
        client.one(call::property::GetPropertiesList { input: 1 }).await
    else {
        panic!("a list");
    };
    assert!(list.tags.contains(&tag::IPM_DRAFTS_ENTRY_ID), "the inbox knows the others");
    let Ok(Success::GetPropertiesAll(all)) =
        client.one(call::property::GetPropertiesAll { input: 1, size_limit: 0, want_unicode: 1 }).await
    else {
        panic!("all");
    };
    assert!(all.values.contains(&unicode(tag::DISPLAY_NAME, "Inbox")));
    assert_eq!(all.values.len(), list.tags.len());
}

#[tokio::test]
async fn a_folder_that_mapi_makes_ews_sees() {
    let world = World::new();
    let (mut client, ids) = Client::logged_on(&world, &john()).await;
    client.open_folder(1, ids.inbox).await.unwrap();
    let (id, existed) = make(&mut client, 1, 2, "Work").await.unwrap();
    assert!(!existed);
    assert_eq!(text(&client.property(2, tag::COMMENT).await), "for tests");
    assert_eq!(make(&mut client, 1, 3, "work").await, Err(ErrorCode::COLLIDING_NAMES));
    let names = FolderNames { open_existing: true, display_name: "WORK".into(), comment: "".into() };
    let open = CreateFolder { input: 1, output: 3, kind: CreateFolder::GENERIC, names };
    assert_eq!(made(client.one(open).await), Ok((id, true)));
    let problems =
        client.set(2, vec![unicode(tag::DISPLAY_NAME, "Play"), unicode(tag::COMMENT, "fun")]).await;
    assert_eq!(problems, []);
    let find = weir_wire::ews::request::FindFolder {
        traversal: weir_wire::ews::request::Traversal::Shallow,
        shape: weir_wire::ews::request::Shape {
            base: weir_wire::ews::request::BaseShape::Default,
            ..weir_wire::ews::request::Shape::id_only()
        },
        view: weir_wire::ews::request::View::Unpaged,
        restriction: None,
        parents: vec![known("inbox")],
    };
    let found = world.one(&john(), weir_wire::ews::request::Request::FindFolder(find)).await.unwrap();
    let weir_wire::ews::response::Answer::FoundFolders(found) = found else { panic!("{found:?}") };
    assert_eq!(found.page.len(), 1);
    assert_eq!(found.page[0].kind, FolderKind::Folder);
    let name = found.page[0].properties.get(&Field::FOLDER_DISPLAY_NAME.into());
    assert_eq!(name, Some(&crate::test_world::text("Play")));
    let _ = folders;
}

#[tokio::test]
async fn what_every_mailbox_has_is_neither_renamed_nor_removed() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.open_folder(1, folders.inbox).await.unwrap();
    let values = vec![
        unicode(tag::DISPLAY_NAME, "Mine"),
        TaggedValue::new(tag::CONTENT_COUNT, PropertyValue::Integer32(7)),
    ];
    let refused = [(0, ErrorCode::ACCESS_DENIED), (1, ErrorCode::COMPUTED_VALUE)];
    assert_eq!(client.set(1, values).await, refused);
    client.open_folder(2, folders.ipm_subtree).await.unwrap();
    let delete = DeleteFolder {
        input: 2,
        flags: DeleteFolder::MESSAGES | DeleteFolder::FOLDERS,
        folder: folders.inbox,
    };
    assert_eq!(client.one(delete).await, Err(ErrorCode::ACCESS_DENIED));
}

#[tokio::test]
async fn a_folder_goes_with_what_may_go_with_it() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.open_folder(1, folders.inbox).await.unwrap();
    let (work, _) = make(&mut client, 1, 2, "Work").await.unwrap();
    make(&mut client, 2, 3, "Today").await.unwrap();
    client.create(4, work).await;
    client.save(4).await.unwrap();
    let delete = |flags| DeleteFolder { input: 1, flags, folder: work };
    assert_eq!(client.one(delete(0)).await, Err(ErrorCode::HAS_FOLDERS));
    assert_eq!(client.one(delete(DeleteFolder::FOLDERS)).await, Err(ErrorCode::HAS_MESSAGES));
    client.one(delete(DeleteFolder::FOLDERS | DeleteFolder::MESSAGES | DeleteFolder::HARD)).await.unwrap();
    assert_eq!(client.open_folder(2, work).await, Err(ErrorCode::NOT_FOUND));
    assert_eq!(client.one(delete(0)).await, Err(ErrorCode::NOT_FOUND));
}

#[tokio::test]
async fn an_emptied_folder_holds_nothing_and_what_it_held_can_be_recovered() {
    let world = inbox_of(&["a", "b"]).await;
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    client.open_folder(1, folders.inbox).await.unwrap();
    make(&mut client, 1, 2, "Work").await.unwrap();
    client.one(EmptyFolder { input: 1, asynchronous: false, associated: true }).await.unwrap();
    assert_eq!(client.contents(folders.inbox, &MAIL_COLUMNS).await, 0);
    assert_eq!(hierarchy(&mut client, folders.inbox, 0).await, []);
    assert_eq!(world.subjects(&john(), "recoverableitemsdeletions").await, ["a", "b"]);
}

#[tokio::test]
async fn the_inbox_receives_whatever_its_class() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    for (class, decides) in [
        ("", ""),
        ("IPM.Note", "IPM"),
        ("ipm", "IPM"),
        ("Report.IPM.Note.NDR", "REPORT.IPM"),
        ("IPMsomething", ""),
    ] {
        let asked = GetReceiveFolder { input: 0, class: class.into() };
        let Ok(Success::GetReceiveFolder(found)) = client.one(asked).await else { panic!("a folder") };
        assert_eq!((found.folder, found.class), (folders.inbox, decides.as_bytes().to_vec()), "{class}");
    }
}

#[tokio::test]
async fn hidden_and_deleted_messages_have_tables_of_their_own() {
    let world = World::new();
    let (mut client, folders) = Client::logged_on(&world, &john()).await;
    let id = message_id(&world.save(&john(), Some("inbox"), message("gone", "")).await);
    client.open_folder(1, folders.inbox).await.unwrap();
    let delete = call::folder::DeleteMessages {
        input: 1,
        asynchronous: false,
        notify_unread: false,
        messages: vec![id],
    };
    client.one(delete).await.unwrap();
    let create = call::message::CreateMessage {
        input: 0,
        output: 2,
        code_page: 0x0FFF,
        folder: folders.inbox,
        associated: true,
    };
    client.one(create).await.unwrap();
    client.set(2, vec![unicode(tag::SUBJECT, "a setting")]).await;
    client.save(2).await.unwrap();
    for (flags, expected) in
        [(0, None), (Table::ASSOCIATED, Some("a setting")), (Table::SOFT_DELETED, Some("gone"))]
    {
        client.one(Table { input: 1, output: 100, flags }).await.unwrap();
        client.set_columns(&[tag::SUBJECT]).await;
        let (_, rows) = client.rows(9, &[tag::SUBJECT]).await;
        assert_eq!(rows.first().map(|row| text(&row[0])).as_deref(), expected, "{flags}");
    }
}
