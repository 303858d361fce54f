//! What is remembered of an owner: his calls that were refused or delayed with their log lines, minute by minute how
//! it went, and the client programs that he used (T21).

use maud::{Markup, html};
use serde_json::Value;

use super::budget::part_name;
use super::owner_log;
use super::plot::{Plot, Series, Shape, rows, seconds};
use super::words::{self, told_moment};
use crate::types::{ClientProgram, MinuteView, OwnerHistory, ThrottledCall};

/// How many minutes the plots show.
const MINUTES: usize = 60;
/// Milliseconds in a second.
const SECOND: f64 = 1_000.0;

/// The plots of his last hour, and the same as a table.
pub(super) fn hour(history: &OwnerHistory) -> Markup {
    let [calls, time] = plots(&history.minutes);
    html! {
        div.columns {
            section.card aria-labelledby="calls" { h2 #calls { "Requests a minute" } (calls.frame()) }
            section.card aria-labelledby="time" { h2 #time { "Seconds used a minute" } (time.frame()) }
        }
    }
}

fn plots(minutes: &[MinuteView]) -> [Plot; 2] {
    let line = |label, colour, unit| Series { label, colour, shape: Shape::Line, unit };
    let bars = |label, colour| Series { label, colour, shape: Shape::Bars, unit: "" };
    let plot = |name, title, least, series: Vec<Series>, moments: Vec<Vec<Value>>| {
        let data = rows(&moments, series.len());
        Plot { name, title, every: 60, most: MINUTES, least, series, data }
    };
    let calls_series =
        vec![bars("requests", "--fill"), bars("delayed or refused", "--warn-fill"), bars("refused", "--bad")];
    let time_series = vec![
        Series { label: "gateway, in all", colour: "--fill", shape: Shape::Area, unit: " s" },
        line("mailbox server", "--warn-fill", " s"),
    ];
    [
        plot(
            "calls",
            "His requests in each of the last 60 minutes",
            5,
            calls_series,
            minutes.iter().map(calls).collect(),
        ),
        plot(
            "time",
            "The time he used in each of the last 60 minutes",
            10,
            time_series,
            minutes.iter().map(time).collect(),
        ),
    ]
}

/// A minute's moment in the plot of requests; what would have been refused is counted as refused.
pub(super) fn calls(minute: &MinuteView) -> Vec<Value> {
    let refused = minute.refused.saturating_add(minute.would_refuse);
    let delayed = minute.delayed.saturating_add(minute.would_delay);
    vec![seconds(&minute.at), minute.requests.into(), delayed.saturating_add(refused).into(), refused.into()]
}

/// A minute's moment in the plot of time.
pub(super) fn time(minute: &MinuteView) -> Vec<Value> {
    vec![seconds(&minute.at), in_seconds(minute.cas_ms), in_seconds(minute.rpc_ms)]
}

fn in_seconds(milliseconds: u64) -> Value {
    let milliseconds = u32::try_from(milliseconds).unwrap_or(u32::MAX);
    (f64::from(milliseconds) / SECOND).into()
}

/// What changes from second to second: his last refusals, the minutes in numbers, his programs.
pub(super) fn told(owner: &str, history: &OwnerHistory) -> Markup {
    html! {
        div #history {
            section.card aria-labelledby="last" { h2 #last { "Refused or delayed lately" } (throttled(&history.throttled)) }
            section.card aria-labelledby="programs" { h2 #programs { "Client programs" } (programs(&history.programs)) }
            section.card aria-labelledby="minutes" { h2 #minutes { "Minute by minute" } (minutes(owner, &history.minutes)) }
        }
    }
}

fn throttled(calls: &[ThrottledCall]) -> Markup {
    html! {
        @if calls.is_empty() { p.quiet { "No such calls, as far as this server remembers." } }
        @for call in calls {
            details.call id={ "t-" (call.first_at) "-" (call.verdict) "-" (call.part) } {
                summary {
                    (told_moment(&call.at)) " "
                    span class={ "tag " (verdict_class(&call.verdict)) } { (call.verdict) }
                    " " (part_name(&call.part))
                    @if call.count > 1 {
                        " · " (words::count(call.count)) " calls since " (told_moment(&call.first_at))
                    }
                    @if call.waited_ms > 0 { " · waited " (words::duration(call.waited_ms)) }
                    " · answered " (call.status)
                }
                pre.line { (call.line) }
            }
        }
    }
}

fn verdict_class(verdict: &str) -> &'static str {
    match verdict {
        "refuse" => "bad",
        "delay" => "warn",
        _ => "",
    }
}

fn programs(programs: &[ClientProgram]) -> Markup {
    html! {
        @if programs.is_empty() { p.quiet { "None was seen lately." } }
        @else {
            div.scroll {
                table {
                    thead {
                        tr {
                            th scope="col" { "Program" } th.number scope="col" { "Requests" }
                            th scope="col" { "First seen" } th scope="col" { "Last seen" }
                        }
                    }
                    tbody {
                        @for program in programs {
                            tr {
                                th scope="row" {
                                    @if program.user_agent.is_empty() { span.quiet { "states no name" } }
                                    @else { (program.user_agent) }
                                }
                                td.number { (words::count(program.requests)) }
                                td { (told_moment(&program.first_seen)) } td { (told_moment(&program.last_seen)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The minutes in which anything happened, the latest first.
fn minutes(owner: &str, minutes: &[MinuteView]) -> Markup {
    let busy: Vec<&MinuteView> = minutes.iter().rev().filter(|minute| minute.requests > 0).collect();
    html! {
        @if busy.is_empty() { p.quiet { "Nothing in the last 60 minutes." } }
        @else {
            details.more #minute-table {
                summary { "The last 60 minutes in numbers" }
                div.scroll {
                    table {
                        thead {
                            tr {
                                th scope="col" { "Minute (UTC)" } th.number scope="col" { "Requests" }
                                th.number scope="col" { "Refused" } th.number scope="col" { "Delayed" }
                                th.number scope="col" { "Would refuse" } th.number scope="col" { "Would delay" }
                                th.number scope="col" { "Gateway" } th.number scope="col" { "Mailbox server" }
                            }
                        }
                        tbody { @for minute in busy { (minute_row(owner, minute)) } }
                    }
                }
            }
        }
    }
}

fn minute_row(owner: &str, minute: &MinuteView) -> Markup {
    html! {
        tr {
            th scope="row" { a id={ "m-" (minute.at) } href=(owner_log::path(owner, &minute.at)) { (told_moment(&minute.at)) } }
            td.number { (minute.requests) } td.number { (minute.refused) } td.number { (minute.delayed) }
            td.number { (minute.would_refuse) } td.number { (minute.would_delay) }
            td.number { (words::duration(minute.cas_ms)) } td.number { (words::duration(minute.rpc_ms)) }
        }
    }
}
