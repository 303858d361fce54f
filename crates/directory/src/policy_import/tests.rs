use weir_throttle::{Parameter, Setting};

use super::*;
use crate::testing::World;

fn policy(settings: &[(&str, Setting)]) -> Policy {
    let mut policy = Policy::new();
    for (name, setting) in settings {
        policy.set(Parameter::from_name(name).unwrap(), *setting).unwrap();
    }
    policy
}

fn wanted(name: &str, default: Option<bool>, settings: &[(&str, Setting)]) -> WantedPolicy {
    WantedPolicy { name: name.to_owned(), organisation: None, default, policy: policy(settings) }
}

fn import(policies: &[WantedPolicy]) -> PolicyImport {
    PolicyImport { policies: policies.to_vec(), ..PolicyImport::default() }
}

/// Every policy in short: name, whether it is the default, and settings.
fn told(rows: &[PolicyRow]) -> Vec<(String, bool, Option<Policy>)> {
    let told = rows.iter().map(|row| {
        let content = row.policy.content.as_ref().ok().map(|policy| Policy::clone(policy));
        let name = row.policy.name.split('_').next().unwrap_or_default();
        (name.to_owned(), row.is_default, content)
    });
    told.collect()
}

const FIND: &str = "EWSFindCountLimit";
const CPU: &str = "CPUStartPercent";

#[test]
fn what_is_named_is_exactly_as_wanted_and_the_rest_stays() {
    let world = World::example();
    world.store.new_policy("Foo", None, &policy(&[(FIND, Setting::Value(1)), (CPU, Setting::Null)])).unwrap();
    world.store.new_policy("Other", None, &policy(&[(FIND, Setting::Value(5))])).unwrap();
    let file = import(&[
        wanted("FOO", None, &[(FIND, Setting::Null)]),
        wanted("Bar", Some(false), &[(CPU, Setting::Value(50))]),
    ]);
    let done = world.store.import_policies(&file).unwrap();
    assert_eq!(told(&done.after), told(&world.store.policies().unwrap()));
    let expected = [
        ("Bar", false, Some(policy(&[(CPU, Setting::Value(50))]))),
        ("DefaultThrottlingPolicy", true, Some(Policy::fallback())),
        ("Foo", false, Some(policy(&[(FIND, Setting::Null)]))),
        ("Other", false, Some(policy(&[(FIND, Setting::Value(5))]))),
    ];
    assert_eq!(told(&done.after), expected.map(|(name, default, policy)| (name.to_owned(), default, policy)));
    let again = world.store.import_policies(&file).unwrap();
    assert_eq!(told(&again.before), told(&again.after), "the same once more changes nothing");
}

#[test]
fn a_rehearsal_says_what_would_be_and_does_nothing() {
    let world = World::example();
    let before = told(&world.store.policies().unwrap());
    let file = PolicyImport { rehearse: true, ..import(&[wanted("Foo", Some(true), &[])]) };
    let done = world.store.import_policies(&file).unwrap();
    assert_eq!(told(&done.before), before);
    assert_eq!(told(&done.after).last(), Some(&("Foo".to_owned(), true, Some(Policy::new()))));
    assert_eq!(told(&world.store.policies().unwrap()), before);
}

#[test]
fn one_that_is_refused_keeps_all_from_being_imported() {
    let world = World::example();
    world.organisation("other", "OTHER", &["other.example"]);
    let of = |organisation: &str, name: &str, default| WantedPolicy {
        organisation: Some(organisation.to_owned()),
        ..wanted(name, default, &[])
    };
    let before = told(&world.store.policies().unwrap());
    for (bad, fault, message) in [
        (of("nowhere", "Bar", None), Fault::NotFound, "there is no organisation \"nowhere\""),
        (wanted("Bar", None, &[]), Fault::Invalid, "the policy's organisation must be named"),
        (of("other", "null", None), Fault::Invalid, "means the default policy"),
        (of("example.com", "foo", None), Fault::Invalid, "\"foo\" is there twice"),
        (of("example.com", "Bar", Some(true)), Fault::Invalid, "\"Foo\" would not be the default policy"),
    ] {
        let file = import(&[of("example.com", "Foo", Some(true)), bad]);
        let error = world.store.import_policies(&file).unwrap_err();
        assert_eq!(error.fault(), fault, "{error}");
        assert!(error.to_string().contains(message), "{error}");
        assert_eq!(told(&world.store.policies().unwrap()), before);
    }
}

#[test]
fn an_organisation_keeps_one_default_policy() {
    let world = World::example();
    world.store.new_policy("Foo", None, &Policy::new()).unwrap();
    world.store.make_default("Foo").unwrap();
    let stays = world.store.import_policies(&import(&[wanted("Foo", Some(false), &[])])).unwrap_err();
    assert!(stays.to_string().contains("would be the default policy of \"example.com\""), "{stays}");
    world
        .store
        .import_policies(&import(&[wanted("Foo", Some(false), &[]), wanted("Bar", Some(true), &[])]))
        .unwrap();
    assert_eq!(world.store.organisation("example.com").unwrap().default_policies, ["Bar"]);
    world.other_hands().execute("UPDATE policy SET is_default = 1", []).unwrap();
    world.store.import_policies(&import(&[wanted("Bar", Some(true), &[])])).unwrap();
    assert_eq!(world.store.organisation("example.com").unwrap().default_policies, ["Bar"], "one of several");
}

#[test]
fn a_policy_that_cannot_be_read_is_replaced_and_keeps_its_mailboxes() {
    let world = World::example();
    world.store.new_policy("Foo", None, &Policy::new()).unwrap();
    world.store.set_mailbox_policy("JohnDoe", Some("Foo")).unwrap();
    world.other_hands().execute("UPDATE policy SET settings = '{' WHERE name = 'Foo'", []).unwrap();
    world.store.import_policies(&import(&[wanted("Foo", None, &[(FIND, Setting::Value(3))])])).unwrap();
    let row = world.store.policy("Foo").unwrap();
    assert_eq!((row.used_by, row.policy.content.is_ok()), (1, true));
}

#[test]
fn pruning_removes_what_is_not_named_and_not_used() {
    let world = World::example();
    world.organisation("other", "OTHER", &["other.example"]);
    for (name, organisation) in [("Old", "example.com"), ("Used", "example.com"), ("Theirs", "other")] {
        world.store.new_policy(name, Some(organisation), &Policy::new()).unwrap();
    }
    world.store.set_mailbox_policy("JohnDoe", Some("Used")).unwrap();
    let ours =
        |name: &str| WantedPolicy { organisation: Some("example.com".to_owned()), ..wanted(name, None, &[]) };
    let file = |names: &[&str]| PolicyImport {
        prune: true,
        ..import(&names.iter().map(|name| ours(name)).collect::<Vec<_>>())
    };
    let error = world.store.import_policies(&file(&["Foo"])).unwrap_err();
    assert_eq!(error.fault(), Fault::Conflict);
    assert!(error.to_string().contains("1 mailbox uses it"), "{error}");
    let done = world.store.import_policies(&file(&["Foo", "Used"])).unwrap();
    let names: Vec<_> = told(&done.after).into_iter().map(|(name, ..)| name).collect();
    let default = "DefaultThrottlingPolicy";
    assert_eq!(
        names,
        [default, "Foo", "Used", default, "Theirs"],
        "default policies and other organisations stay"
    );
}
