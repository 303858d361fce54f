use weir_admin::types::{ClientProgram, MapiSession, MinuteView, OriginLoad, OwnerHistory, ThrottledCall};

use super::*;
use crate::cli::session::tests::session;

/// The page without a look at the log.
fn page(budgets: OwnerBudgets) -> String {
    text(&Shown { budgets, log: None })
}

fn call(number: u32, line: &str) -> ThrottledCall {
    ThrottledCall {
        at: format!("2026-11-30T10:14:{number:02}.004132Z"),
        first_at: "2026-11-30T10:14:00.004132Z".to_owned(),
        count: 12,
        component: "EWS".to_owned(),
        verdict: "would-refuse".to_owned(),
        part: "PercentTimeInAddressBook".to_owned(),
        waited_ms: 60_000,
        status: 200,
        line: line.to_owned(),
    }
}

fn minute(number: u32, requests: u32) -> MinuteView {
    MinuteView {
        at: format!("2026-11-30T10:{number:02}:00.000000Z"),
        requests,
        refused: 1,
        delayed: 2,
        would_refuse: 3,
        would_delay: 4,
        cas_ms: 54_000,
        rpc_ms: 36_000,
    }
}

/// Calls at an origin that has two places, both of which are taken.
fn calls(running: u32, waiting: u32) -> OwnerCalls {
    let all = OriginLoad { running: 2, limit: Some(2), waiting: 40 };
    OwnerCalls { origin: "embedded".to_owned(), running, waiting, ahead_ms: 340, all }
}

/// An owner with a budget in which `running` calls run and `left` milliseconds are left.
fn owner(running: u32, left: i64) -> OwnerBudgets {
    let line = format!(
        "2026-11-30 10:14:07 127.0.0.1 POST /EWS/Exchange.asmx ;RC:bfe35012-30fd-499e-90d6-552d0ca89fab;Init>>{};",
        "Conn:0,AD:30000/30000/0%,CAS:54000/54000/0%,AB:30000/30000/0%,RPC:36000/36000/0%;".repeat(3)
    );
    let part = weir_admin::types::PartBudget {
        part: "PercentTimeInCAS".to_owned(),
        allowance_ms: Some(54_000),
        used_ms: 54_000,
        remainder_ms: Some(left),
        used_percent: 90,
    };
    OwnerBudgets {
        owner: "john.doe@example.com".to_owned(),
        in_directory: true,
        policy: PolicyInForce {
            name: "Default".to_owned(),
            source: "default".to_owned(),
            reasons: vec![format!("a policy was deleted, {}", "because of something long ".repeat(8))],
            observe_only: true,
            cached: true,
            age_ms: 61_250,
            rereads_in_ms: 300_000,
        },
        components: vec![ComponentBudget {
            component: "EWS".to_owned(),
            active: true,
            running,
            max_concurrency: Some(10),
            waiting: 0,
            hanging: 0,
            max_hanging: None,
            parts: vec![part],
            find_count: 0,
            find_count_limit: None,
            subscriptions: 0,
            max_subscriptions: None,
        }],
        origins: vec![calls(1, 31)],
        submission: SubmissionBudget {
            messages: 30,
            message_rate_limit: Some(30),
            recipients: 499,
            recipient_rate_limit: Some(500),
        },
        sessions: vec![MapiSession {
            backoffs: 1_234_567,
            backoff_ms: 123_456,
            owes_ms: 30_000,
            ..session()
        }],
        history: OwnerHistory {
            programs: vec![ClientProgram {
                user_agent: "Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.4266; Pro)\n"
                    .to_owned(),
                first_seen: "2026-11-30T09:58:11.120480Z".to_owned(),
                last_seen: "2026-11-30T10:14:07.004132Z".to_owned(),
                requests: 1_234_567,
            }],
            throttled: (0..16).map(|number| call(number, &line)).collect(),
            minutes: (0..60).map(|number| minute(number, u32::from(number % 2 == 0))).collect(),
        },
    }
}

#[test]
fn the_page_has_a_hundred_columns_at_most() {
    let text = page(owner(1, 0));
    for line in text.lines() {
        assert!(line.chars().count() <= WIDTH, "{line}");
    }
    assert!(text.contains("(the first 3 of 16; --json has all)"), "{text}");
    assert_eq!(text.matches(";RC:bfe35012-30fd-499e-90d6-552d0ca89fab;").count(), 3);
    assert!(
        text.contains("2026-11-30 10:14:00Z  EWS        would-refuse  PercentTimeInAddressBook"),
        "{text}"
    );
}

#[test]
fn the_first_lines_say_what_becomes_of_a_further_call() {
    let room = OwnerCalls { all: OriginLoad { running: 1, limit: Some(2), waiting: 0 }, ..calls(1, 0) };
    let waits = "EWS: a further call has to wait for a place at embedded";
    for (running, left, calls, meant) in [
        (1, 1, calls(0, 0), "EWS: a further call runs at once"),
        (1, 1, room, "EWS: a further call runs at once"),
        (1, 1, calls(1, 0), waits),
        (1, 1, calls(0, 1), waits),
        (1, 0, calls(1, 31), "EWS: a further call has to wait, PercentTimeInCAS is used up"),
        (10, 0, calls(1, 31), "EWS: a further call is refused, MaxConcurrency is used up"),
    ] {
        let text = page(OwnerBudgets { origins: vec![calls], ..owner(running, left) });
        let line = text.lines().find(|line| line.starts_with("Right now")).unwrap();
        assert_eq!(line, format!("Right now         {meant}"));
    }
}

#[test]
fn whose_calls_wait_for_a_place_is_told_so_and_how_full_the_origin_is() {
    let check = |calls: OwnerCalls, meant: Option<&str>| {
        assert_eq!(at_origin(&calls).as_deref().and_then(|text| text.strip_prefix("at ")), meant);
    };
    let ahead = "has used 340 ms more than his share";
    let taken = "2 of 2 places are taken";
    check(calls(1, 31), Some(&format!("embedded: 1 call runs, 31 wait; {taken}; {ahead}")));
    check(calls(0, 1), Some(&format!("embedded: no call runs, 1 waits; {taken}; {ahead}")));
    check(OwnerCalls { ahead_ms: 0, ..calls(2, 0) }, Some(&format!("embedded: 2 calls run; {taken}")));
    let off = OriginLoad { limit: None, ..calls(0, 0).all };
    check(
        OwnerCalls { all: off, ahead_ms: 0, ..calls(1, 0) },
        Some("embedded: 1 call runs; fair share is off"),
    );
    check(calls(0, 0), None);
    let page = page(owner(1, 1)).replace("\n                  ", " ");
    assert!(
        page.contains(&format!("Right now         at embedded: 1 call runs, 31 wait; {taken}; {ahead}\n")),
        "{page}"
    );
}

#[test]
fn the_latest_minutes_with_anything_are_shown() {
    let text = page(owner(1, 1));
    let shown: Vec<&str> = text.lines().filter(|line| line.starts_with("10:")).collect();
    assert_eq!(shown.len(), MINUTES);
    assert!(shown[0].starts_with("10:45") && shown[14].starts_with("10:59"), "{shown:?}");
}

#[test]
fn an_owner_without_a_past_has_no_empty_tables() {
    let text = page(OwnerBudgets { history: OwnerHistory::default(), sessions: Vec::new(), ..owner(1, 1) });
    assert!(!text.contains("CLIENT PROGRAM") && !text.contains("REFUSED OR DELAYED"), "{text}");
    assert!(!text.contains("MINUTE") && !text.contains("MAPI") && !text.contains("LINES IN"), "{text}");
}

#[test]
fn the_log_comes_before_everything_that_is_not_of_that_time() {
    let log = OwnerLog {
        from: "2026-11-30T10:13:00.000000Z".to_owned(),
        to: "2026-11-30T10:16:00.000000Z".to_owned(),
        requests: 480,
        refused: 3,
        delayed: 31,
        would_refuse: 0,
        would_delay: 0,
        throttled: vec!["a throttled line".to_owned()],
        slowest: vec!["a slow line".to_owned()],
        complete: false,
    };
    let text = text(&Shown { budgets: owner(1, 1), log: Some(log) });
    assert!(!text.contains("THEIR LINES"), "{text}");
    let (before, _) = text.split_once("\nEWS\n").unwrap();
    for said in [
        "The request log from 2026-11-30 10:13:00Z to 2026-11-30 10:16:00Z:\nrequests: 480, refused: 3, delayed: 31\n",
        "REFUSED OR DELAYED\n  a throttled line\n",
        "SLOWEST\n  a slow line\n",
        "ask for less",
    ] {
        assert!(before.contains(said), "no {said} in {before}");
    }
}

#[test]
fn what_an_owner_has_sent_is_shown_and_what_is_in_the_way_of_more() {
    let text = page(owner(1, 1));
    let used_up = "Right now         mail: a further message is refused, MessageRateLimit is used up\n";
    for line in
        [used_up, "messages of the last minute      30    30", "recipients of the last 24 hours  499   500"]
    {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    let idle = page(OwnerBudgets { submission: SubmissionBudget::default(), ..owner(1, 1) });
    assert!(!idle.contains("mail: "), "{idle}");
    assert!(idle.contains("null"), "{idle}");
}
