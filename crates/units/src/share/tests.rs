//! The documents' own numbers.

use super::Percent;
use crate::time::Millis;

#[test]
fn the_default_policy_allows_what_the_documents_log() {
    for (percent, millis) in [(50, 30_000), (90, 54_000), (60, 36_000), (0, 0), (100, 60_000), (150, 90_000)]
    {
        assert_eq!(Percent::new(percent).of_minute(), Millis::new(millis).micros());
    }
}

#[test]
fn a_used_share_is_rounded_down() {
    for (millis, percent) in [(17_093, 28), (599, 0), (600, 1), (60_000, 100), (90_000, 150)] {
        assert_eq!(Percent::of_minute_used(Millis::new(millis).micros()), percent, "{millis} ms");
    }
}
