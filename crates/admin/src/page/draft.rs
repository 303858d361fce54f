//! What the editor of a policy holds: for each parameter inherit, no limit, or a limit, and what is wrong with it.
//!
//! Pure: a stored policy and the fields of a form make lines, lines make changes.

#[cfg(test)]
mod tests;

use weir_throttle::{Parameter, Policy, Setting};

use super::form::Fields;
use crate::names::snake_case;
use crate::types::{PolicyChange, PolicyView, SettingMap};

/// Names of fields that say which of the three is chosen begin so.
pub(super) const HOW: &str = "how.";
/// Names of fields that hold the number begin so.
pub(super) const VALUE: &str = "value.";

/// Which of the three is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    Inherit,
    NoLimit,
    Limit,
}

impl How {
    /// The three, in the order of the editor.
    pub(super) const ALL: [Self; 3] = [Self::Inherit, Self::NoLimit, Self::Limit];

    /// The field's value.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Inherit => "inherit",
            Self::NoLimit => "none",
            Self::Limit => "limit",
        }
    }
}

/// One parameter in the editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) parameter: Parameter,
    pub(super) how: How,
    /// The number as it was typed.
    pub(super) text: String,
    /// What is wrong with it.
    pub(super) error: Option<String>,
}

impl Line {
    /// What the line says, where nothing is wrong with it.
    fn setting(&self) -> Setting {
        match self.how {
            How::Inherit => Setting::LeftOut,
            How::NoLimit => Setting::Null,
            How::Limit => self.text.parse().unwrap_or_default(),
        }
    }
}

/// A change of one parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) parameter: Parameter,
    pub(super) before: Setting,
    pub(super) after: Setting,
}

/// What `policy` itself says about `parameter`.
fn own(policy: &PolicyView, parameter: Parameter) -> Setting {
    match policy.settings.get(&snake_case(parameter.name())) {
        None => Setting::LeftOut,
        Some(None) => Setting::Null,
        Some(Some(value)) => u32::try_from(*value).map_or(Setting::LeftOut, Setting::Value),
    }
}

/// The value that `map` has for `parameter`.
pub(super) fn value_in(map: &SettingMap, parameter: Parameter) -> Option<i64> {
    map.get(&snake_case(parameter.name())).copied().flatten()
}

/// `policy` as it is stored, with what `fields` say in place of it.
pub(super) fn lines(policy: &PolicyView, fields: &Fields) -> Vec<Line> {
    Parameter::all()
        .map(|parameter| {
            let name = parameter.name();
            let word = fields.one(&format!("{HOW}{name}"));
            let how = How::ALL.into_iter().find(|how| Some(how.word()) == word);
            match how {
                None => stored(policy, parameter),
                Some(how) => sent(parameter, how, fields.one(&format!("{VALUE}{name}")).unwrap_or_default()),
            }
        })
        .collect()
}

fn stored(policy: &PolicyView, parameter: Parameter) -> Line {
    let (how, text) = match own(policy, parameter) {
        Setting::LeftOut => (How::Inherit, String::new()),
        Setting::Null => (How::NoLimit, String::new()),
        Setting::Value(value) => (How::Limit, value.to_string()),
    };
    Line { parameter, how, text, error: None }
}

fn sent(parameter: Parameter, how: How, text: &str) -> Line {
    let error = if how == How::Limit { wrong(parameter, text) } else { None };
    Line { parameter, how, text: text.to_owned(), error }
}

/// What is wrong with `text` as a limit.
fn wrong(parameter: Parameter, text: &str) -> Option<String> {
    let (least, most) = parameter.range();
    match text.parse() {
        Ok(Setting::Value(value)) => {
            Policy::new().set(parameter, Setting::Value(value)).err().map(|error| error.to_string())
        }
        Ok(Setting::Null | Setting::LeftOut) | Err(_) => {
            Some(format!("{text:?} is no number; allowed is {least} to {most}, or choose “no limit”"))
        }
    }
}

/// What `lines` change about `policy`.
pub(super) fn changes(policy: &PolicyView, lines: &[Line]) -> Vec<Change> {
    let change = |line: &Line| Change {
        parameter: line.parameter,
        before: own(policy, line.parameter),
        after: line.setting(),
    };
    lines.iter().map(change).filter(|change| change.before != change.after).collect()
}

/// The changes as the API takes them.
pub(super) fn request(changes: &[Change]) -> PolicyChange {
    let mut request = PolicyChange::default();
    for change in changes {
        let name = snake_case(change.parameter.name());
        match change.after {
            Setting::LeftOut => request.leave_out.push(name),
            Setting::Null => {
                request.settings.insert(name, None);
            }
            Setting::Value(value) => {
                request.settings.insert(name, Some(value.into()));
            }
        }
    }
    request
}
