//! What a find may bring: `EWSFindCountLimit` on one folder of a `FindItem` or `FindFolder` (T10–T12).
//!
//! Before the origin is asked, [`Allowance::view`] says which page to ask for; when it has answered,
//! [`Allowance::judge`] says what the client gets of it. A client that pages is a good one: its page is cut and it
//! reads on. A client that asks for everything at once, or for a calendar, expects to get it all: its answer is an
//! error rather than a silent cut. Pure: the counts come in, the decision goes out.

use weir_throttle::find::exceeds;
use weir_wire::ews::request::{BasePoint, View};
use weir_wire::ews::response::{Found, Paging};

/// What one folder of a find may bring; none where there is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Allowance(Option<u32>);

/// What becomes of the answer of one folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// The client gets it.
    Pass,
    /// There is more than may be returned, and the client would not look for the rest (T12).
    TooMany,
}

impl Allowance {
    /// The allowance of a folder for which `left` is left: its share of the limit where the client pages
    /// ([`weir_throttle::find::page_limit`]), all that is left where it does not.
    pub(crate) const fn new(left: Option<u32>) -> Self {
        Self(left)
    }

    /// How many entries that is; none where there is no limit.
    pub(crate) const fn left(self) -> Option<u32> {
        self.0
    }

    /// The page to ask the origin for instead of `asked`.
    ///
    /// One more than is left is asked where the client wants all: enough to know that there are too many.
    pub(crate) fn view(self, asked: &View) -> View {
        let Some(left) = self.0 else { return asked.clone() };
        let one_more = left.saturating_add(1);
        match asked {
            View::Unpaged => View::Indexed { max: Some(one_more), offset: 0, base: BasePoint::Beginning },
            View::Indexed { max, offset, base } => {
                View::Indexed { max: Some(at_most(*max, left)), offset: *offset, base: *base }
            }
            View::Fractional { max, numerator, denominator } => View::Fractional {
                max: Some(at_most(*max, left)),
                numerator: *numerator,
                denominator: *denominator,
            },
            View::Calendar { max, start, end } => {
                View::Calendar { max: Some(at_most(*max, one_more)), start: *start, end: *end }
            }
            View::Contacts { max, first, last } => View::Contacts {
                max: Some(at_most(*max, one_more)),
                first: first.clone(),
                last: last.clone(),
            },
        }
    }

    /// Judges the origin's answer to [`Allowance::view`], and gives it the form that the client asked for.
    pub(crate) fn judge<T>(self, asked: &View, found: &mut Found<T>) -> Judgement {
        let returned = u64::try_from(found.page.len()).unwrap_or(u64::MAX);
        match asked {
            View::Unpaged if exceeds(returned.max(found.total.into()), self.0) => Judgement::TooMany,
            View::Unpaged => {
                found.paging = Paging::None;
                Judgement::Pass
            }
            View::Calendar { .. } | View::Contacts { .. } if exceeds(returned, self.0) => Judgement::TooMany,
            View::Calendar { .. }
            | View::Contacts { .. }
            | View::Indexed { .. }
            | View::Fractional { .. } => Judgement::Pass,
        }
    }
}

/// Whether a client that asks so will come back for the rest.
pub(crate) const fn is_paged(view: &View) -> bool {
    match view {
        View::Indexed { .. } | View::Fractional { .. } => true,
        View::Unpaged | View::Calendar { .. } | View::Contacts { .. } => false,
    }
}

/// Keeps `staying` entries of a page because other calls took the rest of the limit meanwhile (T10), and tells the
/// client where to go on: the first ones, or, of a page that is read from the end, the last ones.
pub(crate) fn keep<T>(view: &View, found: &mut Found<T>, staying: u32) {
    let came = u32::try_from(found.page.len()).unwrap_or(u32::MAX);
    let dropped = came.saturating_sub(staying);
    if dropped == 0 {
        return;
    }
    match view {
        View::Indexed { base: BasePoint::End, .. } => {
            found.page.drain(..usize::try_from(dropped).unwrap_or(usize::MAX).min(found.page.len()));
        }
        View::Indexed { base: BasePoint::Beginning, .. }
        | View::Fractional { .. }
        | View::Unpaged
        | View::Calendar { .. }
        | View::Contacts { .. } => found.page.truncate(usize::try_from(staying).unwrap_or(usize::MAX)),
    }
    found.last = false;
    found.paging = match found.paging {
        Paging::None => Paging::None,
        Paging::Indexed(next) => Paging::Indexed(next.saturating_sub(dropped)),
        Paging::Fractional { numerator, denominator } => {
            Paging::Fractional { numerator: numerator.saturating_sub(dropped), denominator }
        }
    };
}

fn at_most(asked: Option<u32>, cap: u32) -> u32 {
    asked.map_or(cap, |max| max.min(cap))
}

#[cfg(test)]
mod tests;
