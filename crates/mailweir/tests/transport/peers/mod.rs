//! The servers and clients that we are tried against, each as one that knows nothing of us.

pub(crate) mod dovecot;
pub(crate) mod haproxy;
pub(crate) mod names;
pub(crate) mod postfix;
pub(crate) mod sink;
pub(crate) mod source;
pub(crate) mod swaks;
