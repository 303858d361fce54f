//! What the API sees of the mail transport: a few handles, no sockets.
//!
//! Whoever assembles the process fills a [`TransportView`]. Each handle answers from memory, except those that name a
//! message: they may read the disk, and are called where blocking is allowed.

use std::fmt;
use std::sync::Arc;

use crate::gateway::ChangeTarget;
use crate::types::{MessageView, QueueView, TargetView};

/// Messages of the queue of that name behind the one of that number, so many at most, the oldest first.
pub type MessagesOf = Arc<dyn Fn(&str, Option<u64>, usize) -> Vec<MessageView> + Send + Sync>;

/// Carries out a change of the queue of that name; whether there is one.
pub type ChangeQueue = Arc<dyn Fn(&str, QueueChange) -> bool + Send + Sync>;

/// Removes the message of that number, with or without a report to its sender; whether there was one, or why it could
/// not be removed.
pub type RemoveMessage = Arc<dyn Fn(u64, bool) -> Result<bool, String> + Send + Sync>;

/// What an administrator can say about a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueueChange {
    /// It is tried at once, deferred messages too.
    Retry,
    /// Nothing is sent from it.
    Suspend,
    /// It goes on.
    Resume,
}

impl QueueChange {
    /// The action's name in the audit log.
    pub const fn action(self) -> &'static str {
        match self {
            Self::Retry => "queue.retry",
            Self::Suspend => "queue.suspend",
            Self::Resume => "queue.resume",
        }
    }
}

/// What the API sees of the mail transport.
#[derive(Clone)]
pub struct TransportView {
    /// Every queue, by next hop.
    pub queues: Arc<dyn Fn() -> Vec<QueueView> + Send + Sync>,
    /// Messages of a queue.
    pub messages: MessagesOf,
    /// The message of that number.
    pub message: Arc<dyn Fn(u64) -> Option<MessageView> + Send + Sync>,
    /// What the administrator says about a queue.
    pub change_queue: ChangeQueue,
    /// Removes a message.
    pub remove_message: RemoveMessage,
    /// The targets of all next hops, by address.
    pub targets: Arc<dyn Fn() -> Vec<TargetView> + Send + Sync>,
    /// What the administrator says about one of them.
    pub change_target: ChangeTarget,
}

impl fmt::Debug for TransportView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransportView").finish_non_exhaustive()
    }
}
