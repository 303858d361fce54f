use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use weir_directory::Store;
use weir_gateway::Threads;

use super::{Watchdog, period};

const PATIENCE: Duration = Duration::from_mins(1);

fn asked(pid: Option<&str>, usec: Option<&str>) -> Option<Duration> {
    period(|name| if name == "WATCHDOG_PID" { pid } else { usec }.map(str::to_owned), 4711)
}

#[test]
fn a_sign_is_due_twice_in_the_time_that_the_manager_allows_this_process() {
    let quarter = Some(Duration::from_secs(15));
    assert_eq!(asked(None, Some("30000000")), quarter);
    assert_eq!(asked(Some("4711"), Some("30000000")), quarter);
    for (pid, usec) in [
        (None, None),
        (Some("4711"), None),
        (Some("1"), Some("30000000")),
        (Some("nonsense"), Some("30000000")),
        (None, Some("0")),
        (None, Some("soon")),
    ] {
        assert_eq!(asked(pid, usec), None, "{pid:?} {usec:?}");
    }
}

#[tokio::test]
async fn a_task_that_accepts_and_has_ended_is_no_life_unless_the_server_stops() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(folder.path().join("directory.sqlite3")).unwrap());
    let (stop, stopping) = watch::channel(false);
    let serving = tokio::spawn(std::future::pending::<()>());
    let watchdog =
        Watchdog { serving: vec![serving.abort_handle()], threads: Threads::default(), stopping, store };
    assert_eq!(watchdog.look(PATIENCE).await, Ok(()));
    serving.abort();
    assert!(serving.await.is_err());
    assert_eq!(watchdog.look(PATIENCE).await, Err("a task that accepts connections has ended"));
    stop.send_replace(true);
    assert_eq!(watchdog.look(PATIENCE).await, Ok(()));
}
