//! What is stored, and how it is named.
//!
//! One SQLite database holds all mailboxes. Every change of a mailbox gets a number; change keys, sync states and
//! watermarks are such numbers in a sealed form. What is often sorted by or restricted to has a column; everything
//! else lies in a table of properties, and bodies apart from both, so that a find never reads one (E1).

pub(crate) mod body;
pub(crate) mod column;
pub(crate) mod delivery;
pub(crate) mod distinguished;
pub(crate) mod folder;
pub(crate) mod identifier;
pub(crate) mod item;
pub(crate) mod mailbox;
pub(crate) mod path;
pub(crate) mod record;
pub(crate) mod schema;
pub(crate) mod shape;
pub(crate) mod text;
pub(crate) mod value;
