use weir_directory::{Directory, Verification};

use super::*;

const NOW: WallTime = WallTime::from_unix_micros(1_268_147_712_000_000);

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("directory.sqlite3")).unwrap();
    (folder, store)
}

#[test]
fn an_empty_directory_gets_three_people_who_can_log_in() {
    let (_folder, store) = store();
    let Demo::Accounts(accounts) = fill(&store, NOW).unwrap() else { panic!("nothing was made") };
    assert_eq!(
        accounts.iter().map(|(alias, _)| *alias).collect::<Vec<_>>(),
        ["JohnDoe", "JaneDoe", "KenMalcolmson"]
    );
    let verified = store.verify("EXAMPLE\\JohnDoe", PASSWORD).unwrap();
    let Verification::Accepted(john) = verified else { panic!("John cannot log in") };
    assert_eq!(john.address, "john.doe@example.com");
    assert!(
        john.legacy_dn.ends_with("/cn=john.doe") && john.legacy_dn.starts_with("/o=example.com/"),
        "{}",
        john.legacy_dn
    );
}

#[test]
fn a_start_that_was_cut_off_is_finished_by_the_next_one() {
    let (_folder, store) = store();
    fill(&store, NOW).unwrap();
    store.remove_mailbox("KenMalcolmson").unwrap();
    assert!(matches!(fill(&store, NOW).unwrap(), Demo::Accounts(_)));
    assert_eq!(store.mailboxes().unwrap().len(), 3);
}

#[test]
fn a_directory_with_something_of_its_own_is_not_touched() {
    let (_folder, store) = store();
    let own = NewOrganisation { name: "own", short_name: "O", domains: &["own.example"] };
    store.new_organisation(&own).unwrap();
    assert_eq!(fill(&store, NOW).unwrap(), Demo::NotEmpty);
    assert_eq!(store.organisations().unwrap().len(), 1);
    assert!(store.mailboxes().unwrap().is_empty());
}
