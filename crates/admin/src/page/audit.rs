//! The audit log: who changed what, from what to what, the newest first.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Html;
use maud::{Markup, html};
use serde_json::{Map, Value};

use super::Shared;
use super::events::{end_of, span};
use super::form::Asked;
use super::layout::Section;
use super::session::Viewer;
use super::trouble::Trouble;
use super::words::told_moment;
use crate::server::input::Options;
use crate::server::log;
use crate::types::{AuditFilter, AuditRecord};

/// How many lines the page shows.
const LINES: usize = 200;
/// How deep a document is looked into for what changed.
const MAX_DEPTH: usize = 4;
/// How many changed values of one line are shown.
const MAX_SHOWN: usize = 40;

/// What follows from what else a document says, or never changes.
const DERIVED: [&str; 6] = ["effective", "guid", "legacy_dn", "mailboxes", "not_enforced", "policy_deleted"];

/// A value that differs: its name, how it was, how it is.
type Difference = (String, Option<String>, Option<String>);

pub(super) async fn show(
    State(page): Shared,
    Extension(viewer): Extension<Viewer>,
    Asked(asked): Asked,
) -> Result<Html<String>, Trouble> {
    let filter = AuditFilter {
        since: asked.filled("since").map(str::to_owned),
        target: asked.filled("target").map(str::to_owned),
        limit: Some(LINES),
    };
    let found = log::changes(State(Arc::clone(&page.admin)), Options(filter)).await?.0;
    let body = html! {
        form.row method="get" action="/audit" role="search" {
            div.field.wide {
                label for="target" { "Changed thing" }
                input #target name="target" value=(asked.one("target").unwrap_or_default()) autocomplete="off"
                    spellcheck="false" placeholder="a policy, an address, a server";
            }
            (span(&asked))
            button type="submit" { "Find" }
        }
        ol.log { @for change in &found.items { (line(change)) } }
        (end_of(&found, "changes"))
    };
    Ok(page.show(&viewer, Section::Audit, "Audit", &body))
}

fn line(change: &AuditRecord) -> Markup {
    let differences = differences(change.before.as_ref(), change.after.as_ref());
    html! {
        li {
            (told_moment(&change.time))
            span.id { (change.action) }
            div {
                p { strong { (change.target) } span.quiet { " by " (change.who) } }
                @if !differences.is_empty() { (table(&differences)) }
            }
        }
    }
}

fn table(differences: &[Difference]) -> Markup {
    html! {
        ul.differences {
            @for (name, before, after) in differences.iter().take(MAX_SHOWN) {
                li {
                    code { (name) } " "
                    @if let Some(before) = before { del { (before) } " " }
                    @if let Some(after) = after { ins { (after) } }
                }
            }
        }
        @if differences.len() > MAX_SHOWN { p.quiet { "and " (differences.len() - MAX_SHOWN) " more" } }
    }
}

/// What differs between two documents, leaf by leaf, in the order of their names.
fn differences(before: Option<&Value>, after: Option<&Value>) -> Vec<Difference> {
    let mut found = Vec::new();
    compare("", before, after, 0, &mut found);
    found
}

fn compare(
    name: &str,
    before: Option<&Value>,
    after: Option<&Value>,
    depth: usize,
    found: &mut Vec<Difference>,
) {
    if before == after {
        return;
    }
    let nothing = Map::new();
    let fields = |value: Option<&Value>| value.is_none_or(Value::is_object) && depth < MAX_DEPTH;
    if fields(before) && fields(after) {
        let left = before.and_then(Value::as_object).unwrap_or(&nothing);
        let right = after.and_then(Value::as_object).unwrap_or(&nothing);
        let keys: BTreeSet<_> = left.keys().chain(right.keys()).collect();
        for key in keys.into_iter().filter(|key| !DERIVED.contains(&key.as_str())) {
            let inner = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
            compare(&inner, left.get(key), right.get(key), depth + 1, found);
        }
    } else {
        found.push((name.to_owned(), before.map(told), after.map(told)));
    }
}

fn told(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_change_is_told_by_what_differs() {
        let before =
            json!({"name": "Foo", "settings": {"a": 1, "b": null}, "effective": {"a": 1}, "mailboxes": 2});
        let after =
            json!({"name": "Foo", "settings": {"a": 5, "c": 7}, "effective": {"a": 5}, "mailboxes": 2});
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            differences(Some(&before), Some(&after)),
            [
                ("settings.a".to_owned(), text("1"), text("5")),
                ("settings.b".to_owned(), text("null"), None),
                ("settings.c".to_owned(), None, text("7")),
            ]
        );
        assert_eq!(differences(None, Some(&json!({"on": true}))), [("on".to_owned(), None, text("true"))]);
        assert_eq!(differences(None, None), []);
    }
}
