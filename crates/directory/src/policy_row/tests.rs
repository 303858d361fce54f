use super::*;
use crate::stored_policy::MAX_SETTINGS_BYTES;
use crate::testing::{MADE_AT, World};

fn parameter(name: &str) -> Parameter {
    Parameter::from_name(name).unwrap()
}

fn setting(row: &PolicyRow, name: &str) -> Setting {
    row.policy.content.as_ref().unwrap().setting(parameter(name))
}

fn default_name(world: &World) -> String {
    world.store.organisation("example.com").unwrap().default_policies.remove(0)
}

fn break_policies(world: &World, settings: &str) {
    world.other_hands().execute("UPDATE policy SET settings = ?", [settings]).unwrap();
}

#[test]
fn a_stored_policy_keeps_value_null_and_left_out_apart() {
    let world = World::example();
    let mut policy = Policy::new();
    policy.set(parameter("EWSFindCountLimit"), Setting::Value(1)).unwrap();
    policy.set(parameter("CPUStartPercent"), Setting::Null).unwrap();
    world.store.new_policy("FooPolicy", None, &policy).unwrap();
    let world = world.reopened();
    let row = world.store.policy("foopolicy").unwrap();
    assert_eq!(setting(&row, "EWSFindCountLimit"), Setting::Value(1));
    assert_eq!(setting(&row, "CPUStartPercent"), Setting::Null);
    assert_eq!(setting(&row, "EWSMaxConcurrency"), Setting::LeftOut);
    assert_eq!((row.organisation.as_str(), row.is_default, row.used_by), ("example.com", false, 0));
}

#[test]
fn settings_change_all_or_none_and_the_others_stay() {
    let world = World::example();
    world.store.new_policy("FooPolicy", None, &Policy::new()).unwrap();
    let find = parameter("EWSFindCountLimit");
    let cpu = parameter("CPUStartPercent");
    world.store.set_policy("FooPolicy", &[(find, Setting::Value(5)), (cpu, Setting::Null)]).unwrap();
    let row = world.store.set_policy("FooPolicy", &[(cpu, Setting::LeftOut)]).unwrap();
    assert_eq!(setting(&row, "EWSFindCountLimit"), Setting::Value(5));
    assert_eq!(setting(&row, "CPUStartPercent"), Setting::LeftOut);

    let refused = world
        .store
        .set_policy("FooPolicy", &[(find, Setting::Value(7)), (cpu, Setting::Value(101))])
        .unwrap_err();
    assert_eq!(refused.fault(), Fault::Invalid);
    assert!(refused.to_string().contains("0 to 100"), "the range is named: {refused}");
    assert_eq!(setting(&world.store.policy("FooPolicy").unwrap(), "EWSFindCountLimit"), Setting::Value(5));
}

#[test]
fn a_name_is_taken_once_an_organisation() {
    let world = World::example();
    world.organisation("b.example", "B", &["b.example"]);
    let make = |name: &str, organisation| world.store.new_policy(name, organisation, &Policy::new());
    assert!(matches!(make("FooPolicy", None).unwrap_err(), PolicyRowError::WhichOrganisation));
    make("FooPolicy", Some("EXAMPLE.com")).unwrap();
    make("FooPolicy", Some("b.example")).unwrap();
    assert_eq!(make("foopolicy", Some("b.example")).unwrap_err().fault(), Fault::Conflict);
    assert_eq!(make("FooPolicy", Some("c.example")).unwrap_err().fault(), Fault::NotFound);

    let ambiguous = world.store.policy("FooPolicy").unwrap_err();
    assert!(ambiguous.to_string().contains("short name and a backslash"), "{ambiguous}");
    assert_eq!(world.store.policy(r"b\FooPolicy").unwrap().organisation, "b.example");
    let names: Vec<_> = world.store.policies().unwrap().into_iter().map(|row| row.organisation).collect();
    assert_eq!(names, ["b.example", "b.example", "example.com", "example.com"]);
}

#[test]
fn a_policy_needs_a_name_that_commands_can_say() {
    let world = World::example();
    for bad in ["", "null", "$NULL", r"S\Foo", "Foo\nDEL:x", " Foo"] {
        let error = world.store.new_policy(bad, None, &Policy::new()).unwrap_err();
        assert_eq!(error.fault(), Fault::Invalid, "{bad:?}: {error}");
    }
}

#[test]
fn a_policy_in_use_stays_and_the_message_says_how_many_use_it() {
    let world = World::example();
    world.store.new_policy("FooPolicy", None, &Policy::new()).unwrap();
    world.store.set_mailbox_policy("JohnDoe", Some("FooPolicy")).unwrap();
    let error = world.store.remove_policy("FooPolicy").unwrap_err();
    assert_eq!(error.fault(), Fault::Conflict);
    assert!(error.to_string().contains("1 mailbox uses it;"), "{error}");
    for number in 2..=12 {
        let alias = format!("user{number}");
        world.mailbox(&format!("{alias}@example.com"), &alias, &alias);
        world.store.set_mailbox_policy(&alias, Some("FooPolicy")).unwrap();
    }
    assert_eq!(world.store.policy("FooPolicy").unwrap().used_by, 12);
    let error = world.store.remove_policy("FooPolicy").unwrap_err();
    assert!(error.to_string().contains("12 mailboxes use it;"), "{error}");
}

#[test]
fn an_unused_policy_goes_without_a_tombstone() {
    let world = World::example();
    world.store.new_policy("FooPolicy", None, &Policy::new()).unwrap();
    world.store.set_mailbox_policy("JohnDoe", Some("FooPolicy")).unwrap();
    world.store.set_mailbox_policy("JohnDoe", None).unwrap();
    world.store.remove_policy("FooPolicy").unwrap();
    assert_eq!(world.store.remove_policy("FooPolicy").unwrap_err().fault(), Fault::NotFound);
    let left: i64 =
        world.other_hands().query_row("SELECT count(*) FROM tombstone", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
}

#[test]
fn the_default_policy_stays_until_another_one_is_the_default() {
    let world = World::example();
    let first = default_name(&world);
    let error = world.store.remove_policy(&first).unwrap_err();
    assert!(error.to_string().contains("make another policy the default first"), "{error}");
    world.store.new_policy("FooPolicy", None, &Policy::new()).unwrap();
    assert!(world.store.make_default("FooPolicy").unwrap().is_default);
    assert_eq!(default_name(&world), "FooPolicy");
    world.store.remove_policy(&first).unwrap();
}

#[test]
fn making_one_policy_the_default_ends_a_state_with_several() {
    let world = World::example();
    world.store.new_policy("FooPolicy", None, &Policy::new()).unwrap();
    world.store.new_policy("BarPolicy", None, &Policy::new()).unwrap();
    world.other_hands().execute("UPDATE policy SET is_default = 1", []).unwrap();
    assert_eq!(world.store.organisation("example.com").unwrap().default_policies.len(), 3);
    world.store.make_default("FooPolicy").unwrap();
    assert_eq!(world.store.organisation("example.com").unwrap().default_policies, ["FooPolicy"]);
}

#[test]
fn the_default_of_another_organisation_is_left_alone() {
    let world = World::example();
    world.organisation("b.example", "B", &["b.example"]);
    world.store.new_policy("FooPolicy", Some("b.example"), &Policy::new()).unwrap();
    let before = default_name(&world);
    world.store.make_default("FooPolicy").unwrap();
    assert_eq!(default_name(&world), before);
}

#[test]
fn a_row_that_cannot_be_read_is_listed_and_can_only_be_replaced() {
    let world = World::example();
    let name = default_name(&world);
    for broken in
        ["", "{", "[]", r#"{"EWSFindCountLimit":"many"}"#, r#"{"Nonsense":1}"#, r#"{"CPUStartPercent":101}"#]
    {
        break_policies(&world, broken);
        let row = world.store.policies().unwrap().remove(0);
        assert!(row.policy.content.is_err(), "{broken}");
        let change = [(parameter("EWSFindCountLimit"), Setting::Value(1))];
        let error = world.store.set_policy(&name, &change).unwrap_err();
        assert!(error.to_string().contains("cannot be read"), "{error}");
    }
    let row = world.store.replace_policy(&name, &Policy::fallback()).unwrap();
    assert_eq!(*row.policy.content.unwrap(), Policy::fallback());
    assert!(row.is_default);
}

#[test]
fn a_row_that_is_no_text_or_endless_is_listed_as_unreadable() {
    let world = World::example();
    let name = default_name(&world);
    let blank = format!("{{{}}}", " ".repeat(MAX_SETTINGS_BYTES - 2));
    break_policies(&world, &blank);
    assert!(world.store.policy(&name).unwrap().policy.content.is_ok(), "exactly the bound is still read");
    break_policies(&world, &format!("{blank} "));
    let why = world.store.policy(&name).unwrap().policy.content.unwrap_err();
    assert!(why.contains("longer than 65536 bytes"), "{why}");
    for broken in ["CAST(x'7bff7d' AS TEXT)", "CAST(zeroblob(1000000) AS TEXT)"] {
        world.other_hands().execute(&format!("UPDATE policy SET settings = {broken}"), []).unwrap();
        assert!(world.store.policy(&name).unwrap().policy.content.is_err(), "{broken}");
    }
    world.other_hands().execute("UPDATE policy SET name = CAST(x'ff' AS TEXT)", []).unwrap();
    assert_eq!(world.store.policies().unwrap()[0].policy.name, "\u{fffd}");
}

#[test]
fn the_empty_listing_is_empty() {
    let world = World::empty();
    assert!(world.store.policies().unwrap().is_empty());
    let unknown = world.store.policy("FooPolicy").unwrap_err();
    assert_eq!(unknown.fault(), Fault::NotFound);
    let homeless = crate::mailbox::NewMailbox { address: "a@b.example", ..Default::default() };
    assert!(world.store.new_mailbox(&homeless, MADE_AT).is_err());
}
