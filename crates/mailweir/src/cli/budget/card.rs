//! `mailweir budget show` for people: one page of at most 100 columns, the answer first.

use std::fmt::Write;

use weir_admin::types::{
    ClientProgram, ComponentBudget, MinuteView, OwnerBudgets, OwnerCalls, OwnerLog, PolicyInForce,
    SubmissionBudget, ThrottledCall,
};

use super::Shown;
use crate::cli::session;
use crate::cli::table::{Table, shortened, wrapped};
use crate::cli::words::to_the_second;

/// The width of a page, in letters.
const WIDTH: usize = 100;
/// Letters of a program's name that are shown.
const PROGRAM: usize = 44;
/// Minutes that are shown, the latest of those in which anything happened.
const MINUTES: usize = 15;
/// Lines of the log that are shown, the latest; all are in the JSON document.
const LINES: usize = 3;

/// The whole page.
pub(super) fn text(Shown { budgets, log }: &Shown) -> String {
    let mut text = head(budgets);
    if let Some(log) = log {
        let _ = write!(text, "\n{}", logged(log));
    }
    for component in &budgets.components {
        let _ = write!(text, "\n{}", section(component));
    }
    let _ = write!(text, "\n{}", sent(&budgets.submission));
    let sessions = session::of_owner(&budgets.sessions);
    let history = &budgets.history;
    let mut parts =
        vec![sessions, programs(&history.programs), throttled(&history.throttled), minutes(&history.minutes)];
    // Where the log was asked for, its lines are shown already.
    if log.is_none() {
        let remembered = history.throttled.iter().map(|call| call.line.as_str());
        parts.push(lines("THEIR LINES IN THE REQUEST LOG", remembered));
    }
    for part in parts.iter().filter(|part| !part.is_empty()) {
        let _ = write!(text, "\n{part}");
    }
    text
}

fn head(budgets: &OwnerBudgets) -> String {
    let policy = &budgets.policy;
    let mut rows = vec![
        ("Owner", budgets.owner.clone()),
        (
            "In the directory",
            if budgets.in_directory { "yes" } else { "no: outside every organisation" }.to_owned(),
        ),
        ("Policy", format!("{} ({})", policy.name, policy.source)),
    ];
    rows.extend(policy.reasons.iter().map(|reason| ("Because", reason.clone())));
    if policy.observe_only {
        rows.push(("Observe only", "yes: measured, never refused or delayed".to_owned()));
    }
    rows.push(("Loaded", loaded(policy)));
    let full = budgets.origins.iter().find(|calls| is_full(calls)).map(|calls| calls.origin.as_str());
    let states = budgets.components.iter().filter_map(|component| state(component, full));
    rows.extend(states.map(|state| ("Right now", state)));
    rows.extend(budgets.origins.iter().filter_map(at_origin).map(|state| ("Right now", state)));
    rows.extend(sending(&budgets.submission).map(|state| ("Right now", state)));
    rows.iter().fold(String::new(), |mut text, (name, value)| {
        let _ = writeln!(text, "{}", wrapped(&format!("{name:<16}  "), value, WIDTH));
        text
    })
}

fn loaded(policy: &PolicyInForce) -> String {
    let cached = if policy.cached { "from the cache" } else { "just looked up" };
    let (age, rereads) = (seconds(policy.age_ms), seconds(policy.rereads_in_ms));
    format!("{age} s ago ({cached}), read again in {rereads} s at the latest")
}

/// What would happen to one more call, where the origin of that name has no place for it; nothing for an owner who was not
/// seen here lately.
fn state(component: &ComponentBudget, full: Option<&str>) -> Option<String> {
    if !component.active {
        return None;
    }
    let name = &component.component;
    if component.max_concurrency.is_some_and(|most| component.running >= most) {
        return Some(format!("{name}: a further call is refused, MaxConcurrency is used up"));
    }
    let used_up = component.parts.iter().find(|part| part.remainder_ms.is_some_and(|left| left <= 0));
    Some(match (used_up, full) {
        (Some(part), _) => format!("{name}: a further call has to wait, {} is used up", part.part),
        (None, Some(origin)) => format!("{name}: a further call has to wait for a place at {origin}"),
        (None, None) => format!("{name}: a further call runs at once"),
    })
}

/// Whether one more call of the owner has to wait at an origin that he has calls at.
fn is_full(calls: &OwnerCalls) -> bool {
    let OwnerCalls { running, waiting, all, .. } = calls;
    all.limit.is_some_and(|limit| *waiting > 0 || (*running > 0 && all.running >= limit))
}

/// What of the owner's calls runs and waits at an origin (T23); nothing where none is there.
fn at_origin(calls: &OwnerCalls) -> Option<String> {
    let OwnerCalls { origin, running, waiting, ahead_ms, all } = calls;
    if *running == 0 && *waiting == 0 {
        return None;
    }
    let runs = match running {
        0 => "no call runs".to_owned(),
        1 => "1 call runs".to_owned(),
        _ => format!("{running} calls run"),
    };
    let waits = match waiting {
        0 => String::new(),
        1 => ", 1 waits".to_owned(),
        _ => format!(", {waiting} wait"),
    };
    let places = match all.limit {
        Some(limit) => format!("{} of {limit} places are taken", all.running),
        None => "fair share is off".to_owned(),
    };
    let ahead = match ahead_ms {
        0 => String::new(),
        _ => format!("; has used {ahead_ms} ms more than his share"),
    };
    Some(format!("at {origin}: {runs}{waits}; {places}{ahead}"))
}

/// What is in the way of one more message; nothing where nothing is.
fn sending(submission: &SubmissionBudget) -> Option<String> {
    let is_full = |used: u64, limit: Option<u32>| limit.is_some_and(|limit| used >= limit.into());
    if is_full(submission.messages, submission.message_rate_limit) {
        return Some("mail: a further message is refused, MessageRateLimit is used up".to_owned());
    }
    is_full(submission.recipients, submission.recipient_rate_limit)
        .then(|| "mail: a further recipient is refused, RecipientRateLimit is used up".to_owned())
}

/// One component: how many calls, then the time parts.
fn section(component: &ComponentBudget) -> String {
    let seen = if component.active { "" } else { " (not seen lately)" };
    let mut counts = Table::new(&["COUNT", "IN USE", "LIMIT"]);
    for (name, used, limit) in [
        ("running calls", component.running, component.max_concurrency),
        ("waiting calls", component.waiting, None),
        ("hanging calls", component.hanging, component.max_hanging),
        ("found items", component.find_count, component.find_count_limit),
        ("subscriptions", component.subscriptions, component.max_subscriptions),
    ] {
        counts.row([name.to_owned(), used.to_string(), or_null(limit)]);
    }
    let mut parts = Table::new(&["TIME PART", "ALLOWANCE", "USED", "REMAINDER", "SHARE"]);
    for part in &component.parts {
        parts.row([
            part.part.clone(),
            part.allowance_ms.map_or_else(|| "null".to_owned(), millis),
            millis(part.used_ms),
            part.remainder_ms.map_or_else(|| "null".to_owned(), |ms| format!("{ms} ms")),
            format!("{} %", part.used_percent),
        ]);
    }
    format!("{}{seen}\n{}{}", component.component, counts.text(), parts.text())
}

/// What the owner has submitted over SMTP.
fn sent(submission: &SubmissionBudget) -> String {
    let mut table = Table::new(&["COUNT", "USED", "LIMIT"]);
    for (name, used, limit) in [
        ("messages of the last minute", submission.messages, submission.message_rate_limit),
        ("recipients of the last 24 hours", submission.recipients, submission.recipient_rate_limit),
    ] {
        table.row([name.to_owned(), used.to_string(), or_null(limit)]);
    }
    format!("Mail sent\n{}", table.text())
}

fn programs(programs: &[ClientProgram]) -> String {
    let mut table = Table::new(&["CLIENT PROGRAM", "REQUESTS", "FIRST SEEN", "LAST SEEN"]);
    for program in programs {
        let name = if program.user_agent.is_empty() { "(says no name)" } else { &program.user_agent };
        table.row([
            shortened(name, PROGRAM),
            program.requests.to_string(),
            to_the_second(&program.first_seen),
            to_the_second(&program.last_seen),
        ]);
    }
    table.text_or_nothing()
}

fn throttled(calls: &[ThrottledCall]) -> String {
    let headings = ["REFUSED OR DELAYED", "COMPONENT", "VERDICT", "PART", "WAITED", "CALLS", "STATUS"];
    let mut table = Table::new(&headings);
    for call in calls {
        table.row([
            to_the_second(&call.at),
            call.component.clone(),
            call.verdict.clone(),
            call.part.clone(),
            millis(call.waited_ms),
            call.count.to_string(),
            call.status.to_string(),
        ]);
    }
    table.text_or_nothing()
}

fn minutes(minutes: &[MinuteView]) -> String {
    let headings = ["MINUTE (UTC)", "REQUESTS", "REFUSED", "DELAYED", "WOULD BE", "CAS", "RPC"];
    let mut table = Table::new(&headings);
    let busy: Vec<&MinuteView> =
        minutes.iter().filter(|minute| minute.requests > 0 || minute.cas_ms > 0).collect();
    for minute in busy.iter().skip(busy.len().saturating_sub(MINUTES)) {
        let would = u64::from(minute.would_refuse) + u64::from(minute.would_delay);
        table.row([
            minute.at.get(11..16).unwrap_or(&minute.at).to_owned(),
            minute.requests.to_string(),
            minute.refused.to_string(),
            minute.delayed.to_string(),
            would.to_string(),
            millis(minute.cas_ms),
            millis(minute.rpc_ms),
        ]);
    }
    table.text_or_nothing()
}

/// What the request log says of a span of time.
fn logged(log: &OwnerLog) -> String {
    let OwnerLog { requests, refused, delayed, would_refuse, would_delay, .. } = log;
    let (from, to) = (to_the_second(&log.from), to_the_second(&log.to));
    let mut text = format!("The request log from {from} to {to}:\n");
    let _ = writeln!(text, "requests: {requests}, refused: {refused}, delayed: {delayed}");
    if would_refuse + would_delay > 0 {
        let _ = writeln!(text, "would have been refused: {would_refuse}, delayed: {would_delay}");
    }
    if !log.complete {
        text.push_str("This part of the log is too long to be looked through whole; ask for less.\n");
    }
    text.push_str(&lines("REFUSED OR DELAYED", log.throttled.iter().map(String::as_str)));
    text.push_str(&lines("SLOWEST", log.slowest.iter().map(String::as_str)));
    text
}

/// Lines of the log under a title, each wrapped to the page.
fn lines<'a>(title: &str, lines: impl ExactSizeIterator<Item = &'a str>) -> String {
    let count = lines.len();
    if count == 0 {
        return String::new();
    }
    let mut text = match count.saturating_sub(LINES) {
        0 => format!("{title}\n"),
        _ => format!("{title} (the first {LINES} of {count}; --json has all)\n"),
    };
    for line in lines.take(LINES) {
        let _ = writeln!(text, "{}", wrapped("  ", line, WIDTH));
    }
    text
}

fn millis(count: u64) -> String {
    format!("{count} ms")
}

fn or_null(limit: Option<u32>) -> String {
    limit.map_or_else(|| "null".to_owned(), |limit| limit.to_string())
}

/// Whole seconds, rounded down.
fn seconds(millis: u64) -> u64 {
    millis / 1_000
}

#[cfg(test)]
mod tests;
