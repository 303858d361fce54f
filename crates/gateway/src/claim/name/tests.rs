use proptest::prelude::*;

use super::{ClaimedName, Home, canonical, unnamed};

fn domains(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[track_caller]
fn check(spelling: &str, short_name: &str, accepted: &[&str], expected: &str) {
    let domains = domains(accepted);
    let home = Home { short_name, domains: &domains };
    let name = ClaimedName::of(spelling).unwrap();
    assert_eq!(canonical(&name, Some(home)).name(), expected, "{spelling} in {accepted:?}");
}

#[test]
fn each_form_is_told_apart() {
    let address = |local: &str, domain: &str| {
        Some(ClaimedName::Address { local: local.to_owned(), domain: domain.to_owned() })
    };
    let qualified = |domain: &str, user: &str| {
        Some(ClaimedName::Qualified { domain: domain.to_owned(), user: user.to_owned() })
    };
    let bare = |user: &str| Some(ClaimedName::Bare(user.to_owned()));
    let cases = [
        ("john@example.com", address("john", "example.com")),
        (" John@Example.COM ", address("John", "Example.COM")),
        (r"EXAMPLE\john", qualified("EXAMPLE", "john")),
        (r"example.com\john", qualified("example.com", "john")),
        (r".\john", qualified(".", "john")),
        (r"\john", bare("john")),
        (r"DESKTOP-7\john@example.com", address("john", "example.com")),
        ("john", bare("john")),
        ("John Doe", bare("John Doe")),
        ("jürgen", bare("jürgen")),
    ];
    for (text, expected) in cases {
        assert_eq!(ClaimedName::of(text), expected, "{text:?}");
    }
}

#[test]
fn what_nobody_could_be_called_is_no_name() {
    let long = "x".repeat(65);
    for text in [
        "",
        "  ",
        "@",
        "john@",
        "@example.com",
        "a@b@c",
        r"EXAMPLE\",
        r"\",
        r"a\b\c",
        "EX\0\\john",
        r"a/b\john",
        r"a@b\john",
        r"\a\b",
        "jo\0hn",
        "john\r\nx",
        "/o=example.com/cn=john",
        "john@exa mple.com",
        &long,
        &r"\".repeat(100_000),
    ] {
        assert_eq!(ClaimedName::of(text), None, "{:?}", text.get(..20.min(text.len())));
    }
    assert!(ClaimedName::of(&"x".repeat(64)).is_some());
}

#[test]
fn all_spellings_of_one_person_are_one_owner_where_there_is_one_domain() {
    for spelling in [
        "john@example.com",
        "JOHN@Example.com",
        "john",
        r"EXAMPLE\john",
        r"example\JOHN",
        r"Example.COM\john",
        "john@EXAMPLE",
        r"PC\john@example.com",
        " john ",
        r"\john",
    ] {
        check(spelling, "EXAMPLE", &["example.com"], "john@example.com");
    }
}

#[test]
fn where_there_are_several_domains_an_account_is_nobodys_address() {
    let accepted = ["a.example", "b.example"];
    for spelling in ["john", r"EXAMPLE\john", "john@example"] {
        check(spelling, "EXAMPLE", &accepted, r"example\john");
    }
    check("john@a.example", "EXAMPLE", &accepted, "john@a.example");
    check(r"B.example\john", "EXAMPLE", &accepted, "john@b.example");
}

#[test]
fn other_domains_stay_apart() {
    for accepted in [&["example.com"][..], &["example.com", "example.net"], &[]] {
        check("john@elsewhere.example", "EXAMPLE", accepted, "john@elsewhere.example");
        check(r"OTHER\John", "EXAMPLE", accepted, r"other\john");
    }
}

#[test]
fn a_short_name_that_is_an_accepted_domain_is_that_domain() {
    for spelling in ["john", r"example.com\john", "john@example.com"] {
        check(spelling, "Example.com", &["example.com", "example.net"], "john@example.com");
    }
}

#[test]
fn without_an_organisation_a_name_is_what_it_spells() {
    for (spelling, expected) in
        [("John", "john"), (r"EXAMPLE\John", r"example\john"), ("J@Example.com", "j@example.com")]
    {
        assert_eq!(canonical(&ClaimedName::of(spelling).unwrap(), None).name(), expected);
    }
}

#[test]
fn at_home_a_name_is_spelled_so_that_no_other_organisations_alias_is_meant() {
    let domains = domains(&["a.example", "b.example"]);
    let home = Home { short_name: "EXAMPLE", domains: &domains };
    for (spelling, expected) in [
        ("john", r"EXAMPLE\john"),
        ("john@Example", r"EXAMPLE\john"),
        (r"a.example\john", "john@a.example"),
        (r"OTHER\john", r"OTHER\john"),
        ("john@c.example", "john@c.example"),
    ] {
        assert_eq!(ClaimedName::of(spelling).unwrap().at_home(home).to_string(), expected);
    }
}

#[test]
fn nobody_can_claim_to_be_the_owner_of_a_connection() {
    assert_ne!(unnamed(1), unnamed(2));
    assert_eq!(ClaimedName::of(unnamed(1).name()), None);
}

proptest! {
    #[test]
    fn a_name_is_what_it_spells(text in r"[a-zA-Z0-9@.\\ é/]{0,24}") {
        if let Some(name) = ClaimedName::of(&text) {
            prop_assert_eq!(ClaimedName::of(&name.to_string()), Some(name));
        }
    }

    #[test]
    fn two_accounts_of_one_home_are_never_one_owner(
        one in "[a-z]{1,4}", other in "[a-z]{1,4}", several in any::<bool>(), form in 0_usize..4, second in 0_usize..4,
    ) {
        prop_assume!(one != other);
        let domains = domains(if several { &["a.example", "b.example"] } else { &["a.example"] });
        let home = Some(Home { short_name: "S", domains: &domains });
        let owner = |user: &str, form: usize| {
            let text = match form {
                0 => user.to_owned(),
                1 => format!(r"S\{user}"),
                2 => format!(r"a.example\{user}"),
                _ => format!("{user}@a.example"),
            };
            canonical(&ClaimedName::of(&text).unwrap(), home)
        };
        prop_assert_ne!(owner(&one, form), owner(&other, second));
        prop_assert!(several || owner(&one, form) == owner(&one, second));
    }
}
