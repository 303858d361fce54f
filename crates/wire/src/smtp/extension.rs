//! What a server offers in its answer to EHLO: written by the one side, read by the other.
//!
//! Keywords that are not known here are nothing to us. A size of 0 means that the server states no limit (RFC 1870).

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::auth::Mechanism;
use super::parameter::number;
use super::reply::{Code, Reply};

/// An extension that is there or not, with nothing to say about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Extension {
    /// Several commands at once (RFC 2920).
    Pipelining,
    /// Messages of 8-bit lines (RFC 6152).
    EightBitMime,
    /// Addresses and header fields of any script (RFC 6531).
    SmtpUtf8,
    /// BDAT (RFC 3030).
    Chunking,
    /// A status beside each reply's code (RFC 2034).
    EnhancedStatusCodes,
    /// TLS on this connection (RFC 3207).
    StartTls,
    /// Reports as the sender wants them (RFC 3461).
    Dsn,
    /// Shadow redundancy (H12).
    Shadow,
}

/// What a server offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extensions {
    /// What is there.
    pub keywords: BTreeSet<Extension>,
    /// The most bytes of a message; 0 where no limit is stated, nothing where SIZE is not offered.
    pub size: Option<u64>,
    /// How one may authenticate; empty where one cannot.
    pub mechanisms: Vec<Mechanism>,
}

impl Extension {
    /// Each of them, in the order in which they are offered.
    pub const ALL: [Self; 8] = [
        Self::Pipelining,
        Self::EightBitMime,
        Self::SmtpUtf8,
        Self::Chunking,
        Self::EnhancedStatusCodes,
        Self::StartTls,
        Self::Dsn,
        Self::Shadow,
    ];

    /// Its keyword.
    pub const fn keyword(self) -> &'static str {
        match self {
            Self::Pipelining => "PIPELINING",
            Self::EightBitMime => "8BITMIME",
            Self::SmtpUtf8 => "SMTPUTF8",
            Self::Chunking => "CHUNKING",
            Self::EnhancedStatusCodes => "ENHANCEDSTATUSCODES",
            Self::StartTls => "STARTTLS",
            Self::Dsn => "DSN",
            Self::Shadow => "XSHADOW",
        }
    }
}

impl Extensions {
    /// Nothing at all, as after HELO.
    pub const fn none() -> Self {
        Self { keywords: BTreeSet::new(), size: None, mechanisms: Vec::new() }
    }

    /// Whether `extension` is there.
    pub fn has(&self, extension: Extension) -> bool {
        self.keywords.contains(&extension)
    }

    /// The answer to EHLO of the server called `name`.
    ///
    /// ```
    /// use weir_wire::smtp::{Extension, Extensions};
    /// let offered = Extensions { keywords: [Extension::Pipelining].into(), size: Some(1000), mechanisms: vec![] };
    /// let mut bytes = Vec::new();
    /// offered.reply("hub01.example.com").write(&mut bytes);
    /// assert_eq!(bytes, b"250-hub01.example.com\r\n250-SIZE 1000\r\n250 PIPELINING\r\n");
    /// ```
    pub fn reply(&self, name: &str) -> Reply {
        let size = self.size.map(|size| format!("SIZE {size}"));
        let words = self.mechanisms.iter().map(|mechanism| mechanism.word());
        let auth = words.fold(String::from("AUTH"), |line, word| format!("{line} {word}"));
        let auth = (!self.mechanisms.is_empty()).then_some(auth);
        let keywords = self.keywords.iter().map(|extension| extension.keyword().to_owned());
        let lines = size.into_iter().chain(keywords).chain(auth);
        lines.fold(Reply::plain(Code::OK, name), |reply, line| reply.and(&line))
    }

    /// What the answer to EHLO offers. The first line is the server's name and whatever else it says.
    pub fn of(reply: &Reply) -> Self {
        let mut offered = Self::default();
        for line in reply.lines().skip(1) {
            // `AUTH=LOGIN` is how servers older than RFC 2554 write it.
            let (keyword, rest) = line.split_once([' ', '=']).unwrap_or((line, ""));
            if keyword.eq_ignore_ascii_case("SIZE") {
                offered.size = Some(number(rest.trim()).unwrap_or(0));
            } else if keyword.eq_ignore_ascii_case("AUTH") {
                offered.add_mechanisms(rest);
            } else if let Some(known) =
                Extension::ALL.into_iter().find(|known| known.keyword().eq_ignore_ascii_case(keyword))
            {
                offered.keywords.insert(known);
            }
        }
        offered
    }

    fn add_mechanisms(&mut self, words: &str) {
        for mechanism in words.split(' ').filter_map(Mechanism::from_word) {
            if !self.mechanisms.contains(&mechanism) {
                self.mechanisms.push(mechanism);
            }
        }
    }
}
