use super::*;

/// A session that does too much.
pub(in crate::cli) fn session() -> MapiSession {
    MapiSession {
        id: 7,
        owner: "john.doe@example.com".to_owned(),
        origin: "embedded".to_owned(),
        client: "Outlook/15.0.4420.1017".to_owned(),
        version: Some("15.0.4420.1017".to_owned()),
        process: Some("SearchIndexer.exe".to_owned()),
        machine: Some("DESK-7".to_owned()),
        address: "192.0.2.7".to_owned(),
        since: "2026-11-30T09:58:11.120480Z".to_owned(),
        idle_ms: 40,
        mailboxes: 3,
        rops_last_minute: 2_400,
        mean_gap_us: Some(25_000),
        rops: 51_000,
        backoffs: 31,
        backoff_ms: 3_100,
        owes_ms: 75,
        active: true,
        backed_off: true,
        seen_latency_us: Some(120_400),
        rpc_latency_us: Some(98_000),
    }
}

fn origin(average_latency_us: Option<u64>) -> MapiOrigin {
    MapiOrigin {
        origin: "embedded".to_owned(),
        average_latency_us,
        goal_us: 100_000,
        packets: 51_200,
        sessions: 2,
        active: 2,
        backed_off: 1,
    }
}

#[test]
fn a_listing_says_how_slow_the_servers_are_and_what_each_session_does() {
    let silent = MapiSession {
        id: 12,
        client: String::new(),
        process: None,
        rops_last_minute: 0,
        mean_gap_us: None,
        backoffs: 0,
        owes_ms: 0,
        idle_ms: 125_000,
        seen_latency_us: None,
        ..session()
    };
    let sessions =
        MapiSessions { origins: vec![origin(Some(100_250))], total: 9, items: vec![session(), silent] };
    let expected = [
        "embedded: RPC average latency 100 ms, too slow (goal 100 ms), 2 sessions, 2 active, 1 backed off",
        "",
        "ID  OWNER                 CLIENT                  PROCESS            ADDRESS    BOXES  ROPS/MIN  GAP    \
         BACK-OFFS  OWES   SEES    IDLE   SINCE",
        "7   john.doe@example.com  Outlook/15.0.4420.1017  SearchIndexer.exe  192.0.2.7  3      2400      25 ms  \
         31 (3 s)   75 ms  120 ms  40 ms  2026-11-30 09:58:11Z",
        "12  john.doe@example.com  -                       -                  192.0.2.7  3      0         -      \
         0          -      -       2 min  2026-11-30 09:58:11Z",
        "These are 2 of 9; --top N shows more.",
        "",
    ];
    assert_eq!(text(&sessions), expected.join("\n"));
}

#[test]
fn without_sessions_the_servers_are_listed_all_the_same() {
    let none = MapiSessions { origins: vec![origin(None)], ..MapiSessions::default() };
    let told = text(&none);
    assert!(told.starts_with("embedded: RPC average latency not known yet (goal 100 ms)"), "{told}");
    assert!(told.ends_with("\n\nthere is no MAPI session\n"), "{told}");
    assert_eq!(text(&MapiSessions::default()), "there is no MAPI session\n");
}

#[test]
fn what_a_client_says_of_itself_cannot_break_the_table() {
    let hostile =
        MapiSession { client: "a\n\x1b[2Jb".to_owned(), process: Some("\r\n7".to_owned()), ..session() };
    let told = text(&MapiSessions { origins: Vec::new(), total: 1, items: vec![hostile] });
    assert_eq!(told.lines().count(), 2, "{told}");
    assert!(!told.contains('\x1b'), "{told}");
}
