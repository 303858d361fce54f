//! `[[block]]`: client programs that are kept out (R16).

use toml::de::DeValue;
use weir_gateway::block::{
    BlockList, MOST_MESSAGE, MOST_PATTERN, MOST_RULES, Pattern, Protocol, Rule, VersionRange,
};

use super::key::Effect::Reload;
use super::kind::{Kind, OneOf, text_of};
use super::reader::Section;

const PROTOCOLS: OneOf<Protocol> =
    OneOf(&[("mapi", Protocol::Mapi), ("http", Protocol::Http), ("eas", Protocol::Eas)]);

/// The whole list.
pub(super) fn read(s: &mut Section<'_, '_, '_>) -> BlockList {
    let rules = s.sections("block", rule);
    if rules.len() > MOST_RULES {
        let count = rules.len();
        s.mistake_at("block", format!("block: {count} rules; at most {MOST_RULES} are allowed"));
    }
    BlockList::new(rules)
}

fn rule(s: &mut Section<'_, '_, '_>) -> Option<Rule> {
    let protocol = s.required("protocol", Reload, &PROTOCOLS);
    let program = s.optional("program", Reload, &Name);
    let process = s.optional("process", Reload, &Name);
    let versions = s.optional("versions", Reload, &Versions);
    let message = s.optional("message", Reload, &Message);
    let protocol = protocol?;
    let names = [s.is_written("program"), s.is_written("process")];
    match (protocol, names) {
        (Protocol::Mapi, [false, false]) => s.mistake("block names nobody: give program, process or both"),
        (Protocol::Http | Protocol::Eas, [_, true]) => s.mistake_at(
            "process",
            "block.process: MAPI clients alone tell their process; remove it, or write protocol = \"mapi\"",
        ),
        (Protocol::Http | Protocol::Eas, [false, _]) => s.mistake("block names nobody: give program"),
        (Protocol::Mapi, [true, _] | [_, true]) | (Protocol::Http | Protocol::Eas, [true, false]) => {}
    }
    Some(Rule { protocol, program, process, versions, message })
}

/// A program or a process.
struct Name;

impl Kind for Name {
    type Value = Pattern;

    fn allowed(&self) -> String {
        format!("name, `*` for any part of a word, at most {MOST_PATTERN} characters")
    }

    fn read(&self, written: &DeValue<'_>) -> Result<Pattern, String> {
        let text = text_of(written)?;
        text.parse().map_err(|error| format!("{text:?} {error}"))
    }

    fn write(&self, value: &Pattern) -> String {
        format!("{:?}", value.to_string())
    }
}

/// A range of versions.
struct Versions;

impl Kind for Versions {
    type Value = VersionRange;

    fn allowed(&self) -> String {
        r#"range of versions, as "-15.0.4420", "14-15.1", "15-" or "14""#.to_owned()
    }

    fn read(&self, written: &DeValue<'_>) -> Result<VersionRange, String> {
        text_of(written)?.parse().map_err(|error: weir_gateway::block::RangeError| error.to_string())
    }

    fn write(&self, value: &VersionRange) -> String {
        format!("{:?}", value.to_string())
    }
}

/// What a client is told: a sentence on one line.
struct Message;

impl Kind for Message {
    type Value = String;

    fn allowed(&self) -> String {
        format!("text on one line, at most {MOST_MESSAGE} characters")
    }

    fn read(&self, written: &DeValue<'_>) -> Result<String, String> {
        let text = text_of(written)?.trim();
        let fits = (1..=MOST_MESSAGE).contains(&text.chars().count()) && !text.chars().any(char::is_control);
        if fits { Ok(text.to_owned()) } else { Err(format!("{} is meant", self.allowed())) }
    }

    fn write(&self, value: &String) -> String {
        format!("{value:?}")
    }
}

#[cfg(test)]
mod tests;
