use proptest::prelude::*;
use weir_wire::ews::field::Field;
use weir_wire::ews::property::{ExtendedName, ExtendedProperty, PropertyPath};

use super::{from_text, to_text};

#[test]
fn every_field_comes_back() {
    for field in Field::all() {
        assert_eq!(from_text(&to_text(&field.into())), Some(PropertyPath::Field(field)));
    }
}

#[test]
fn what_names_nothing_is_none() {
    for text in ["", "item:Nonsense", "t\tzzzz\tString", "d\tset\tInteger\tx", "q\ta\tb\tc", "t\t0e23"] {
        assert_eq!(from_text(text), None, "{text:?}");
    }
}

proptest! {
    #[test]
    fn every_other_name_comes_back(number in any::<u32>(), tag in any::<u16>(), text in "[^\t]{0,12}", last in ".{0,12}") {
        let names = [
            ExtendedName::Tag(tag),
            ExtendedName::Named { set: text.clone(), name: last.clone() },
            ExtendedName::Numbered { set: text.clone(), id: number },
        ];
        let extended = names.map(|name| ExtendedProperty { name, kind: "String".into() }.into());
        for path in extended.into_iter().chain([PropertyPath::indexed(text, last)]) {
            prop_assert_eq!(from_text(&to_text(&path)), Some(path));
        }
    }
}
