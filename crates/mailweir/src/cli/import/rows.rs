//! The rows of the file: which column is which, and whether each cell is well formed by itself.

use weir_admin::types::Secret;
use weir_directory::names::{address_parts, check_alias, check_display_name, check_label};
use weir_directory::password::MAX_PASSWORD_BYTES;

use super::super::csv::{Malformed, Record, records};
use super::{MOST_ROWS, Problem};

/// One mailbox as the file describes it. A cell that is empty, or whose column is not there, is nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) line: usize,
    pub(super) address: String,
    pub(super) alias: Option<String>,
    pub(super) display_name: Option<String>,
    pub(super) password: Option<Secret>,
    pub(super) policy: Option<String>,
}

/// The columns there are, by their names in the first line.
const COLUMNS: [&str; 5] = ["address", "alias", "display name", "password", "policy"];

/// Where each of [`COLUMNS`] stands in a record.
type Places = [Option<usize>; COLUMNS.len()];

/// The rows of `text`, or every mistake in them.
pub(super) fn rows(text: &str) -> Result<Vec<Row>, Vec<Problem>> {
    let records =
        records(text).map_err(|Malformed { line, why }| vec![Problem { line, why: why.to_owned() }])?;
    let Some((header, records)) = records.split_first() else {
        let why = format!("the file is empty; its first line names the columns: {}", COLUMNS.join(", "));
        return Err(vec![Problem { line: 1, why }]);
    };
    let places = places(header).map_err(|why| vec![Problem { line: header.line, why }])?;
    if let Some(record) = records.get(MOST_ROWS) {
        let why = format!("at most {MOST_ROWS} mailboxes are imported at a time; split the file");
        return Err(vec![Problem { line: record.line, why }]);
    }
    let mut problems = Vec::new();
    let mut rows = Vec::with_capacity(records.len());
    for record in records {
        match row(record, header.fields.len(), &places) {
            Ok(row) => rows.push(row),
            Err(why) => problems.push(Problem { line: record.line, why }),
        }
    }
    if problems.is_empty() { Ok(rows) } else { Err(problems) }
}

/// Which column is which, in any order and case; `display_name` is `display name`.
fn places(header: &Record) -> Result<Places, String> {
    let mut places = Places::default();
    for (place, name) in header.fields.iter().enumerate() {
        let plain = name.trim().to_lowercase().replace(['_', '-'], " ");
        let column = COLUMNS.iter().position(|column| *column == plain);
        let entry = column.and_then(|column| places.get_mut(column));
        let Some(entry) = entry else {
            let hint = if name.contains(';') { "; columns are separated by commas" } else { "" };
            return Err(format!("there is no column {name:?}; the columns are {}{hint}", COLUMNS.join(", ")));
        };
        if entry.replace(place).is_some() {
            return Err(format!("the column {plain:?} is there twice; leave one out"));
        }
    }
    if places.first().is_none_or(Option::is_none) {
        return Err("the column address is missing; it says which mailbox a line is about".to_owned());
    }
    Ok(places)
}

fn row(record: &Record, columns: usize, places: &Places) -> Result<Row, String> {
    if record.fields.len() != columns {
        let fields = record.fields.len();
        return Err(format!(
            "{fields} fields, but the first line names {columns} columns; put a field that holds a comma in quotes"
        ));
    }
    let cell = |name: &str| {
        let column = COLUMNS.iter().zip(places).find(|(column, _)| **column == name);
        let field = column.and_then(|(_, place)| record.fields.get((*place)?));
        field.filter(|field| !field.is_empty()).cloned()
    };
    let row = Row {
        line: record.line,
        address: cell("address").ok_or("the address is empty; it says which mailbox the line is about")?,
        alias: cell("alias"),
        display_name: cell("display name"),
        password: cell("password").map(Secret::new),
        policy: cell("policy"),
    };
    check(&row)?;
    Ok(row)
}

fn check(row: &Row) -> Result<(), String> {
    let (local, _) = address_parts(&row.address).map_err(|error| error.to_string())?;
    check_alias(row.alias.as_deref().unwrap_or(local)).map_err(|error| error.to_string())?;
    if let Some(name) = &row.display_name {
        check_display_name(name).map_err(|error| error.to_string())?;
    }
    if let Some(policy) = &row.policy {
        check_label("policy", policy).map_err(|error| error.to_string())?;
    }
    let length = row.password.as_ref().map_or(0, |password| password.expose().len());
    if length > MAX_PASSWORD_BYTES {
        return Err(format!(
            "the password has {length} bytes and may have at most {MAX_PASSWORD_BYTES}; give a shorter one"
        ));
    }
    Ok(())
}
