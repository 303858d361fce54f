use proptest::prelude::*;
use weir_wire::ews::request::{BasePoint, View};
use weir_wire::ews::response::Paging;

use super::{Page, page};

fn indexed(max: Option<u32>, offset: u32, base: BasePoint) -> View {
    View::Indexed { max, offset, base }
}

#[test]
fn each_view_shows_its_part_and_says_how_to_go_on() {
    use BasePoint::{Beginning, End};
    let fractional = |numerator, denominator| View::Fractional { max: Some(10), numerator, denominator };
    let fraction = |numerator, denominator| Paging::Fractional { numerator, denominator };
    let contacts = |max| View::Contacts { max, first: None, last: None };
    let cases = [
        (View::Unpaged, 7, (0, 7), Paging::Indexed(7), true),
        (View::Unpaged, 0, (0, 0), Paging::Indexed(0), true),
        (indexed(Some(1), 0, Beginning), 6, (0, 1), Paging::Indexed(1), false),
        (indexed(Some(1), 5, Beginning), 6, (5, 1), Paging::Indexed(6), true),
        (indexed(Some(5000), 0, Beginning), 20_000, (0, 5000), Paging::Indexed(5000), false),
        (indexed(None, 2, Beginning), 6, (2, 4), Paging::Indexed(6), true),
        (indexed(Some(9), 6, Beginning), 6, (6, 0), Paging::Indexed(6), true),
        (indexed(Some(9), 99, Beginning), 6, (6, 0), Paging::Indexed(99), true),
        (indexed(Some(10), 25, End), 100, (65, 10), Paging::Indexed(35), false),
        (indexed(Some(10), 95, End), 100, (0, 5), Paging::Indexed(100), true),
        (indexed(None, 0, End), 100, (0, 100), Paging::Indexed(100), true),
        (indexed(Some(10), 200, End), 100, (0, 0), Paging::Indexed(200), true),
        (fractional(0, 1), 100, (0, 10), fraction(10, 100), false),
        (fractional(1, 3), 100, (33, 10), fraction(43, 100), false),
        (fractional(95, 100), 100, (95, 5), fraction(100, 100), true),
        (fractional(1, 1), 100, (100, 0), fraction(100, 100), true),
        (fractional(1, 2), 0, (0, 0), fraction(0, 1), true),
        (contacts(Some(2)), 3, (0, 2), Paging::None, false),
        (contacts(Some(3)), 3, (0, 3), Paging::None, true),
        (contacts(None), 3, (0, 3), Paging::None, true),
    ];
    for (view, total, (skip, take), paging, last) in cases {
        assert_eq!(page(&view, total, 10_000), Page { skip, take, paging, last }, "{view:?} of {total}");
    }
}

#[test]
fn no_page_is_longer_than_the_servers_bound() {
    for view in [View::Unpaged, indexed(Some(99), 0, BasePoint::Beginning), indexed(None, 0, BasePoint::End)]
    {
        let cut = page(&view, 50, 10);
        assert_eq!((cut.take, cut.last), (10, false), "{view:?}");
    }
}

proptest! {
    #[test]
    fn fractions_lead_through_everything_once(total in 0_u32..500, max in 1_u32..60) {
        let (mut numerator, mut denominator, mut seen) = (0, 1, 0);
        loop {
            let part = page(&View::Fractional { max: Some(max), numerator, denominator }, total, 1000);
            prop_assert_eq!(part.skip, seen);
            seen += part.take;
            let Paging::Fractional { numerator: next, denominator: of } = part.paging else { panic!() };
            (numerator, denominator) = (next, of);
            if part.last { break; }
        }
        prop_assert_eq!(seen, total);
    }

    #[test]
    fn any_page_lies_within_the_result(
        total in any::<u32>(), max in proptest::option::of(any::<u32>()), offset in any::<u32>(), end in any::<bool>(),
    ) {
        let base = if end { BasePoint::End } else { BasePoint::Beginning };
        let part = page(&indexed(max, offset, base), total, 1000);
        prop_assert!(part.skip.checked_add(part.take).is_some_and(|end| end <= total) && part.take <= 1000);
        prop_assert_eq!(part.paging, Paging::Indexed(offset + part.take));
    }
}
