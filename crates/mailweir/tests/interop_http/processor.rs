//! A server that is really busy, and an owner whose calls have to give way to that (T9).

use crate::metrics::{has, look};
use crate::support::soap::Client;
use crate::support::{Server, eventually};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// How long the server may take to notice that it is busy; its window is ten seconds.
const SOON: Duration = Duration::from_secs(30);

#[test]
fn calls_are_delayed_while_the_process_is_busier_than_their_policy_likes() {
    let server = Server::start("");
    server.limit("Gentle", &["CPUStartPercent=1"], &["JohnDoe"]);
    let john = Client::new(&server, "john.doe");
    let enough = AtomicBool::new(false);
    let delayed = thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let jane = Client::new(&server, "jane.doe");
                while !enough.load(Ordering::Relaxed) {
                    // Too many at once are refused, which costs the server time as well.
                    let _served_or_refused = jane.is_served();
                }
            });
        }
        let delayed = eventually(SOON, || {
            assert!(john.is_served(), "the processor's load never refuses");
            let is_delayed =
                |line: &String| line.contains(" john.doe@") && line.contains(";Why=CPUStartPercent;");
            server.requests().into_iter().find(is_delayed)
        });
        enough.store(true, Ordering::Relaxed);
        delayed
    });
    let line =
        delayed.unwrap_or_else(|| panic!("never delayed; metrics: {}", look(&server, "/metrics").body));
    assert!(line.contains(";Verdict=delay;"), "{line}");

    let metrics = look(&server, "/metrics").body;
    let sample = |name: &str| -> f64 {
        let line = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name} in {metrics}")).parse().unwrap()
    };
    let (slept, times) =
        (sample("mailweir_throttle_sleep_seconds_sum"), sample("mailweir_throttle_sleep_seconds_count"));
    assert!(times >= 1.0 && slept > 0.0, "{times} sleeps of {slept} s");
    assert!(sample("mailweir_cpu_load_ratio") > 0.01, "{metrics}");
    let by_part = ["component=\"EWS\"", "part=\"CPUStartPercent\""];
    assert!(has(&metrics, "mailweir_throttle_delayed_total", &by_part, &times.to_string()), "{metrics}");
}
