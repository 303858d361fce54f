use super::*;

fn id(text: &str) -> ShadowId {
    text.parse().unwrap()
}

fn at(seconds: i64) -> WallTime {
    WallTime::from_unix_micros(seconds * 1_000_000)
}

fn promise(holder: &str, shadow: &str) -> Promise {
    Promise { holder: id(holder), shadow: id(shadow) }
}

fn promises(settings: ShadowSettings, shadows: &[&str]) -> Promises {
    let mut promises = Promises::new(settings, [], at(0));
    for shadow in shadows {
        promises.onward(promise("hub01", shadow), at(0));
    }
    promises
}

fn names(answer: &Answer) -> Vec<&str> {
    answer.shadows.iter().map(ShadowId::as_str).collect()
}

#[test]
fn a_notice_is_kept_until_its_cursor_comes_back() {
    let mut promises = promises(ShadowSettings::default(), &["a", "b", "c"]);
    let first = promises.answer(&id("hub01"), 2, None);
    assert_eq!((names(&first), first.left, first.read.len()), (vec!["a", "b"], 1, 0));
    let again = promises.answer(&id("hub01"), 2, None);
    assert_eq!(names(&again), ["a", "b"], "the first answer was lost");
    let next = promises.answer(&id("hub01"), 2, Some(again.cursor));
    assert_eq!((names(&next), next.left, next.read.len()), (vec!["c"], 0, 2));
    let last = promises.answer(&id("hub01"), 2, Some(next.cursor));
    assert_eq!((names(&last), last.cursor), (vec![], next.cursor));
    assert_eq!(promises.waiting(), 0);
}

#[test]
fn holders_hear_of_their_own_messages_alone() {
    let mut promises = promises(ShadowSettings::default(), &["a"]);
    promises.onward(promise("hub02", "x"), at(0));
    assert_eq!(names(&promises.answer(&id("hub02"), 9, None)), ["x"]);
    assert!(promises.answer(&id("hub03"), 9, Some(u64::MAX)).shadows.is_empty());
    assert_eq!(promises.waiting(), 2);
}

#[test]
fn notices_survive_a_restart_and_an_old_cursor_sweeps_no_newer_one_away() {
    let settings = ShadowSettings::default();
    let mut before = Promises::new(settings, [], at(100));
    let (notice, _) = before.onward(promise("hub01", "a"), at(100));
    let kept = Notice::from_bytes(&notice.to_bytes()).unwrap();
    let mut after = Promises::new(settings, [kept], at(50));
    after.onward(promise("hub01", "b"), at(50));
    let answer = after.answer(&id("hub01"), 9, None);
    assert_eq!(names(&answer), ["a", "b"]);
    let mut empty = Promises::new(settings, [], at(200));
    empty.onward(promise("hub01", "c"), at(200));
    assert_eq!(names(&empty.answer(&id("hub01"), 9, Some(answer.cursor))), ["c"]);
}

#[test]
fn answers_and_what_is_kept_are_bounded() {
    let settings = ShadowSettings { notices: 3, notices_in_answer: 2, ..ShadowSettings::default() };
    let mut promises = promises(settings, &["a", "b", "c"]);
    let (_, dropped) = promises.onward(promise("hub01", "d"), at(0));
    assert_eq!(dropped.map(|notice| notice.promise.shadow), Some(id("a")));
    assert_eq!(promises.overflowed(), 1);
    assert_eq!(names(&promises.answer(&id("hub01"), 99, None)), ["b", "c"]);
}

#[test]
fn a_notice_that_nobody_asks_about_goes_after_two_days() {
    let mut promises = promises(ShadowSettings::default(), &["a"]);
    promises.onward(promise("hub01", "b"), at(3600));
    assert!(promises.expired(at(48 * 3600 - 1)).is_empty());
    assert_eq!(promises.expired(at(48 * 3600)).len(), 1);
    assert_eq!(promises.waiting(), 1);
}
