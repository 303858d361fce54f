use super::*;

#[test]
fn left_out_null_and_a_value_are_three_things() {
    for (text, policy) in [
        ("{}", None),
        (r#"{"throttling_policy":null}"#, Some(None)),
        (r#"{"throttling_policy":"Foo"}"#, Some(Some("Foo".to_owned()))),
    ] {
        let change: MailboxChange = serde_json::from_str(text).unwrap();
        assert_eq!(change.throttling_policy, policy);
        assert_eq!(serde_json::to_string(&change).unwrap(), text, "and it is written as it was read");
    }
}

#[test]
fn a_field_that_does_not_exist_is_an_error_that_lists_the_fields() {
    let error = serde_json::from_str::<NewPolicy>(r#"{"nam":"Foo"}"#).unwrap_err().to_string();
    assert!(
        error.contains("unknown field `nam`, expected one of `name`, `organisation`, `settings`"),
        "{error}"
    );
}

#[test]
fn a_password_is_not_shown() {
    let change = PasswordChange { password: Some(Secret::new("hunter2")) };
    assert_eq!(format!("{change:?}"), "PasswordChange { password: Some(Secret) }");
}
