//! Policies as a TOML file, for version control (T1).
//!
//! A policy is a section `[[policy]]` with its name, organisation and – for the default policy – `default = true`, and
//! below it `[policy.settings]` with one key a parameter. A number is a limit, `"null"` is none, and a parameter that is
//! absent is left out. The text is written in one fixed order, so that equal policies are equal files. What is wrong with
//! a file is told with its line, and a mistyped parameter with the nearest ones.

use std::fmt::Write;
use std::path::Path;

use toml::de::DeValue;
use weir_admin::names;
use weir_admin::types::{PolicyView, SettingMap, WantedPolicy};
use weir_throttle::{Parameter, PolicyError};

use crate::config::Mistake;
use crate::config::key::Effect;
use crate::config::kind::{Switch, Text};
use crate::config::reader::{Section, read_text};

/// What every file begins with.
const HEAD: &str = "# Throttling policies. `mailweir policy import FILE` puts them in force.\n\
                    # \"null\" is no limit; what is absent comes from the organisation's default policy.\n";

/// The policies as a file.
///
/// # Errors
/// The name of a policy that cannot be read, and why.
pub(super) fn written(policies: &[PolicyView]) -> Result<String, (String, String)> {
    let mut text = HEAD.to_owned();
    for policy in policies {
        if let Some(why) = &policy.unreadable {
            return Err((policy.name.clone(), why.clone()));
        }
        let quoted = |text: &str| toml::Value::String(text.to_owned());
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n[[policy]]\nname = {}\norganisation = {}\n",
            quoted(&policy.name),
            quoted(&policy.organisation)
        );
        if policy.default {
            text.push_str("default = true\n");
        }
        text.push_str("\n[policy.settings]\n");
        for parameter in Parameter::all() {
            let Some(own) = policy.settings.get(&names::snake_case(parameter.name())) else { continue };
            let value = own.map_or_else(|| "\"null\"".to_owned(), |limit| limit.to_string());
            let _ = writeln!(text, "{parameter} = {value}");
        }
    }
    Ok(text)
}

/// The policies of the file `text`.
///
/// # Errors
/// Everything that is wrong with it, in the order of lines.
pub(super) fn read(text: &str) -> Result<Vec<WantedPolicy>, Vec<Mistake>> {
    let (policies, gathered) = read_text(text, Path::new(""), |s| s.sections("policy", policy));
    if gathered.mistakes.is_empty() { Ok(policies) } else { Err(gathered.mistakes) }
}

fn policy(s: &mut Section<'_, '_, '_>) -> Option<WantedPolicy> {
    let name = s.required("name", Effect::Reload, &Text);
    let organisation = s.optional("organisation", Effect::Reload, &Text);
    let default = s.optional("default", Effect::Reload, &Switch);
    let settings = s.section("settings", |s| {
        let mut settings = SettingMap::new();
        s.each(|name, value| {
            let (parameter, limit) = setting(name, value)?;
            match settings.insert(parameter.name().to_owned(), limit) {
                None => Ok(()),
                Some(_) => Err(format!("{parameter} is set twice; name it once")),
            }
        });
        settings
    });
    Some(WantedPolicy { name: name?, organisation, default, settings })
}

/// The parameter called `name`, and what the file sets it to.
fn setting(name: &str, value: &DeValue<'_>) -> Result<(Parameter, Option<i64>), String> {
    let parameter = names::parameter(name).ok_or_else(|| names::unknown_parameter(name))?;
    if value.as_str().is_some_and(|text| ["null", "$null"].contains(&text.to_lowercase().as_str())) {
        return Ok((parameter, None));
    }
    let (least, most) = parameter.range();
    let number = value.as_integer().ok_or_else(|| {
        format!("{parameter} is a whole number from {least} to {most}, or \"null\" for no limit")
    })?;
    let out_of_range = |value: i128| PolicyError::OutOfRange { parameter, value }.to_string();
    let limit = i64::from_str_radix(number.as_str(), number.radix()).map_err(|_| {
        format!("{parameter} is {number}; allowed is {least} to {most}, or \"null\" for no limit")
    })?;
    let allowed = i64::from(least)..=i64::from(most);
    if allowed.contains(&limit) { Ok((parameter, Some(limit))) } else { Err(out_of_range(limit.into())) }
}

#[cfg(test)]
mod tests;
