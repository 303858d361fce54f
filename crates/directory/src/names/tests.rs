use super::*;

#[test]
fn each_spelling_is_told_apart() {
    let qualified = |short_name: &str, alias: &str| Spelling::Qualified {
        short_name: short_name.to_owned(),
        alias: alias.to_owned(),
    };
    let cases = [
        ("John@Example.COM", Some(Spelling::Address("john@example.com".to_owned()))),
        ("JohnDoe", Some(Spelling::Alias("johndoe".to_owned()))),
        (r"EXAMPLE\JohnDoe", Some(qualified("example", "johndoe"))),
        (r"EXAMPLE\a\b", Some(qualified("example", r"a\b"))),
        (
            "/O=Example.com/OU=Exchange Administrative Group (FYDIBOHF23SPDLT)/CN=Recipients/CN=John.Doe",
            Some(Spelling::Legacy {
                organisation: "example.com".to_owned(),
                common_name: "john.doe".to_owned(),
            }),
        ),
        ("/o=example.com/ou=elsewhere/cn=john", None),
        ("", None),
    ];
    for (name, expected) in cases {
        assert_eq!(Spelling::of(name), expected, "{name:?}");
    }
    assert_eq!(Spelling::of(&"x".repeat(MAX_NAME_BYTES + 1)), None);
    assert!(Spelling::of(&"x".repeat(MAX_NAME_BYTES)).is_some());
}

#[test]
fn a_legacy_dn_is_spelled_as_it_is_read() {
    assert_eq!(
        legacy_dn("example.com", "john.doe"),
        "/o=example.com/ou=Exchange Administrative Group (FYDIBOHF23SPDLT)/cn=Recipients/cn=john.doe"
    );
    assert!(matches!(Spelling::of(&legacy_dn("A", "b")), Some(Spelling::Legacy { .. })));
}

#[test]
fn well_formed_addresses_pass_and_others_say_why() {
    for good in ["john@example.com", "john.o'hara+x@sub.example.com", "jürgen@müller.example", "a@localhost"]
    {
        assert!(address_parts(good).is_ok(), "{good}");
    }
    let cases = [
        ("john", "contains no @"),
        ("@example.com", "is empty"),
        ("john@", "is empty"),
        ("jo hn@example.com", "contains ' '"),
        ("john@exam ple.com", "contains ' '"),
        ("john@doe@example.com", "contains '@'"),
        (r"S\john@example.com", r"contains '\\'"),
        ("john/doe@example.com", "contains '/'"),
        ("john@example..com", "has a label that is empty"),
        ("john@-example.com", "begins or ends with a hyphen"),
        ("john@example.com ", "begins or ends with a blank"),
        ("john\n@example.com", "begins or ends with a blank"),
    ];
    for (bad, why) in cases {
        let text = address_parts(bad).unwrap_err().to_string();
        assert!(text.contains(why), "{bad:?}: {text}");
    }
    let long = format!("{}@example.com", "x".repeat(MAX_LOCAL_PART_BYTES + 1));
    assert!(address_parts(&long).is_err());
}

#[test]
fn an_alias_cannot_look_like_another_spelling() {
    for bad in ["john@x", r"S\john", "/o=x", "a b", "", "a\0"] {
        assert!(check_alias(bad).is_err(), "{bad:?}");
    }
    for good in ["JohnDoe", "john.doe", "jürgen", "o'hara", "$ystem"] {
        assert!(check_alias(good).is_ok(), "{good}");
    }
}

#[test]
fn a_message_shows_no_control_characters_and_no_endless_name() {
    let text =
        check_label("policy's name", &format!("\u{1b}[2J{}", "x".repeat(100_000))).unwrap_err().to_string();
    assert!(text.len() < 300, "{}", text.len());
    assert!(!text.contains('\u{1b}'));
}
