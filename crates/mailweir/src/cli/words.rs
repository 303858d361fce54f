//! Numbers and times as people read them.

/// `2026-11-30T10:14:07.004132Z` as `2026-11-30 10:14:07Z`.
pub(crate) fn to_the_second(at: &str) -> String {
    match (at.get(..10), at.get(11..19)) {
        (Some(date), Some(time)) => format!("{date} {time}Z"),
        _ => at.to_owned(),
    }
}

/// Milliseconds in their largest unit, rounded down: `40 ms`, `12 s`, `5 min`, `3 h`, `2 d`.
pub(crate) fn duration(milliseconds: u64) -> String {
    const UNITS: [(u64, &str); 4] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s")];
    let unit = UNITS.into_iter().find(|(size, _)| milliseconds >= *size);
    let (size, name) = unit.unwrap_or((1, "ms"));
    format!("{} {name}", milliseconds / size)
}

/// Microseconds as milliseconds, below ten to the tenth: `0.4 ms`, `25 ms`; from ten seconds on as a duration.
pub(crate) fn latency(microseconds: u64) -> String {
    match (microseconds / 1_000, microseconds % 1_000 / 100) {
        (whole @ 0..10, tenth) => format!("{whole}.{tenth} ms"),
        (whole @ 10..10_000, _) => format!("{whole} ms"),
        (whole, _) => duration(whole),
    }
}

#[cfg(test)]
mod tests;
