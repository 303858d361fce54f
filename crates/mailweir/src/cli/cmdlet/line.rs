//! The words behind a cmdlet, sorted into parameters.

use super::super::assignment::Assignment;
use super::forms::Form;
use crate::config::nearest::nearest;
use weir_admin::names;

/// Parameters with their values.
pub(super) struct Line {
    cmdlet: &'static str,
    values: Vec<(&'static str, String)>,
    /// Settings of a policy.
    pub(super) settings: Vec<Assignment>,
}

impl Line {
    /// Sorts `words` by what `form` takes.
    pub(super) fn read(form: &'static Form, words: &[String]) -> Result<Self, String> {
        let mut line = Self { cmdlet: form.name, values: Vec::new(), settings: Vec::new() };
        let mut words = words.iter().map(String::as_str).peekable();
        while let Some(word) = words.next() {
            let Some(name) = parameter(word) else {
                line.put(form.positional, word)?;
                continue;
            };
            let (name, joined) =
                name.split_once(':').map_or((name, None), |(name, value)| (name, Some(value)));
            if let Some(switch) = known(form.switches, name) {
                // A number behind a switch is what the command is about.
                let is_said = |next: &&str| truth(next).is_some() && !is_number(next);
                let value = joined.or_else(|| words.next_if(is_said));
                line.put(switch, value.unwrap_or("$true"))?;
                continue;
            }
            let value = joined.or_else(|| words.next_if(|next| parameter(next).is_none()));
            match (known(form.values, name), value) {
                (Some(name), Some(value)) => line.put(name, value)?,
                (None, Some(value)) if form.settings && names::parameter(name).is_some() => {
                    line.settings.push(Assignment::new(name, value)?);
                }
                (Some(name), None) => return Err(format!("-{name} needs a value")),
                (None, None) if form.settings && names::parameter(name).is_some() => {
                    return Err(format!("-{name} needs a value: a number, or $null for no limit"));
                }
                (None, Some(_) | None) => return Err(unknown(form, name)),
            }
        }
        Ok(line)
    }

    /// Takes the value of a parameter.
    pub(super) fn take(&mut self, name: &'static str) -> Option<String> {
        let at = self.values.iter().position(|(known, _)| *known == name)?;
        Some(self.values.swap_remove(at).1)
    }

    /// Takes the value of a parameter that has to be there.
    pub(super) fn need(&mut self, name: &'static str) -> Result<String, String> {
        self.take(name).ok_or_else(|| format!("{} needs -{name}", self.cmdlet))
    }

    /// Takes a switch: whether it is given, and not as `$false`.
    pub(super) fn switch(&mut self, name: &'static str) -> bool {
        self.switch_or(name, false)
    }

    /// Takes a switch; what it is where it is not given.
    pub(super) fn switch_or(&mut self, name: &'static str, usual: bool) -> bool {
        self.take(name).map_or(usual, |value| truth(&value).unwrap_or(true))
    }

    fn put(&mut self, name: &'static str, value: &str) -> Result<(), String> {
        if self.values.iter().any(|(known, _)| *known == name) {
            return Err(format!("{}: -{name} is given twice, the second time as {value:?}", self.cmdlet));
        }
        self.values.push((name, value.to_owned()));
        Ok(())
    }
}

/// What `word` says, if it is a truth: `$true`, `$false`.
fn truth(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "$true" | "true" | "1" => Some(true),
        "$false" | "false" | "0" => Some(false),
        _ => None,
    }
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|letter| letter.is_ascii_digit())
}

/// Whether `letter` is one of the dashes that a shell for cmdlets takes.
pub(super) fn is_dash(letter: char) -> bool {
    matches!(letter, '-' | '\u{2013}' | '\u{2014}' | '\u{2015}')
}

/// The name, where `word` is a parameter: a dash and a letter. `-1` is a number.
fn parameter(word: &str) -> Option<&str> {
    let name = word.strip_prefix(is_dash)?;
    name.starts_with(|letter: char| letter.is_ascii_alphabetic()).then_some(name)
}

fn known(names: &[&'static str], name: &str) -> Option<&'static str> {
    names.iter().copied().find(|known| known.eq_ignore_ascii_case(name))
}

fn unknown(form: &Form, name: &str) -> String {
    let own = || form.values.iter().chain(form.switches).copied();
    if let Some(meant) = nearest(name, own()) {
        return format!("{} has no parameter -{name}; did you mean -{meant}?", form.name);
    }
    if form.settings {
        return format!("{}: {}", form.name, names::unknown_parameter(name));
    }
    let own: Vec<String> = own().map(|name| format!("-{name}")).collect();
    format!("{} has no parameter -{name}; it takes {}", form.name, own.join(", "))
}
