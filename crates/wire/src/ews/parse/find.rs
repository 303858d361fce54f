//! The finds: which page, which items, in which order.

use jiff::tz::TimeZone;
use weir_units::WallTime;

use super::super::request::{
    BasePoint, Comparison, ContainmentMode, FindFolder, FindItem, Operand, Restriction, SortKey, Traversal,
    View,
};
use super::super::time;
use super::super::xml::Element;
use super::{RequestError, part, path};

/// `FindItem`.
pub(super) fn items(operation: &Element, zone: &TimeZone) -> Result<FindItem, RequestError> {
    refuse(operation, &["GroupBy", "DistinguishedGroupBy"])?;
    Ok(FindItem {
        traversal: traversal(operation)?,
        shape: path::shape(operation, "ItemShape")?,
        view: view(operation, zone)?,
        restriction: restriction_in(operation)?,
        order: order(operation)?,
        query: part::optional_text(operation, "QueryString"),
        parents: path::folder_refs(operation, "ParentFolderIds")?,
    })
}

/// `FindFolder`.
pub(super) fn folders(operation: &Element, zone: &TimeZone) -> Result<FindFolder, RequestError> {
    Ok(FindFolder {
        traversal: traversal(operation)?,
        shape: path::shape(operation, "FolderShape")?,
        view: view(operation, zone)?,
        restriction: restriction_in(operation)?,
        parents: path::folder_refs(operation, "ParentFolderIds")?,
    })
}

/// Refuses what would change the answer's shape.
fn refuse(operation: &Element, names: &[&str]) -> Result<(), RequestError> {
    match operation.children.iter().find(|child| names.contains(&child.name.as_str())) {
        Some(child) => Err(RequestError::unsupported(&operation.name, child)),
        None => Ok(()),
    }
}

fn traversal(operation: &Element) -> Result<Traversal, RequestError> {
    let choices = &[
        ("Shallow", Traversal::Shallow),
        ("Deep", Traversal::Deep),
        ("SoftDeleted", Traversal::SoftDeleted),
        ("Associated", Traversal::Associated),
    ];
    part::choice("Traversal", part::attribute(operation, "Traversal")?, choices)
}

fn view(operation: &Element, zone: &TimeZone) -> Result<View, RequestError> {
    for child in &operation.children {
        return match child.name.as_str() {
            "IndexedPageItemView" | "IndexedPageFolderView" => indexed(child),
            "FractionalPageItemView" | "FractionalPageFolderView" => fractional(child),
            "CalendarView" => calendar(child, zone),
            "ContactsView" => Ok(View::Contacts {
                max: max(child)?,
                first: child.attribute("InitialName").map(str::to_owned),
                last: child.attribute("FinalName").map(str::to_owned),
            }),
            _ => continue,
        };
    }
    Ok(View::Unpaged)
}

/// How many entries are wanted: at least one, so that asking again makes progress.
fn max(view: &Element) -> Result<Option<u32>, RequestError> {
    match part::number(view, "MaxEntriesReturned")? {
        Some(0) => Err(RequestError::invalid("MaxEntriesReturned", "0")),
        max => Ok(max),
    }
}

fn indexed(view: &Element) -> Result<View, RequestError> {
    let base = match view.attribute("BasePoint") {
        Some(base) => {
            part::choice("BasePoint", base, &[("Beginning", BasePoint::Beginning), ("End", BasePoint::End)])?
        }
        None => BasePoint::Beginning,
    };
    let offset = part::number(view, "Offset")?.ok_or_else(|| part::missing(view, "Offset"))?;
    Ok(View::Indexed { max: max(view)?, offset, base })
}

fn fractional(view: &Element) -> Result<View, RequestError> {
    let numerator = part::number(view, "Numerator")?.ok_or_else(|| part::missing(view, "Numerator"))?;
    let denominator = part::number(view, "Denominator")?.ok_or_else(|| part::missing(view, "Denominator"))?;
    if denominator == 0 || numerator > denominator {
        return Err(RequestError::invalid("Numerator/Denominator", &format!("{numerator}/{denominator}")));
    }
    Ok(View::Fractional { max: max(view)?, numerator, denominator })
}

fn calendar(view: &Element, zone: &TimeZone) -> Result<View, RequestError> {
    let at = |name| -> Result<WallTime, RequestError> {
        let text = part::attribute(view, name)?;
        time::parse(text, zone).ok_or_else(|| RequestError::invalid(name, text))
    };
    Ok(View::Calendar { max: max(view)?, start: at("StartDate")?, end: at("EndDate")? })
}

fn order(operation: &Element) -> Result<Vec<SortKey>, RequestError> {
    let key = |key: &Element| {
        let order = part::attribute(key, "Order")?;
        let descending = part::choice("Order", order, &[("Ascending", false), ("Descending", true)])?;
        Ok(SortKey { path: path::path_in(key)?, descending })
    };
    operation.child("SortOrder").map_or(&[][..], |order| &order.children).iter().map(key).collect()
}

fn restriction_in(operation: &Element) -> Result<Option<Restriction>, RequestError> {
    let Some(holder) = operation.child("Restriction") else { return Ok(None) };
    let expression = holder.children.first().ok_or_else(|| part::missing(holder, "a search expression"))?;
    restriction(expression).map(Some)
}

/// One search expression. Its depth is bounded by that of the document.
fn restriction(expression: &Element) -> Result<Restriction, RequestError> {
    let all = || expression.children.iter().map(restriction).collect::<Result<Vec<_>, _>>();
    let compare = |how| {
        let with = operand(part::child(expression, "FieldURIOrConstant")?)?;
        Ok(Restriction::Compare { path: path::path_in(expression)?, how, with })
    };
    match expression.name.as_str() {
        "And" => Ok(Restriction::And(all()?)),
        "Or" => Ok(Restriction::Or(all()?)),
        "Not" => {
            let inner =
                expression.children.first().ok_or_else(|| part::missing(expression, "an expression"))?;
            Ok(Restriction::Not(Box::new(restriction(inner)?)))
        }
        "Exists" => Ok(Restriction::Exists(path::path_in(expression)?)),
        "Excludes" => {
            let bits = part::attribute(part::child(expression, "Bitmask")?, "Value")?;
            Ok(Restriction::Excludes { path: path::path_in(expression)?, bitmask: bitmask(bits)? })
        }
        "Contains" => contains(expression),
        "IsEqualTo" => compare(Comparison::Equal),
        "IsNotEqualTo" => compare(Comparison::NotEqual),
        "IsGreaterThan" => compare(Comparison::Greater),
        "IsGreaterThanOrEqualTo" => compare(Comparison::GreaterOrEqual),
        "IsLessThan" => compare(Comparison::Less),
        "IsLessThanOrEqualTo" => compare(Comparison::LessOrEqual),
        _ => Err(RequestError::unsupported("Restriction", expression)),
    }
}

fn contains(expression: &Element) -> Result<Restriction, RequestError> {
    let modes = &[
        ("FullString", ContainmentMode::FullString),
        ("Prefixed", ContainmentMode::Prefixed),
        ("Substring", ContainmentMode::Substring),
        ("PrefixOnWords", ContainmentMode::PrefixOnWords),
        ("ExactPhrase", ContainmentMode::ExactPhrase),
    ];
    let mode = expression.attribute("ContainmentMode").unwrap_or("FullString");
    let comparison = expression.attribute("ContainmentComparison").unwrap_or("Exact");
    Ok(Restriction::Contains {
        path: path::path_in(expression)?,
        mode: part::choice("ContainmentMode", mode, modes)?,
        ignore_case: comparison.contains("IgnoreCase") || comparison == "Loose",
        value: part::attribute(part::child(expression, "Constant")?, "Value")?.to_owned(),
    })
}

fn operand(holder: &Element) -> Result<Operand, RequestError> {
    match holder.child("Constant") {
        Some(constant) => Ok(Operand::Constant(part::attribute(constant, "Value")?.to_owned())),
        None => Ok(Operand::Property(path::path_in(holder)?)),
    }
}

/// Bits in either base.
fn bitmask(text: &str) -> Result<u32, RequestError> {
    let bits = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    bits.map_err(|_| RequestError::invalid("Bitmask", text))
}
