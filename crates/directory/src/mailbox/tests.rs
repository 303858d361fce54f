use super::*;
use crate::directory::{Directory, Verification};
use crate::fault::Fault;
use crate::testing::{MADE_AT, World};
use weir_throttle::Policy;

fn new<'a>(address: &'a str, alias: Option<&'a str>) -> NewMailbox<'a> {
    NewMailbox { address, alias, ..NewMailbox::default() }
}

fn addresses(mailboxes: Vec<Mailbox>) -> Vec<String> {
    mailboxes.into_iter().map(|mailbox| mailbox.account.address).collect()
}

#[test]
fn what_is_left_out_of_a_new_mailbox_follows_from_its_address() {
    let world = World::example();
    let made = world.store.new_mailbox(&new("ken@example.org", None), MADE_AT).unwrap();
    assert_eq!((made.account.alias.as_str(), made.account.display_name.as_str()), ("ken", "ken"));
    assert_eq!(made.account.organisation, "example.com");
    assert!(!made.account.has_password);
    assert!(matches!(made.policy, Link::Default));
    assert_eq!(made.created, MADE_AT);
    assert_eq!(world.store.mailbox("ken").unwrap().account, made.account);
}

#[test]
fn a_new_mailbox_never_takes_what_another_one_has() {
    let world = World::example();
    let cases = [
        (new("JOHN.DOE@example.com", Some("fresh")), Fault::Conflict, "has the address"),
        (new("fresh@example.com", Some("johndoe")), Fault::Conflict, "has the alias"),
        (new("fresh@elsewhere.example", None), Fault::Invalid, "no accepted domain"),
        (new("fresh", None), Fault::Invalid, "contains no @"),
        (new("fresh@example.com", Some("a b")), Fault::Invalid, "contains ' '"),
        (NewMailbox { password: Some(""), ..new("fresh@example.com", None) }, Fault::Invalid, "is empty"),
        (
            NewMailbox { display_name: Some("a\nb"), ..new("fresh@example.com", None) },
            Fault::Invalid,
            "contains",
        ),
    ];
    for (wanted, fault, says) in cases {
        let error = world.store.new_mailbox(&wanted, MADE_AT).unwrap_err();
        assert_eq!(error.fault(), fault, "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }
    assert_eq!(world.store.mailboxes().unwrap().len(), 2);
}

#[test]
fn a_password_to_be_set_is_not_printed() {
    let wanted = NewMailbox { password: Some("hunter2"), ..new("ken@example.com", None) };
    assert!(!format!("{wanted:?}").contains("hunter2"));
}

#[test]
fn the_same_alias_in_two_organisations_is_allowed() {
    let world = World::example();
    world.organisation("b.example", "B", &["b.example"]);
    world.mailbox("john@b.example", "JohnDoe", "Another John");
    let error = world.store.mailbox("JohnDoe").unwrap_err();
    assert!(error.to_string().contains("or more than one; name it by its address"), "{error}");
}

#[test]
fn mailboxes_are_listed_by_organisation_and_address() {
    let world = World::empty();
    world.organisation("b.example", "B", &["b.example"]);
    world.organisation("a.example", "A", &["a.example"]);
    for address in ["z@a.example", "M@b.example", "a@b.example", "C@a.example"] {
        world.store.new_mailbox(&new(address, None), MADE_AT).unwrap();
    }
    let listed = addresses(world.store.mailboxes().unwrap());
    assert_eq!(listed, ["C@a.example", "z@a.example", "a@b.example", "M@b.example"]);
}

#[test]
fn a_password_can_be_set_changed_and_taken_away() {
    let world = World::example();
    let verify = |password: &str| world.store.verify("JohnDoe", password).unwrap();
    world.store.set_password("JohnDoe", Some("another")).unwrap();
    assert_eq!(verify("secret"), Verification::Rejected);
    assert!(matches!(verify("another"), Verification::Accepted(_)));
    let mailbox = world.store.set_password(r"EXAMPLE\JohnDoe", None).unwrap();
    assert!(!mailbox.account.has_password);
    assert_eq!(verify("another"), Verification::NoPassword);
    assert_eq!(world.store.set_password("JohnDoe", Some("")).unwrap_err().fault(), Fault::Invalid);
    assert_eq!(world.store.set_password("nobody", Some("x")).unwrap_err().fault(), Fault::NotFound);
}

#[test]
fn names_can_be_changed_within_the_rules() {
    let world = World::example();
    world.store.set_display_name("JohnDoe", "Johnny").unwrap();
    let mailbox = world.store.set_alias("JohnDoe", "Johnny").unwrap();
    assert_eq!((mailbox.account.alias.as_str(), mailbox.account.display_name.as_str()), ("Johnny", "Johnny"));
    assert!(world.store.resolve("JohnDoe").unwrap().is_none());
    world.store.set_alias("Johnny", "JOHNNY").unwrap();
    assert_eq!(world.store.set_alias("JOHNNY", "janedoe").unwrap_err().fault(), Fault::Conflict);
    assert_eq!(world.store.set_alias("JOHNNY", r"a\b").unwrap_err().fault(), Fault::Invalid);
    let asker = world.store.resolve("JaneDoe").unwrap().unwrap();
    assert_eq!(world.store.people("johnn", &asker, 10).unwrap().len(), 1);
}

#[test]
fn further_addresses_come_and_go_and_the_primary_one_stays() {
    let world = World::example();
    world.store.add_address("JohnDoe", "jd@example.org").unwrap();
    let taken = world.store.add_address("JaneDoe", "JD@example.org").unwrap_err();
    assert_eq!(taken.fault(), Fault::Conflict);
    assert_eq!(
        world.store.add_address("JaneDoe", "jd@elsewhere.example").unwrap_err().fault(),
        Fault::Invalid
    );
    assert_eq!(world.store.remove_address("JaneDoe", "jd@example.org").unwrap_err().fault(), Fault::NotFound);
    let primary = world.store.remove_address("JohnDoe", "john.doe@EXAMPLE.com").unwrap_err();
    assert_eq!(primary.fault(), Fault::Conflict);
    world.store.remove_address("JohnDoe", "JD@example.org").unwrap();
    assert!(world.store.resolve("jd@example.org").unwrap().is_none());
}

#[test]
fn a_mailbox_has_a_bounded_number_of_addresses() {
    let world = World::example();
    for number in 1..MAX_ADDRESSES {
        world.store.add_address("JohnDoe", &format!("john{number}@example.com")).unwrap();
    }
    let error = world.store.add_address("JohnDoe", "one-more@example.com").unwrap_err();
    assert!(error.to_string().contains("as many as it may"), "{error}");
}

#[test]
fn a_removed_mailbox_leaves_its_names_free() {
    let world = World::example();
    world.store.add_address("JohnDoe", "jd@example.com").unwrap();
    world.store.remove_mailbox("JohnDoe").unwrap();
    assert_eq!(world.store.remove_mailbox("JohnDoe").unwrap_err().fault(), Fault::NotFound);
    assert!(world.store.resolve("jd@example.com").unwrap().is_none());
    let again = world.store.new_mailbox(&new("jd@example.com", Some("JohnDoe")), MADE_AT).unwrap();
    assert_eq!(again.account.addresses, ["jd@example.com"]);
}

#[test]
fn a_policy_is_assigned_by_name_and_taken_back() {
    let world = World::example();
    let policy = world.store.new_policy("FooPolicy", None, &Policy::new()).unwrap();
    let guid = policy.policy.guid.to_string();
    for name in ["FooPolicy", "foopolicy", r"EXAMPLE\FooPolicy", &guid] {
        let mailbox = world.store.set_mailbox_policy("JohnDoe", Some(name)).unwrap();
        assert!(matches!(mailbox.policy, Link::Policy(link) if link.name == "FooPolicy"), "{name}");
        let mailbox = world.store.set_mailbox_policy("JohnDoe", None).unwrap();
        assert!(matches!(mailbox.policy, Link::Default));
    }
    let unknown = world.store.set_mailbox_policy("JohnDoe", Some("BarPolicy")).unwrap_err();
    assert_eq!(unknown.fault(), Fault::NotFound);
    assert!(unknown.to_string().contains("list the policies"), "{unknown}");
}

#[test]
fn a_policy_of_another_organisation_cannot_be_assigned() {
    let world = World::example();
    world.organisation("b.example", "B", &["b.example"]);
    world.store.new_policy("FooPolicy", Some("b.example"), &Policy::new()).unwrap();
    let foreign = world.store.set_mailbox_policy("JohnDoe", Some(r"B\FooPolicy")).unwrap_err();
    assert!(matches!(foreign, MailboxError::ForeignPolicy { .. }), "{foreign}");
    assert!(world.store.set_mailbox_policy("JohnDoe", Some("FooPolicy")).is_err());
    world.store.new_policy("FooPolicy", Some("example.com"), &Policy::new()).unwrap();
    world.store.set_mailbox_policy("JohnDoe", Some("FooPolicy")).unwrap();
}

#[test]
fn mailboxes_whose_policy_was_deleted_by_hand_are_listed_and_repaired() {
    let world = World::example();
    let policy = world.store.new_policy("FooPolicy", None, &Policy::new()).unwrap();
    world.store.set_mailbox_policy("JohnDoe", Some("FooPolicy")).unwrap();
    assert!(world.store.mailboxes_with_deleted_policy().unwrap().is_empty());
    world.other_hands().execute("DELETE FROM policy WHERE name = 'FooPolicy'", []).unwrap();

    let tombstone = format!("FooPolicy\nDEL:{}", policy.policy.guid);
    let broken = world.store.mailboxes_with_deleted_policy().unwrap();
    let [john] = broken.as_slice() else { panic!("{broken:?}") };
    assert!(matches!(&john.policy, Link::Deleted { tombstone: found } if *found == tombstone), "{john:?}");
    // A policy of the same name is another one.
    world.store.new_policy("FooPolicy", None, &Policy::new()).unwrap();
    assert_eq!(world.store.mailboxes_with_deleted_policy().unwrap().len(), 1);

    assert_eq!(addresses(world.store.repair_mailboxes().unwrap()), ["John.Doe@example.com"]);
    assert!(matches!(world.store.mailbox("JohnDoe").unwrap().policy, Link::Default));
    assert!(world.store.repair_mailboxes().unwrap().is_empty());
    let left: i64 =
        world.other_hands().query_row("SELECT count(*) FROM tombstone", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0, "a tombstone that nobody points to is forgotten");
}

#[test]
fn the_last_mailbox_that_leaves_a_tombstone_takes_it_along() {
    let world = World::example();
    world.store.new_policy("FooPolicy", None, &Policy::new()).unwrap();
    for alias in ["JohnDoe", "JaneDoe"] {
        world.store.set_mailbox_policy(alias, Some("FooPolicy")).unwrap();
    }
    world.other_hands().execute("DELETE FROM policy WHERE name = 'FooPolicy'", []).unwrap();
    let left = || -> i64 {
        world.other_hands().query_row("SELECT count(*) FROM tombstone", [], |row| row.get(0)).unwrap()
    };
    world.store.set_mailbox_policy("JohnDoe", None).unwrap();
    assert_eq!(left(), 1, "Jane still points to it");
    world.store.remove_mailbox("JaneDoe").unwrap();
    assert_eq!(left(), 0);
}

#[test]
fn a_link_that_points_nowhere_is_listed_and_repaired_too() {
    let world = World::example();
    world.other_hands().execute("UPDATE mailbox SET policy = 'nowhere' WHERE alias = 'JaneDoe'", []).unwrap();
    let broken = world.store.repair_mailboxes().unwrap();
    assert!(matches!(&broken[0].policy, Link::Missing { guid } if guid.text() == "nowhere"), "{broken:?}");
    assert!(matches!(world.store.mailbox("JaneDoe").unwrap().policy, Link::Default));
}

#[test]
fn only_who_was_allowed_may_act_as_others() {
    let world = World::example();
    assert!(!world.store.mailbox("JohnDoe").unwrap().account.may_impersonate);
    assert!(world.store.set_impersonation("JohnDoe", true).unwrap().account.may_impersonate);
    assert!(world.store.resolve("john.doe@example.com").unwrap().unwrap().may_impersonate);
    assert!(!world.store.set_impersonation("JohnDoe", false).unwrap().account.may_impersonate);
    assert_eq!(world.store.set_impersonation("nobody", true).unwrap_err().fault(), Fault::NotFound);
}
