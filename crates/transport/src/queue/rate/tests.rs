use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn the_last_minute_is_counted_to_a_slice(gaps in prop::collection::vec(0..90_000_000_u64, 1..60)) {
        let mut rate = Rate::default();
        let mut now = 0;
        let mut all = Vec::new();
        for gap in gaps {
            now += gap;
            all.push(now);
            rate.count(Tick::new(now));
            let slices = |at: &&u64| now / SLICE - **at / SLICE < 12;
            let expected = u64::try_from(all.iter().filter(slices).count()).unwrap();
            prop_assert_eq!(rate.last_minute(Tick::new(now)), expected);
        }
    }
}

#[test]
fn after_a_minute_nothing_is_left() {
    let mut rate = Rate::default();
    (0..7).for_each(|_| rate.count(Tick::START));
    assert_eq!(rate.last_minute(Tick::new(59_999_999)), 7);
    assert_eq!(rate.last_minute(Tick::new(60_000_000)), 0);
}
