//! A claimed name, and the one owner that all its spellings are, as far as can be known (T3, T8).
//!
//! The directory knows which spellings are one person; here is what can be said of a person who has no row in it. The
//! names come from strangers, so a name that is not well formed – control characters, two `@`, no end of it – is none.

use std::fmt;

use weir_directory::names::{address_parts, check_label, key};
use weir_units::Owner;

/// A name as somebody claims it, blanks around it left out; letters keep their case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimedName {
    /// `john@example.com`: an address or a user principal name, which look alike and mostly are.
    Address {
        /// What precedes the `@`.
        local: String,
        /// What follows it.
        domain: String,
    },
    /// `EXAMPLE\john`, or `example.com\john`.
    Qualified {
        /// A domain's short or full name.
        domain: String,
        /// The name in it.
        user: String,
    },
    /// `john`, in whatever domain the origin looks first.
    Bare(
        /// The name.
        String,
    ),
}

/// The organisation whose origin a claim is made to.
#[derive(Clone, Copy, Debug)]
pub struct Home<'a> {
    /// The `EXAMPLE` of `EXAMPLE\john`.
    pub short_name: &'a str,
    /// The domains that it accepts mail for, in any order.
    pub domains: &'a [String],
}

impl ClaimedName {
    /// The name that `text` spells; none, where nobody could be called that.
    pub fn of(text: &str) -> Option<Self> {
        let (domain, user) = text.split_once('\\').unwrap_or(("", text));
        Self::of_parts(domain, user)
    }

    /// The name of `user` in `domain`, which may be empty.
    ///
    /// A user with an `@` is a user principal name whatever the domain: account names hold none, and clients fill the
    /// domain in with the name of their own machine.
    pub fn of_parts(domain: &str, user: &str) -> Option<Self> {
        let (domain, user) = (domain.trim(), user.trim());
        if user.contains('@') {
            let (local, domain) = address_parts(user).ok()?;
            return Some(Self::Address { local: local.to_owned(), domain: domain.to_owned() });
        }
        check_label("user", user).ok()?;
        if domain.is_empty() {
            return Some(Self::Bare(user.to_owned()));
        }
        check_label("domain", domain).ok()?;
        Some(Self::Qualified { domain: domain.to_owned(), user: user.to_owned() })
    }

    /// The domain that it names, in short or in full; empty for a bare name.
    pub fn domain(&self) -> &str {
        match self {
            Self::Address { domain, .. } | Self::Qualified { domain, .. } => domain,
            Self::Bare(_) => "",
        }
    }

    /// The same name as `home` spells it, which is how to ask the directory for it: a bare name by itself may be the
    /// alias of somebody in another organisation.
    ///
    /// `john` and `john@EXAMPLE` are `EXAMPLE\john`, `example.com\john` is `john@example.com`, and a name of another
    /// domain stays as it is.
    #[must_use]
    pub fn at_home(&self, home: Home<'_>) -> Self {
        let (domain, user) = match self {
            Self::Address { local, domain } => (domain.as_str(), local),
            Self::Qualified { domain, user } => (domain.as_str(), user),
            Self::Bare(user) => (home.short_name, user),
        };
        if home.accepts(domain) {
            Self::Address { local: user.clone(), domain: domain.to_owned() }
        } else if home.is_called(domain) {
            Self::Qualified { domain: home.short_name.to_owned(), user: user.clone() }
        } else {
            self.clone()
        }
    }
}

impl Home<'_> {
    fn accepts(&self, domain: &str) -> bool {
        self.domains.iter().any(|one| key(one) == key(domain))
    }

    fn is_called(&self, domain: &str) -> bool {
        key(self.short_name) == key(domain)
    }
}

impl fmt::Display for ClaimedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address { local, domain } => write!(f, "{local}@{domain}"),
            Self::Qualified { domain, user } => write!(f, "{domain}\\{user}"),
            Self::Bare(user) => f.write_str(user),
        }
    }
}

/// The owner of an accepted name that the directory does not know, in the organisation whose origin accepted it (T3).
///
/// An address is its owner as it is, in lower case: whether `john@example.com` and `john@example.net` are one person
/// is for the directory to say. `EXAMPLE\john`, `john@EXAMPLE` and the bare `john` are one account; where the
/// organisation has one accepted domain, they and `john@example.com` are one owner, for there is one john in it. Where
/// it has several, the account's address is unknown, and `example\john` is an owner of its own: a second budget for one
/// person does less harm than one budget for two. `example.com\john` is the name with the domain in full, so
/// `john@example.com` either way. Names of other domains, and all names without an organisation, stay apart as they are
/// spelled.
///
/// ```
/// use weir_gateway::claim::{ClaimedName, Home, canonical};
/// let domains = ["example.com".to_owned()];
/// let home = Some(Home { short_name: "EXAMPLE", domains: &domains });
/// for spelling in ["John@Example.com", r"EXAMPLE\john", "john"] {
///     assert_eq!(canonical(&ClaimedName::of(spelling).unwrap(), home).name(), "john@example.com");
/// }
/// ```
pub fn canonical(name: &ClaimedName, home: Option<Home<'_>>) -> Owner {
    let Some(home) = home else { return Owner::new(&name.to_string()) };
    let name = name.at_home(home);
    match (&name, home.domains) {
        (ClaimedName::Qualified { domain, user }, [only]) if home.is_called(domain) => {
            Owner::new(&format!("{user}@{only}"))
        }
        (ClaimedName::Qualified { .. } | ClaimedName::Address { .. } | ClaimedName::Bare(_), _) => {
            Owner::new(&name.to_string())
        }
    }
}

/// The owner of what is accepted without a name on the connection with this number (T8): a name that no
/// [`ClaimedName`] has, so that nobody can claim it.
pub fn unnamed(connection: u64) -> Owner {
    Owner::new(&format!("{UNNAMED}{connection}"))
}

/// Whether `owner` is one that [`unnamed`] gives.
pub fn is_unnamed(owner: &Owner) -> bool {
    owner.name().starts_with(UNNAMED)
}

const UNNAMED: &str = "\\connection\\";

#[cfg(test)]
mod tests;
