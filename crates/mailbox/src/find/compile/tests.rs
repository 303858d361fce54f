//! The compiled form of random restrictions against the evaluator in memory, on random items.

#![allow(clippy::wildcard_enum_match_arm, reason = "a test wants one answer and shows any other")]

use jiff::tz::TimeZone;
use proptest::prelude::*;
use weir_units::{Micros, WallTime};
use weir_wire::ews::field::Field;
use weir_wire::ews::property::{Item, ItemKind, Properties, PropertyPath, Value};
use weir_wire::ews::request::{
    BaseShape, Comparison, ContainmentMode, FindItem, Operand, Request, Restriction, Shape,
};
use weir_wire::ews::response::Answer;

use super::restriction;
use crate::find::evaluate;
use crate::test_world::{NOW, World, find, item, john, tag, text};

fn paths() -> Vec<PropertyPath> {
    vec![
        Field::SUBJECT.into(),
        Field::IMPORTANCE.into(),
        Field::IS_READ.into(),
        Field::DATE_TIME_RECEIVED.into(),
        Field::CATEGORIES.into(),
        Field::LOCATION.into(),
        tag(0x0037, "String"),
        tag(0x0017, "Integer"),
        tag(0x8001, "String"),
        tag(0x8002, "Integer"),
        tag(0x8003, "Boolean"),
        tag(0x8004, "SystemTime"),
        tag(0x8005, "Double"),
    ]
}

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "a", "A", "ab", "b a", "Ä", "ä", "re: a-b", "x' OR 1"])
        .prop_map(str::to_owned)
}

fn time() -> impl Strategy<Value = WallTime> {
    (0_u64..3).prop_map(|minutes| NOW.plus(Micros::MINUTE.times(minutes)))
}

/// A constant that fits the property.
fn constant(path: &PropertyPath) -> BoxedStrategy<String> {
    use crate::store::column::Form;
    match super::operand::form(path) {
        Form::Text | Form::Bytes => word().boxed(),
        Form::Integer => (0_i64..4).prop_map(|number| number.to_string()).boxed(),
        Form::Double => (0_i64..4).prop_map(|number| format!("{number}.5")).boxed(),
        Form::Bool => prop::sample::select(vec!["true", "false", "1", "0"]).prop_map(str::to_owned).boxed(),
        Form::Time => time().prop_map(weir_wire::ews::time::format).boxed(),
        Form::Word(words) => prop::sample::select(words.to_vec()).prop_map(str::to_owned).boxed(),
    }
}

fn leaf() -> impl Strategy<Value = Restriction> {
    let how = prop::sample::select(vec![
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
        Comparison::Less,
        Comparison::LessOrEqual,
    ]);
    let mode = prop::sample::select(vec![
        ContainmentMode::FullString,
        ContainmentMode::Prefixed,
        ContainmentMode::Substring,
        ContainmentMode::PrefixOnWords,
        ContainmentMode::ExactPhrase,
    ]);
    let texts: Vec<PropertyPath> = vec![Field::SUBJECT.into(), tag(0x0037, "String"), tag(0x8001, "String")];
    let contained: Vec<PropertyPath> = texts.iter().cloned().chain([Field::CATEGORIES.into()]).collect();
    let numbers = vec![tag(0x0017, "Integer"), tag(0x8002, "Integer"), Field::IS_READ.into()];
    let path = prop::sample::select(paths());
    prop_oneof![
        path.clone().prop_map(Restriction::Exists),
        (prop::sample::select(numbers), 0_u32..4)
            .prop_map(|(path, bitmask)| Restriction::Excludes { path, bitmask }),
        (prop::sample::select(contained), mode, any::<bool>(), word()).prop_map(
            |(path, mode, ignore_case, value)| Restriction::Contains { path, mode, ignore_case, value }
        ),
        (prop::sample::select(texts.clone()), how.clone(), prop::sample::select(texts)).prop_map(
            |(path, how, other)| Restriction::Compare { path, how, with: Operand::Property(other) }
        ),
        (path, how).prop_flat_map(|(path, how)| {
            constant(&path).prop_map(move |written| Restriction::Compare {
                path: path.clone(),
                how,
                with: Operand::Constant(written),
            })
        }),
    ]
}

fn any_restriction() -> impl Strategy<Value = Restriction> {
    leaf().prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Restriction::And),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Restriction::Or),
            inner.prop_map(|part| Restriction::Not(Box::new(part))),
        ]
    })
}

fn any_item() -> impl Strategy<Value = Item> {
    let optional = prop::option::of::<BoxedStrategy<Value>>;
    let value = |path: PropertyPath, values: BoxedStrategy<Value>| {
        optional(values).prop_map(move |value| value.map(|value| (path.clone(), value)))
    };
    let words = || word().prop_map(Value::Text).boxed();
    let integers = || (0_i64..4).prop_map(Value::Integer).boxed();
    let importance = prop::sample::select(vec!["Low", "Normal", "High"]).prop_map(text).boxed();
    (
        value(Field::SUBJECT.into(), words()),
        value(Field::IMPORTANCE.into(), importance),
        value(Field::IS_READ.into(), any::<bool>().prop_map(Value::Bool).boxed()),
        value(Field::DATE_TIME_RECEIVED.into(), time().prop_map(Value::Time).boxed()),
        value(Field::CATEGORIES.into(), prop::collection::vec(word(), 1..3).prop_map(Value::Texts).boxed()),
        value(tag(0x8001, "String"), words()),
        value(tag(0x8002, "Integer"), integers()),
        value(tag(0x8003, "Boolean"), any::<bool>().prop_map(Value::Bool).boxed()),
        value(tag(0x8004, "SystemTime"), time().prop_map(Value::Time).boxed()),
        value(
            tag(0x8005, "Double"),
            prop::sample::select(vec![0.5, 1.5, 2.5]).prop_map(Value::Double).boxed(),
        ),
    )
        .prop_map(|(a, b, c, d, e, f, g, h, i, j)| {
            let properties = [a, b, c, d, e, f, g, h, i, j].into_iter().flatten().collect();
            Item { kind: ItemKind::Message, properties }
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn sql_finds_what_the_evaluator_finds(
        items in prop::collection::vec(any_item(), 1..12),
        restrictions in prop::collection::vec(any_restriction(), 8),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let world = World::new();
            world.server.deliver_many(&john(), "inbox", items, world.now).await.unwrap();
            let shape = Shape { base: BaseShape::IdOnly, additional: paths(), mime_content: false, body: None };
            let all = world.find(&john(), FindItem { shape: shape.clone(), ..find("inbox") }).await.page;
            for restriction in restrictions {
                let holds = |item: &&Item| {
                    evaluate::holds(&restriction, &item.properties, &TimeZone::UTC).unwrap()
                };
                let expected: Vec<Item> = all.iter().filter(holds).cloned().collect();
                let find = FindItem { shape: shape.clone(), restriction: Some(restriction.clone()), ..find("inbox") };
                let Answer::FoundItems(found) = world.one(&john(), Request::FindItem(find)).await.unwrap() else {
                    panic!()
                };
                assert_eq!(found.page, expected, "{restriction:?}");
                assert_eq!(usize::try_from(found.total).unwrap(), expected.len());
            }
        });
    }
}

#[test]
fn a_value_is_bound_and_never_part_of_the_text() {
    let value = "'; DROP TABLE item; --";
    let contains = Restriction::Contains {
        path: tag(0x8001, value),
        mode: ContainmentMode::Substring,
        ignore_case: true,
        value: value.to_owned(),
    };
    let compare = Restriction::Compare {
        path: PropertyPath::indexed(value, value),
        how: Comparison::Equal,
        with: Operand::Constant(value.to_owned()),
    };
    let clause = restriction(&Restriction::And(vec![contains, compare]), &TimeZone::UTC).unwrap();
    assert!(!clause.sql.contains("DROP"), "{}", clause.sql);
    assert_eq!(clause.sql.matches('?').count(), clause.values.len());
}

#[test]
fn what_cannot_be_compared_is_refused_alike_in_both_forms() {
    let compare = |path: PropertyPath, with| Restriction::Compare { path, how: Comparison::Equal, with };
    let constant = |text: &str| Operand::Constant(text.to_owned());
    let mut deep = Restriction::And(Vec::new());
    for _ in 0..100 {
        deep = Restriction::Not(Box::new(deep));
    }
    let cases = [
        (compare(Field::IS_READ.into(), constant("perhaps")), "ErrorInvalidValueForProperty"),
        (compare(Field::SIZE.into(), constant("big")), "ErrorInvalidValueForProperty"),
        (compare(Field::IMPORTANCE.into(), constant("Huge")), "ErrorInvalidValueForProperty"),
        (compare(Field::DATE_TIME_RECEIVED.into(), constant("yesterday")), "ErrorInvalidValueForProperty"),
        (compare(Field::SUBJECT.into(), Operand::Property(Field::SIZE.into())), "ErrorInvalidRestriction"),
        (
            compare(Field::IMPORTANCE.into(), Operand::Property(Field::SENSITIVITY.into())),
            "ErrorInvalidRestriction",
        ),
        (
            compare(Field::CATEGORIES.into(), Operand::Property(Field::SUBJECT.into())),
            "ErrorInvalidRestriction",
        ),
        (deep, "ErrorInvalidRestriction"),
        (Restriction::Or(vec![Restriction::Exists(Field::SUBJECT.into()); 500]), "ErrorInvalidRestriction"),
    ];
    for (case, code) in cases {
        let code_of = |failure| match failure {
            crate::server::Failure::Told(message) => message.code,
            crate::server::Failure::Store(error) => panic!("{error}"),
        };
        assert_eq!(restriction(&case, &TimeZone::UTC).map_err(code_of).err(), Some(code));
        let properties: Properties = item(ItemKind::Message, Vec::new()).properties;
        assert_eq!(evaluate::holds(&case, &properties, &TimeZone::UTC).map_err(code_of).err(), Some(code));
    }
}

#[tokio::test]
async fn the_longest_and_the_deepest_restriction_still_run() {
    let world = World::new();
    let exists = || Restriction::Exists(Field::SUBJECT.into());
    let mut deep = exists();
    for _ in 0..64 {
        deep = Restriction::Not(Box::new(deep));
    }
    let mut long = Restriction::Or(vec![exists(); 437]);
    for _ in 0..62 {
        long = Restriction::And(vec![long]);
    }
    for restriction in [deep, long, Restriction::And(vec![exists(); 499])] {
        world.find(&john(), FindItem { restriction: Some(restriction), ..find("inbox") }).await;
    }
}

#[test]
fn times_without_an_offset_are_meant_in_the_requests_zone() {
    let compare = Restriction::Compare {
        path: Field::DATE_TIME_RECEIVED.into(),
        how: Comparison::Equal,
        with: Operand::Constant("2010-03-09T16:15:12".to_owned()),
    };
    let berlin = weir_wire::ews::time::zone(Some("W. Europe Standard Time"));
    let received = Value::Time(NOW);
    let properties: Properties = [(Field::DATE_TIME_RECEIVED.into(), received)].into();
    assert!(evaluate::holds(&compare, &properties, &berlin).unwrap());
    assert!(!evaluate::holds(&compare, &properties, &TimeZone::UTC).unwrap());
}
