//! The ways to spell a person, and what a well-formed name is.
//!
//! `john@example.com`, `John`, `EXAMPLE\john` and a legacy DN mean one person (T3). [`Spelling::of`] tells the forms
//! apart by their first telling character, which is why no alias contains `@`, `\` or `/`. Names are compared by
//! their lower-case form, [`key`], the same that makes an [`Owner`](weir_units::Owner).

use std::fmt::Write as _;

/// The longest name of any kind that is looked up, in bytes; a longer one is nobody's.
pub const MAX_NAME_BYTES: usize = 1024;
/// The longest address, in bytes.
pub const MAX_ADDRESS_BYTES: usize = 254;
/// The longest part before the `@`, in bytes.
pub const MAX_LOCAL_PART_BYTES: usize = 64;
/// The longest alias, short name, organisation or policy name, in bytes.
pub const MAX_LABEL_BYTES: usize = 64;
/// The longest display name, in bytes.
pub const MAX_DISPLAY_NAME_BYTES: usize = 256;

/// Between the organisation and the person in a legacy DN.
const LEGACY_MIDDLE: &str = "/ou=Exchange Administrative Group (FYDIBOHF23SPDLT)/cn=Recipients/cn=";

/// The form in which names are compared.
pub fn key(name: &str) -> String {
    name.to_lowercase()
}

/// One way of naming a person, in the form that is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// `john@example.com`.
    Address(String),
    /// `john`.
    Alias(String),
    /// `EXAMPLE\john`.
    Qualified {
        /// The organisation's short name.
        short_name: String,
        /// The alias within it.
        alias: String,
    },
    /// `/o=example.com/…/cn=Recipients/cn=john`.
    Legacy {
        /// The organisation.
        organisation: String,
        /// What follows the last `cn=`.
        common_name: String,
    },
}

impl Spelling {
    /// What form `name` has; none, where it is nothing that anybody could be called.
    ///
    /// ```
    /// use weir_directory::names::Spelling;
    /// let alias = "john".to_owned();
    /// assert_eq!(Spelling::of("John"), Some(Spelling::Alias(alias.clone())));
    /// assert_eq!(Spelling::of(r"S\John"), Some(Spelling::Qualified { short_name: "s".to_owned(), alias }));
    /// assert_eq!(Spelling::of(""), None);
    /// ```
    pub fn of(name: &str) -> Option<Self> {
        if name.is_empty() || name.len() > MAX_NAME_BYTES {
            return None;
        }
        let name = key(name);
        if let Some(rest) = name.strip_prefix("/o=") {
            let (organisation, common_name) = rest.split_once(&key(LEGACY_MIDDLE))?;
            return Some(Self::Legacy {
                organisation: organisation.to_owned(),
                common_name: common_name.to_owned(),
            });
        }
        if let Some((short_name, alias)) = name.split_once('\\') {
            return Some(Self::Qualified { short_name: short_name.to_owned(), alias: alias.to_owned() });
        }
        Some(if name.contains('@') { Self::Address(name) } else { Self::Alias(name) })
    }
}

/// The legacy DN of the person whom `organisation` calls `common_name` (contract: the part before the `@`).
pub fn legacy_dn(organisation: &str, common_name: &str) -> String {
    format!("/o={organisation}{LEGACY_MIDDLE}{common_name}")
}

/// The parts of a well-formed address, before and after its `@`.
///
/// # Errors
/// It is not well formed.
pub fn address_parts(address: &str) -> Result<(&str, &str), NameError> {
    let (local, domain) = address
        .rsplit_once('@')
        .ok_or_else(|| NameError::new("address", address, "contains no @; write it as john@example.com"))?;
    check("address", address, MAX_ADDRESS_BYTES, |_| true)?;
    check("part before the @", local, MAX_LOCAL_PART_BYTES, |letter| {
        !letter.is_whitespace() && !r#"<>()[],;:"\/@"#.contains(letter)
    })?;
    check_domain(domain)?;
    Ok((local, domain))
}

/// That `domain` is well formed: labels of letters, digits and inner hyphens between dots.
///
/// # Errors
/// It is not.
pub fn check_domain(domain: &str) -> Result<(), NameError> {
    check("domain", domain, MAX_ADDRESS_BYTES, |letter| {
        letter.is_alphanumeric() || letter == '-' || letter == '.'
    })?;
    let hollow = |label: &str| label.is_empty() || label.starts_with('-') || label.ends_with('-');
    if domain.split('.').any(hollow) {
        return Err(NameError::new(
            "domain",
            domain,
            "has a label that is empty or begins or ends with a hyphen",
        ));
    }
    Ok(())
}

/// That `alias` is well formed: letters, digits and the marks that addresses allow.
///
/// # Errors
/// It is not.
pub fn check_alias(alias: &str) -> Result<(), NameError> {
    check("alias", alias, MAX_LABEL_BYTES, |letter| {
        letter.is_alphanumeric() || "!#$%&'*+-=?^_`{|}~.".contains(letter)
    })
}

/// That a short name, an organisation's or a policy's name is well formed: no `/`, `\`, `@` or control characters,
/// no blanks at its ends.
///
/// # Errors
/// It is not.
pub fn check_label(what: &'static str, label: &str) -> Result<(), NameError> {
    check(what, label, MAX_LABEL_BYTES, |letter| !letter.is_control() && !r"/\@".contains(letter))
}

/// That a display name is well formed: no control characters, no blanks at its ends.
///
/// # Errors
/// It is not.
pub fn check_display_name(name: &str) -> Result<(), NameError> {
    check("display name", name, MAX_DISPLAY_NAME_BYTES, |letter| !letter.is_control())
}

fn check(
    what: &'static str,
    name: &str,
    most: usize,
    allowed: impl Fn(char) -> bool,
) -> Result<(), NameError> {
    if name.is_empty() {
        return Err(NameError::new(what, name, "is empty; give one"));
    }
    if name.len() > most {
        return Err(NameError {
            what,
            name: shortened(name),
            why: format!("is longer than {most} bytes; give a shorter one"),
        });
    }
    if name.trim() != name {
        return Err(NameError::new(what, name, "begins or ends with a blank; leave it out"));
    }
    match name.chars().find(|letter| !allowed(*letter)) {
        Some(letter) => {
            Err(NameError { what, name: shortened(name), why: format!("contains {letter:?}; leave it out") })
        }
        None => Ok(()),
    }
}

/// A name that is not well formed may be anything; messages show its beginning.
fn shortened(name: &str) -> String {
    const SHOWN: usize = 64;
    let mut letters = name.chars();
    let mut shown = String::new();
    for letter in letters.by_ref().take(SHOWN) {
        // Writing to a string cannot fail.
        let _ = write!(shown, "{}", letter.escape_debug());
    }
    if letters.next().is_some() { shown + "…" } else { shown }
}

/// A name that is not well formed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the {what} \"{name}\" {why}")]
pub struct NameError {
    /// What was to be named.
    pub what: &'static str,
    /// The name, or its beginning.
    pub name: String,
    /// What is wrong, and what to do.
    pub why: String,
}

impl NameError {
    fn new(what: &'static str, name: &str, why: &str) -> Self {
        Self { what, name: shortened(name), why: why.to_owned() }
    }
}

#[cfg(test)]
mod tests;
