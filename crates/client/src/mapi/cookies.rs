//! The cookies that a server has set, all of which go back with every request.
//!
//! A session is a cookie, and the order of its calls is another that changes with each. Their names are the server's
//! own. There is one server and one path, so that a cookie is a name and a value and nothing else.

#[cfg(test)]
mod tests;

/// The most cookies that are kept; beyond, what a server sets is not.
pub(super) const MAX_COOKIES: usize = 32;

/// The longest cookie, name and value, in bytes; a longer one is not kept.
pub(super) const MAX_COOKIE: usize = 4096;

#[derive(Clone, Default)]
pub(super) struct Cookies {
    kept: Vec<(String, String)>,
}

impl Cookies {
    /// Takes the value of a `Set-Cookie` header.
    pub(super) fn set(&mut self, header: &str) {
        let mut parts = header.split(';').map(str::trim_ascii);
        let Some((name, value)) = parts.next().and_then(|pair| pair.split_once('=')) else { return };
        let (name, value) = (name.trim_ascii(), value.trim_ascii());
        let gone = parts.any(|part| {
            part.split_once('=').is_some_and(|(key, age)| {
                key.trim_ascii().eq_ignore_ascii_case("Max-Age") && age.trim_ascii().parse() == Ok(0)
            })
        });
        self.kept.retain(|(known, _)| known != name);
        let fits = self.kept.len() < MAX_COOKIES && name.len() + value.len() <= MAX_COOKIE;
        if !gone && !name.is_empty() && fits {
            self.kept.push((name.to_owned(), value.to_owned()));
        }
    }

    /// The value of a `Cookie` header, if there is anything to say.
    pub(super) fn header(&self) -> Option<String> {
        let pairs: Vec<String> = self.kept.iter().map(|(name, value)| format!("{name}={value}")).collect();
        (!pairs.is_empty()).then(|| pairs.join("; "))
    }
}
