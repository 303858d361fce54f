use std::collections::BTreeMap;

use proptest::prelude::*;
use weir_wire::ews::field::Field;
use weir_wire::ews::property::{Folder, FolderId, FolderKind, FolderRef, Item, ItemId, Value};
use weir_wire::ews::request::{
    BaseShape, ConflictResolution, CreateFolder, DeleteFolder, DeleteItem, DeleteType, FolderChange,
    ItemChange, Request, Shape, SyncFolderHierarchy, SyncFolderItems, TransferItem, Update, UpdateFolder,
    UpdateItem,
};
use weir_wire::ews::response::{Answer, Change, Changes};

use crate::Settings;
use crate::test_world::{World, folder_id_of, folders, id_of, john, known, message, subject, text};

fn request(folder: &str, state: Option<&str>, max: u32, ignore: Vec<ItemId>) -> Request {
    let shape = Shape { base: BaseShape::Default, ..Shape::id_only() };
    let state = state.map(str::to_owned);
    Request::SyncFolderItems(SyncFolderItems { shape, folder: known(folder), state, max, ignore })
}

async fn sync(world: &World, folder: &str, state: Option<&str>, max: u32) -> Changes<Item, ItemId> {
    match world.one(&john(), request(folder, state, max, Vec::new())).await.unwrap() {
        Answer::ItemChanges(changes) => changes,
        other => panic!("{other:?}"),
    }
}

fn told(changes: &Changes<Item, ItemId>) -> Vec<String> {
    changes
        .changes
        .iter()
        .map(|change| match change {
            Change::Create(item) => format!("create {}", subject(item)),
            Change::Update(item) => format!("update {}", subject(item)),
            Change::Delete(_) => "delete".to_owned(),
            Change::ReadFlag(_, read) => format!("read {read}"),
        })
        .collect()
}

async fn set(world: &World, id: &ItemId, field: Field, value: Value) {
    let conflict = ConflictResolution::AlwaysOverwrite;
    let changes = vec![ItemChange { item: id.clone(), updates: vec![Update::Set(field.into(), value)] }];
    world
        .one(&john(), Request::UpdateItem(UpdateItem { disposition: None, conflict, changes }))
        .await
        .unwrap();
}

async fn delete(world: &World, id: &ItemId, how: DeleteType) {
    world.one(&john(), Request::DeleteItem(DeleteItem { how, items: vec![id.clone()] })).await.unwrap();
}

#[tokio::test]
async fn a_folder_at_rest_has_nothing_to_tell() {
    let world = World::new();
    world.save(&john(), Some("inbox"), message("a", "")).await;
    let first = sync(&world, "inbox", None, 100).await;
    assert_eq!((told(&first), first.last), (vec!["create a".to_owned()], true));
    world.save(&john(), Some("drafts"), message("elsewhere", "")).await;
    let next = sync(&world, "inbox", Some(&first.state), 100).await;
    assert_eq!((told(&next), next.last), (Vec::new(), true));
}

#[tokio::test]
async fn each_kind_of_change_is_told_as_what_it_is() {
    let world = World::new();
    let mut ids = Vec::new();
    for name in ["changed", "read", "deleted", "softly deleted", "moved", "still"] {
        ids.push(world.save(&john(), Some("inbox"), message(name, "")).await);
    }
    let state = sync(&world, "inbox", None, 100).await.state;
    set(&world, &ids[0], Field::SUBJECT, text("changed twice")).await;
    set(&world, &ids[0], Field::IS_READ, Value::Bool(false)).await;
    set(&world, &ids[1], Field::IS_READ, Value::Bool(false)).await;
    delete(&world, &ids[2], DeleteType::HardDelete).await;
    delete(&world, &ids[3], DeleteType::SoftDelete).await;
    let transfer = TransferItem { to: known("junkemail"), items: vec![ids[4].clone()], return_new_ids: true };
    world.one(&john(), Request::MoveItem(transfer)).await.unwrap();
    world.save(&john(), Some("inbox"), message("new", "")).await;
    let gone = world.save(&john(), Some("inbox"), message("came and went", "")).await;
    delete(&world, &gone, DeleteType::HardDelete).await;
    let changes = sync(&world, "inbox", Some(&state), 100).await;
    let expected = ["update changed twice", "read false", "delete", "delete", "delete", "create new"];
    assert_eq!(told(&changes), expected);
    let deleted: Vec<_> = changes
        .changes
        .iter()
        .filter_map(|change| match change {
            Change::Delete(id) => Some(id.id.clone()),
            Change::Create(_) | Change::Update(_) | Change::ReadFlag(..) => None,
        })
        .collect();
    assert_eq!(deleted, [&ids[2].id, &ids[3].id, &ids[4].id].map(Clone::clone));
    assert_eq!(told(&sync(&world, "junkemail", None, 100).await), ["create moved"]);
}

#[tokio::test]
async fn changes_come_in_bounded_pieces_and_the_last_says_so_exactly() {
    let world = World::new();
    for number in 0..4 {
        world.save(&john(), Some("inbox"), message(&number.to_string(), "")).await;
    }
    let first = sync(&world, "inbox", None, 2).await;
    assert_eq!((told(&first).len(), first.last), (2, false));
    let second = sync(&world, "inbox", Some(&first.state), 2).await;
    assert_eq!(
        (told(&second).len(), second.last),
        (2, true),
        "exactly as many as asked for, and no more to come"
    );
}

#[tokio::test]
async fn an_item_changed_between_two_pieces_is_not_missed() {
    let world = World::new();
    let mut ids = Vec::new();
    for number in 0..4 {
        ids.push(world.save(&john(), Some("inbox"), message(&number.to_string(), "")).await);
    }
    let first = sync(&world, "inbox", None, 2).await;
    set(&world, &ids[3], Field::SUBJECT, text("3 changed")).await;
    set(&world, &ids[0], Field::SUBJECT, text("0 changed")).await;
    let rest = sync(&world, "inbox", Some(&first.state), 10).await;
    assert_eq!(told(&rest), ["create 2", "create 3 changed", "update 0 changed"]);
}

#[tokio::test]
async fn items_that_are_to_be_ignored_are() {
    let world = World::new();
    let own = world.save(&john(), Some("inbox"), message("own", "")).await;
    world.save(&john(), Some("inbox"), message("other", "")).await;
    let Answer::ItemChanges(changes) =
        world.one(&john(), request("inbox", None, 10, vec![own])).await.unwrap()
    else {
        panic!()
    };
    assert_eq!(told(&changes), ["create other"]);
}

#[tokio::test]
async fn a_state_of_another_folder_or_of_nobody_is_refused() {
    let world = World::new();
    let state = sync(&world, "inbox", None, 10).await.state;
    for (folder, state) in [("drafts", state.as_str()), ("inbox", "nonsense"), ("inbox", "H4sIAAA=")] {
        let refusal = world.refusal(&john(), request(folder, Some(state), 10, Vec::new())).await;
        assert_eq!(refusal, "ErrorInvalidSyncStateData");
    }
}

#[tokio::test]
async fn a_state_older_than_the_deletions_that_are_remembered_has_to_begin_anew() {
    let world = World::with(Settings { max_tombstones: 10, ..Settings::default() });
    let kept = world.save(&john(), Some("inbox"), message("kept", "")).await;
    let state = sync(&world, "inbox", None, 10).await.state;
    for _ in 0..300 {
        let id = world.save(&john(), Some("inbox"), message("x", "")).await;
        delete(&world, &id, DeleteType::HardDelete).await;
    }
    let refusal = world.refusal(&john(), request("inbox", Some(&state), 10, Vec::new())).await;
    assert_eq!(refusal, "ErrorInvalidSyncStateData");
    let anew = sync(&world, "inbox", None, 10).await;
    assert_eq!(told(&anew), ["create kept"]);
    assert!(world.get_shaped(&john(), &kept, Shape::id_only()).await.is_ok());
}

async fn hierarchy(world: &World, state: Option<&str>) -> Changes<Folder, FolderId> {
    let shape = Shape { base: BaseShape::Default, ..Shape::id_only() };
    let folder = Some(known("msgfolderroot"));
    let sync = SyncFolderHierarchy { shape, folder, state: state.map(str::to_owned) };
    match world.one(&john(), Request::SyncFolderHierarchy(sync)).await.unwrap() {
        Answer::FolderChanges(changes) => changes,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_folder_tree_is_told_with_what_changed_in_it() {
    let world = World::new();
    let all = hierarchy(&world, None).await;
    assert_eq!((all.changes.len(), all.last), (11, true));
    assert!(hierarchy(&world, Some(&all.state)).await.changes.is_empty());
    let properties = [(Field::FOLDER_DISPLAY_NAME.into(), text("Projects"))].into();
    let new = Folder { kind: FolderKind::Folder, properties };
    let create = Request::CreateFolder(CreateFolder { parent: known("inbox"), folders: vec![new] });
    let id = folder_id_of(&folders(world.one(&john(), create).await.unwrap())[0]);
    let created = hierarchy(&world, Some(&all.state)).await;
    assert!(
        matches!(created.changes.as_slice(), [Change::Create(folder)] if folder_id_of(folder).id == id.id)
    );
    let folder = FolderRef::Id(id.clone());
    let updates = vec![Update::Set(Field::FOLDER_DISPLAY_NAME.into(), text("Renamed"))];
    let update = UpdateFolder { changes: vec![FolderChange { folder: folder.clone(), updates }] };
    world.one(&john(), Request::UpdateFolder(update)).await.unwrap();
    let renamed = hierarchy(&world, Some(&created.state)).await;
    assert!(matches!(renamed.changes.as_slice(), [Change::Update(_)]), "{renamed:?}");
    let delete = DeleteFolder { how: DeleteType::HardDelete, folders: vec![folder] };
    world.one(&john(), Request::DeleteFolder(delete)).await.unwrap();
    let deleted = hierarchy(&world, Some(&renamed.state)).await;
    assert!(matches!(deleted.changes.as_slice(), [Change::Delete(gone)] if gone.id == id.id), "{deleted:?}");
}

/// What a client does to a folder.
#[derive(Clone, Debug)]
enum Deed {
    Add,
    Rename(usize),
    Read(usize),
    Drop(usize),
    Sync(u32),
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        3 => Just(Deed::Add),
        2 => (0_usize..8).prop_map(Deed::Rename),
        1 => (0_usize..8).prop_map(Deed::Read),
        2 => (0_usize..8).prop_map(Deed::Drop),
        2 => (1_u32..4).prop_map(Deed::Sync),
    ]
}

/// A client's copy of the folder: subjects and read flags by identifier.
#[derive(Default)]
struct Copy {
    items: BTreeMap<String, (String, bool)>,
    state: Option<String>,
}

impl Copy {
    fn take(&mut self, changes: Changes<Item, ItemId>) -> bool {
        for change in changes.changes {
            match change {
                Change::Create(item) | Change::Update(item) => {
                    let read = item.properties.get(&Field::IS_READ.into()) == Some(&Value::Bool(true));
                    self.items.insert(id_of(&item).id, (subject(&item), read));
                }
                Change::Delete(id) => drop(self.items.remove(&id.id)),
                Change::ReadFlag(id, read) => {
                    self.items.get_mut(&id.id).expect("the read flag of an item that the client knows").1 =
                        read;
                }
            }
        }
        self.state = Some(changes.state);
        changes.last
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn a_client_that_synchronises_now_and_then_ends_with_what_the_folder_holds(
        deeds in prop::collection::vec(deed(), 1..40),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let world = World::new();
            let (mut truth, mut copy, mut number) = (Vec::<(ItemId, String, bool)>::new(), Copy::default(), 0);
            for deed in deeds {
                number += 1;
                match deed {
                    Deed::Add => {
                        let name = format!("n{number}");
                        let id = world.save(&john(), Some("inbox"), message(&name, "")).await;
                        truth.push((id, name, true));
                    }
                    Deed::Rename(which) => if let Some(item) = truth.get_mut(which) {
                        item.1 = format!("r{number}");
                        set(&world, &item.0, Field::SUBJECT, text(&item.1)).await;
                    },
                    Deed::Read(which) => if let Some(item) = truth.get_mut(which) {
                        item.2 = !item.2;
                        set(&world, &item.0, Field::IS_READ, Value::Bool(item.2)).await;
                    },
                    Deed::Drop(which) => if which < truth.len() {
                        delete(&world, &truth.remove(which).0, DeleteType::HardDelete).await;
                    },
                    Deed::Sync(max) => drop(copy.take(sync(&world, "inbox", copy.state.clone().as_deref(), max).await)),
                }
            }
            while !copy.take(sync(&world, "inbox", copy.state.clone().as_deref(), 3).await) {}
            let truth: BTreeMap<_, _> = truth.into_iter().map(|(id, name, read)| (id.id, (name, read))).collect();
            assert_eq!(copy.items, truth);
            assert!(sync(&world, "inbox", copy.state.as_deref(), 3).await.changes.is_empty());
        });
    }
}
