//! Every endpoint, in one table.
//!
//! The router is built from [`Endpoint::ALL`], the client takes its paths from it, and a test compares it
//! with `docs/api.md`, so that the three cannot drift apart.

#[cfg(test)]
mod tests;

use std::fmt::Write;

/// One method on one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// Whether the process lives.
    Health,
    /// Whether it can serve.
    Ready,
    /// Prometheus metrics.
    Metrics,
    /// Organisations, listed.
    OrganisationList,
    /// An organisation, made.
    OrganisationNew,
    /// An organisation, removed.
    OrganisationRemove,
    /// Policies, listed.
    PolicyList,
    /// A policy, made.
    PolicyNew,
    /// A policy, shown.
    PolicyShow,
    /// A policy, changed.
    PolicyChange,
    /// A policy, removed (T15).
    PolicyRemove,
    /// A policy, made the organisation's default.
    PolicyDefault,
    /// Policies, made and changed as a file says.
    PolicyImport,
    /// Mailboxes, listed.
    MailboxList,
    /// A mailbox, made.
    MailboxNew,
    /// A mailbox, shown.
    MailboxShow,
    /// A mailbox, changed.
    MailboxChange,
    /// A mailbox, removed.
    MailboxRemove,
    /// A mailbox's password, set.
    MailboxPassword,
    /// Mailboxes that point to deleted policies, reset (T15).
    MailboxRepair,
    /// The budgets of which most is used (T21).
    BudgetList,
    /// An owner's budgets, explained (T21).
    BudgetShow,
    /// What the request log says of an owner (T21).
    BudgetLog,
    /// How it goes (T21).
    Overview,
    /// Targets, listed.
    TargetList,
    /// A server, taken out (H10).
    TargetDisable,
    /// A server, left to run empty.
    TargetDrain,
    /// A server, put back.
    TargetEnable,
    /// An unhealthy server, tried at once.
    TargetRetry,
    /// Queues of the mail transport, listed.
    QueueList,
    /// A queue with its messages, shown.
    QueueShow,
    /// A queue, tried at once (H6).
    QueueRetry,
    /// A queue, stopped.
    QueueSuspend,
    /// A queue, going on.
    QueueResume,
    /// A message, shown.
    MessageShow,
    /// A message, removed.
    MessageRemove,
    /// MAPI sessions, listed (R13).
    SessionList,
    /// A MAPI session, ended.
    SessionClose,
    /// Whether everybody passes (T20).
    BypassShow,
    /// Lets everybody pass, or no longer.
    BypassSet,
    /// The configuration, read again.
    Reload,
    /// Events, found (T16).
    EventList,
    /// Changes, found.
    AuditList,
}

/// The methods that the API uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Asks; changes nothing.
    Get,
    /// Makes something, or does something once.
    Post,
    /// Sets something whole.
    Put,
    /// Changes what is named.
    Patch,
    /// Removes.
    Delete,
}

impl Method {
    /// The method as HTTP writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

impl Endpoint {
    /// Every endpoint, in the order of the documentation.
    pub const ALL: [Self; 43] = [
        Self::Health,
        Self::Ready,
        Self::Metrics,
        Self::OrganisationList,
        Self::OrganisationNew,
        Self::OrganisationRemove,
        Self::PolicyList,
        Self::PolicyNew,
        Self::PolicyShow,
        Self::PolicyChange,
        Self::PolicyRemove,
        Self::PolicyDefault,
        Self::PolicyImport,
        Self::MailboxList,
        Self::MailboxNew,
        Self::MailboxShow,
        Self::MailboxChange,
        Self::MailboxRemove,
        Self::MailboxPassword,
        Self::MailboxRepair,
        Self::BudgetList,
        Self::BudgetShow,
        Self::BudgetLog,
        Self::Overview,
        Self::TargetList,
        Self::TargetDisable,
        Self::TargetDrain,
        Self::TargetEnable,
        Self::TargetRetry,
        Self::QueueList,
        Self::QueueShow,
        Self::QueueRetry,
        Self::QueueSuspend,
        Self::QueueResume,
        Self::MessageShow,
        Self::MessageRemove,
        Self::SessionList,
        Self::SessionClose,
        Self::BypassShow,
        Self::BypassSet,
        Self::Reload,
        Self::EventList,
        Self::AuditList,
    ];

    /// Its method, and its path with `{name}` where a name stands.
    pub const fn route(self) -> (Method, &'static str) {
        match self {
            Self::Health => (Method::Get, "/healthz"),
            Self::Ready => (Method::Get, "/readyz"),
            Self::Metrics => (Method::Get, "/metrics"),
            Self::OrganisationList => (Method::Get, "/api/v1/organisations"),
            Self::OrganisationNew => (Method::Post, "/api/v1/organisations"),
            Self::OrganisationRemove => (Method::Delete, "/api/v1/organisations/{name}"),
            Self::PolicyList => (Method::Get, "/api/v1/policies"),
            Self::PolicyNew => (Method::Post, "/api/v1/policies"),
            Self::PolicyShow => (Method::Get, "/api/v1/policies/{name}"),
            Self::PolicyChange => (Method::Patch, "/api/v1/policies/{name}"),
            Self::PolicyRemove => (Method::Delete, "/api/v1/policies/{name}"),
            Self::PolicyDefault => (Method::Post, "/api/v1/policies/{name}/default"),
            Self::PolicyImport => (Method::Post, "/api/v1/import/policies"),
            Self::MailboxList => (Method::Get, "/api/v1/mailboxes"),
            Self::MailboxNew => (Method::Post, "/api/v1/mailboxes"),
            Self::MailboxShow => (Method::Get, "/api/v1/mailboxes/{name}"),
            Self::MailboxChange => (Method::Patch, "/api/v1/mailboxes/{name}"),
            Self::MailboxRemove => (Method::Delete, "/api/v1/mailboxes/{name}"),
            Self::MailboxPassword => (Method::Put, "/api/v1/mailboxes/{name}/password"),
            Self::MailboxRepair => (Method::Post, "/api/v1/repair/mailboxes"),
            Self::BudgetList => (Method::Get, "/api/v1/budgets"),
            Self::BudgetShow => (Method::Get, "/api/v1/budgets/{name}"),
            Self::BudgetLog => (Method::Get, "/api/v1/budgets/{name}/log"),
            Self::Overview => (Method::Get, "/api/v1/overview"),
            Self::TargetList => (Method::Get, "/api/v1/targets"),
            Self::TargetDisable => (Method::Post, "/api/v1/targets/{name}/disable"),
            Self::TargetDrain => (Method::Post, "/api/v1/targets/{name}/drain"),
            Self::TargetEnable => (Method::Post, "/api/v1/targets/{name}/enable"),
            Self::TargetRetry => (Method::Post, "/api/v1/targets/{name}/retry"),
            Self::QueueList => (Method::Get, "/api/v1/queues"),
            Self::QueueShow => (Method::Get, "/api/v1/queues/{name}"),
            Self::QueueRetry => (Method::Post, "/api/v1/queues/{name}/retry"),
            Self::QueueSuspend => (Method::Post, "/api/v1/queues/{name}/suspend"),
            Self::QueueResume => (Method::Post, "/api/v1/queues/{name}/resume"),
            Self::MessageShow => (Method::Get, "/api/v1/messages/{name}"),
            Self::MessageRemove => (Method::Delete, "/api/v1/messages/{name}"),
            Self::SessionList => (Method::Get, "/api/v1/sessions"),
            Self::SessionClose => (Method::Delete, "/api/v1/sessions/{name}"),
            Self::BypassShow => (Method::Get, "/api/v1/bypass"),
            Self::BypassSet => (Method::Put, "/api/v1/bypass"),
            Self::Reload => (Method::Post, "/api/v1/reload"),
            Self::EventList => (Method::Get, "/api/v1/events"),
            Self::AuditList => (Method::Get, "/api/v1/audit"),
        }
    }

    /// Whether it is served without a token: it tells nothing that is anybody's secret.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Health | Self::Ready | Self::Metrics)
    }

    /// Its path with `name` in place, encoded so that any name is one segment.
    pub fn path(self, name: &str) -> String {
        let (_, template) = self.route();
        template.replace("{name}", &encoded(name))
    }
}

/// `text` with everything but unreserved characters as `%XX`.
pub(crate) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
