//! One person is one owner.

use super::{Component, Owner};

#[test]
fn case_never_makes_two_owners_of_one() {
    assert_eq!(Owner::new("John.Doe@Example.COM"), Owner::new("john.doe@example.com"));
}

#[test]
fn every_component_is_found_by_its_name_in_any_case() {
    for component in Component::ALL {
        assert_eq!(Component::from_name(&component.name().to_lowercase()), Some(component));
    }
    assert_eq!(Component::from_name("FTP"), None);
}
