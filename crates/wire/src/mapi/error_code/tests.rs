use std::collections::BTreeSet;

use super::*;

#[test]
fn each_code_and_each_name_stands_once() {
    assert_eq!(ALL.iter().map(|(code, _)| code).collect::<BTreeSet<_>>().len(), ALL.len());
    assert_eq!(ALL.iter().map(|(_, name)| name).collect::<BTreeSet<_>>().len(), ALL.len());
}

#[test]
fn a_code_without_a_name_is_shown_as_a_number() {
    assert_eq!(ErrorCode::NOT_FOUND.to_string(), "NotFound");
    assert_eq!(ErrorCode(0x8004_0199).to_string(), "0x80040199");
    assert_eq!(format!("{:?}", ErrorCode::NULL_OBJECT), "ErrorCode(NullObject)");
}
