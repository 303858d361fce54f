//! What is remembered of owners, on a clock that the test says.

use std::cell::Cell;
use std::fmt;

use weir_units::{Component, Micros, Owner, Part, TimePart, WallTime};

use super::{Histories, HistorySettings, LONGEST_LINE, MINUTES, Note, REMEMBERED, RUN_LENGTH};
use crate::request_log::Verdict;

/// 10:14:00 on some day.
const TEN_FOURTEEN: i64 = 1_268_129_640;

fn at(seconds: i64) -> WallTime {
    WallTime::from_unix_micros((TEN_FOURTEEN + seconds) * 1_000_000)
}

fn john() -> Owner {
    Owner::new("john.doe@example.com")
}

fn millis(count: u64) -> Micros {
    Micros::new(count * 1_000)
}

/// A call that ran.
fn ran() -> Note<'static> {
    Note {
        user_agent: Some("Test/1.0"),
        component: Some(Component::Ews),
        verdict: Verdict::Run,
        why: None,
        waited: Micros::ZERO,
        status: 200,
        taken: millis(20),
        worked: millis(10),
        origin: millis(5),
    }
}

/// A call that came to `verdict` for `part`.
fn throttled(verdict: Verdict, part: Part) -> Note<'static> {
    Note { verdict, why: Some(part), status: 500, ..ran() }
}

fn refused() -> Note<'static> {
    throttled(Verdict::Refuse, Part::MaxConcurrency)
}

fn histories() -> Histories {
    Histories::new(HistorySettings::default())
}

#[test]
fn a_stranger_has_no_history() {
    assert_eq!(histories().of(&john(), at(0)), None);
}

#[test]
fn the_programs_of_an_owner_are_counted_and_the_one_seen_last_comes_first() {
    let histories = histories();
    let send = |name, now| histories.note(&john(), &Note { user_agent: name, ..ran() }, "", now);
    send(Some("Outlook/16.0"), at(0));
    send(Some("Archiver/2"), at(1));
    send(Some("Outlook/16.0"), at(2));
    send(None, at(1));
    let programs = histories.of(&john(), at(3)).unwrap().programs;
    let seen: Vec<_> = programs
        .iter()
        .map(|program| (program.user_agent.as_str(), program.first_seen, program.last_seen, program.requests))
        .collect();
    assert_eq!(
        seen,
        [("Outlook/16.0", at(0), at(2), 2), ("Archiver/2", at(1), at(1), 1), ("", at(1), at(1), 1)]
    );
}

#[test]
fn of_too_many_programs_those_seen_longest_ago_are_forgotten() {
    let histories = histories();
    for number in 0..20 {
        let name = format!("Program/{number}");
        histories.note(&john(), &Note { user_agent: Some(&name), ..ran() }, "", at(number));
        histories.note(&john(), &ran(), "", at(number));
    }
    let programs = histories.of(&john(), at(20)).unwrap().programs;
    assert_eq!(programs.len(), 8);
    assert!(programs.iter().any(|program| program.user_agent == "Test/1.0" && program.requests == 20));
    assert!(programs.iter().any(|program| program.user_agent == "Program/19"));
    assert!(!programs.iter().any(|program| program.user_agent == "Program/12"));
}

#[test]
fn a_name_of_a_program_is_cut_between_two_letters() {
    let histories = histories();
    let name = "ö".repeat(1_000);
    histories.note(&john(), &Note { user_agent: Some(&name), ..ran() }, "", at(0));
    let programs = histories.of(&john(), at(0)).unwrap().programs;
    assert_eq!(programs[0].user_agent, "ö".repeat(128));
}

#[test]
fn what_was_refused_or_delayed_is_there_with_part_time_wait_and_line() {
    let histories = histories();
    let delayed =
        Note { waited: millis(7_500), status: 200, ..throttled(Verdict::Delay, Part::Time(TimePart::Cas)) };
    histories.note(&john(), &ran(), "a call that ran", at(0));
    histories.note(&john(), &delayed, "the delayed call", at(10));
    histories.note(&john(), &refused(), "the refused call", at(20));
    histories.note(&john(), &throttled(Verdict::WouldDelay, Part::Cpu), "the observed call", at(30));
    let calls = histories.of(&john(), at(40)).unwrap().throttled;
    let told: Vec<_> = calls
        .iter()
        .map(|call| (call.at, call.verdict, call.part, call.waited, call.line.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            (at(30), Verdict::WouldDelay, Part::Cpu, Micros::ZERO, "the observed call"),
            (at(20), Verdict::Refuse, Part::MaxConcurrency, Micros::ZERO, "the refused call"),
            (at(10), Verdict::Delay, Part::Time(TimePart::Cas), millis(7_500), "the delayed call"),
        ]
    );
}

#[test]
fn a_yield_to_the_processor_is_no_delay_worth_a_line() {
    let histories = histories();
    histories.note(&john(), &throttled(Verdict::Delay, Part::Cpu), "a yield", at(0));
    assert_eq!(histories.of(&john(), at(0)).unwrap().throttled, []);
}

/// Counts how often it is written out.
struct Line<'a>(&'a Cell<u32>);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.set(self.0.get() + 1);
        write!(f, "line {}", self.0.get())
    }
}

#[test]
fn a_storm_of_refusals_drives_out_nothing_else_and_writes_a_line_a_second() {
    let histories = histories();
    let delayed = Note { waited: millis(100), ..throttled(Verdict::Delay, Part::Cpu) };
    histories.note(&john(), &delayed, "the delayed call", at(0));
    let written = Cell::new(0);
    for call in 0..200 {
        let now = at(0).plus(millis(50 * call));
        histories.note(&john(), &refused(), Line(&written), now);
    }
    let calls = histories.of(&john(), at(10)).unwrap().throttled;
    assert_eq!(calls.len(), 1 + RUN_LENGTH);
    assert_eq!(calls.iter().map(|call| call.count).sum::<u64>(), 201);
    assert_eq!(calls[0].line, format!("line {}", written.get()), "the latest one");
    assert!((12..=14).contains(&written.get()), "{} lines", written.get());
    assert!(calls.iter().any(|call| call.line == "the delayed call"));
}

#[test]
fn the_latest_calls_stay_and_their_number_and_lines_are_bounded() {
    let histories = histories();
    for minute in 0..40 {
        histories.note(&john(), &refused(), "x".repeat(100_000), at(60 * minute));
    }
    let calls = histories.of(&john(), at(60 * 40)).unwrap().throttled;
    assert_eq!((calls.len(), calls[0].at, calls[15].at), (16, at(60 * 39), at(60 * 24)));
    assert!(calls.iter().all(|call| call.line.len() == LONGEST_LINE));
}

#[test]
fn the_last_hour_is_there_minute_by_minute() {
    let histories = histories();
    histories.note(&john(), &ran(), "", at(5));
    histories.note(&john(), &refused(), "", at(30));
    histories.note(&john(), &throttled(Verdict::Delay, Part::Cpu), "", at(59));
    histories.note(&john(), &throttled(Verdict::WouldRefuse, Part::Cpu), "", at(61));
    histories.note(&john(), &throttled(Verdict::WouldDelay, Part::Cpu), "", at(62));
    let minutes = histories.of(&john(), at(119)).unwrap().minutes;
    assert_eq!(minutes.len(), 60);
    assert!(minutes.windows(2).all(|pair| pair[1].at.since(pair[0].at) == Micros::MINUTE));
    let [before, last] = minutes.last_chunk().unwrap();
    assert_eq!((before.at, before.requests, before.refused, before.delayed), (at(0), 3, 1, 1));
    assert_eq!((before.worked, before.origin), (millis(30), millis(15)));
    assert_eq!((last.at, last.requests, last.would_refuse, last.would_delay), (at(60), 2, 1, 1));
    assert_eq!(minutes.iter().map(|minute| minute.requests).sum::<u32>(), 5);
    let later = histories.of(&john(), at(60 * 60)).unwrap().minutes;
    assert_eq!(later.iter().map(|minute| minute.requests).sum::<u32>(), 2, "the first minute is over");
}

#[test]
fn a_long_call_is_spread_over_the_minutes_that_it_lasted() {
    let histories = histories();
    let minutes = |count: u64| Micros::MINUTE.times(count);
    let long = Note { taken: minutes(10), worked: minutes(10), origin: minutes(5), ..ran() };
    histories.note(&john(), &long, "", at(30));
    let hour = histories.of(&john(), at(31)).unwrap().minutes;
    let worked: Vec<u64> =
        hour.iter().map(|minute| minute.worked.count() / 1_000_000).filter(|worked| *worked > 0).collect();
    assert_eq!(worked, [30, 60, 60, 60, 60, 60, 60, 60, 60, 60, 30]);
    assert_eq!(hour.last().unwrap().origin, millis(15_000));
    let longest = Note { taken: minutes(600), worked: minutes(600), ..ran() };
    histories.note(&john(), &longest, "", at(30));
    assert_eq!(histories.of(&john(), at(31)).unwrap().minutes.len(), usize::try_from(MINUTES).unwrap());
}

#[test]
fn a_clock_that_is_set_back_leaves_an_hour_in_order() {
    let histories = histories();
    histories.note(&john(), &ran(), "", at(7_200));
    histories.note(&john(), &ran(), "", at(60));
    histories.note(&john(), &ran(), "", at(0));
    let minutes = histories.of(&john(), at(0)).unwrap().minutes;
    assert_eq!(minutes.last().map(|minute| (minute.at, minute.requests)), Some((at(0), 1)));
}

#[test]
fn of_too_many_owners_those_seen_longest_ago_are_forgotten() {
    let histories = Histories::new(HistorySettings { owners: 640, ..HistorySettings::default() });
    let owner = |number: i64| Owner::new(&format!("owner{number}@example.com"));
    for number in 0..10_000 {
        histories.note(&owner(number), &ran(), "", at(number));
        histories.note(&john(), &ran(), "", at(number));
    }
    let remembered = (0..10_000).filter(|number| histories.of(&owner(*number), at(10_000)).is_some()).count();
    assert!((400..=640).contains(&remembered), "{remembered}");
    assert!(histories.of(&john(), at(10_000)).is_some(), "he is seen all the time");
    assert!(histories.of(&owner(9_999), at(10_000)).is_some());
}

#[test]
fn an_owner_who_is_not_seen_for_a_day_is_forgotten_by_a_sweep() {
    let histories = histories();
    histories.note(&john(), &refused(), "the refused call", at(0));
    histories.sweep(at(0).plus(REMEMBERED.minus(Micros::SECOND)));
    let history = histories.of(&john(), at(3_700)).unwrap();
    assert_eq!(history.throttled.len(), 1, "longer than his minutes");
    histories.sweep(at(0).plus(REMEMBERED));
    assert_eq!(histories.of(&john(), at(0)), None);
}
