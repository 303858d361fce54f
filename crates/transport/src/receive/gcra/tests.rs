use proptest::prelude::*;

use super::*;

/// A bucket of permits in units of one microsecond's growth: slow, and obvious.
struct Bucket {
    permits: u64,
    last: u64,
}

impl Bucket {
    fn pass(&mut self, rate: Rate, now: u64) -> bool {
        let whole = rate.gap.count();
        self.permits = (self.permits + now - self.last).min(whole * u64::from(rate.burst));
        self.last = now;
        let passes = self.permits >= whole;
        if passes {
            self.permits -= whole;
        }
        passes
    }
}

proptest! {
    #[test]
    fn it_lets_pass_what_a_bucket_lets_pass(
        rate in 0..200_u32,
        gaps in prop::collection::vec(0..3_000_000_u64, 1..300),
    ) {
        let rate = Rate::per_minute(rate);
        let mut gcra = Gcra::default();
        let mut bucket = Bucket { permits: u64::MAX / 2, last: 0 };
        let mut now = 0;
        for gap in gaps {
            now += gap;
            let passes = gcra.pass(rate, Tick::new(now));
            prop_assert_eq!(passes.is_ok(), bucket.pass(rate, now));
            if let Err(wait) = passes {
                let mut later = gcra;
                prop_assert!(later.pass(rate, Tick::new(now + wait.count() - 1)).is_err(), "no sooner than told");
                prop_assert!(later.pass(rate, Tick::new(now + wait.count())).is_ok());
            }
        }
    }
}

#[test]
fn a_minutes_worth_passes_at_once_and_then_the_steady_rate() {
    let rate = Rate::per_minute(600);
    let mut gcra = Gcra::default();
    let at_once = (0..1000).filter(|_| gcra.pass(rate, Tick::START).is_ok()).count();
    assert_eq!(at_once, 600);
    assert_eq!(gcra.pass(rate, Tick::START), Err(Micros::new(100_000)));
    assert_eq!(gcra.pass(rate, Tick::new(100_000)), Ok(()));
    assert!(!gcra.is_clear(Tick::new(60_000_000)) && gcra.is_clear(gcra.clear_at()));
}
