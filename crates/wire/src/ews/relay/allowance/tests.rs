//! T10–T12 and E7 as tables, and the way of a whole find as properties, against a server that holds 0, 1, 2 …

use proptest::prelude::*;

use super::*;
use crate::ews::refusal::too_many_found;
use crate::ews::request::Version;

const INDEXED: FindView = FindView::Indexed { max: None, offset: 0, base: BasePoint::Beginning };
const UNPAGED: FindView = FindView::Unpaged;

fn folder(total: u32, next: Paging, last: bool) -> RootFolder {
    RootFolder { index: 0, total: Some(total), next, last: Some(last) }
}

fn error() -> ErrorMessage {
    too_many_found(7, Version::Exchange2010)
}

/// A server as it answers a find.
#[derive(Clone, Copy, Debug, Default)]
struct Server {
    /// How many it has.
    total: u32,
    /// How many it returns at most, whatever is asked.
    own_limit: Option<u32>,
    /// Its `TotalItemsInView` says of calendars what is returned.
    counts_returned: bool,
    /// It says nothing in numbers.
    silent: bool,
}

impl Server {
    /// The page, and what its attributes say of it, when the view is asked with this largest number.
    fn answer(self, view: &FindView, max: Option<u32>) -> (Vec<u32>, RootFolder) {
        let total = self.total;
        let max = max.unwrap_or(u32::MAX).min(self.own_limit.unwrap_or(u32::MAX));
        let (start, end) = match view {
            FindView::Unpaged | FindView::Calendar { .. } | FindView::Contacts { .. } => (0, total.min(max)),
            FindView::Indexed { offset, base: BasePoint::Beginning, .. } => {
                (total.min(*offset), total.min(offset.saturating_add(max)))
            }
            FindView::Indexed { offset, base: BasePoint::End, .. } => {
                let end = total - total.min(*offset);
                (end - end.min(max), end)
            }
            FindView::Fractional { numerator, denominator, .. } => {
                let start = share(total, *numerator, *denominator);
                (start, total.min(start.saturating_add(max)))
            }
        };
        let page: Vec<u32> = (start..end).collect();
        let came = end - start;
        let (next, last) = match view {
            FindView::Unpaged => (Paging::Indexed(came), end == total),
            FindView::Calendar { .. } | FindView::Contacts { .. } => (Paging::None, end == total),
            FindView::Indexed { offset, base: BasePoint::Beginning, .. } => {
                (Paging::Indexed(offset + came), end == total)
            }
            FindView::Indexed { offset, base: BasePoint::End, .. } => {
                (Paging::Indexed(offset + came), start == 0)
            }
            FindView::Fractional { .. } => {
                (Paging::Fractional { numerator: end, denominator: total.max(1) }, end == total)
            }
        };
        let ranged = matches!(view, FindView::Calendar { .. } | FindView::Contacts { .. });
        let says = if self.counts_returned && ranged { came } else { total };
        let folder = if self.silent {
            RootFolder { index: 0, total: None, next: Paging::None, last: None }
        } else {
            folder(says, next, last)
        };
        (page, folder)
    }
}

/// What a client gets.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Got {
    Page(Vec<u32>, Option<Paging>),
    TooMany(Option<u32>),
}

/// The way of one folder: asked, judged, taken from the limit, decided.
fn find(server: Server, view: &FindView, left: Option<u32>, grant: u32) -> Got {
    let allowance = Allowance::new(left);
    let (page, folder) = server.answer(view, allowance.ask(view).or(view.max()));
    let decision = match allowance.judge(view, &folder) {
        Judgement::TooMany { limit } => return Got::TooMany(limit),
        Judgement::Count { most } => {
            let unpaged = *view == FindView::Unpaged;
            Decision::Hold { most: most.min(grant), error: error(), unpaged }
        }
        Judgement::Pass { came } => {
            let least = u32::from(view.is_paged());
            allowance.settle(view, &folder, came.min(grant.max(least)), error)
        }
    };
    match decision {
        Decision::Pass | Decision::Unpaged => Got::Page(page, None),
        Decision::Hold { most, .. } if page.len() <= usize::try_from(most).expect("small") => {
            Got::Page(page, None)
        }
        Decision::Hold { .. } | Decision::TooMany(_) => Got::TooMany(None),
        Decision::Keep(Keep { skip, entries, next }) => {
            let (skip, entries) =
                (usize::try_from(skip).expect("small"), usize::try_from(entries).expect("small"));
            Got::Page(page.into_iter().skip(skip).take(entries).collect(), Some(next))
        }
    }
}

fn all(total: u32) -> Got {
    Got::Page((0..total).collect(), None)
}

#[test]
fn one_more_than_is_left_is_asked_for_where_all_is_wanted() {
    let calendar = |max| FindView::Calendar { max };
    for (left, view, expected) in [
        (None, UNPAGED, None),
        (Some(1000), UNPAGED, Some(1001)),
        (Some(u32::MAX), UNPAGED, Some(u32::MAX)),
        (Some(1000), INDEXED, Some(1000)),
        (Some(1000), FindView::Indexed { max: Some(1000), offset: 0, base: BasePoint::End }, None),
        (Some(1000), FindView::Fractional { max: Some(1001), numerator: 0, denominator: 1 }, Some(1000)),
        (Some(1000), calendar(None), Some(1001)),
        (Some(1000), calendar(Some(1001)), None),
        (Some(1000), calendar(Some(1002)), Some(1001)),
        (Some(0), FindView::Contacts { max: None }, Some(1)),
    ] {
        assert_eq!(Allowance::new(left).ask(&view), expected, "{left:?} {view:?}");
    }
}

#[test]
fn exactly_the_limit_passes_and_one_more_does_not_before_any_server() {
    for view in [UNPAGED, FindView::Calendar { max: None }, FindView::Contacts { max: Some(5000) }] {
        for (counts_returned, silent) in [(false, false), (true, false), (false, true)] {
            let server = |total| Server { total, own_limit: None, counts_returned, silent };
            assert_eq!(find(server(1000), &view, Some(1000), 1000), all(1000), "{view:?}");
            assert_eq!(find(server(1001), &view, Some(1000), 1000), Got::TooMany(None), "{view:?}");
        }
    }
}

#[test]
fn the_documents_six_drafts_come_one_by_one_with_a_limit_of_one() {
    let view = FindView::Indexed { max: Some(10_000), offset: 0, base: BasePoint::Beginning };
    let allowance = Allowance::new(Some(1));
    let (page, folder) = Server { total: 6, ..Server::default() }.answer(&view, allowance.ask(&view));
    assert_eq!((page, folder), (vec![0], self::folder(6, Paging::Indexed(1), false)));
    assert_eq!(allowance.judge(&view, &folder), Judgement::Pass { came: 1 });
    assert_eq!(allowance.settle(&view, &folder, 1, error), Decision::Pass);
}

#[test]
fn a_calendar_view_within_what_is_left_passes_however_many_match() {
    let view = FindView::Calendar { max: Some(25) };
    assert_eq!(find(Server { total: 4000, ..Server::default() }, &view, Some(1000), 1000), all(25));
}

#[test]
fn a_server_that_cuts_lower_on_its_own_makes_its_own_number_the_limit() {
    let server = Server { total: 800, own_limit: Some(250), ..Server::default() };
    assert_eq!(find(server, &UNPAGED, Some(1000), 1000), Got::TooMany(Some(250)));
    assert_eq!(find(server, &UNPAGED, Some(700), 700), Got::TooMany(None), "our limit is met first");
    let allowance = Allowance::new(Some(1000));
    let unsaid = folder(800, Paging::None, false);
    assert_eq!(allowance.judge(&UNPAGED, &unsaid), Judgement::TooMany { limit: None });
    assert_eq!(find(server, &INDEXED, Some(1000), 1000), all(250), "a client that pages reads on");
    assert_eq!(find(server, &FindView::Calendar { max: None }, Some(1000), 1000), all(250), "as without us");
}

#[test]
fn a_server_that_returns_more_than_it_was_asked_for_is_cut() {
    let view = FindView::Indexed { max: None, offset: 10, base: BasePoint::Beginning };
    let (allowance, folder) = (Allowance::new(Some(5)), folder(100, Paging::Indexed(100), true));
    assert_eq!(allowance.judge(&view, &folder), Judgement::Pass { came: 90 });
    let expected = Keep { skip: 0, entries: 5, next: Paging::Indexed(15) };
    assert_eq!(allowance.settle(&view, &folder, 90, error), Decision::Keep(expected));
    assert_eq!(allowance.judge(&UNPAGED, &folder), Judgement::TooMany { limit: None });
}

#[test]
fn without_a_limit_nothing_changes() {
    for view in [UNPAGED, INDEXED, FindView::Calendar { max: Some(9) }] {
        for silent in [false, true] {
            let server = Server { total: 5000, silent, ..Server::default() };
            let Got::Page(_, None) = find(server, &view, None, u32::MAX) else {
                panic!("{view:?} is changed")
            };
        }
    }
    let decision = Allowance::new(None).settle(&UNPAGED, &folder(5, Paging::Indexed(5), true), 5, error);
    assert_eq!(
        decision,
        Decision::Pass,
        "the request was not rewritten, so its answer has the client's form"
    );
}

#[test]
fn what_others_took_meanwhile_is_missing_from_a_page_and_an_error_without_one() {
    let server = Server { total: 10, ..Server::default() };
    let taken = |view: &FindView| find(server, view, Some(20), 4);
    assert_eq!(taken(&UNPAGED), Got::TooMany(None));
    assert_eq!(taken(&FindView::Calendar { max: None }), Got::TooMany(None));
    assert_eq!(taken(&INDEXED), Got::Page(vec![0, 1, 2, 3], Some(Paging::Indexed(4))));
    let backwards = FindView::Indexed { max: None, offset: 2, base: BasePoint::End };
    assert_eq!(taken(&backwards), Got::Page(vec![4, 5, 6, 7], Some(Paging::Indexed(6))));
    let half = FindView::Fractional { max: None, numerator: 1, denominator: 2 };
    let next = Paging::Fractional { numerator: 9, denominator: 10 };
    assert_eq!(taken(&half), Got::Page(vec![5, 6, 7, 8], Some(next)));
    assert_eq!(
        find(server, &INDEXED, Some(20), 0),
        Got::Page(vec![0], Some(Paging::Indexed(1))),
        "one stays"
    );
}

#[test]
fn attributes_that_are_missing_are_taken_for_the_largest_they_may_be() {
    let silent = RootFolder { index: 0, total: None, next: Paging::None, last: None };
    let allowance = Allowance::new(Some(8));
    let fraction = FindView::Fractional { max: None, numerator: 1, denominator: 2 };
    let backwards = FindView::Indexed { max: None, offset: 3, base: BasePoint::End };
    for view in [INDEXED, fraction, backwards] {
        assert_eq!(allowance.judge(&view, &silent), Judgement::Pass { came: 8 }, "{view:?}");
    }
    let keep = |view: &FindView, folder: &RootFolder| allowance.settle(view, folder, 5, error);
    let next = |next| Decision::Keep(Keep { skip: 0, entries: 5, next });
    assert_eq!(keep(&INDEXED, &silent), next(Paging::Indexed(5)));
    assert_eq!(keep(&fraction, &silent), Decision::Pass, "nobody knows where to go on");
    assert_eq!(keep(&backwards, &silent), Decision::Pass, "nobody knows which to drop");
    let total = RootFolder { total: Some(40), ..silent };
    assert_eq!(keep(&fraction, &total), next(Paging::Fractional { numerator: 25, denominator: 40 }));
    assert_eq!(allowance.judge(&UNPAGED, &silent), Judgement::Count { most: 8 });
    assert_eq!(allowance.judge(&FindView::Contacts { max: None }, &silent), Judgement::Count { most: 8 });
    assert_eq!(allowance.judge(&FindView::Contacts { max: Some(3) }, &silent), Judgement::Pass { came: 3 });
}

fn any_paged(max: Option<u32>) -> impl Strategy<Value = FindView> {
    prop_oneof![
        any::<bool>().prop_map(move |end| {
            let base = if end { BasePoint::End } else { BasePoint::Beginning };
            FindView::Indexed { max, offset: 0, base }
        }),
        Just(FindView::Fractional { max, numerator: 0, denominator: 1 }),
    ]
}

/// The next page of the same view.
fn next_page(view: &FindView, next: Paging) -> FindView {
    match (*view, next) {
        (FindView::Indexed { max, base, .. }, Paging::Indexed(offset)) => {
            FindView::Indexed { max, offset, base }
        }
        (FindView::Fractional { max, .. }, Paging::Fractional { numerator, denominator }) => {
            FindView::Fractional { max, numerator, denominator }
        }
        (view, next) => panic!("{next:?} is no page of {view:?}"),
    }
}

proptest! {
    #[test]
    fn a_client_that_pages_gets_every_item_once(
        total in 0u32..300,
        limit in 1u32..50,
        first in proptest::option::of(1u32..80).prop_flat_map(any_paged),
        own_limit in proptest::option::of(1u32..40),
        grants in proptest::collection::vec(0u32..60, 1..9),
    ) {
        let server = Server { total, own_limit, ..Server::default() };
        let (mut view, mut seen) = (first, Vec::new());
        for grant in grants.iter().cycle().take(310) {
            let Got::Page(page, cut) = find(server, &view, Some(limit), *grant) else { panic!("a page is no error") };
            prop_assert!(page.len() <= usize::try_from(limit).expect("small"));
            let (_, folder) = server.answer(&view, Allowance::new(Some(limit)).ask(&view).or(view.max()));
            let last = cut.is_none() && folder.last == Some(true);
            prop_assert!(!page.is_empty() || last, "an empty page that says false");
            seen.extend(page);
            if last {
                break;
            }
            view = next_page(&view, cut.unwrap_or(folder.next));
        }
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..total).collect::<Vec<_>>());
    }

    #[test]
    fn all_or_nothing_is_all_or_an_error_and_never_more_than_is_left(
        total in 0u32..60,
        max in proptest::option::of(1u32..60),
        left in 0u32..60,
        grant in 0u32..60,
        kind in 0u8..3,
        counts_returned: bool,
        silent: bool,
    ) {
        let view = match kind {
            0 => FindView::Unpaged,
            1 => FindView::Calendar { max },
            _ => FindView::Contacts { max },
        };
        let server = Server { total, own_limit: None, counts_returned, silent };
        let wanted = total.min(view.max().unwrap_or(u32::MAX));
        let got = find(server, &view, Some(left), grant);
        if wanted <= left.min(grant) && (!silent || kind == 0 || max.is_none_or(|max| max > left || max <= grant)) {
            prop_assert_eq!(got, all(wanted));
        } else {
            prop_assert_eq!(got, Got::TooMany(None));
        }
    }
}
