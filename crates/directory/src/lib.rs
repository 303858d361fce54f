//! Organisations, mailboxes, policies and the policy cache.
