use super::*;

#[test]
fn a_code_is_any_number_and_nothing_else() {
    assert_eq!(ResponseCode::from_header(" 0 "), Some(ResponseCode::SUCCESS));
    assert_eq!(ResponseCode::from_header("15"), Some(ResponseCode::INVALID_SEQUENCE));
    let own = ResponseCode::from_header("4711").unwrap();
    assert_eq!((own.number(), own.to_string()), (4711, "4711".to_owned()));
    for value in ["", "OK", "-1", "4294967296", "0x0A"] {
        assert_eq!(ResponseCode::from_header(value), None, "{value}");
    }
}

#[test]
fn only_success_has_a_body_of_the_protocol() {
    assert!(ResponseCode::SUCCESS.has_body());
    assert!(!ResponseCode::CONTEXT_NOT_FOUND.has_body());
    assert!(!ResponseCode::from_header("99").unwrap().has_body());
}
