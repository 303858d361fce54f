use super::*;

struct Item(usize, Links);

impl Linked for Item {
    fn links(&mut self) -> &mut Links {
        &mut self.1
    }
}

fn read(list: &List, slab: &mut Slab<Item>) -> Vec<usize> {
    let mut seen = Vec::new();
    let mut at = list.first();
    while let Some(number) = at {
        let item = slab.get_mut(number).unwrap();
        seen.push(item.0);
        at = (item.1.after != NONE).then_some(item.1.after);
    }
    seen
}

#[test]
fn a_place_that_was_left_is_taken_again() {
    let mut slab = Slab::with_capacity(1);
    let numbers: Vec<usize> = (0..4).map(|item| slab.insert(item)).collect();
    assert_eq!(slab.remove(numbers[1]), Some(1));
    assert_eq!(slab.remove(numbers[1]), None, "once is enough");
    assert_eq!(slab.remove(99), None);
    assert_eq!((slab.get(numbers[1]), slab.len()), (None, 3));
    assert_eq!(slab.insert(7), numbers[1]);
    assert_eq!(slab.insert(8), 4);
    assert_eq!((slab.get(numbers[1]), slab.get(numbers[3]), slab.len()), (Some(&7), Some(&3), 5));
}

#[test]
fn whoever_leaves_a_list_leaves_it_in_order() {
    // From a list of four, each two of them in each order.
    for (one, other) in (0..4).flat_map(|one| (0..4).map(move |other| (one, other))) {
        let (mut slab, mut list) = (Slab::with_capacity(1), List::EMPTY);
        let numbers: Vec<usize> = (0..4).map(|item| slab.insert(Item(item, Links::NONE))).collect();
        for number in &numbers {
            list.push_back(&mut slab, *number);
        }
        let mut expected: Vec<usize> = (0..4).collect();
        for gone in [one, other] {
            if expected.contains(&gone) {
                list.unlink(&mut slab, numbers[gone]);
                expected.retain(|item| *item != gone);
            }
            assert_eq!(read(&list, &mut slab), expected);
        }
        list.push_back(&mut slab, numbers[one]);
        expected.push(one);
        assert_eq!(read(&list, &mut slab), expected, "and stands at the end when he comes again");
        list.unlink(&mut slab, numbers[one]);
        list.push_front(&mut slab, numbers[one]);
        expected.rotate_right(1);
        assert_eq!(read(&list, &mut slab), expected, "or before all others");
    }
}
