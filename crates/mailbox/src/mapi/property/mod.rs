//! Properties: whose they are, where they are stored, and how their values are sent.
//!
//! | module | what it holds |
//! |---|---|
//! | [`value`] | values as the store has them and as MAPI sends them |
//! | [`path`] | which property of the store a tag means |
//! | [`names`] | the numbers of properties that have names |
//! | [`message`], [`folder`], [`mailbox`] | what each of these has |

pub(super) mod folder;
pub(super) mod guid;
pub(super) mod mailbox;
pub(super) mod message;
pub(super) mod names;
pub(super) mod path;
pub(super) mod value;
