//! An owner who keeps the server busy, and whose calls wait for each other (T23).

use crate::metrics::{has, look};
use crate::support::soap::Client;
use crate::support::{Server, eventually};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// How long eight callers may take to meet.
const SOON: Duration = Duration::from_secs(30);

#[test]
fn calls_that_wait_for_their_share_are_served_and_told_of_in_log_and_metrics() {
    let limit = "concurrency_limit_min = 1\nconcurrency_limit_initial = 1\nconcurrency_limit_max = 1\n";
    let server = Server::start(&format!("[mailbox]\nworkers = 1\n[throttle]\n{limit}"));
    let enough = AtomicBool::new(false);
    let waited = thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let jane = Client::new(&server, "jane.doe");
                while !enough.load(Ordering::Relaxed) {
                    assert!(jane.is_served(), "whoever waits for a place is not refused");
                }
            });
        }
        let waited = eventually(SOON, || {
            let waited = |line: &String| line.contains(" jane.doe@") && line.contains(";Queued=");
            server.requests().into_iter().find(waited)
        });
        enough.store(true, Ordering::Relaxed);
        waited
    });
    let line = waited.unwrap_or_else(|| panic!("nobody waited; metrics: {}", look(&server, "/metrics").body));
    for part in [";Why=FairShare;", ";Verdict=delay;", ",place:refuse:0/1+"] {
        assert!(line.contains(part), "no {part} in {line}");
    }
    let metrics = look(&server, "/metrics").body;
    let embedded = "origin=\"embedded\"";
    assert!(has(&metrics, "mailweir_concurrency_limit", &[embedded], "1"), "{metrics}");
    for state in ["state=\"running\"", "state=\"waiting\""] {
        assert!(has(&metrics, "mailweir_origin_calls", &[embedded, state], "0"), "{metrics}");
    }
    let at_once = metrics.lines().find(|line| line.starts_with("mailweir_queue_seconds_bucket{le=\"0.001\""));
    let all = metrics.lines().find(|line| line.starts_with("mailweir_queue_seconds_count"));
    let count =
        |line: Option<&str>| line.unwrap_or(&metrics).rsplit(' ').next().unwrap().parse::<u64>().unwrap();
    assert!(count(at_once) < count(all), "{metrics}");
    let delayed = ["component=\"EWS\"", "part=\"FairShare\""];
    assert!(!has(&metrics, "mailweir_throttle_delayed_total", &delayed, "0"), "{metrics}");
}
