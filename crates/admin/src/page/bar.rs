//! A share of a limit as a bar: drawn, so that it needs no style of its own (the content policy allows none), and said
//! in words for those who do not see it.

use maud::{Markup, html};

/// From which share on a bar is drawn as nearly full.
const NEARLY: u64 = 80;
/// What a full bar shows.
const FULL: u64 = 100;

/// `used` of `limit` as a bar; a track without a bar where there is no limit.
pub(super) fn bar(used: u64, limit: Option<u64>, words: &str) -> Markup {
    let Some(limit) = limit else {
        return html! { svg.bar.none viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label=(words) {} };
    };
    let share = share(used, limit);
    let class = match share {
        FULL.. => "bar full",
        NEARLY.. => "bar nearly",
        0..NEARLY => "bar",
    };
    html! {
        svg class=(class) viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label=(words) {
            rect width=(share.min(FULL)) height="6" {}
        }
    }
}

/// `used` of `limit` in percent; of a limit of nothing, everything.
pub(super) fn share(used: u64, limit: u64) -> u64 {
    used.saturating_mul(FULL).checked_div(limit).unwrap_or(FULL)
}
