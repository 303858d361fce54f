use super::*;
use crate::testing::World;

fn found(world: &World, name: &str) -> Option<String> {
    world.store.resolve(name).unwrap().map(|account| account.owner.to_string())
}

#[test]
fn every_spelling_of_a_person_is_one_owner() {
    let world = World::example();
    world.store.add_address("JohnDoe", "J.D@example.org").unwrap();
    let spellings = [
        "John.Doe@example.com",
        "JOHN.DOE@EXAMPLE.COM",
        "j.d@example.org",
        "JohnDoe",
        "johndoe",
        r"EXAMPLE\JohnDoe",
        r"example\JOHNDOE",
        "/o=example.com/ou=Exchange Administrative Group (FYDIBOHF23SPDLT)/cn=Recipients/cn=John.Doe",
        "/O=EXAMPLE.COM/OU=EXCHANGE ADMINISTRATIVE GROUP (FYDIBOHF23SPDLT)/CN=RECIPIENTS/CN=JOHN.DOE",
    ];
    for spelling in spellings {
        assert_eq!(found(&world, spelling).as_deref(), Some("john.doe@example.com"), "{spelling}");
    }
}

#[test]
fn a_name_that_is_not_quite_his_is_nobodys() {
    let world = World::example();
    let strangers = [
        "",
        "john.doe",
        "john.doe@example.org",
        r"OTHER\JohnDoe",
        r"\JohnDoe",
        r"EXAMPLE\",
        r"EXAMPLE\john.doe@example.com",
        "/o=example.com/ou=Exchange Administrative Group (FYDIBOHF23SPDLT)/cn=Recipients/cn=",
        "/o=other/ou=Exchange Administrative Group (FYDIBOHF23SPDLT)/cn=Recipients/cn=john.doe",
        "%",
        "' OR 1=1 --",
        "John\0Doe",
    ];
    for stranger in strangers {
        assert_eq!(found(&world, stranger), None, "{stranger:?}");
    }
}

#[test]
fn an_alias_of_two_organisations_means_nobody_without_a_short_name() {
    let world = World::example();
    world.organisation("b.example", "B", &["b.example"]);
    world.mailbox("john@b.example", "johndoe", "Another John");
    assert_eq!(found(&world, "JohnDoe"), None);
    assert_eq!(found(&world, r"EXAMPLE\JohnDoe").as_deref(), Some("john.doe@example.com"));
    assert_eq!(found(&world, r"B\JohnDoe").as_deref(), Some("john@b.example"));
    world.store.remove_mailbox("john@b.example").unwrap();
    assert_eq!(found(&world, "JohnDoe").as_deref(), Some("john.doe@example.com"));
}

#[test]
fn an_account_says_everything_about_a_person() {
    let world = World::example();
    world.store.add_address("JohnDoe", "z@example.com").unwrap();
    world.store.add_address("JohnDoe", "A@example.org").unwrap();
    let john = world.store.resolve("JohnDoe").unwrap().unwrap();
    assert_eq!(john.address, "John.Doe@example.com");
    assert_eq!(john.addresses, ["John.Doe@example.com", "A@example.org", "z@example.com"]);
    assert_eq!((john.alias.as_str(), john.display_name.as_str()), ("JohnDoe", "John Doe"));
    assert_eq!(john.organisation, "example.com");
    assert_eq!(
        john.legacy_dn,
        "/o=example.com/ou=Exchange Administrative Group (FYDIBOHF23SPDLT)/cn=Recipients/cn=John.Doe"
    );
    assert!(john.has_password);
    assert!(!format!("{john:?}").contains("argon2"), "no secret is printed");
}

#[test]
fn two_people_with_the_same_local_part_have_different_legacy_names() {
    let world = World::example();
    world.mailbox("john.doe@example.org", "JohnDoe2", "John Doe the younger");
    let elder = world.store.resolve("JohnDoe").unwrap().unwrap();
    let younger = world.store.resolve("JohnDoe2").unwrap().unwrap();
    assert_ne!(elder.legacy_dn.to_lowercase(), younger.legacy_dn.to_lowercase());
    for account in [elder, younger] {
        assert_eq!(world.store.resolve(&account.legacy_dn).unwrap(), Some(account));
    }
}

#[test]
fn a_password_is_accepted_under_every_spelling_and_no_other_password_is() {
    let world = World::example();
    for name in ["john.doe@example.com", "JohnDoe", r"EXAMPLE\JohnDoe"] {
        let Verification::Accepted(account) = world.store.verify(name, "secret").unwrap() else {
            panic!("{name}");
        };
        assert_eq!(account.owner.name(), "john.doe@example.com");
        for wrong in ["", "Secret", "secret "] {
            assert_eq!(world.store.verify(name, wrong).unwrap(), Verification::Rejected, "{name} {wrong:?}");
        }
    }
}

#[test]
fn a_strangers_name_costs_the_same_work_as_a_wrong_password() {
    let world = World::example();
    world.store.set_password("JaneDoe", None).unwrap();
    let cases = [
        ("john.doe@example.com", Verification::Rejected),
        ("nobody@example.com", Verification::Rejected),
        ("", Verification::Rejected),
        ("jane.doe@example.com", Verification::NoPassword),
    ];
    for (name, expected) in cases {
        let before = world.store.passwords().comparisons();
        assert_eq!(world.store.verify(name, "wrong").unwrap(), expected, "{name:?}");
        assert_eq!(world.store.passwords().comparisons() - before, 1, "{name:?}");
    }
}

#[test]
fn a_stored_password_that_is_no_hash_is_never_accepted() {
    let world = World::example();
    world.other_hands().execute("UPDATE mailbox SET password = 'secret'", []).unwrap();
    assert_eq!(world.store.verify("JohnDoe", "secret").unwrap(), Verification::Rejected);
}

#[test]
fn people_are_found_by_the_beginning_of_any_of_their_names() {
    let world = World::example();
    world.mailbox("ken.malcolmson@example.com", "KenM", "Ken Malcolmson");
    world.organisation("b.example", "B", &["b.example"]);
    world.mailbox("john@b.example", "john", "John of B");
    world.store.add_address("KenM", "postmaster@example.com").unwrap();
    let asker = world.store.resolve("JaneDoe").unwrap().unwrap();
    let found = |prefix: &str, max: usize| -> Vec<String> {
        let people = world.store.people(prefix, &asker, max).unwrap();
        people.into_iter().map(|account| account.display_name).collect()
    };
    let cases: [(&str, &[&str]); 11] = [
        ("john", &["John Doe"]),
        ("DOE", &["Jane Doe", "John Doe"]),
        ("j", &["Jane Doe", "John Doe"]),
        ("malc", &["Ken Malcolmson"]),
        ("kenm", &["Ken Malcolmson"]),
        ("ken.malcolmson@", &["Ken Malcolmson"]),
        ("postm", &["Ken Malcolmson"]),
        (" John ", &["John Doe"]),
        ("ohn", &[]),
        ("%", &[]),
        ("", &[]),
    ];
    for (prefix, expected) in cases {
        assert_eq!(found(prefix, 100), expected, "{prefix:?}");
    }
    assert_eq!(found("doe", 1), ["Jane Doe"]);
    assert!(found("doe", 0).is_empty());
}

#[test]
fn an_owner_whose_domain_is_not_accepted_is_outside() {
    let world = World::example();
    let john = Owner::new("john.doe@example.com");
    assert!(matches!(world.store.policy_of(&john).unwrap(), PolicyChain::Inside { .. }));
    assert!(matches!(world.store.policy_of(&Owner::new("john@elsewhere")).unwrap(), PolicyChain::Outside));
    assert!(matches!(world.store.policy_of(&Owner::new("machine$")).unwrap(), PolicyChain::Outside));
    world.other_hands().execute("DELETE FROM accepted_domain WHERE domain = 'example.com'", []).unwrap();
    assert!(matches!(world.store.policy_of(&john).unwrap(), PolicyChain::Outside));
    world.organisation("b.example", "B", &["example.com"]);
    let chain = world.store.policy_of(&john).unwrap();
    assert!(
        matches!(chain, PolicyChain::Outside),
        "another organisation's domain is not his own's: {chain:?}"
    );
}

#[test]
fn somebody_whose_mail_is_elsewhere_has_his_domains_organisation_and_default_policy() {
    let world = World::example();
    let chain = world.store.policy_of(&Owner::new("nobody.here@example.org")).unwrap();
    let PolicyChain::Inside { organisation, assigned: Link::Default, defaults } = chain else {
        panic!("{chain:?}");
    };
    assert_eq!((organisation.as_str(), defaults.len()), ("example.com", 1));
}

#[test]
fn an_organisation_is_found_by_its_short_name_and_by_each_of_its_domains() {
    let world = World::example();
    let example = Home {
        short_name: "EXAMPLE".to_owned(),
        domains: vec!["example.com".to_owned(), "example.org".to_owned()],
    };
    for name in ["EXAMPLE", "example", "Example.COM", "example.org"] {
        assert_eq!(world.store.home(name).unwrap().as_ref(), Some(&example), "{name}");
    }
    assert_eq!(world.store.home("elsewhere.example").unwrap(), None);
}
