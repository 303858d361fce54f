//! Deliveries from outside, by the names that the sender gives them.
//!
//! A sender that was cut off before it heard that a delivery was made makes it again. The last ones are remembered, of
//! all mailboxes together, so that such a repetition changes nothing; what falls behind the bound is delivered twice.

use rusqlite::params;

use crate::server::{Outcome, Visit};

/// Deliveries that are remembered.
pub(crate) const MAX_REMEMBERED: i64 = 100_000;

/// After so many deliveries those beyond the bound are forgotten.
const DELIVERIES_BETWEEN_PRUNINGS: i64 = 256;

/// Notes that the opened mailbox gets the delivery of that name; false where it has got it. The last `most` are remembered.
pub(crate) fn note(visit: &Visit<'_>, name: &str, most: i64) -> Outcome<bool> {
    let noted = visit
        .db
        .prepare_cached("INSERT OR IGNORE INTO delivery (mailbox, name) VALUES (?1, ?2)")?
        .execute(params![visit.mailbox.0, name])?;
    if noted == 0 {
        return Ok(false);
    }
    let number = visit.db.last_insert_rowid();
    if number % DELIVERIES_BETWEEN_PRUNINGS == 0 {
        visit
            .db
            .prepare_cached("DELETE FROM delivery WHERE number <= ?1")?
            .execute([number.saturating_sub(most)])?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests;
