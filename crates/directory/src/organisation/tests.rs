use super::*;
use crate::testing::World;

fn refused(world: &World, name: &str, short_name: &str, domains: &[&str]) -> OrganisationError {
    world.store.new_organisation(&NewOrganisation { name, short_name, domains }).unwrap_err()
}

#[test]
fn a_fresh_organisation_has_a_default_policy_with_the_documents_values() {
    let world = World::empty();
    let wanted = NewOrganisation {
        name: "example.com",
        short_name: "EXAMPLE",
        domains: &["Example.com", "example.com"],
    };
    let made = world.store.new_organisation(&wanted).unwrap();
    assert_eq!(made.domains, ["example.com"]);
    assert_eq!((made.short_name.as_str(), made.mailboxes), ("EXAMPLE", 0));
    let [default] = made.default_policies.as_slice() else { panic!("{:?}", made.default_policies) };
    let row = world.store.policy(default).unwrap();
    assert!(row.is_default);
    assert_eq!(row.policy.name, format!("DefaultThrottlingPolicy_{}", row.policy.guid));
    assert_eq!(*row.policy.content.unwrap(), Policy::fallback());
}

#[test]
fn names_and_domains_belong_to_one_organisation_only() {
    let world = World::example();
    let cases = [
        (refused(&world, "EXAMPLE.com", "B", &["b.example"]), "choose another name"),
        (refused(&world, "b", "example", &["b.example"]), "short name"),
        (refused(&world, "b", "B", &["EXAMPLE.org"]), "belongs to the organisation \"example.com\""),
    ];
    for (error, says) in cases {
        assert_eq!(error.fault(), Fault::Conflict);
        assert!(error.to_string().contains(says), "{error}");
    }
    assert_eq!(world.store.organisations().unwrap().len(), 1, "nothing is left of what was refused");
}

#[test]
fn an_organisation_needs_well_formed_names_and_a_domain() {
    let world = World::empty();
    let cases = [
        refused(&world, "b", "B", &[]),
        refused(&world, "a/b", "B", &["b.example"]),
        refused(&world, "b", r"B\C", &["b.example"]),
        refused(&world, "b", "B", &["b example"]),
    ];
    for error in cases {
        assert_eq!(error.fault(), Fault::Invalid, "{error}");
    }
}

#[test]
fn organisations_are_listed_by_name() {
    let world = World::empty();
    world.organisation("b.example", "B", &["b.example"]);
    world.organisation("A.example", "A", &["a.example"]);
    world.organisation("c.example", "C", &["c.example"]);
    let names: Vec<_> = world.store.organisations().unwrap().into_iter().map(|found| found.name).collect();
    assert_eq!(names, ["A.example", "b.example", "c.example"]);
}

#[test]
fn an_organisation_with_mailboxes_stays_and_an_empty_one_goes() {
    let world = World::example();
    let used = world.store.remove_organisation("example.com").unwrap_err();
    assert!(used.to_string().starts_with("2 mailboxes belong to"), "{used}");
    world.store.remove_mailbox("JohnDoe").unwrap();
    let used = world.store.remove_organisation("example.com").unwrap_err();
    assert!(used.to_string().starts_with("1 mailbox belongs to"), "{used}");
    world.store.remove_mailbox("JaneDoe").unwrap();
    world.store.remove_organisation("EXAMPLE.COM").unwrap();
    assert!(world.store.organisations().unwrap().is_empty());
    assert!(world.store.policies().unwrap().is_empty(), "its policies went with it");
    let again = world.store.remove_organisation("example.com").unwrap_err();
    assert_eq!(again.fault(), Fault::NotFound);
    world.organisation("example.com", "EXAMPLE", &["example.com"]);
}
