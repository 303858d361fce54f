//! One setting of a policy on the command line: `EWSFindCountLimit=1`.
//!
//! Names are taken in both spellings and any case. Whether a number is in range, the server says: it knows the policy.

use weir_admin::names;
use weir_admin::types::SettingMap;

/// A parameter and what it is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    /// The parameter, as the documents spell it.
    pub(crate) parameter: &'static str,
    /// The limit; nothing is no limit.
    pub(crate) limit: Option<i64>,
}

impl Assignment {
    /// Reads `NAME=NUMBER` or `NAME=null`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| format!("{text:?} sets nothing; write NAME=NUMBER, or NAME=null for no limit"))?;
        Self::new(name.trim(), value)
    }

    /// The parameter `name` set to what `value` means: a number, `null` or `$null`.
    pub(crate) fn new(name: &str, value: &str) -> Result<Self, String> {
        let parameter = parameter(name)?;
        let value = value.trim();
        if value.eq_ignore_ascii_case("null") || value.eq_ignore_ascii_case("$null") {
            return Ok(Self { parameter, limit: None });
        }
        let mistake = || format!("{parameter} is a whole number, or null for no limit, not {value:?}");
        value.parse().map(|limit| Self { parameter, limit: Some(limit) }).map_err(|_| mistake())
    }
}

/// The parameter's name as the documents spell it.
pub(crate) fn parameter(name: &str) -> Result<&'static str, String> {
    let known = names::parameter(name).ok_or_else(|| names::unknown_parameter(name))?;
    Ok(known.name())
}

/// The assignments as a map; a parameter that is set twice is a mistake.
pub(crate) fn settings(assignments: &[Assignment]) -> Result<SettingMap, String> {
    let mut map = SettingMap::new();
    for Assignment { parameter, limit } in assignments {
        if map.insert((*parameter).to_owned(), *limit).is_some() {
            return Err(format!("{parameter} is set twice; name it once"));
        }
    }
    Ok(map)
}
