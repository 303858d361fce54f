use super::*;

fn promise(shadow: &str) -> Promise {
    Promise { holder: "hub01".parse().unwrap(), shadow: shadow.parse().unwrap() }
}

fn holder() -> ShadowId {
    "hub01".parse().unwrap()
}

fn at(second: i64) -> WallTime {
    WallTime::from_unix_micros(second * 1_000_000)
}

fn place(number: u64, slot: u32) -> Place {
    (MessageId::new(number), slot)
}

fn query(seen: Option<u64>) -> DiscardQuery {
    DiscardQuery { most: 10, seen }
}

fn names(notices: &DiscardNotices) -> Vec<&str> {
    notices.messages.iter().map(Token::as_str).collect()
}

#[test]
fn before_the_queue_was_read_nobody_is_told_and_nothing_is_lost() {
    let mut told = Told::new(ShadowSettings::default());
    assert_eq!(told.onward(promise("new"), at(10)), None);
    assert_eq!(told.onward(promise("old"), at(10)), None, "its notice was on disk before the crash");
    let (notices, _) = told.answer(&holder(), query(Some(7)));
    assert_eq!((notices.cursor, notices.left, names(&notices)), (7, 0, vec![]));
    told.recovered(Notice { promise: promise("old"), cursor: 5, since: at(5) }, place(3, 0));
    let (early, _) = told.ready(at(11));
    assert_eq!(early.iter().map(|notice| notice.promise.clone()).collect::<Vec<_>>(), [promise("new")]);
    let (notices, read) = told.answer(&holder(), query(None));
    assert_eq!((names(&notices), read), (vec!["old", "new"], vec![]));
    let (_, read) = told.answer(&holder(), query(Some(5)));
    assert_eq!(read, [place(3, 0)]);
}

#[test]
fn a_notice_that_is_read_before_it_is_on_disk_goes_when_it_is() {
    let mut told = Told::new(ShadowSettings::default());
    told.ready(at(0));
    let (notice, _) = told.onward(promise("a"), at(1)).unwrap();
    let (notices, _) = told.answer(&holder(), query(None));
    let (_, read) = told.answer(&holder(), query(Some(notices.cursor)));
    assert_eq!(read, []);
    assert!(told.written(notice.cursor, place(9, 4)));
    let (notice, _) = told.onward(promise("b"), at(1)).unwrap();
    assert!(!told.written(notice.cursor, place(9, 5)));
    let (_, read) = told.answer(&holder(), query(Some(notice.cursor)));
    assert_eq!(read, [place(9, 5)]);
    assert!(told.places.is_empty() && told.writing.is_empty());
}

#[test]
fn a_notice_that_could_not_be_written_is_told_and_leaves_nothing_behind() {
    let mut told = Told::new(ShadowSettings::default());
    told.ready(at(0));
    let (notice, _) = told.onward(promise("a"), at(1)).unwrap();
    told.not_written(notice.cursor);
    let (notices, _) = told.answer(&holder(), query(None));
    assert_eq!(names(&notices), ["a"]);
    told.answer(&holder(), query(Some(notice.cursor)));
    assert!(told.places.is_empty() && told.writing.is_empty());
}

#[test]
fn a_notice_that_makes_room_or_is_too_old_goes_from_the_disk() {
    let mut told = Told::new(ShadowSettings { notices: 1, ..ShadowSettings::default() });
    told.ready(at(0));
    for (slot, name) in [(0, "a"), (1, "b")] {
        let (notice, gone) = told.onward(promise(name), at(1)).unwrap();
        assert!(!told.written(notice.cursor, place(1, slot)));
        assert_eq!(gone, if slot == 0 { vec![] } else { vec![place(1, 0)] });
    }
    assert_eq!(told.expired(at(3 * 24 * 60 * 60)), [place(1, 1)]);
}
