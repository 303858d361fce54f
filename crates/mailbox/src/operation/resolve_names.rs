//! `ResolveNames`: people whose name, alias or address begins so.

use weir_wire::ews::request::ResolveNames;
use weir_wire::ews::response::{Answer, Person};

use crate::server::{Failure, Outcome, Visit};

/// The most people in one answer.
const MAX_PEOPLE: usize = 100;

pub(super) fn carry_out(visit: &Visit<'_>, request: &ResolveNames) -> Outcome<Answer> {
    let entry = request.entry.trim();
    let entry = entry
        .split_once(':')
        .filter(|(kind, _)| kind.eq_ignore_ascii_case("smtp"))
        .map_or(entry, |(_, rest)| rest);
    let mut people = match visit.people.local(entry) {
        Some(person) => vec![person],
        None if entry.is_empty() => Vec::new(),
        None => visit.people.find(&visit.session.mailbox, entry, MAX_PEOPLE + 1),
    };
    if people.is_empty() {
        return Err(Failure::told("ErrorNameResolutionNoResults", "No results were found."));
    }
    let complete = people.len() <= MAX_PEOPLE;
    people.truncate(MAX_PEOPLE);
    let people = people
        .into_iter()
        .map(|person| Person { mailbox: person.as_mailbox(), alias: Some(person.alias) })
        .collect();
    Ok(Answer::Resolved { people, complete })
}
