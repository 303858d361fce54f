//! What was probably meant by the name of a parameter that does not exist.

use super::Parameter;

/// How many names are offered for one that does not exist.
const MAX_SUGGESTIONS: usize = 3;

/// The longest unknown name that is compared with the known ones; what is longer is no slip of the finger.
pub(crate) const MAX_COMPARED: usize = 64;

impl Parameter {
    /// At most three names of parameters that are close to `name` in letters and digits, the closest first.
    ///
    /// ```
    /// use weir_throttle::Parameter;
    /// assert_eq!(Parameter::close_to("ews_findcount_limt").first(), Some(&"EWSFindCountLimit"));
    /// ```
    pub fn close_to(name: &str) -> Vec<&'static str> {
        let wanted = plain(name);
        if wanted.is_empty() || wanted.len() > MAX_COMPARED {
            return Vec::new();
        }
        let mut ranked: Vec<(usize, &'static str)> = Parameter::all()
            .filter_map(|known| {
                let other = plain(known.name());
                let distance = strsim::osa_distance(&wanted, &other);
                let contained = wanted.len() >= 4 && other.contains(&wanted);
                (contained || distance <= wanted.len().div_ceil(3)).then_some((distance, known.name()))
            })
            .collect();
        ranked.sort_unstable();
        ranked.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
    }
}

/// Small letters and digits only, so that both spellings compare alike.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests;
