use proptest::prelude::*;

use super::compile;

#[test]
fn every_term_is_bound_as_a_quoted_string() {
    let clause = compile("subject:\"a(b\" x:y NOT \"c d\" OR from:e*").unwrap().unwrap();
    assert_eq!(clause.sql.matches('?').count(), clause.values.len());
    for forbidden in ["a(b", "x:y", "c d", "e*"] {
        assert!(!clause.sql.contains(forbidden), "{}", clause.sql);
    }
}

#[test]
fn an_empty_query_is_no_restriction() {
    for query in ["", "   ", "\t"] {
        assert_eq!(compile(query).unwrap(), None);
    }
}

#[test]
fn a_query_is_bounded_in_length_terms_and_depth() {
    assert!(compile(&"a".repeat(5000)).is_err());
    assert!(compile(&"a ".repeat(65)).is_err());
    assert!(compile(&"a ".repeat(64)).is_ok());
    assert!(compile(&format!("{}a{}", "(".repeat(40), ")".repeat(40))).is_err());
    assert!(compile(&format!("{}a", "NOT ".repeat(40))).is_err());
}

proptest! {
    #[test]
    fn no_query_panics_and_parameters_always_match(query in "[a-z():\"* ANDORNOT{}?'-]{0,40}") {
        if let Ok(Some(clause)) = compile(&query) {
            prop_assert_eq!(clause.sql.matches('?').count(), clause.values.len());
        }
    }
}
