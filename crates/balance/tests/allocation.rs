//! A pick, its report and the choice by owner allocate nothing; nor does bringing the wheel up to date.

#![allow(clippy::panic, clippy::unwrap_used, reason = "tests")]

mod support;

use allocation_counter::measure;
use support::*;
use weir_balance::{Failure, Health, Settings};
use weir_units::Owner;

#[test]
fn picks_reports_retries_and_the_choice_by_owner_allocate_nothing() {
    let weights: Vec<u32> = (1..=50).collect();
    for settings in [Settings::hub(), Settings::origin()] {
        let selector = proved(&weights, settings, &Health::default());
        let owner = Owner::new("john.doe@example.com");
        let seen = measure(|| {
            for step in 0..5_000 {
                let now = seconds(step);
                let attempt = pick(&selector, now);
                if step % 50 == 7 {
                    let _ = selector.failed(attempt, Failure::Refused, now);
                } else {
                    let _ = selector.connected(attempt, now);
                }
                assert!(selector.pick_for(&owner, now).attempt().is_some());
                if let Some(probe) = selector.probe(now) {
                    let _ = selector.connected(probe, now);
                }
            }
        });
        assert_eq!(seen.count_total, 0);
    }
}
