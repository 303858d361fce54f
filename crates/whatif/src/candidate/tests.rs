use std::io::Cursor;

use weir_throttle::{Limits, Parameter, Policy, Setting};
use weir_units::Micros;

use super::{Candidate, Report, WhatIf};
use crate::format::Format;
use crate::merge::Log;
use crate::source::Lines;

/// A call of ours that cost so many ms in CAS, under today's limit of 54 s a minute.
struct Told<'a> {
    second: u64,
    user: &'a str,
    policy: &'a str,
    cas: u64,
    verdict: &'a str,
    fields: &'a str,
}

const CALL: Told<'_> =
    Told { second: 0, user: "john", policy: "Default", cas: 1000, verdict: "run", fields: "" };

impl Told<'_> {
    fn line(&self) -> String {
        let Self { second, user, policy, cas, verdict, fields } = self;
        let end = second + cas / 1000;
        let (hours, minutes, seconds) = (10 + end / 3600, end / 60 % 60, end % 60);
        format!(
            "2026-11-30 {hours:02}:{minutes:02}:{seconds:02} 127.0.0.1 POST /EWS/Exchange.asmx \
             Init>>Conn:0,CAS:54000/54000/0%,FC:1000/0,Sub:5000/7;SoapAction=m:GetItem;Waited=0ms;Why=-;Policy={policy};\
             Verdict={verdict};Seq=1;Tick={};Component=EWS;Cost=0/{}/0/0;{fields}Saw=held,MaxConcurrency:0/10; \
             80 {user} 127.0.0.1 - 200 0 0 {cas}\n",
            second * 1_000_000,
            cas * 1000,
        )
    }
}

fn tried(settings: &[(&str, u32)], replaces: Option<&str>, log: &str) -> Report {
    let mut policy = Policy::new();
    for (name, value) in settings {
        policy.set(Parameter::from_name(name).unwrap(), Setting::Value(*value)).unwrap();
    }
    let limits = Limits::resolve(&policy, &Policy::fallback());
    let replaces = replaces.map(str::to_owned);
    let mut what_if =
        WhatIf::new(Candidate { name: "Foo".to_owned(), limits, replaces, max_delay: Micros::MINUTE });
    let mut log = Log::new(Format::Mailweir, vec![Lines::of(Cursor::new(log.as_bytes().to_vec())).unwrap()]);
    while let Some(record) = log.read() {
        what_if.take(&record, log.names());
    }
    assert_eq!(log.reading().malformed, 0, "{:?}", log.reading().troubles);
    what_if.finish(log.names())
}

/// Ten minutes in which John works half of the time and Jane a tenth of it.
fn a_usual_morning() -> String {
    let john = |second| Told { second, ..CALL }.line();
    let jane = |second| Told { second, user: "jane", policy: "Jane's", ..CALL }.line();
    let calls = (0..600)
        .step_by(2)
        .map(|second| john(second) + &if second % 10 == 0 { jane(second) } else { String::new() });
    calls.collect()
}

#[test]
fn who_takes_more_than_the_candidate_allows_is_delayed_and_others_are_not() {
    let report = tried(&[("EWSPercentTimeInCAS", 25)], None, &a_usual_morning());
    let today = report.today.unwrap();
    assert_eq!((today.owners_delayed, today.owners_refused, today.measures.delay_ms), (0, 0, 0));
    assert_eq!(today.measures.calls, 270 + 54, "the first minute does not count");
    assert_eq!(report.recorded.unwrap().measures.calls, 270 + 54);
    assert_eq!(report.candidate.measures.calls, 270 + 54);
    assert_eq!((report.candidate.owners_delayed, report.owners.len()), (1, 1));
    let john = &report.owners[0];
    assert_eq!((&*john.owner, john.component), ("john", "EWS"));
    assert!(john.candidate.delayed > 50 && john.candidate.longest_delay_ms > 10_000, "{john:?}");
    assert!(john.candidate.because.keys().any(|part| *part == "PercentTimeInCAS"), "{john:?}");
}

#[test]
fn the_first_who_are_delayed_are_shown_with_their_lines() {
    let report = tried(&[("EWSPercentTimeInCAS", 25)], None, &a_usual_morning());
    assert_eq!(report.examples.len(), 2, "of one owner");
    let first = &report.examples[0];
    assert!(first.at.starts_with("2026-11-30T10:01:0"), "{first:?}");
    assert_eq!((&*first.owner, &*first.operation, first.recorded), ("john", "GetItem", "run"));
    let line = a_usual_morning().lines().nth(usize::try_from(first.line).unwrap() - 1).unwrap().to_owned();
    assert!(line.contains(" john ") && line.contains(" 10:01:0"), "{line}");
}

#[test]
fn a_policy_that_replaces_another_leaves_everybody_else_alone() {
    let report = tried(&[("EWSMaxConcurrency", 0)], Some("jane's"), &a_usual_morning());
    assert_eq!((report.candidate.measures.calls, report.candidate.measures.refused), (54, 54));
    assert_eq!(report.owners.iter().map(|owner| &*owner.owner).collect::<Vec<_>>(), ["jane"]);
    assert_eq!(report.outline.calls_spared, 300);
    assert_eq!(report.outline.policies.len(), 2);
}

#[test]
fn a_call_that_was_refused_is_taken_to_cost_what_the_owners_calls_cost() {
    let refused = Told { second: 119, cas: 0, verdict: "refuse", ..CALL }.line();
    let before: String = (60..119).map(|second| Told { second, ..CALL }.line()).collect();
    let after = Told { second: 120, ..CALL }.line();
    let log = before + &refused + &after;
    let report = tried(&[("EWSPercentTimeInCAS", 200)], None, &log);
    assert_eq!(report.candidate.measures.delayed, 0);
    assert_eq!(report.recorded.unwrap().measures.refused, 0, "the first call begins the minute that runs in");
    let report = tried(&[("EWSPercentTimeInCAS", 99)], None, &(log + &Told { second: 121, ..CALL }.line()));
    assert_eq!(report.candidate.measures.delayed, 1, "{report:?}");
}

#[test]
fn finds_and_subscriptions_are_held_against_the_candidate_too() {
    let first = CALL.line();
    let find = Told { second: 70, fields: "Found=200/whole;", ..CALL }.line();
    let paged = Told { second: 80, fields: "Found=200/paged;", ..CALL }.line();
    let subscribe = Told { second: 90, ..CALL }.line().replace("m:GetItem", "m:Subscribe");
    let settings = [("EWSFindCountLimit", 100), ("EWSMaxSubscriptions", 7)];
    let report = tried(&settings, None, &[first, find, paged, subscribe].concat());
    let because: Vec<_> = report.candidate.measures.because.into_iter().collect();
    assert_eq!(because, [("FindCountLimit", 1), ("MaxSubscriptions", 1)]);
}

#[test]
fn what_is_nobodys_or_hangs_or_was_kept_out_is_left_out() {
    let log = [
        CALL.line(),
        Told { second: 70, verdict: "-", ..CALL }.line(),
        Told { second: 71, ..CALL }
            .line()
            .replace("held,MaxConcurrency:0/10", "held,HangingConnections:0/10"),
        Told { second: 72, ..CALL }.line().replace("Component=EWS", "Component=-"),
        Told { second: 73, verdict: "refuse", ..CALL }
            .line()
            .replace("Why=-", "Why=BlockList")
            .replace("MaxConcurrency:0/10", "BlockList:1/0"),
    ]
    .concat();
    let report = tried(&[("EWSMaxConcurrency", 0)], None, &log);
    assert_eq!((report.candidate.measures.calls, report.outline.calls_without_component), (0, 1));
}
