use super::*;
use crate::record::Place;

fn at(micros: i64) -> WallTime {
    WallTime::from_unix_micros(micros)
}

fn placed(id: u64, segment: u32, dues: &[WallTime]) -> Placed {
    let dues = dues.iter().copied().map(Some).collect();
    Placed::new(id, Place { segment, offset: 40 }, 100, &[], dues)
}

fn updated(recipient: u32, due: Option<WallTime>) -> Updated {
    Updated { recipient, due, length: 5 }
}

fn numbers(due: &[Due]) -> Vec<(u64, Vec<u32>)> {
    due.iter().map(|due| (due.id.number(), due.recipients.clone())).collect()
}

#[test]
fn messages_come_in_the_order_of_their_times_and_then_of_their_numbers() {
    let mut index = Index::default();
    for (id, due) in [(1, at(30)), (2, at(10)), (3, at(10)), (4, at(31))] {
        index.insert(&placed(id, 1, &[due]));
    }
    assert_eq!(index.next_due(), Some(at(10)));
    assert_eq!(numbers(&index.take_due(1, at(30))), [(2, vec![0])]);
    assert_eq!(numbers(&index.take_due(9, at(30))), [(3, vec![0]), (1, vec![0])]);
    assert_eq!(index.next_due(), Some(at(31)));
}

#[test]
fn a_recipient_is_handed_out_once_until_something_is_said_of_it() {
    let mut index = Index::default();
    index.insert(&placed(1, 1, &[at(10), at(20)]));
    assert_eq!(numbers(&index.take_due(9, at(10))), [(1, vec![0])]);
    assert_eq!(numbers(&index.take_due(9, at(20))), [(1, vec![1])]);
    assert_eq!(index.take_due(9, at(99)), []);
    index.remind(1, 1, at(40));
    index.update(1, Place { segment: 2, offset: 40 }, &[updated(0, Some(at(50)))]);
    assert_eq!(numbers(&index.take_due(9, at(99))), [(1, vec![0, 1])]);
}

#[test]
fn a_message_is_gone_when_its_last_recipient_is_done() {
    let mut index = Index::default();
    index.insert(&placed(1, 1, &[at(10), at(20)]));
    let place = Place { segment: 1, offset: 200 };
    index.update(1, place, &[updated(1, None)]);
    index.remind(1, 1, at(0));
    assert_eq!((index.len(), index.next_due()), (1, Some(at(10))), "what is done is not looked at again");
    index.update(1, place, &[updated(0, None)]);
    assert_eq!((index.len(), index.bytes(), index.oldest_held(), index.next_due()), (0, 0, None, None));
    index.update(1, place, &[updated(0, Some(at(5)))]);
    assert_eq!(index.len(), 0, "an update does not bring it back");
}

#[test]
fn a_segment_is_held_by_the_messages_whose_oldest_record_is_there() {
    let mut index = Index::default();
    index.insert(&placed(1, 3, &[at(10)]));
    index.insert(&placed(2, 4, &[at(10)]));
    index.update(2, Place { segment: 5, offset: 40 }, &[updated(0, Some(at(20)))]);
    assert_eq!((index.oldest_held(), index.holder(3, 0, 10)), (Some(3), Search::Found(1)));
    assert_eq!((index.holder(3, 2, 10), index.holder(4, 0, 1)), (Search::End, Search::GoOn(2)));
    index.relocate(&placed(1, 6, &[]));
    assert_eq!(index.oldest_held(), Some(4));
    index.relocate(&placed(2, 6, &[]));
    assert_eq!(index.oldest_held(), Some(6));
}

#[test]
fn whoever_has_a_message_keeps_it_while_it_is_copied() {
    let mut index = Index::default();
    index.insert(&placed(1, 3, &[at(10), at(20)]));
    index.take_due(1, at(10));
    index.relocate(&placed(1, 4, &[]));
    assert_eq!(index.next_due(), Some(at(20)));
}
