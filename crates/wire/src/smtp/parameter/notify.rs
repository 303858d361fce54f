//! What of a delivery is reported, and to whom the message went at first (RFC 3461).

use std::fmt;

use super::super::xtext;

/// The most bytes of an original recipient, decoded.
pub(super) const MAX_ORIGINAL_RECIPIENT: usize = 500;

/// The kind of addresses whose ORCPT is not xtext (RFC 6533).
const UTF8: &str = "utf-8";

/// What of a delivery the sender wants to hear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notify {
    /// Nothing.
    Never,
    /// What is true here.
    On {
        /// That it was delivered.
        success: bool,
        /// That it cannot be delivered.
        failure: bool,
        /// That it takes long.
        delay: bool,
    },
}

/// Whom a message was for at first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginalRecipient {
    kind: Box<str>,
    address: Box<str>,
}

impl Notify {
    /// What is reported where the sender says nothing: failures and delays.
    pub const DEFAULT: Self = Self::On { success: false, failure: true, delay: true };

    pub(super) fn read(value: &str) -> Option<Self> {
        if value.eq_ignore_ascii_case("NEVER") {
            return Some(Self::Never);
        }
        let (mut success, mut failure, mut delay) = (false, false, false);
        for word in value.split(',') {
            let wanted = match word.to_ascii_uppercase().as_str() {
                "SUCCESS" => &mut success,
                "FAILURE" => &mut failure,
                "DELAY" => &mut delay,
                _ => return None,
            };
            *wanted = true;
        }
        Some(Self::On { success, failure, delay })
    }
}

impl fmt::Display for Notify {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (success, failure, delay) = match *self {
            Self::Never => return f.write_str("NEVER"),
            Self::On { success, failure, delay } => (success, failure, delay),
        };
        let words = [(success, "SUCCESS"), (failure, "FAILURE"), (delay, "DELAY")];
        let words: Vec<&str> = words.iter().filter(|(wanted, _)| *wanted).map(|(_, word)| *word).collect();
        f.write_str(if words.is_empty() { "NEVER".to_owned() } else { words.join(",") }.as_str())
    }
}

impl OriginalRecipient {
    /// Reads `kind;address`, the address in xtext. That of the kind `utf-8` has an encoding of its own and is kept as
    /// it stands.
    pub(super) fn read(value: &str) -> Option<Self> {
        let (kind, address) = value.split_once(';')?;
        let fine = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        if kind.is_empty() || !kind.chars().all(fine) {
            return None;
        }
        let address =
            if kind.eq_ignore_ascii_case(UTF8) { address.to_owned() } else { xtext::decode(address)? };
        (1..=MAX_ORIGINAL_RECIPIENT)
            .contains(&address.len())
            .then(|| Self { kind: kind.to_ascii_lowercase().into(), address: address.into() })
    }

    /// What kind of address it is, mostly `rfc822`.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The address as its kind writes it.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The parameter's value.
    pub(super) fn parameter(&self) -> String {
        let mut value = format!("{};", self.kind);
        if &*self.kind == UTF8 {
            value.push_str(&self.address);
        } else {
            xtext::encode(&self.address, &mut value);
        }
        value
    }
}
