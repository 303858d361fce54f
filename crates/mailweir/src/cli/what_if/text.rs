//! The answer for people.

use std::fmt::Write;

use weir_whatif::candidate::{Measures, Report, Totals};
use weir_whatif::runaways::{Runaway, Runaways};

use super::Document;
use crate::cli::table::Table;

/// How many owners a report shows; `--json` names more.
const OWNERS_SHOWN: usize = 20;

/// The longest client program's name that is shown, in letters.
const AGENT_SHOWN: usize = 48;

/// The whole answer.
pub(super) fn report(document: &Document) -> String {
    let mut text = reading(document);
    if let Some(report) = &document.what_if {
        text.push_str(&what_if(report, &document.files));
    }
    if let Some(found) = &document.runaways {
        text.push_str(&runaways(found));
    }
    text
}

fn reading(document: &Document) -> String {
    let (reading, files) = (&document.reading, document.files.len());
    let (calls, lines) = (count(reading.calls, "call"), count(reading.lines, "line"));
    let mut text = format!("read {calls} in {lines} of {}", count(files, "file"));
    if let (Some(from), Some(to)) = (&document.from, &document.to) {
        let _ = write!(text, ", from {from} to {to}");
    }
    text.push('\n');
    if reading.malformed > 0 {
        let _ = writeln!(text, "{} not understood, the first of them:", count(reading.malformed, "line"));
    }
    for trouble in &reading.troubles {
        let _ = writeln!(text, "  {}: {}", place(&document.files, trouble.file, trouble.line), trouble.why);
    }
    if reading.late > 0 {
        let calls = count(reading.late, "call");
        let _ = writeln!(
            text,
            "{calls} took more than ten minutes and counted from where the others were by then"
        );
    }
    if let Some(replay) = &document.replay {
        let same = replay.compared - replay.differing;
        let _ = writeln!(
            text,
            "exact replay: {same} of {} recorded verdicts follow from what their lines say",
            replay.compared
        );
        for difference in &replay.differences {
            let place = place(&document.files, difference.file, difference.line);
            let _ =
                writeln!(text, "  {place}: recorded {}, follows {}", difference.recorded, difference.follows);
        }
    }
    text
}

fn what_if(report: &Report, files: &[String]) -> String {
    let outline = &report.outline;
    let whose = match &outline.replaces {
        Some(replaces) => format!("in place of {replaces}"),
        None => "in place of everybody's policy".to_owned(),
    };
    let mut text = format!("\nthe policy {} {whose}, after one minute to run in:\n\n", outline.policy);
    text.push_str(&totals(report));
    for (count, what) in [
        (outline.calls_spared, "calls were under other policies"),
        (outline.calls_without_component, "calls went to paths that no policy limits"),
        (outline.calls_left_out, "calls were of owners that there was no room for"),
    ] {
        if count > 0 {
            let _ = writeln!(text, "{count} {what}");
        }
    }
    if report.candidate.measures.calls == 0 {
        text.push_str("no call is left after the first minute; try a longer log\n");
    }
    text.push_str(&because(&report.candidate.measures));
    text.push_str(&owners(report));
    text.push_str(&examples(report, files));
    let _ = writeln!(text, "\n{}", report.estimate);
    text
}

fn totals(report: &Report) -> String {
    let columns = [
        ("RECORDED", report.recorded.as_ref()),
        ("TODAY, SIMULATED", report.today.as_ref()),
        ("CANDIDATE", Some(&report.candidate)),
    ];
    let columns: Vec<_> = columns.into_iter().filter_map(|(name, totals)| Some((name, totals?))).collect();
    let rows = [
        "calls",
        "owners delayed",
        "owners refused",
        "calls delayed",
        "calls refused",
        "delay in all",
        "longest delay",
    ];
    let mut headings = vec![""];
    headings.extend(columns.iter().map(|(name, _)| *name));
    let mut table = Table::new(&headings);
    let values: Vec<[String; 7]> = columns.iter().map(|(_, totals)| cells(totals)).collect();
    for (row, name) in rows.into_iter().enumerate() {
        let values = values.iter().filter_map(|column| column.get(row).cloned());
        table.row_of(std::iter::once(name.to_owned()).chain(values));
    }
    table.text()
}

/// One column of the totals.
fn cells(totals: &Totals) -> [String; 7] {
    let measures = &totals.measures;
    [
        measures.calls.to_string(),
        totals.owners_delayed.to_string(),
        totals.owners_refused.to_string(),
        measures.delayed.to_string(),
        measures.refused.to_string(),
        seconds(measures.delay_ms),
        seconds(measures.longest_delay_ms),
    ]
}

/// For the sake of which parts.
fn because(measures: &Measures) -> String {
    let mut parts: Vec<(&str, u64)> = measures.because.iter().map(|(part, count)| (*part, *count)).collect();
    parts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let parts: Vec<String> = parts.iter().map(|(part, count)| format!("{part} {count}")).collect();
    if parts.is_empty() { String::new() } else { format!("because of {}\n", parts.join(", ")) }
}

fn owners(report: &Report) -> String {
    if report.owners.is_empty() {
        return "\nnobody is delayed or refused\n".to_owned();
    }
    let headings =
        ["OWNER", "COMPONENT", "CALLS", "DELAYED", "REFUSED", "DELAY", "LONGEST", "TODAY DELAYED", "REFUSED"];
    let mut table = Table::new(&headings);
    for owner in report.owners.iter().take(OWNERS_SHOWN) {
        let (candidate, today) = (&owner.candidate, &owner.today);
        table.row([
            owner.owner.clone(),
            owner.component.to_owned(),
            candidate.calls.to_string(),
            candidate.delayed.to_string(),
            candidate.refused.to_string(),
            seconds(candidate.delay_ms),
            seconds(candidate.longest_delay_ms),
            today.delayed.to_string(),
            today.refused.to_string(),
        ]);
    }
    let mut text = format!("\n{}", table.text());
    let more = report.owners.len().saturating_sub(OWNERS_SHOWN);
    if more > 0 {
        let _ = writeln!(text, "and {more} more; --json names them");
    }
    text
}

fn examples(report: &Report, files: &[String]) -> String {
    if report.examples.is_empty() {
        return String::new();
    }
    let mut table =
        Table::new(&["AT", "OWNER", "OPERATION", "WOULD", "BECAUSE OF", "AFTER", "RECORDED", "LINE"]);
    for example in &report.examples {
        table.row([
            example.at.clone(),
            example.owner.clone(),
            example.operation.clone(),
            example.verdict.to_owned(),
            example.why.to_owned(),
            seconds(example.waited_ms),
            example.recorded.to_owned(),
            place(files, example.file, example.line),
        ]);
    }
    format!("\nthe first of them:\n\n{}", table.text())
}

fn runaways(found: &Runaways) -> String {
    let all = format!("{} and {}", count(found.owners, "owner"), count(found.calls, "call"));
    let mut text = format!("\n{all}, {} in all; here are the runaways\n", seconds(found.time_ms));
    for (by, list) in [
        ("by the time that their calls took", &found.by_time),
        ("by the number of calls", &found.by_calls),
        ("by calls at once", &found.by_calls_at_once),
    ] {
        if !list.is_empty() {
            let _ = write!(text, "\n{by}:\n\n{}", ranking(list));
        }
    }
    text
}

fn ranking(list: &[Runaway]) -> String {
    let headings =
        ["", "OWNER", "CALLS", "TIME", "SHARE", "AT ONCE", "BUSIEST MINUTE", "CALLS", "TIME", "CLIENT"];
    let mut table = Table::new(&headings);
    for (place, runaway) in (1..).zip(list) {
        let agent = runaway.user_agents.first().map_or("-", String::as_str);
        let agent: String = agent.chars().take(AGENT_SHOWN).collect();
        let more = runaway.user_agents.len().saturating_sub(1);
        let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
        table.row([
            place.to_string(),
            runaway.owner.clone(),
            runaway.calls.to_string(),
            seconds(runaway.time_ms),
            format!("{} %", runaway.share_percent),
            runaway.calls_at_once.to_string(),
            minute(&runaway.busiest_minute),
            runaway.busiest_calls.to_string(),
            seconds(runaway.busiest_time_ms),
            agent + &more,
        ]);
    }
    table.text()
}

/// A moment to the minute: `2026-11-30 10:35`.
fn minute(at: &str) -> String {
    at.chars().take("2026-11-30T10:35".len()).map(|letter| if letter == 'T' { ' ' } else { letter }).collect()
}

/// Milliseconds as seconds with one digit behind the point.
fn seconds(ms: u64) -> String {
    format!("{}.{} s", ms / 1000, ms % 1000 / 100)
}

fn place(files: &[String], file: usize, line: u64) -> String {
    format!("{}:{line}", files.get(file).map_or("", String::as_str))
}

fn count(count: impl TryInto<u64>, thing: &str) -> String {
    match count.try_into().unwrap_or(u64::MAX) {
        1 => format!("1 {thing}"),
        count => format!("{count} {thing}s"),
    }
}
