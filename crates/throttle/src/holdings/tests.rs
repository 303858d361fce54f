use super::*;

#[test]
fn each_count_stands_for_itself() {
    let holdings = Holdings::new();
    let all = PLACE.plus(PLACE).plus(WAITING).plus(HANGING).plus(LONE).plus(Counts::found_items(1000));
    holdings.take(|_| Ok::<_, ()>(all)).unwrap();
    let counts = holdings.read();
    assert_eq!((counts.places(), counts.waiting(), counts.hanging()), (2, 1, 1));
    assert_eq!((counts.found(), counts.is_lone_taken()), (1000, true));
    holdings.give(all);
    assert_eq!(holdings.read(), Counts::default());
}

#[test]
fn full_counts_do_not_run_into_one_another() {
    let holdings = Holdings::new();
    for one in [PLACE, WAITING, HANGING] {
        for _ in 0..PLACES_MAX {
            holdings.take(|_| Ok::<_, ()>(one)).unwrap();
        }
    }
    let counts = holdings.read();
    assert_eq!((counts.places(), counts.waiting(), counts.hanging()), (PLACES_MAX, PLACES_MAX, PLACES_MAX));
    assert_eq!((counts.found(), counts.is_lone_taken()), (0, false));
    let all = Counts::found_items(counts.found_room());
    holdings.take(|_| Ok::<_, ()>(all)).unwrap();
    assert_eq!(holdings.read().found_room(), 0);
    assert_eq!(Counts::found_items(u32::MAX), all, "more than fits is what fits");
    assert!(!holdings.read().is_lone_taken());
}

#[test]
fn what_is_refused_takes_nothing() {
    let holdings = Holdings::new();
    assert_eq!(holdings.take(|_| Err("no")), Err("no"));
    assert_eq!(holdings.read(), Counts::default());
}

#[test]
#[should_panic(expected = "what is given back was taken")]
#[cfg(debug_assertions)]
fn giving_back_what_was_not_taken_is_noticed() {
    let holdings = Holdings::new();
    holdings.take(|_| Ok::<_, ()>(WAITING)).unwrap();
    holdings.give(PLACE);
}
