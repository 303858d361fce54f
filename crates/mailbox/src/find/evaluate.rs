//! Restrictions evaluated on properties in memory: slow, obvious, and enough for folders.

use std::cmp::Ordering;

use jiff::tz::TimeZone;
use weir_wire::ews::property::{Mailbox, Properties, PropertyPath, Value};
use weir_wire::ews::request::{Comparison, Operand, Restriction};

use super::compile::{alike, check_bounds, incomparable};
use super::operand::{self, Comparable};
use crate::server::Outcome;
use crate::store::column::Form;
use crate::store::text;

/// Whether the restriction holds for something with these properties.
///
/// # Errors
/// As [`super::compile::restriction`].
pub(crate) fn holds(restriction: &Restriction, properties: &Properties, zone: &TimeZone) -> Outcome<bool> {
    check_bounds(restriction)?;
    holds_within(restriction, properties, zone)
}

fn holds_within(restriction: &Restriction, properties: &Properties, zone: &TimeZone) -> Outcome<bool> {
    match restriction {
        Restriction::And(parts) => {
            let each: Outcome<Vec<bool>> =
                parts.iter().map(|part| holds_within(part, properties, zone)).collect();
            Ok(each?.into_iter().all(|holds| holds))
        }
        Restriction::Or(parts) => {
            let each: Outcome<Vec<bool>> =
                parts.iter().map(|part| holds_within(part, properties, zone)).collect();
            Ok(each?.into_iter().any(|holds| holds))
        }
        Restriction::Not(part) => Ok(!holds_within(part, properties, zone)?),
        Restriction::Exists(path) => Ok(properties.contains_key(path)),
        Restriction::Excludes { path, bitmask } => Ok(match properties.get(path) {
            Some(Value::Integer(number)) => number & i64::from(*bitmask) == 0,
            Some(Value::Bool(flag)) => i64::from(*flag) & i64::from(*bitmask) == 0,
            _ => false,
        }),
        Restriction::Contains { path, mode, ignore_case, value } => {
            let holds = |words: &String| text::holds(words, value, *mode, *ignore_case);
            Ok(match properties.get(path) {
                Some(Value::Texts(texts)) => texts.iter().any(holds),
                value => words(value).is_some_and(|words| holds(&words)),
            })
        }
        Restriction::Compare { path, how, with } => compare(properties, (path, *how, with), zone),
    }
}

fn compare(
    properties: &Properties,
    (path, how, with): (&PropertyPath, Comparison, &Operand),
    zone: &TimeZone,
) -> Outcome<bool> {
    let form = operand::form(path);
    let right = match with {
        Operand::Constant(written) => Some(operand::constant(form, written, zone)?),
        Operand::Property(other) if alike(path, other) => comparable(form, properties.get(other)),
        Operand::Property(_) => return Err(incomparable()),
    };
    let Some(right) = right else { return Ok(false) };
    let meets = |left: Comparable| {
        order(&left, &right).is_some_and(|order| match how {
            Comparison::Equal => order == Ordering::Equal,
            Comparison::NotEqual => order != Ordering::Equal,
            Comparison::Greater => order == Ordering::Greater,
            Comparison::GreaterOrEqual => order != Ordering::Less,
            Comparison::Less => order == Ordering::Less,
            Comparison::LessOrEqual => order != Ordering::Greater,
        })
    };
    Ok(match properties.get(path) {
        Some(Value::Texts(texts)) => {
            texts.iter().any(|text| meets(Comparable::Text(text::fold(text).into_owned())))
        }
        value => comparable(form, value).is_some_and(meets),
    })
}

/// The order of two values of one kind.
fn order(left: &Comparable, right: &Comparable) -> Option<Ordering> {
    match (left, right) {
        (Comparable::Text(left), Comparable::Text(right)) => Some(left.cmp(right)),
        (Comparable::Integer(left), Comparable::Integer(right)) => Some(left.cmp(right)),
        (Comparable::Double(left), Comparable::Double(right)) => left.partial_cmp(right),
        (Comparable::Bytes(left), Comparable::Bytes(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

/// A value as comparisons of that form see it.
fn comparable(form: Form, value: Option<&Value>) -> Option<Comparable> {
    match (form, value?) {
        (Form::Word(words), Value::Text(text)) => {
            let place = words.iter().position(|word| word == text)?;
            Some(Comparable::Integer(i64::try_from(place).ok()?))
        }
        (_, Value::Integer(number)) => Some(Comparable::Integer(*number)),
        (_, Value::Bool(flag)) => Some(Comparable::Integer(i64::from(*flag))),
        (_, Value::Time(time)) => Some(Comparable::Integer(time.unix_micros())),
        (_, Value::Double(number)) => Some(Comparable::Double(*number)),
        (_, Value::Bytes(bytes)) => Some(Comparable::Bytes(bytes.clone())),
        (_, value) => words(Some(value)).map(|words| Comparable::Text(text::fold(&words).into_owned())),
    }
}

/// The text of a value, where it has one.
fn words(value: Option<&Value>) -> Option<String> {
    let person = |person: &Mailbox| match (&person.name, &person.address) {
        (Some(name), Some(address)) if name != address => format!("{name} <{address}>"),
        (name, address) => address.as_ref().or(name.as_ref()).cloned().unwrap_or_default(),
    };
    match value? {
        Value::Text(text) => Some(text.clone()),
        Value::Body(body) => Some(body.text.clone()),
        Value::Mailbox(mailbox) => Some(person(mailbox)),
        Value::Mailboxes(people) => Some(people.iter().map(person).collect::<Vec<_>>().join("; ")),
        Value::FolderId(id) => Some(id.id.clone()),
        Value::ItemId(id) => Some(id.id.clone()),
        Value::Bool(_)
        | Value::Integer(_)
        | Value::Double(_)
        | Value::Time(_)
        | Value::Bytes(_)
        | Value::Attendees(_)
        | Value::Texts(_)
        | Value::Pairs(_)
        | Value::Xml(_) => None,
    }
}
