//! What a find may bring from a server that is not ours: the limit on one folder (T10–T12, E7).
//!
//! Three questions, in the order in which they come up: which page to ask for ([`Allowance::ask`]), whether the client
//! gets the folder whose attributes were read ([`Allowance::judge`]), and, since other calls may have taken from the
//! limit meanwhile, how much of it ([`Allowance::settle`]). Pure: the attributes come in, the decision goes out.
//!
//! The answers are those that the same find gets before the embedded server; what differs is that a count must be read
//! off attributes. Where they leave it open the largest count that they allow is taken, so that a limit holds even
//! before a server that says little.

use super::{Decision, Keep, RootFolder};
use crate::ews::peek::FindView;
use crate::ews::request::BasePoint;
use crate::ews::response::{ErrorMessage, Paging};

/// What one folder of a find may bring; none where there is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance(Option<u32>);

/// What the attributes of a folder say about the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The client gets it.
    Pass {
        /// How many entries come, at most.
        came: u32,
    },
    /// They do not say enough: the client gets it if it is counted to be no more than `most`
    /// ([`Decision::Hold`]).
    Count {
        /// How many may come.
        most: u32,
    },
    /// There is more than may be returned, and the client would not look for the rest (T12).
    TooMany {
        /// How many the server itself returns at most, where it is the server that cut the answer (E7); the policy's
        /// limit holds otherwise.
        limit: Option<u32>,
    },
}

impl Allowance {
    /// The allowance of a folder for which `left` is left: its share of the limit where the client pages, all that
    /// is left where it does not.
    pub const fn new(left: Option<u32>) -> Self {
        Self(left)
    }

    /// How many entries to ask for ([`crate::ews::peek::FindRequest::rewritten`]); none where the request stays as
    /// it is.
    ///
    /// One more than is left is asked for where the client wants all: enough to know that there are too many.
    pub fn ask(self, view: &FindView) -> Option<u32> {
        let left = self.0?;
        let cap = if view.is_paged() { left } else { left.saturating_add(1) };
        if view.max().is_some_and(|max| max <= cap) { None } else { Some(cap) }
    }

    /// Judges a folder by what its attributes say of the answer to [`Allowance::ask`].
    pub fn judge(self, view: &FindView, folder: &RootFolder) -> Judgement {
        let came = self.came(view, folder);
        let Some(left) = self.0 else { return Judgement::Pass { came } };
        match view {
            FindView::Indexed { .. } | FindView::Fractional { .. } => Judgement::Pass { came },
            FindView::Unpaged => judge_unpaged(left, folder),
            FindView::Calendar { max } | FindView::Contacts { max } => {
                judge_ranged(left, max.unwrap_or(u32::MAX), folder)
            }
        }
    }

    /// Decides on a folder that passes, when of the entries that came so many could be `taken` from the limit: the
    /// client gets these, at least one, and is told where to go on; or gets the error where it would not go on.
    pub fn settle(
        self,
        view: &FindView,
        folder: &RootFolder,
        taken: u32,
        error: impl FnOnce() -> ErrorMessage,
    ) -> Decision {
        let came = self.came(view, folder);
        let taken = taken.min(self.0.unwrap_or(u32::MAX));
        match view {
            FindView::Unpaged | FindView::Calendar { .. } | FindView::Contacts { .. } if taken < came => {
                Decision::TooMany(error())
            }
            FindView::Unpaged if self.0.is_some() => Decision::Unpaged,
            FindView::Unpaged | FindView::Calendar { .. } | FindView::Contacts { .. } => Decision::Pass,
            FindView::Indexed { .. } | FindView::Fractional { .. } => {
                cut(view, folder, came, taken.max(1)).map_or(Decision::Pass, Decision::Keep)
            }
        }
    }
}

impl Allowance {
    /// How many entries come, as far as the attributes say; otherwise the most that they allow.
    fn came(self, view: &FindView, folder: &RootFolder) -> u32 {
        let most = self.ask(view).or(view.max()).unwrap_or(u32::MAX);
        let after = |start: u32| folder.total.map_or(u32::MAX, |total| total.saturating_sub(start));
        match (view, folder.next) {
            (FindView::Unpaged, Paging::Indexed(next)) => next,
            (FindView::Unpaged, Paging::None | Paging::Fractional { .. }) => folder.total.unwrap_or(most),
            (FindView::Calendar { .. } | FindView::Contacts { .. }, _) => after(0).min(most),
            (FindView::Indexed { offset, .. }, Paging::Indexed(next)) => {
                next.saturating_sub(*offset).min(after(*offset))
            }
            (FindView::Indexed { offset, .. }, Paging::None | Paging::Fractional { .. }) => {
                most.min(after(*offset))
            }
            (
                FindView::Fractional { numerator, denominator, .. },
                Paging::Fractional { numerator: next, denominator: of },
            ) => next.saturating_sub(share(of, *numerator, *denominator)),
            (FindView::Fractional { numerator, denominator, .. }, Paging::None | Paging::Indexed(_)) => {
                let total = folder.total.unwrap_or(u32::MAX);
                most.min(total.saturating_sub(share(total, *numerator, *denominator)))
            }
        }
    }
}

/// A find of everything, answered with a page of one more than is left.
fn judge_unpaged(left: u32, folder: &RootFolder) -> Judgement {
    let returned = match folder.next {
        Paging::Indexed(next) => Some(next),
        Paging::None | Paging::Fractional { .. } => None,
    };
    let came = returned.max(folder.total);
    match (came, folder.last) {
        (Some(came), _) if came > left => Judgement::TooMany { limit: None },
        (_, Some(false)) => Judgement::TooMany { limit: returned.filter(|returned| *returned > 0) },
        (Some(_), Some(true) | None) => {
            Judgement::Pass { came: returned.or(folder.total).unwrap_or_default() }
        }
        (None, Some(true) | None) => Judgement::Count { most: left },
    }
}

/// A calendar or contacts view of at most `max`, answered with at most one more than is left.
///
/// What `TotalItemsInView` counts differs between servers – what matches, or what is returned –, so that it decides
/// alone where both come to the same.
fn judge_ranged(left: u32, max: u32, folder: &RootFolder) -> Judgement {
    match (folder.total, folder.last) {
        (total, _) if max <= left => Judgement::Pass { came: total.unwrap_or(max).min(max) },
        (Some(total), _) if total <= left => Judgement::Pass { came: total },
        (Some(_), Some(true)) => Judgement::TooMany { limit: None },
        (Some(_), Some(false) | None) | (None, _) => Judgement::Count { most: left },
    }
}

/// The first `taken` entries of a page in the direction in which it is read, and where it goes on after them; none
/// where no more came, or where the attributes do not say where a shorter page would have to go on.
fn cut(view: &FindView, folder: &RootFolder, came: u32, taken: u32) -> Option<Keep> {
    let dropped = came.checked_sub(taken).filter(|dropped| *dropped > 0)?;
    let (skip, next) = match (view, folder.next) {
        (FindView::Indexed { offset, base: BasePoint::Beginning, .. }, _) => {
            (0, Paging::Indexed(offset.saturating_add(taken)))
        }
        // Such a page is read backwards, and its last entries are the first.
        (FindView::Indexed { offset, base: BasePoint::End, .. }, Paging::Indexed(_)) => {
            (dropped, Paging::Indexed(offset.saturating_add(taken)))
        }
        (FindView::Fractional { .. }, Paging::Fractional { numerator, denominator }) => {
            (0, Paging::Fractional { numerator: numerator.saturating_sub(dropped), denominator })
        }
        (FindView::Fractional { numerator, denominator, .. }, Paging::None | Paging::Indexed(_)) => {
            let total = folder.total?;
            let numerator = share(total, *numerator, *denominator).saturating_add(taken);
            (0, Paging::Fractional { numerator, denominator: total.max(1) })
        }
        (FindView::Indexed { .. }, Paging::None | Paging::Fractional { .. })
        | (FindView::Unpaged | FindView::Calendar { .. } | FindView::Contacts { .. }, _) => return None,
    };
    Some(Keep { skip, entries: taken, next })
}

/// So many of `total`: where a fraction of it begins.
fn share(total: u32, numerator: u32, denominator: u32) -> u32 {
    let start = u64::from(total).saturating_mul(numerator.into()).checked_div(denominator.into());
    u32::try_from(start.unwrap_or_default()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
