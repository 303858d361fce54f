//! A budget as people read it: what each part allows, what of it is used, what is left.

use maud::{Markup, html};

use super::bar::{bar, share};
use super::words;
use crate::types::{ComponentBudget, PartBudget, SubmissionBudget};

/// What the parts are, by the end of their names.
const PARTS: [(&str, &str); 16] = [
    ("InAD", "Directory"),
    ("InCAS", "Gateway, in all"),
    ("InAddressBook", "Address book"),
    ("InMailboxRPC", "Mailbox server"),
    ("MaxConcurrency", "Calls at the same time"),
    ("HangingConnections", "Calls that wait for events"),
    ("FindCountLimit", "Items found"),
    ("MaxSubscriptions", "Subscriptions"),
    ("FastSearchTimeoutInSeconds", "Time of one search"),
    ("CPUStartPercent", "Processor load"),
    ("MessageRateLimit", "Messages in a minute"),
    ("RecipientRateLimit", "Recipients in 24 hours"),
    ("Waiting", "Calls that wait"),
    ("Backoff", "Pace of the server"),
    ("BlockList", "Program kept out"),
    ("FairShare", "A place at the server"),
];

/// One row of a budget.
struct Row<'r> {
    what: &'r str,
    name: &'r str,
    used: String,
    limit: String,
    left: String,
    bar: Markup,
}

/// The whole budget: time parts, then what is counted.
pub(super) fn whole(budget: &ComponentBudget) -> Markup {
    html! {
        (table(budget.parts.iter().map(time).chain(in_use(budget))))
        @if budget.waiting > 0 {
            p { strong { (budget.waiting) } " of the calls wait for their turn." }
        }
    }
}

/// What an owner has sent, and how much he may.
pub(super) fn sent(budget: &SubmissionBudget) -> Markup {
    let row = |name, used, limit: Option<u32>| counted(part_name(name), name, used, limit);
    table([
        row("MessageRateLimit", budget.messages, budget.message_rate_limit),
        row("RecipientRateLimit", budget.recipients, budget.recipient_rate_limit),
    ])
}

fn table<'r>(rows: impl IntoIterator<Item = Row<'r>>) -> Markup {
    html! {
        div.scroll {
            table.budget {
                thead {
                    tr {
                        th scope="col" { "Part" } th scope="col" { span.unseen { "As a bar" } }
                        th.number scope="col" { "Used" } th.number scope="col" { "Allowed" } th.number scope="col" { "Left" }
                    }
                }
                tbody { @for one in rows { (row(&one)) } }
            }
        }
    }
}

fn row(row: &Row<'_>) -> Markup {
    html! {
        tr {
            th scope="row" title=(row.name) { (row.what) }
            td.bars { (row.bar) }
            td.number { (row.used) } td.number { (row.limit) } td.number { (row.left) }
        }
    }
}

/// What a part is called: `Mailbox server`.
pub(super) fn part_name(part: &str) -> &str {
    PARTS.iter().find(|(end, _)| part.ends_with(end)).map_or(part, |(_, name)| name)
}

/// The bar of a time part.
pub(super) fn time_bar(part: &PartBudget) -> Markup {
    let words = match part.allowance_ms {
        Some(allowance) => format!("{} %", share(part.used_ms, allowance)),
        None => "no limit".to_owned(),
    };
    bar(part.used_ms, part.allowance_ms, &words)
}

fn time(part: &PartBudget) -> Row<'_> {
    let left = part.remainder_ms.map_or_else(String::new, |left| {
        let sign = if left < 0 { "−" } else { "" };
        format!("{sign}{}", words::duration(left.unsigned_abs()))
    });
    Row {
        what: part_name(&part.part),
        name: &part.part,
        used: words::duration(part.used_ms),
        limit: part
            .allowance_ms
            .map_or_else(|| "no limit".to_owned(), |most| format!("{} / min", words::duration(most))),
        left,
        bar: time_bar(part),
    }
}

/// The row of what is counted, not timed.
fn counted<'r>(what: &'r str, name: &'r str, used: u64, limit: Option<u32>) -> Row<'r> {
    let limit = limit.map(u64::from);
    let words = limit.map_or_else(|| "no limit".to_owned(), |limit| format!("{used} of {limit}"));
    Row {
        what,
        name,
        used: words::count(used),
        limit: limit.map_or_else(|| "no limit".to_owned(), words::count),
        left: limit.map_or_else(String::new, |limit| words::count(limit.saturating_sub(used))),
        bar: bar(used, limit, &words),
    }
}

fn in_use(budget: &ComponentBudget) -> [Row<'static>; 4] {
    let row = |what, name, used: u32, limit| counted(what, name, used.into(), limit);
    [
        row("Calls at the same time", "MaxConcurrency", budget.running, budget.max_concurrency),
        row("Calls that wait for events", "Hanging calls", budget.hanging, budget.max_hanging),
        row("Items found", "FindCountLimit", budget.find_count, budget.find_count_limit),
        row("Subscriptions", "MaxSubscriptions", budget.subscriptions, budget.max_subscriptions),
    ]
}
