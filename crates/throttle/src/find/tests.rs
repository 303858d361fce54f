use weir_units::Component;

use super::*;

#[test]
fn exactly_the_limit_still_passes() {
    assert!(!exceeds(1000, Some(1000)));
    assert!(exceeds(1001, Some(1000)));
    assert!(!exceeds(u64::MAX, None));
    assert!(!exceeds(0, Some(0)));
}

#[test]
fn folders_share_what_is_left_and_each_gets_one_at_least() {
    assert_eq!(page_limit(Some(1000), 1), Some(1000));
    assert_eq!(page_limit(Some(1000), 7), Some(142));
    assert_eq!(page_limit(Some(1), 6), Some(1));
    assert_eq!(page_limit(Some(5), 0), Some(5), "no folder is as good as one");
    assert_eq!(page_limit(Some(0), 6), Some(0), "nothing left: wait");
}

#[test]
fn the_error_names_the_limit_and_no_time_to_come_back() {
    let limits = ComponentLimits { find_count: Some(1000), ..ComponentLimits::unlimited(Component::Ews) };
    let refusal = refusal(&limits, 1001);
    assert_eq!((refusal.part, refusal.limit, refusal.used), (Part::FindCount, 1000, 1001));
    assert_eq!(refusal.retry_after, None);
}
