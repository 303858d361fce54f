//! Restrictions and sort orders of tables, as the store's searches have them.
//!
//! A restriction becomes one of EWS's, which is compiled to SQL for messages and evaluated for folders; what that cannot
//! say – sizes, attachments, patterns – is too complex. Who sent a message is searched by name and address at once.

use jiff::tz::TimeZone;
use rusqlite::types::Value as Sql;
use weir_wire::ews::field::Field;
use weir_wire::ews::property::{Properties, PropertyPath};
use weir_wire::ews::request::{
    Comparison, ContainmentMode, Operand, Restriction as StoreRestriction, SortKey,
};
use weir_wire::mapi::error_code::ErrorCode;
use weir_wire::mapi::property::{PropertyTag, TaggedValue, tag};
use weir_wire::mapi::restriction::{Operator, Restriction};
use weir_wire::mapi::row::Cell;
use weir_wire::mapi::sort::{Direction, SortOrder};

use super::property::folder as folder_properties;
use super::property::message::{self, View};
use super::property::{path, value};
use crate::find::compile::{self, Clause};
use crate::find::{evaluate, order};
use crate::server::{Outcome, Visit};
use crate::store::folder::StoredFolder;

/// The rows that a table shows.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    restriction: StoreRestriction,
    /// The properties that it names.
    names: Vec<(PropertyPath, PropertyTag)>,
    clause: Clause,
}

type Resolve<'r> = &'r dyn Fn(PropertyTag) -> Result<PropertyPath, ErrorCode>;

impl Filter {
    /// A filter of messages.
    ///
    /// # Errors
    /// Where the store cannot search for that.
    pub(super) fn of_messages(visit: &Visit<'_>, restriction: &Restriction) -> Result<Self, ErrorCode> {
        Self::new(&|tag| searched(visit, tag), restriction)
    }

    /// A filter of folders.
    ///
    /// # Errors
    /// Where the store cannot search for that.
    pub(super) fn of_folders(view: &View<'_>, restriction: &Restriction) -> Result<Self, ErrorCode> {
        let resolve = |tag| folder_properties::stored_path(view, tag)?.ok_or(ErrorCode::TOO_COMPLEX);
        Self::new(&resolve, restriction)
    }

    fn new(resolve: Resolve<'_>, restriction: &Restriction) -> Result<Self, ErrorCode> {
        let mut translation = Translation { resolve, names: Vec::new() };
        let restriction = translation.translate(restriction)?;
        let clause = compile::restriction(&restriction, &TimeZone::UTC)?;
        Ok(Self { restriction, names: translation.names, clause })
    }

    /// How many bytes it holds, more or less.
    pub(super) fn bytes(&self) -> usize {
        /// A part of a restriction has a few of them, and a name or two.
        const PART: usize = 256;
        let values = self.clause.values.iter().map(|value| match value {
            Sql::Text(text) => text.len(),
            Sql::Blob(bytes) => bytes.len(),
            Sql::Null | Sql::Integer(_) | Sql::Real(_) => 8,
        });
        self.clause.sql.len() + 2 * values.sum::<usize>() + PART * self.clause.values.len()
    }

    /// The filter as a condition on items.
    pub(super) const fn clause(&self) -> &Clause {
        &self.clause
    }

    /// Whether a folder is shown.
    pub(super) fn holds_for_folder(
        &self,
        view: &View<'_>,
        stored: &StoredFolder,
        depth: i32,
    ) -> Outcome<bool> {
        let tags: Vec<PropertyTag> = self.names.iter().map(|(_, tag)| *tag).collect();
        let cells = folder_properties::cells(view, stored, depth, &tags)?;
        let named = self.names.iter().zip(cells).filter_map(|((path, _), cell)| match cell {
            Cell::Value(found) => Some((path.clone(), value::to_store(&found)?)),
            Cell::Absent | Cell::Error(_) => None,
        });
        evaluate::holds(&self.restriction, &named.collect::<Properties>(), &TimeZone::UTC)
    }
}

/// A sort order of messages.
///
/// # Errors
/// Where the store cannot sort by that.
pub(super) fn sorted(visit: &Visit<'_>, orders: &[SortOrder]) -> Result<Clause, ErrorCode> {
    let key = |order: &SortOrder| {
        let descending = match order.direction {
            Direction::ASCENDING => false,
            Direction::DESCENDING => true,
            _ => return Err(ErrorCode::TOO_COMPLEX),
        };
        Ok(SortKey { path: searched(visit, order.tag)?, descending })
    };
    let keys = orders.iter().map(key).collect::<Result<Vec<_>, _>>()?;
    Ok(order::items(&keys)?)
}

/// What of a message is searched for a property.
fn searched(visit: &Visit<'_>, tag: PropertyTag) -> Result<PropertyPath, ErrorCode> {
    const PEOPLE: [PropertyTag; 6] = [
        tag::SENDER_NAME,
        tag::SENDER_EMAIL_ADDRESS,
        tag::SENDER_SMTP_ADDRESS,
        tag::SENT_REPRESENTING_NAME,
        tag::SENT_REPRESENTING_EMAIL_ADDRESS,
        tag::SENT_REPRESENTING_SMTP_ADDRESS,
    ];
    let is = |known: &PropertyTag| known.id() == tag.id();
    if PEOPLE.iter().any(is) {
        return Ok(PropertyPath::Field(Field::FROM));
    }
    if [tag::NORMALIZED_SUBJECT, tag::CONVERSATION_TOPIC].iter().any(is) {
        return Ok(PropertyPath::Field(Field::SUBJECT));
    }
    if is(&tag::BODY) {
        return Ok(PropertyPath::Field(Field::BODY));
    }
    if message::is_computed(tag) {
        return Err(ErrorCode::TOO_COMPLEX);
    }
    path::of(visit, tag)?.ok_or(ErrorCode::TOO_COMPLEX)
}

struct Translation<'r> {
    resolve: Resolve<'r>,
    names: Vec<(PropertyPath, PropertyTag)>,
}

impl Translation<'_> {
    fn translate(&mut self, restriction: &Restriction) -> Result<StoreRestriction, ErrorCode> {
        Ok(match restriction {
            Restriction::And(parts) => StoreRestriction::And(self.all(parts)?),
            Restriction::Or(parts) => StoreRestriction::Or(self.all(parts)?),
            Restriction::Not(part) => StoreRestriction::Not(Box::new(self.translate(part)?)),
            Restriction::Content { place, fuzziness, tag, value } => {
                self.contains((*place, *fuzziness), *tag, value)?
            }
            Restriction::Property { operator, tag, value } => StoreRestriction::Compare {
                path: self.name(*tag)?,
                how: comparison(*operator)?,
                with: Operand::Constant(value::to_constant(&value.value).ok_or(ErrorCode::TOO_COMPLEX)?),
            },
            Restriction::CompareProperties { operator, left, right } => StoreRestriction::Compare {
                path: self.name(*left)?,
                how: comparison(*operator)?,
                with: Operand::Property(self.name(*right)?),
            },
            Restriction::BitMask { set, tag, mask } => {
                let path = self.name(*tag)?;
                let there = StoreRestriction::Exists(path.clone());
                let none = StoreRestriction::Excludes { path, bitmask: *mask };
                if *set {
                    StoreRestriction::And(vec![there, StoreRestriction::Not(Box::new(none))])
                } else {
                    none
                }
            }
            Restriction::Exist(tag) => StoreRestriction::Exists(self.name(*tag)?),
            Restriction::Comment { restriction: Some(restriction), .. } => self.translate(restriction)?,
            Restriction::Comment { restriction: None, .. } => StoreRestriction::And(Vec::new()),
            Restriction::Size { .. } | Restriction::SubRestriction { .. } | Restriction::Count { .. } => {
                return Err(ErrorCode::TOO_COMPLEX);
            }
        })
    }

    fn all(&mut self, parts: &[Restriction]) -> Result<Vec<StoreRestriction>, ErrorCode> {
        parts.iter().map(|part| self.translate(part)).collect()
    }

    fn contains(
        &mut self,
        (place, fuzziness): (u16, u16),
        tag: PropertyTag,
        tagged: &TaggedValue,
    ) -> Result<StoreRestriction, ErrorCode> {
        let mode = match place {
            Restriction::FULL_STRING => ContainmentMode::FullString,
            Restriction::SUBSTRING => ContainmentMode::Substring,
            Restriction::PREFIX => ContainmentMode::Prefixed,
            _ => return Err(ErrorCode::TOO_COMPLEX),
        };
        let text = value::to_store(&tagged.value);
        let Some(weir_wire::ews::property::Value::Text(text)) = text else {
            return Err(ErrorCode::TOO_COMPLEX);
        };
        let ignore_case = fuzziness & (Restriction::IGNORE_CASE | Restriction::LOOSE) != 0;
        Ok(StoreRestriction::Contains { path: self.name(tag)?, mode, ignore_case, value: text })
    }

    fn name(&mut self, tag: PropertyTag) -> Result<PropertyPath, ErrorCode> {
        let path = (self.resolve)(tag)?;
        self.names.push((path.clone(), tag));
        Ok(path)
    }
}

fn comparison(operator: Operator) -> Result<Comparison, ErrorCode> {
    Ok(match operator {
        Operator::LESS => Comparison::Less,
        Operator::LESS_OR_EQUAL => Comparison::LessOrEqual,
        Operator::GREATER => Comparison::Greater,
        Operator::GREATER_OR_EQUAL => Comparison::GreaterOrEqual,
        Operator::EQUAL => Comparison::Equal,
        Operator::NOT_EQUAL => Comparison::NotEqual,
        _ => return Err(ErrorCode::TOO_COMPLEX),
    })
}
