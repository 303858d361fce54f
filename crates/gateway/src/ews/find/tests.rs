//! T10–T12 as tables and as one property: a client that pages gets everything, each item once.

use proptest::prelude::*;
use weir_throttle::find::page_limit;
use weir_units::WallTime;
use weir_wire::ews::request::{BasePoint, View};
use weir_wire::ews::response::{Found, Paging};

use super::{Allowance, Judgement, is_paged, keep};

/// An origin that holds the items 0, 1, 2 … and answers as E4 says.
fn origin(total: u32, view: &View) -> Found<u32> {
    let all: Vec<u32> = (0..total).collect();
    let page = |start: u32, max: Option<u32>| -> Vec<u32> {
        let end = total.min(start.saturating_add(max.unwrap_or(u32::MAX)));
        if start >= end { Vec::new() } else { (start..end).collect() }
    };
    match view {
        View::Unpaged => Found { page: all, total, paging: Paging::Indexed(total), last: true },
        View::Indexed { max, offset, base: BasePoint::End } => {
            let end = total - total.min(*offset);
            let take = end.min(max.unwrap_or(u32::MAX));
            let page = page(end - take, Some(take));
            Found { page, total, paging: Paging::Indexed(offset + take), last: take == end }
        }
        View::Indexed { max, offset, base: BasePoint::Beginning } => {
            let page = page(*offset, *max);
            let next = offset + count(&page);
            Found { page, total, paging: Paging::Indexed(next), last: next >= total }
        }
        View::Fractional { max, numerator, denominator } => {
            let start = total * numerator / denominator;
            let page = page(start, *max);
            let next = start + count(&page);
            Found {
                page,
                total,
                paging: Paging::Fractional { numerator: next, denominator: total.max(1) },
                last: next >= total,
            }
        }
        View::Calendar { max, .. } | View::Contacts { max, .. } => {
            let page = page(0, *max);
            let last = count(&page) == total;
            Found { page, total, paging: Paging::None, last }
        }
    }
}

fn count(page: &[u32]) -> u32 {
    u32::try_from(page.len()).unwrap()
}

fn indexed(max: Option<u32>, offset: u32) -> View {
    View::Indexed { max, offset, base: BasePoint::Beginning }
}

fn calendar(max: Option<u32>) -> View {
    View::Calendar { max, start: WallTime::default(), end: WallTime::default() }
}

fn ask(left: Option<u32>, view: &View, total: u32) -> (Judgement, Found<u32>) {
    let allowance = Allowance::new(left);
    let mut found = origin(total, &allowance.view(view));
    (allowance.judge(view, &mut found), found)
}

#[test]
fn exactly_the_limit_still_passes_and_one_more_does_not() {
    for view in [View::Unpaged, calendar(None), View::Contacts { max: None, first: None, last: None }] {
        let (judgement, found) = ask(Some(1000), &view, 1000);
        assert_eq!((judgement, found.page.len(), found.last), (Judgement::Pass, 1000, true), "{view:?}");
        let (judgement, _) = ask(Some(1000), &view, 1001);
        assert_eq!(judgement, Judgement::TooMany, "{view:?}");
    }
}

#[test]
fn the_documents_six_drafts_come_one_by_one_with_a_limit_of_one() {
    let (judgement, found) = ask(Some(1), &indexed(Some(10_000), 0), 6);
    assert_eq!(judgement, Judgement::Pass);
    assert_eq!(found, Found { page: vec![0], total: 6, paging: Paging::Indexed(1), last: false });
}

#[test]
fn a_large_page_is_cut_to_what_is_left() {
    let (_, found) = ask(Some(1000), &indexed(Some(5000), 0), 20_000);
    assert_eq!((found.page.len(), found.paging, found.last), (1000, Paging::Indexed(1000), false));
}

#[test]
fn a_calendar_view_within_what_is_left_passes_however_many_match() {
    let (judgement, found) = ask(Some(1000), &calendar(Some(25)), 4000);
    assert_eq!((judgement, found.page.len()), (Judgement::Pass, 25));
}

#[test]
fn several_folders_share_what_is_left_and_each_gets_at_least_one() {
    for (left, folders, share) in [(1000, 4, 250), (3, 4, 1), (7, 2, 3)] {
        let (_, found) = ask(page_limit(Some(left), folders), &indexed(None, 0), 5000);
        assert_eq!(found.page.len(), share, "{left} over {folders}");
    }
}

#[test]
fn an_unpaged_answer_keeps_its_unpaged_form() {
    let (_, found) = ask(Some(1000), &View::Unpaged, 5);
    assert_eq!((found.paging, found.last, found.total), (Paging::None, true, 5));
}

#[test]
fn without_a_limit_nothing_changes() {
    let (judgement, found) = ask(None, &View::Unpaged, 5000);
    assert_eq!((judgement, found.page.len()), (Judgement::Pass, 5000));
    assert_eq!(Allowance::new(None).view(&calendar(None)), calendar(None));
}

#[test]
fn what_is_dropped_comes_with_the_next_page() {
    let view = indexed(Some(4), 2);
    let mut found = origin(10, &view);
    keep(&view, &mut found, 4);
    assert_eq!(found.paging, Paging::Indexed(6), "nothing is dropped");
    keep(&view, &mut found, 1);
    assert_eq!(found, Found { page: vec![2], total: 10, paging: Paging::Indexed(3), last: false });
    let view = View::Fractional { max: None, numerator: 1, denominator: 2 };
    let mut half = origin(4, &view);
    assert!(half.last);
    keep(&view, &mut half, 1);
    assert_eq!(half.paging, Paging::Fractional { numerator: 3, denominator: 4 });
    assert!(!half.last);
}

proptest! {
    #[test]
    fn a_client_that_pages_gets_every_item_once(
        total in 0u32..300, limit in 1u32..50, asked in 1u32..80, kind in 0..3, rivals in 0u32..50,
    ) {
        let base = if kind == 1 { BasePoint::End } else { BasePoint::Beginning };
        let mut view = if kind == 0 {
            View::Fractional { max: Some(asked), numerator: 0, denominator: 1 }
        } else {
            View::Indexed { max: Some(asked), offset: 0, base }
        };
        prop_assert!(is_paged(&view));
        let mut seen = Vec::new();
        for _ in 0..=total {
            let (judgement, mut found) = ask(Some(limit), &view, total);
            prop_assert_eq!(judgement, Judgement::Pass);
            prop_assert!(count(&found.page) <= limit.min(asked));
            let left = limit.saturating_sub(rivals).max(1);
            keep(&view, &mut found, left);
            prop_assert!(!found.page.is_empty() || found.last, "an empty page that says false");
            if base == BasePoint::End {
                found.page.reverse();
            }
            seen.extend(found.page);
            if found.last {
                break;
            }
            view = match found.paging {
                Paging::Indexed(offset) => View::Indexed { max: Some(asked), offset, base },
                Paging::Fractional { numerator, denominator } => {
                    View::Fractional { max: Some(asked), numerator, denominator }
                }
                Paging::None => unreachable!("the view is paged"),
            };
        }
        if base == BasePoint::End {
            seen.reverse();
        }
        prop_assert_eq!(seen, (0..total).collect::<Vec<_>>());
    }
}
