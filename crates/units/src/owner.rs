//! Whose budget, and where it was spent.

use std::fmt;
use std::sync::Arc;

/// The account whose budget is charged: the caller, not the mailbox it opens (T3).
///
/// One person is one owner, however named: the directory turns `DOMAIN\john`, `john@example.com` and every alias
/// into the same canonical name – the primary address in lower case, where there is one. Cloning is cheap.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Owner(Arc<str>);

impl Owner {
    /// An owner by its canonical name. Letters are lowered, so that case never makes two owners of one.
    pub fn new(canonical: &str) -> Self {
        Self(canonical.to_lowercase().into())
    }

    /// The canonical name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A way in, with limits of its own. An owner has one budget in each (T3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Component {
    /// Published calendars and other services without login.
    Anonymous,
    /// Mobile devices (Exchange `ActiveSync`).
    Eas,
    /// Exchange Web Services.
    Ews,
    /// Outlook Web App.
    Owa,
    /// IMAP.
    Imap,
    /// POP3.
    Pop,
    /// RPC client access: Outlook and other MAPI clients.
    Rca,
    /// Cross-premises access.
    Cpa,
    /// The administration interface.
    PowerShell,
    /// Message submission.
    Smtp,
}

impl Component {
    /// Every component, in the order of the documents.
    pub const ALL: [Self; 10] = [
        Self::Anonymous,
        Self::Eas,
        Self::Ews,
        Self::Owa,
        Self::Imap,
        Self::Pop,
        Self::Rca,
        Self::Cpa,
        Self::PowerShell,
        Self::Smtp,
    ];

    /// The name as policies and metrics spell it: `EWS`, `PowerShell`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anonymous => "Anonymous",
            Self::Eas => "EAS",
            Self::Ews => "EWS",
            Self::Owa => "OWA",
            Self::Imap => "IMAP",
            Self::Pop => "POP",
            Self::Rca => "RCA",
            Self::Cpa => "CPA",
            Self::PowerShell => "PowerShell",
            Self::Smtp => "SMTP",
        }
    }

    /// The component of that name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|component| component.name().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests;
