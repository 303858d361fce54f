use std::sync::Barrier;
use std::thread;

use super::*;
use crate::directory::Directory;
use crate::testing::World;

#[test]
fn a_store_that_is_opened_again_has_kept_everything() {
    let world = World::example();
    let before = world.store.resolve("JohnDoe").unwrap();
    let world = world.reopened();
    assert!(before.is_some());
    assert_eq!(world.store.resolve("JohnDoe").unwrap(), before);
}

#[cfg(unix)]
#[test]
fn others_on_the_machine_cannot_read_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::example();
    for end in ["", "-wal", "-shm"] {
        let path = format!("{}{end}", world.store.path().display());
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{path}");
    }
}

#[test]
fn a_file_that_is_no_database_is_refused_with_its_name() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("notes.txt");
    std::fs::write(&path, "not a database, but long enough to have a header of its own ".repeat(40)).unwrap();
    let text = Store::open(&path).unwrap_err().to_string();
    assert!(text.contains("notes.txt") && text.contains("check that"), "{text}");
    let nowhere = folder.path().join("missing/directory.sqlite3");
    assert!(matches!(Store::open(nowhere), Err(StoreError::Open { .. })));
}

#[test]
fn every_change_of_ours_moves_the_version_and_other_hands_do_not() {
    let world = World::example();
    let store = &world.store;
    let mut last = store.version().unwrap();
    let mut moved = |what: &str| {
        let version = store.version().unwrap();
        assert!(version > last, "{what}");
        last = version;
    };
    store.new_policy("FooPolicy", None, &weir_throttle::Policy::new()).unwrap();
    moved("a policy made");
    store.set_mailbox_policy("JohnDoe", Some("FooPolicy")).unwrap();
    moved("a policy assigned");
    store.set_password("JohnDoe", None).unwrap();
    moved("a password taken away");
    store.remove_mailbox("JohnDoe").unwrap();
    moved("a mailbox removed");
    world.other_hands().execute("UPDATE policy SET settings = '{}'", []).unwrap();
    world.other_hands().execute("DELETE FROM mailbox", []).unwrap();
    assert_eq!(store.version().unwrap(), last);
}

#[test]
fn a_change_that_is_refused_changes_nothing() {
    let world = World::example();
    let version = world.store.version().unwrap();
    let refused = world.store.write(|connection| -> Result<(), StoreError> {
        connection.execute("DELETE FROM address", [])?;
        Err(StoreError::Policy("refused".to_owned()))
    });
    assert!(refused.is_err());
    assert_eq!(world.store.version().unwrap(), version);
    assert!(world.store.resolve("john.doe@example.com").unwrap().is_some());
}

#[test]
fn readers_do_not_wait_for_the_writer() {
    let world = World::example();
    world
        .store
        .write(|connection| -> Result<(), StoreError> {
            connection.execute("DELETE FROM address", [])?;
            // The lock is held and nothing is committed: a reader sees the state before.
            assert!(world.store.resolve("john.doe@example.com").unwrap().is_some());
            Ok(())
        })
        .unwrap();
    assert!(world.store.resolve("john.doe@example.com").unwrap().is_none());
}

#[test]
fn more_readers_than_connections_all_get_their_turn() {
    let world = World::example();
    let threads = READERS * 4;
    let together = Barrier::new(threads);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                together.wait();
                for _ in 0..50 {
                    assert!(world.store.resolve("JohnDoe").unwrap().is_some());
                }
            });
        }
    });
    assert_eq!(world.store.readers.lock().unwrap().len(), READERS);
}

#[test]
fn a_reader_that_panics_gives_its_connection_back() {
    let world = World::example();
    let store = world.store.clone();
    let panicked =
        thread::spawn(move || store.read(|_| -> Result<(), StoreError> { panic!("in the middle of it") }));
    assert!(panicked.join().is_err());
    assert_eq!(world.store.readers.lock().unwrap().len(), READERS);
}

#[test]
fn identifiers_have_their_usual_form_and_differ() {
    let world = World::empty();
    let made = |_| world.store.read(|connection| random_guid(connection)).unwrap();
    let guids: std::collections::BTreeSet<_> = (0..100).map(made).collect();
    assert_eq!(guids.len(), 100);
    for guid in guids {
        let text = guid.text();
        let lengths: Vec<usize> = text.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{text}");
        assert!(
            text.chars().all(|letter| letter == '-' || matches!(letter, '0'..='9' | 'a'..='f')),
            "{text}"
        );
        assert_eq!(text.chars().nth(14), Some('4'), "{text}");
        assert!(matches!(text.chars().nth(19), Some('8' | '9' | 'a' | 'b')), "{text}");
    }
}
