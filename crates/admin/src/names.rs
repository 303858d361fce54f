//! How policy parameters are spelt in JSON, and what was probably meant by a name that does not exist.
//!
//! The documents spell `EWSFindCountLimit`; JSON spells `ews_find_count_limit`. Both are accepted wherever a
//! parameter is named, in any case, so that a script may copy either from the documentation or from an
//! answer. Everything here is pure.

#[cfg(test)]
mod tests;

use weir_throttle::Parameter;

/// How many names are offered for one that does not exist.
const MAX_SUGGESTIONS: usize = 3;

/// The longest unknown name that is compared with the known ones; what is longer is no slip of the finger.
const MAX_COMPARED: usize = 64;

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
    let shown: String = name.chars().take(MAX_COMPARED).collect();
    let close = close_names(name);
    if close.is_empty() {
        return format!(
            "no policy parameter is called {shown:?}; `mailweir policy show NAME` lists the names there are"
        );
    }
    format!("no policy parameter is called {shown:?}; close names are {}", close.join(", "))
}

/// At most [`MAX_SUGGESTIONS`] parameter names close to `name`, the closest first.
fn close_names(name: &str) -> Vec<&'static str> {
    let wanted = plain(name);
    if wanted.is_empty() || wanted.len() > MAX_COMPARED {
        return Vec::new();
    }
    let mut ranked: Vec<(usize, &'static str)> = Parameter::all()
        .filter_map(|known| {
            let other = plain(known.name());
            let distance = distance(&wanted, &other);
            let contained = wanted.len() >= 4 && other.contains(&wanted);
            (contained || distance <= wanted.len().div_ceil(3)).then_some((distance, known.name()))
        })
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
}

/// Small letters and digits only, so that both spellings compare alike.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// How many letters must be put in, taken out or changed to make `left` of `right`.
fn distance(left: &str, right: &str) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, letter) in left.bytes().enumerate() {
        let mut diagonal = at;
        let mut before = at + 1;
        if let Some(first) = row.first_mut() {
            *first = before;
        }
        for (cell, other) in row.iter_mut().skip(1).zip(right.bytes()) {
            let changed = diagonal + usize::from(letter != other);
            diagonal = *cell;
            before = changed.min(before + 1).min(*cell + 1);
            *cell = before;
        }
    }
    row.last().copied().unwrap_or_default()
}
