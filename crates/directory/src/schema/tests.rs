use super::*;
use crate::directory::{Directory, Link, PolicyChain};
use crate::store::Store;
use tempfile::TempDir;

const VERSION_1_FIXTURE: &str = include_str!("tests/version_1.sql");

fn version(connection: &Connection) -> u32 {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
}

/// Tables, indexes and triggers, as `SQLite` remembers them.
fn shape(connection: &Connection) -> Vec<(String, String)> {
    connection
        .prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

#[test]
fn an_empty_file_goes_through_every_step() {
    let mut connection = Connection::open_in_memory().unwrap();
    migrate(&mut connection, STEPS).unwrap();
    assert_eq!(usize::try_from(version(&connection)).unwrap(), STEPS.len());
}

#[test]
fn a_file_of_version_1_keeps_its_rows_and_gets_the_present_shape() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("directory.sqlite3");
    Connection::open(&path).unwrap().execute_batch(VERSION_1_FIXTURE).unwrap();

    let store = Store::open(&path).unwrap();
    let john = store.resolve(r"EXAMPLE\JohnDoe").unwrap().unwrap();
    assert_eq!(john.addresses, ["John.Doe@example.com", "jd@example.com"]);
    let PolicyChain::Inside { assigned: Link::Policy(assigned), defaults, .. } =
        store.policy_of(&john.owner).unwrap()
    else {
        panic!("John has a policy of his own");
    };
    assert_eq!(assigned.name, "FooPolicy");
    assert!(assigned.content.is_ok(), "{:?}", assigned.content);
    assert_eq!(defaults.len(), 1);
    let jane = store.mailbox("JaneDoe").unwrap();
    assert!(matches!(jane.policy, Link::Deleted { tombstone } if tombstone.starts_with("GonePolicy\nDEL:")));

    let mut fresh = Connection::open_in_memory().unwrap();
    migrate(&mut fresh, STEPS).unwrap();
    assert_eq!(shape(&Connection::open(&path).unwrap()), shape(&fresh));
}

#[test]
fn only_the_steps_that_are_missing_are_carried_out() {
    let mut connection = Connection::open_in_memory().unwrap();
    migrate(&mut connection, &["CREATE TABLE a (x); INSERT INTO a VALUES (1)"]).unwrap();
    let steps = ["this would fail", "CREATE TABLE b AS SELECT x + 1 AS x FROM a", "UPDATE b SET x = x * 10"];
    migrate(&mut connection, &steps).unwrap();
    migrate(&mut connection, &steps).unwrap();
    let x: i64 = connection.query_row("SELECT x FROM b", [], |row| row.get(0)).unwrap();
    assert_eq!(x, 20);
    assert_eq!(version(&connection), 3);
}

#[test]
fn a_step_that_fails_leaves_the_file_as_it_was() {
    let mut connection = Connection::open_in_memory().unwrap();
    let failed = migrate(&mut connection, &["CREATE TABLE a (x)", "CREATE TABLE b (x); SELECT nonsense"]);
    assert!(matches!(failed, Err(StoreError::Sqlite(_))));
    assert_eq!(version(&connection), 0);
    assert!(shape(&connection).is_empty());
}

#[test]
fn a_file_of_a_later_build_is_refused_untouched() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("directory.sqlite3");
    drop(Store::open(&path).unwrap());
    let later = u32::try_from(STEPS.len()).unwrap() + 1;
    Connection::open(&path).unwrap().pragma_update(None, "user_version", later).unwrap();

    let refused = Store::open(&path).unwrap_err();
    assert!(matches!(refused, StoreError::Newer { found, known } if found == later && known == later - 1));
    assert!(refused.to_string().contains("start the build of Mailweir that wrote it"), "{refused}");
    assert_eq!(version(&Connection::open(&path).unwrap()), later);
}
