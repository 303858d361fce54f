//! How policy parameters are spelt in JSON.
//!
//! The documents spell `EWSFindCountLimit`; JSON spells `ews_find_count_limit`. Both are accepted wherever a
//! parameter is named, in any case, so that a script may copy either from the documentation or from an
//! answer. Everything here is pure.

#[cfg(test)]
mod tests;

use weir_throttle::{Parameter, PolicyError};

/// The snake-case form of a parameter's name.
///
/// A run of capitals is one word, except that its last letter begins the next word where small letters
/// follow.
///
/// ```
/// use weir_admin::names::snake_case;
/// assert_eq!(snake_case("EWSFindCountLimit"), "ews_find_count_limit");
/// assert_eq!(snake_case("EWSPercentTimeInAD"), "ews_percent_time_in_ad");
/// ```
pub fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::with_capacity(name.len() + 8);
    for (at, letter) in letters.iter().enumerate() {
        if letter.is_uppercase() && at > 0 {
            let after_small =
                at.checked_sub(1).and_then(|at| letters.get(at)).is_some_and(|c| !c.is_uppercase());
            let before_small = letters.get(at + 1).is_some_and(|c| c.is_lowercase());
            if (after_small || before_small) && !out.ends_with('_') {
                out.push('_');
            }
        }
        out.extend(letter.to_lowercase());
    }
    out
}

/// The parameter of that name, in either spelling and any case.
pub fn parameter(name: &str) -> Option<Parameter> {
    Parameter::from_name(name)
        .or_else(|| Parameter::all().find(|known| snake_case(known.name()).eq_ignore_ascii_case(name)))
}

/// What is wrong with a parameter name that does not exist: the sentence for the caller, with close names.
pub fn unknown_parameter(name: &str) -> String {
    let error = PolicyError::UnknownParameter { name: name.to_owned() }.to_string();
    if Parameter::close_to(name).is_empty() {
        return format!("{error}; `mailweir policy show NAME` lists the names there are");
    }
    error
}
