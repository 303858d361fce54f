use super::{ClaimedName, name};

#[test]
fn the_name_is_the_parameter_username() {
    let cases = [
        (r#"username="john", realm="a, username=b", nc=00000001"#, "john"),
        (r#"realm="x",USERNAME = "john@example.com""#, "john@example.com"),
        (r#"username="EXAMPLE\\john",userhash=false"#, r"EXAMPLE\john"),
    ];
    for (parameters, expected) in cases {
        assert_eq!(name(parameters.as_bytes()), ClaimedName::of(expected), "{parameters}");
        assert!(name(parameters.as_bytes()).is_some());
    }
}

#[test]
fn what_servers_read_differently_names_nobody() {
    for parameters in [
        "",
        r#"realm="x""#,
        "username=john",
        r#"username="EXAMPLE\john""#,
        r#"username="jo\"hn""#,
        r#"username="john", username="jane""#,
        r#"username="john", x="\", username="jane", y="""#,
        r#"username="john", username*=UTF-8''jane"#,
        r#"username="5c0e", userhash=true"#,
        r#"username="john", nonsense"#,
        r#"username="john"#,
        r#"username="""#,
    ] {
        assert_eq!(name(parameters.as_bytes()), None, "{parameters}");
    }
    assert_eq!(name(b"username=\"j\xff\""), None);
}
