//! Numbers and times as people read them.

#[cfg(test)]
mod tests;

use maud::{Markup, html};

/// `milliseconds` in its largest unit, with one digit more where that says something: `850 ms`, `3.5 s`, `12 min`.
pub(super) fn duration(milliseconds: u64) -> String {
    const UNITS: [(u64, &str); 4] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s")];
    let Some((size, name)) = UNITS.into_iter().find(|(size, _)| milliseconds >= *size) else {
        return format!("{milliseconds}\u{a0}ms");
    };
    match (milliseconds / size, milliseconds % size * 10 / size) {
        (whole @ 0..10, tenth @ 1..) => format!("{whole}.{tenth}\u{a0}{name}"),
        (whole, _) => format!("{whole}\u{a0}{name}"),
    }
}

/// A time in microseconds, to the tenth of a millisecond below ten: `0.4 ms`, `25 ms`, `1.2 s`.
pub(super) fn latency(microseconds: u64) -> String {
    match (microseconds / 1_000, microseconds % 1_000 / 100) {
        (whole @ 0..10, tenth @ 1..) => format!("{whole}.{tenth}\u{a0}ms"),
        (whole, _) => duration(whole),
    }
}

/// `count` with its thousands apart.
pub(super) fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() * 2);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// The time of a log's line: date and time to the second.
pub(super) fn told_moment(time: &str) -> Markup {
    let (date, rest) = time.split_once('T').unwrap_or((time, ""));
    let clock = rest.split(['.', 'Z']).next().unwrap_or_default();
    html! { time datetime=(time) { span.quiet { (date) } " " (clock) } }
}
