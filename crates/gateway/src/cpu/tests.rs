use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use weir_units::{Micros, Tick};

use super::{CpuMeter, Look};
use crate::cpu_source::{CpuSample, Cpus};
use weir_clock::Clock;

fn at(seconds: u64) -> Tick {
    Tick::new(seconds * 1_000_000)
}

#[allow(clippy::unnecessary_wraps, reason = "what a source gives")]
fn used(seconds: u64, cpus: Cpus) -> io::Result<CpuSample> {
    Ok(CpuSample { used: Micros::SECOND.times(seconds), cpus })
}

#[test]
fn the_load_is_the_mean_of_all_processors_over_ten_seconds() {
    let mut look = Look::default();
    let four = Cpus::whole(4);
    // Two of four work for half a minute, then none.
    for second in 0..=30 {
        let busy = look.at(used(2 * second, four), at(second));
        assert_eq!(busy.hundredths(), if second == 0 { 0 } else { 5000 }, "second {second}");
    }
    assert_eq!(look.at(used(60, four), at(35)).hundredths(), 2500);
    assert_eq!(look.at(used(60, four), at(40)).hundredths(), 0);
}

#[test]
fn a_quota_that_changes_begins_the_mean_anew() {
    let mut look = Look::default();
    for second in 0..=20 {
        look.at(used(second, Cpus::whole(4)), at(second));
    }
    let half = Cpus::thousandths(500);
    assert_eq!(look.at(used(21, half), at(21)).hundredths(), 0, "nothing to compare with yet");
    assert_eq!(
        look.at(used(22, half), at(23)).hundredths(),
        10_000,
        "half a second a second is all there is"
    );
}

#[test]
fn a_kernel_that_stops_telling_delays_nobody() {
    let mut look = Look::default();
    for second in 0..=20 {
        look.at(used(second, Cpus::ONE), at(second));
    }
    let gone = || Err(io::Error::from(io::ErrorKind::NotFound));
    assert_eq!(look.at(gone(), at(21)).hundredths(), 0);
    assert_eq!(look.at(gone(), at(22)).hundredths(), 0);
    look.at(used(22, Cpus::ONE), at(23));
    assert_eq!(look.at(used(23, Cpus::ONE), at(24)).hundredths(), 10_000);
}

#[tokio::test(start_paused = true)]
async fn the_meter_follows_its_source() {
    let meter = CpuMeter::default();
    let seconds = AtomicU64::new(0);
    let source = || used(seconds.fetch_add(1, Ordering::Relaxed), Cpus::whole(2));
    let looked = tokio::time::timeout(Duration::from_secs(20), meter.keep_looking(source, Clock::start()));
    assert!(looked.await.is_err(), "it looks for ever");
    assert_eq!(meter.busy().hundredths(), 5000);
}
