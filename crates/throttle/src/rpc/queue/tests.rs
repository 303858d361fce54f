use super::*;

fn millis(count: u64) -> Micros {
    Micros::new(count * 1000)
}

fn at(millis: u64) -> Tick {
    Tick::new(millis * 1000)
}

#[test]
fn entries_follow_each_other_and_each_tells_what_is_left_of_it() {
    let mut queue = BackoffQueue::EMPTY;
    assert_eq!(queue.left(at(0)), None);
    assert_eq!(queue.owe(3, millis(100), at(1000)), millis(300));
    let check = |now, left: Option<u64>| assert_eq!(queue.left(at(now)), left.map(millis), "at {now} ms");
    check(1000, Some(100));
    check(1001, Some(99));
    check(1099, Some(1));
    check(1100, Some(100));
    check(1250, Some(50));
    check(1299, Some(1));
    check(1300, None);
    check(5000, None);
}

#[test]
fn thirty_seconds_are_the_most_and_the_last_entry_is_the_shorter() {
    let mut queue = BackoffQueue::EMPTY;
    assert_eq!(queue.owe(u32::MAX, millis(1_900), at(0)), DEBT_MAX);
    assert_eq!(queue.left(at(28_499)), Some(millis(1)));
    assert_eq!(queue.left(at(28_500)), Some(millis(1_500)));
    assert_eq!(queue.left(at(30_000)), None);
}

#[test]
fn an_entry_is_between_1_and_2000_ms() {
    let mut queue = BackoffQueue::EMPTY;
    assert_eq!(queue.owe(1, Micros::ZERO, at(0)), millis(1));
    assert_eq!(queue.owe(1, millis(9_000), at(0)), millis(2_000));
}

#[test]
fn a_thread_that_was_overtaken_is_told_the_whole_first_entry() {
    let mut queue = BackoffQueue::EMPTY;
    queue.owe(2, millis(100), at(1000));
    assert_eq!((queue.left(at(999)), queue.debt(at(999))), (Some(millis(100)), millis(200)));
}

#[test]
fn the_end_of_a_debt_is_remembered_and_there_is_none_before_the_first() {
    let mut queue = BackoffQueue::EMPTY;
    assert_eq!(queue.until(), None);
    queue.owe(2, millis(100), at(1000));
    assert_eq!(queue.until(), Some(at(1200)));
}
