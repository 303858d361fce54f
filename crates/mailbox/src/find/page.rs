//! Which part of a result a view asks for, and how the paging attributes go on (E4).
//!
//! - From the beginning: the page starts at the offset, and the next offset is offset plus what was returned.
//! - From the end: offsets count backwards. With 100 items and offset 25 a page of ten holds the 66th to 75th, in
//!   the result's order; the next offset from the end is 35, so that pages neither overlap nor leave gaps.
//! - By a fraction: the page starts at `total × numerator ÷ denominator`, rounded down, and the next page's fraction
//!   has the total as its denominator.
//! - Unpaged: everything, and the offset to go on with is the total.
//!
//! A page that begins beyond the end is empty and the last one.

use weir_wire::ews::request::{BasePoint, View};
use weir_wire::ews::response::Paging;

/// A part of a result: how many are skipped, how many follow, and how to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// So many are skipped …
    pub(crate) skip: u32,
    /// … and so many are shown.
    pub(crate) take: u32,
    /// How to go on.
    pub(crate) paging: Paging,
    /// Whether the page holds the last one in the direction of paging.
    pub(crate) last: bool,
}

/// The part of a result of `total` that the view asks for, of at most `bound` whatever it asks for.
pub(crate) fn page(view: &View, total: u32, bound: u32) -> Page {
    match *view {
        View::Unpaged => {
            let take = total.min(bound);
            Page { skip: 0, take, paging: Paging::Indexed(take), last: take == total }
        }
        View::Indexed { max, offset, base: BasePoint::Beginning } => {
            let skip = offset.min(total);
            let take = (total - skip).min(max.unwrap_or(bound)).min(bound);
            let next = if skip < total { skip + take } else { offset };
            Page { skip, take, paging: Paging::Indexed(next), last: skip + take == total }
        }
        View::Indexed { max, offset, base: BasePoint::End } => {
            let end = total - offset.min(total);
            let take = end.min(max.unwrap_or(bound)).min(bound);
            let next = if end > 0 { offset + take } else { offset };
            Page { skip: end - take, take, paging: Paging::Indexed(next), last: take == end }
        }
        View::Fractional { max, numerator, denominator } => {
            let start = u64::from(total) * u64::from(numerator) / u64::from(denominator.max(1));
            let skip = u32::try_from(start).unwrap_or(total).min(total);
            let take = (total - skip).min(max.unwrap_or(bound)).min(bound);
            let paging = Paging::Fractional { numerator: skip + take, denominator: total.max(1) };
            Page { skip, take, paging, last: skip + take == total }
        }
        View::Calendar { max, .. } | View::Contacts { max, .. } => {
            let take = total.min(max.unwrap_or(bound)).min(bound);
            Page { skip: 0, take, paging: Paging::None, last: take == total }
        }
    }
}

#[cfg(test)]
mod tests;
