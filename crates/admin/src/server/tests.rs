//! The API over a real listener and a real directory, asked by the typed client and in plain HTTP.

mod audited;
mod bypass;
mod changes;
mod explain;
mod logs;
mod mail;
mod mailboxes;
mod page;
mod policies;
mod policy_import;
mod process;
mod queues;
mod refusals;
mod sessions;
mod targets;
mod world;

use world::World;
