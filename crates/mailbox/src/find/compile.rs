//! Restrictions as SQL.
//!
//! Every leaf is true or false, never null: a comparison with a property that is not there is false, and so `Not` of
//! it is true. The text of the SQL comes from tables in this crate alone; constants are bound.

use jiff::tz::TimeZone;
use rusqlite::types::Value as Sql;
use weir_wire::ews::field::Field;
use weir_wire::ews::property::PropertyPath;
use weir_wire::ews::request::{Comparison, Operand, Restriction};

use super::operand::{self, Comparable};
use crate::server::{Failure, Outcome};
use crate::store::column::{self, Form};
use crate::store::{path, text};

/// How deep restrictions may be nested.
const MAX_DEPTH: usize = 64;
/// How many parts they may have in all: SQLite bounds the depth of an expression, and a chain of parts is that deep.
const MAX_PARTS: usize = 500;

/// An expression of SQL with the values of its parameters, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Clause {
    /// The expression; parameters are `?`.
    pub(crate) sql: String,
    /// What is bound.
    pub(crate) values: Vec<Sql>,
}

/// The restriction as an expression over a row of `item`; times without an offset are meant in `zone`.
///
/// # Errors
/// `ErrorInvalidRestriction` where it is nested too deep, has too many parts or compares what cannot be compared;
/// `ErrorInvalidValueForProperty` where a constant does not fit.
pub(crate) fn restriction(restriction: &Restriction, zone: &TimeZone) -> Outcome<Clause> {
    check_bounds(restriction)?;
    let mut compiler = Compiler { clause: Clause::default(), zone };
    compiler.add(restriction)?;
    Ok(compiler.clause)
}

impl Clause {
    /// Adds a parameter and its place in the text.
    pub(crate) fn bind(&mut self, value: Sql) {
        self.sql.push('?');
        self.values.push(value);
    }

    /// Adds the SQL by which a property is reached: its column, the body, or its row in the table of properties.
    pub(crate) fn push_property(&mut self, name: &PropertyPath) {
        if let Some((column, _)) = column::searched(name) {
            self.sql.push_str(column.sql());
            return;
        }
        if *name == PropertyPath::Field(Field::BODY) {
            self.sql.push_str("(SELECT body FROM content WHERE content.item = item.id)");
            return;
        }
        self.sql.push_str("(SELECT value FROM property WHERE property.item = item.id AND property.path = ");
        self.bind(Sql::Text(path::to_text(name)));
        self.sql.push(')');
    }
}

struct Compiler<'z> {
    clause: Clause,
    zone: &'z TimeZone,
}

impl Compiler<'_> {
    fn add(&mut self, restriction: &Restriction) -> Outcome<()> {
        match restriction {
            Restriction::And(parts) => self.join(parts, " AND ", "1"),
            Restriction::Or(parts) => self.join(parts, " OR ", "0"),
            Restriction::Not(part) => {
                self.clause.sql.push_str("NOT ");
                self.add(part)
            }
            Restriction::Exists(path) => {
                self.clause.sql.push('(');
                self.clause.push_property(path);
                self.clause.sql.push_str(" IS NOT NULL)");
                Ok(())
            }
            Restriction::Excludes { path, bitmask } => {
                self.clause.sql.push_str("ifnull((");
                self.clause.push_property(path);
                self.clause.sql.push_str(" & ");
                self.clause.bind(Sql::Integer(i64::from(*bitmask)));
                self.clause.sql.push_str(") = 0, 0)");
                Ok(())
            }
            Restriction::Contains { path, mode, ignore_case, value } => {
                let end = self.open(path, "holds(");
                self.clause.sql.push_str(", ");
                self.clause.bind(Sql::Text(value.clone()));
                self.clause.sql.push_str(", ");
                self.clause.bind(Sql::Integer(text::mode_number(*mode)));
                self.clause.sql.push_str(", ");
                self.clause.bind(Sql::Integer(i64::from(*ignore_case)));
                self.clause.sql.push(')');
                self.clause.sql.push_str(end);
                Ok(())
            }
            Restriction::Compare { path, how, with } => self.compare(path, *how, with),
        }
    }

    fn join(&mut self, parts: &[Restriction], between: &str, empty: &str) -> Outcome<()> {
        self.clause.sql.push('(');
        if parts.is_empty() {
            self.clause.sql.push_str(empty);
        }
        for (place, part) in parts.iter().enumerate() {
            if place > 0 {
                self.clause.sql.push_str(between);
            }
            self.add(part)?;
        }
        self.clause.sql.push(')');
        Ok(())
    }

    /// Opens a condition on a property with `function`; on one of its texts, where it is a list of them. Gives what
    /// has to follow the condition.
    fn open(&mut self, path: &PropertyPath, function: &str) -> &'static str {
        if operand::is_list(path) {
            self.clause.sql.push_str("EXISTS (SELECT 1 FROM json_each(");
            self.clause.push_property(path);
            self.clause.sql.push_str(") AS one WHERE ");
            self.clause.sql.push_str(function);
            self.clause.sql.push_str("one.value");
            return ")";
        }
        self.clause.sql.push_str(function);
        self.clause.push_property(path);
        ""
    }

    fn compare(&mut self, left: &PropertyPath, how: Comparison, with: &Operand) -> Outcome<()> {
        let function = if operand::form(left) == Form::Text { "fold(" } else { "(" };
        let right = self.right_side(left, function, with)?;
        self.clause.sql.push_str("ifnull(");
        let end = self.open(left, function);
        self.clause.sql.push_str(match how {
            Comparison::Equal => ") = ",
            Comparison::NotEqual => ") <> ",
            Comparison::Greater => ") > ",
            Comparison::GreaterOrEqual => ") >= ",
            Comparison::Less => ") < ",
            Comparison::LessOrEqual => ") <= ",
        });
        self.clause.sql.push_str(&right.sql);
        self.clause.values.extend(right.values);
        self.clause.sql.push_str(end);
        self.clause.sql.push_str(", 0)");
        Ok(())
    }

    /// What a property is compared with.
    fn right_side(&self, left: &PropertyPath, function: &str, with: &Operand) -> Outcome<Clause> {
        let mut right = Clause::default();
        match with {
            Operand::Constant(written) => {
                right.bind(to_sql(operand::constant(operand::form(left), written, self.zone)?));
            }
            Operand::Property(other) if alike(left, other) => {
                right.sql.push_str(function);
                right.push_property(other);
                right.sql.push(')');
            }
            Operand::Property(_) => return Err(incomparable()),
        }
        Ok(right)
    }
}

/// Refuses restrictions that are nested too deep or have too many parts.
pub(crate) fn check_bounds(restriction: &Restriction) -> Outcome<()> {
    let (mut left, mut parts) = (vec![(restriction, 0)], 0);
    while let Some((part, depth)) = left.pop() {
        parts += 1;
        if depth > MAX_DEPTH || parts > MAX_PARTS {
            let text = "The restriction is too deep or has too many parts.";
            return Err(Failure::told("ErrorInvalidRestriction", text));
        }
        match part {
            Restriction::And(inner) | Restriction::Or(inner) => {
                left.extend(inner.iter().map(|part| (part, depth + 1)));
            }
            Restriction::Not(inner) => left.push((inner, depth + 1)),
            Restriction::Exists(_)
            | Restriction::Excludes { .. }
            | Restriction::Contains { .. }
            | Restriction::Compare { .. } => {}
        }
    }
    Ok(())
}

/// Whether two properties can be compared with one another.
pub(crate) fn alike(one: &PropertyPath, other: &PropertyPath) -> bool {
    let class = |form| match form {
        Form::Text => 0,
        Form::Integer | Form::Double => 1,
        Form::Bool => 2,
        Form::Time => 3,
        Form::Bytes => 4,
        Form::Word(_) => 5,
    };
    let (left, right) = (operand::form(one), operand::form(other));
    let same = left == right || class(left) == class(right) && class(left) != 5;
    same && !operand::is_list(one) && !operand::is_list(other)
}

/// What a comparison of two properties is told that [`alike`] refuses.
pub(crate) fn incomparable() -> Failure {
    Failure::told("ErrorInvalidRestriction", "Two properties of different kinds cannot be compared.")
}

fn to_sql(comparable: Comparable) -> Sql {
    match comparable {
        Comparable::Text(text) => Sql::Text(text),
        Comparable::Integer(number) => Sql::Integer(number),
        Comparable::Double(number) => Sql::Real(number),
        Comparable::Bytes(bytes) => Sql::Blob(bytes),
    }
}

#[cfg(test)]
mod tests;
