use super::*;
use crate::directory::Directory;
use crate::testing::World;
use weir_throttle::{Parameter, Setting};
use weir_units::{Component, Micros};

/// A policy that says only `EWSFindCountLimit`.
fn finding(count: u32) -> Arc<Policy> {
    let mut policy = Policy::new();
    policy.set(Parameter::from_name("EWSFindCountLimit").unwrap(), Setting::Value(count)).unwrap();
    Arc::new(policy)
}

fn corrupt() -> Result<Arc<Policy>, String> {
    Err("expected value at line 1".to_owned())
}

fn stored(name: &str, content: Result<Arc<Policy>, String>) -> StoredPolicy {
    StoredPolicy {
        guid: Guid::of_row("6f0e4a52-0c0f-4f7e-9a3e-0d6f1f1b2a01"),
        name: name.to_owned(),
        content,
    }
}

fn deleted() -> Link {
    Link::Deleted { tombstone: "Foo\nDEL:1".to_owned() }
}

fn missing() -> Link {
    Link::Missing { guid: Guid::of_row("1") }
}

/// What `assigned` and `defaults` lead to: source, name, find count, and the ids of the events.
fn check(assigned: Link, defaults: Vec<StoredPolicy>, source: Source, name: &str, find: u32, events: &[u16]) {
    let chain = PolicyChain::Inside { organisation: "example.com".to_owned(), assigned, defaults };
    let policy = EffectivePolicy::decide(&chain, Tick::START);
    let heard: Vec<u16> = policy
        .reasons
        .iter()
        .filter_map(|reason| reason.event(&Owner::new("john@example.com")))
        .map(|event| event.id.0)
        .collect();
    let limit = policy.limits.component(Component::Ews).find_count;
    assert_eq!(
        (policy.source, policy.name.as_str(), limit, heard.as_slice()),
        (source, name, Some(find), events),
        "{chain:?}"
    );
}

#[test]
fn each_step_that_fails_leads_to_the_next_one_and_is_heard_of() {
    use Source::{Assigned, Default, Fallback};
    let foo = || Link::Policy(stored("Foo", Ok(finding(1))));
    let bad = || Link::Policy(stored("Bad", corrupt()));
    let default = || vec![stored("D", Ok(finding(2)))];
    let corrupt_default = || vec![stored("D", corrupt())];

    check(foo(), default(), Assigned, "Foo", 1, &[]);
    check(foo(), vec![], Assigned, "Foo", 1, &[2901]);
    check(foo(), corrupt_default(), Assigned, "Foo", 1, &[5011]);
    check(Link::Default, default(), Default, "D", 2, &[]);
    check(deleted(), default(), Default, "D", 2, &[2914]);
    check(missing(), default(), Default, "D", 2, &[2914]);
    check(bad(), default(), Default, "D", 2, &[5011]);
    check(Link::Default, vec![], Fallback, FALLBACK_NAME, 1000, &[2901]);
    check(Link::Default, corrupt_default(), Fallback, FALLBACK_NAME, 1000, &[5011]);
    check(deleted(), vec![], Fallback, FALLBACK_NAME, 1000, &[2914, 2901]);
    check(bad(), corrupt_default(), Fallback, FALLBACK_NAME, 1000, &[5011, 5011]);
}

#[test]
fn of_several_defaults_the_first_readable_one_is_taken() {
    let two = || vec![stored("A", Ok(finding(3))), stored("B", Ok(finding(4)))];
    check(Link::Default, two(), Source::Default, "A", 3, &[2902]);
    check(Link::Policy(stored("Foo", Ok(finding(1)))), two(), Source::Assigned, "Foo", 1, &[2902]);
    let first_corrupt = vec![stored("A", corrupt()), stored("B", Ok(finding(4)))];
    check(Link::Default, first_corrupt, Source::Default, "B", 4, &[2902, 5011]);
    let both_corrupt = vec![stored("A", corrupt()), stored("B", corrupt())];
    check(Link::Default, both_corrupt, Source::Fallback, FALLBACK_NAME, 1000, &[2902, 5011, 5011]);
}

#[test]
fn an_owner_outside_any_organisation_gets_the_fallback_policy_without_noise() {
    let policy = EffectivePolicy::decide(&PolicyChain::Outside, Tick::new(7));
    assert_eq!((policy.source, policy.loaded_at), (Source::Fallback, Tick::new(7)));
    assert_eq!(policy.reasons, [Reason::OutsideOrganisations]);
    assert_eq!(policy.reasons[0].event(&Owner::new("machine$")), None);
    assert_eq!(policy.limits, Limits::resolve(&Policy::fallback(), &Policy::fallback()));
}

#[test]
fn what_a_policy_leaves_out_comes_from_the_default_and_then_from_the_fallback() {
    let mut default = Policy::new();
    default.set(Parameter::from_name("EWSPercentTimeInCAS").unwrap(), Setting::Value(10)).unwrap();
    default.set(Parameter::from_name("EWSMaxSubscriptions").unwrap(), Setting::Null).unwrap();
    let chain = PolicyChain::Inside {
        organisation: "example.com".to_owned(),
        assigned: Link::Policy(stored("Foo", Ok(finding(1)))),
        defaults: vec![stored("D", Ok(Arc::new(default)))],
    };
    let limits = EffectivePolicy::decide(&chain, Tick::START).limits;
    let ews = limits.component(Component::Ews);
    assert_eq!(ews.find_count, Some(1), "its own");
    assert_eq!(ews.time[1], Some(Micros::new(6_000_000)), "from the default policy");
    assert_eq!(ews.max_subscriptions, None, "null in the default policy is no limit");
    assert_eq!(ews.max_concurrency, Some(10), "from the fallback policy");
}

#[test]
fn an_event_says_what_happened_and_what_to_do_and_names_the_facts() {
    let owner = Owner::new("john@example.com");
    let event = Reason::AssignedDeleted { tombstone: "Foo\nDEL:1".to_owned() }.event(&owner).unwrap();
    assert_eq!(event.level, Level::Warning);
    assert_eq!(
        event.text,
        "a deleted throttling policy is referenced, Foo\\nDEL:1: the default policy holds; assign another policy, \
         or reset such mailboxes with `mailbox repair`"
    );
    let fields = [("owner", "john@example.com".to_owned()), ("policy", "Foo\nDEL:1".to_owned())];
    assert_eq!(event.fields, fields);
}

/// What John's chain in the store leads to, after other hands have done `damage`.
fn after(damage: &str) -> (Source, Vec<Reason>) {
    let world = World::example();
    world.store.new_policy("FooPolicy", None, &finding(1)).unwrap();
    world.store.set_mailbox_policy("JohnDoe", Some("FooPolicy")).unwrap();
    world.other_hands().execute_batch(damage).unwrap();
    let chain = world.store.policy_of(&Owner::new("john.doe@example.com")).unwrap();
    let policy = EffectivePolicy::decide(&chain, Tick::START);
    (policy.source, policy.reasons)
}

#[test]
fn whatever_other_hands_do_to_the_tables_there_is_a_policy() {
    assert_eq!(after(""), (Source::Assigned, vec![]));
    let (source, reasons) = after("DELETE FROM policy WHERE name = 'FooPolicy'");
    assert_eq!(source, Source::Default);
    assert!(
        matches!(reasons.as_slice(), [Reason::AssignedDeleted { tombstone }] if tombstone.starts_with("FooPolicy\nDEL:")),
        "{reasons:?}"
    );
    let (source, reasons) =
        after("UPDATE policy SET settings = '{\"EWSFindCountLimit\":' WHERE name = 'FooPolicy'");
    assert_eq!(source, Source::Default);
    assert!(matches!(reasons.as_slice(), [Reason::AssignedUnreadable { .. }]), "{reasons:?}");
    let (source, reasons) = after("UPDATE policy SET is_default = 1");
    assert_eq!(source, Source::Assigned);
    assert!(matches!(reasons.as_slice(), [Reason::SeveralDefaults { policies, .. }] if policies.len() == 2));
    let (source, reasons) = after("DELETE FROM policy");
    assert_eq!(source, Source::Fallback);
    assert!(matches!(reasons.as_slice(), [Reason::AssignedDeleted { .. }, Reason::DefaultMissing { .. }]));
}
