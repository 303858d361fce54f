use super::*;

#[test]
fn there_are_255_places_and_the_first_free_one_is_taken() {
    let mut objects = Objects::default();
    for place in 0..255 {
        assert_eq!(objects.take(), Some(place));
    }
    assert_eq!(objects.take(), None);
    objects.free(7);
    objects.free(3);
    assert_eq!([objects.take(), objects.take(), objects.take()], [Some(3), Some(7), None]);
}

#[test]
fn the_table_of_handles_ends_at_the_last_place_that_is_taken() {
    let mut objects = Objects::default();
    for _ in 0..3 {
        objects.take();
    }
    objects.set(1, 28);
    assert_eq!(objects.handles().collect::<Vec<_>>(), [NO_HANDLE, 28, NO_HANDLE]);
    objects.free(0);
    objects.free(2);
    assert_eq!(objects.handles().collect::<Vec<_>>(), [NO_HANDLE, 28]);
    objects.free(1);
    assert_eq!(objects.handles().count(), 0);
}

#[test]
fn columns_are_of_the_table_that_was_told_and_not_of_what_comes_after_it() {
    let mut objects = Objects::default();
    let place = objects.take().unwrap();
    let columns = [PropertyTag(0x3001_001F)];
    objects.set(place, 1);
    objects.show(place, &columns);
    assert_eq!(objects.columns(place), columns);
    objects.set(place, 2);
    assert_eq!(objects.columns(place), []);
    objects.show(9, &columns);
    assert_eq!(objects.columns(9), []);
}
