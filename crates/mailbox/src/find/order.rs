//! Sort orders as SQL.

use weir_wire::ews::request::SortKey;

use super::compile::Clause;
use super::operand;
use crate::server::{Failure, Outcome};
use crate::store::column::Form;

/// The most keys that a sort order may have.
const MAX_KEYS: usize = 16;

/// The sort order as what follows `ORDER BY`; newest first where no key is given. What has no value comes first in
/// ascending order; what is equal is ordered by age, so that every page sees one order.
///
/// # Errors
/// `ErrorUnsupportedPathForSortGroup` where the order has too many keys.
pub(crate) fn items(keys: &[SortKey]) -> Outcome<Clause> {
    if keys.len() > MAX_KEYS {
        return Err(Failure::told("ErrorUnsupportedPathForSortGroup", "The sort order has too many keys."));
    }
    let mut clause = Clause::default();
    for SortKey { path, descending } in keys {
        let folds = operand::form(path) == Form::Text;
        clause.sql.push_str(if folds { "fold(" } else { "(" });
        clause.push_property(path);
        clause.sql.push_str(if *descending { ") DESC, " } else { "), " });
    }
    clause.sql.push_str(match keys.first() {
        None => "item.received DESC, item.id DESC",
        Some(SortKey { descending: true, .. }) => "item.id DESC",
        Some(SortKey { descending: false, .. }) => "item.id",
    });
    Ok(clause)
}
