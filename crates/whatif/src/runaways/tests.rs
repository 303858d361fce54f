use std::fmt::Write;
use std::io::Cursor;

use super::{Counts, RUNAWAYS, Runaways};
use crate::format::Format;
use crate::merge::Log;
use crate::source::Lines;

fn counted(log: String) -> Runaways {
    let mut log = Log::new(Format::Nginx, vec![Lines::of(Cursor::new(log.into_bytes())).unwrap()]);
    let mut counts = Counts::default();
    while let Some(record) = log.read() {
        counts.take(&record);
    }
    assert_eq!(log.reading().malformed, 0, "{:?}", log.reading().troubles);
    counts.finish(log.names())
}

fn line(log: &mut String, user: &str, end: u64, took: &str, agent: &str) {
    let (minutes, seconds) = (end / 60, end % 60);
    writeln!(
        log,
        "192.0.2.7 - {user} [30/Nov/2026:10:{minutes:02}:{seconds:02} +0000] \"POST /EWS/Exchange.asmx HTTP/1.1\" 200 5 \"-\" \
         \"{agent}\" request_time={took} upstream_time={took}"
    )
    .unwrap();
}

#[test]
fn the_greediest_come_first_in_each_of_the_three_ways() {
    let mut log = String::new();
    for second in 0..120 {
        line(&mut log, "many", second, "0.001", "Poller/1");
    }
    for _ in 0..30 {
        line(&mut log, "crowd", 125, "0.100", "Mail/1");
    }
    for agent in ["Archiver/2", "Archiver/2", "Browser/1"] {
        line(&mut log, "slow", 190, "20.000", agent);
    }
    line(&mut log, "slow", 300, "1.000", "Archiver/2");
    let found = counted(log);
    assert_eq!((found.owners, found.calls, found.time_ms), (3, 154, 61_000 + 3000 + 120));
    let first = |list: &[super::Runaway]| list[0].owner.clone();
    assert_eq!(first(&found.by_time), "slow");
    assert_eq!(first(&found.by_calls), "many");
    assert_eq!(first(&found.by_calls_at_once), "crowd");
    let slow = &found.by_time[0];
    assert_eq!((slow.calls, slow.time_ms, slow.share_percent, slow.calls_at_once), (4, 61_000, 95, 3));
    assert_eq!((&*slow.first, &*slow.last), ("2026-11-30T10:02:50.000Z", "2026-11-30T10:04:59.000Z"));
    assert_eq!(
        (&*slow.busiest_minute, slow.busiest_calls, slow.busiest_time_ms),
        ("2026-11-30T10:02:00.000Z", 3, 60_000)
    );
    assert_eq!(slow.user_agents, ["Archiver/2", "Browser/1"]);
    assert_eq!(found.by_calls_at_once[0].calls_at_once, 30);
}

#[test]
fn ten_are_named_and_clients_without_a_name_by_their_address() {
    let mut log = String::new();
    for user in 0..25 {
        line(&mut log, &format!("user{user}"), user, "0.010", "Mail/1");
    }
    line(&mut log, "-", 30, "5.000", "-");
    let found = counted(log);
    assert_eq!((found.by_time.len(), found.by_calls.len()), (RUNAWAYS, RUNAWAYS));
    assert_eq!(
        (&*found.by_time[0].owner, &found.by_time[0].user_agents[..]),
        ("192.0.2.7", &["-".to_owned()][..])
    );
}

#[test]
fn the_busiest_of_many_programs_is_still_known() {
    let mut log = String::new();
    for call in 0..100 {
        let agent = if call % 2 == 0 { "Often/1".to_owned() } else { format!("Once/{call}") };
        line(&mut log, "john", call, "0.010", &agent);
    }
    assert_eq!(counted(log).by_calls[0].user_agents[0], "Often/1");
}
