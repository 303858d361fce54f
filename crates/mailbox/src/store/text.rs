//! How texts compare and contain one another, in Rust and as functions of SQL.
//!
//! Two texts that differ in case alone are equal and sort alike; SQLite by itself knows this of ASCII only.

use std::borrow::Cow;

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use weir_wire::ews::request::ContainmentMode;

/// Registers `fold(text)` and `holds(text, other, mode, ignore_case)`.
pub(crate) fn register(db: &Connection) -> rusqlite::Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_DIRECTONLY;
    db.create_scalar_function("fold", 1, flags, |call| {
        Ok(call.get::<Option<String>>(0)?.map(|text| fold(&text).into_owned()))
    })?;
    db.create_scalar_function("holds", 4, flags, |call| {
        let (Ok(text), Ok(other)) = (call.get_raw(0).as_str(), call.get_raw(1).as_str()) else {
            return Ok(false);
        };
        Ok(holds(text, other, mode_from_number(call.get(2)?), call.get(3)?))
    })
}

/// The text in the form in which it compares.
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii()) {
        Cow::Owned(text.to_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether `text` contains `other` in the given way.
pub(crate) fn holds(text: &str, other: &str, mode: ContainmentMode, ignore_case: bool) -> bool {
    if ignore_case {
        return holds(&fold(text), &fold(other), mode, false);
    }
    match mode {
        ContainmentMode::FullString => text == other,
        ContainmentMode::Prefixed => text.starts_with(other),
        ContainmentMode::Substring => text.contains(other),
        ContainmentMode::PrefixOnWords => places(text, other).any(|at| begins_word(text, at)),
        ContainmentMode::ExactPhrase => {
            places(text, other).any(|at| begins_word(text, at) && ends_word(text, at + other.len()))
        }
    }
}

/// The number by which SQL names a mode.
pub(crate) const fn mode_number(mode: ContainmentMode) -> i64 {
    match mode {
        ContainmentMode::FullString => 0,
        ContainmentMode::Prefixed => 1,
        ContainmentMode::Substring => 2,
        ContainmentMode::PrefixOnWords => 3,
        ContainmentMode::ExactPhrase => 4,
    }
}

const fn mode_from_number(number: i64) -> ContainmentMode {
    match number {
        0 => ContainmentMode::FullString,
        1 => ContainmentMode::Prefixed,
        3 => ContainmentMode::PrefixOnWords,
        4 => ContainmentMode::ExactPhrase,
        _ => ContainmentMode::Substring,
    }
}

/// Where `other` begins within `text`, overlapping places included.
fn places<'t>(text: &'t str, other: &'t str) -> impl Iterator<Item = usize> + 't {
    let starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    starts.filter(move |at| text.get(*at..).is_some_and(|rest| rest.starts_with(other)))
}

fn begins_word(text: &str, at: usize) -> bool {
    text.get(..at)
        .and_then(|before| before.chars().next_back())
        .is_none_or(|before| !before.is_alphanumeric())
}

fn ends_word(text: &str, at: usize) -> bool {
    text.get(at..).and_then(|after| after.chars().next()).is_none_or(|after| !after.is_alphanumeric())
}

#[cfg(test)]
mod tests;
