//! How many items and folders one find may return (T10–T12).
//!
//! A find with an offset is cut to what is left; one without – no view at all, or a calendar or contacts view – must
//! fit whole or is an error that says how large the limit is. The counting itself is the budget's
//! ([`crate::Budget::find_left`], [`crate::Budget::take_found`]); here are the rules that turn "left" into an answer.

use weir_units::{Part, Refusal};

use crate::limits::ComponentLimits;

/// How large a page over each of `folders` folders may be when `left` is left of the limit: an equal share, at least
/// one item (T11). Nothing where there is no limit; zero – ask again later – where nothing is left.
///
/// ```
/// use weir_throttle::find::page_limit;
/// assert_eq!(page_limit(Some(1000), 3), Some(333));
/// assert_eq!(page_limit(Some(2), 5), Some(1));
/// assert_eq!(page_limit(Some(0), 1), Some(0));
/// assert_eq!(page_limit(None, 1), None);
/// ```
pub fn page_limit(left: Option<u32>, folders: u32) -> Option<u32> {
    left.map(|left| if left == 0 { 0 } else { (left / folders.max(1)).max(1) })
}

/// Whether `count` items, all or none of which are returned, are more than is left. Exactly what is left passes (T12).
pub fn exceeds(count: u64, left: Option<u32>) -> bool {
    left.is_some_and(|left| count > u64::from(left))
}

/// Why a find that cannot be cut may not return `count` items: the fact behind `PolicyLimit` (T12). It has no time
/// after which to ask again, since waiting does not make the folder smaller.
pub fn refusal(limits: &ComponentLimits, count: u64) -> Refusal {
    Refusal {
        component: limits.component,
        part: Part::FindCount,
        limit: limits.find_count.unwrap_or(u32::MAX).into(),
        used: count,
        retry_after: None,
    }
}

#[cfg(test)]
mod tests;
