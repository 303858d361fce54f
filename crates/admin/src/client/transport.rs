//! What the client asks of the mail transport: queues and messages.

use super::{Client, ClientError};
use crate::routes::Endpoint;
use crate::transport::QueueChange;
use crate::types::{MessageRemoval, MessageView, QueueFilter, QueueMessages, QueueView, RemovedMessage};

impl Client {
    /// Every queue of the mail transport, by next hop (H1).
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn queues(&self) -> Result<Vec<QueueView>, ClientError> {
        self.list(Endpoint::QueueList).await
    }

    /// A queue with those of its messages that `which` asks for. It is named by its next hop, or by a domain or connector
    /// that only one has.
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn queue(&self, name: &str, which: &QueueFilter) -> Result<QueueMessages, ClientError> {
        self.find(Endpoint::QueueShow, name, which).await
    }

    /// Says something about a queue, named as in [`Client::queue`].
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn change_queue(&self, name: &str, change: QueueChange) -> Result<QueueView, ClientError> {
        let endpoint = match change {
            QueueChange::Retry => Endpoint::QueueRetry,
            QueueChange::Suspend => Endpoint::QueueSuspend,
            QueueChange::Resume => Endpoint::QueueResume,
        };
        self.ask(endpoint, name).await
    }

    /// A message of the mail transport.
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn message(&self, id: u64) -> Result<MessageView, ClientError> {
        self.ask(Endpoint::MessageShow, &id.to_string()).await
    }

    /// Removes a message, and tells its sender where `how` says so.
    ///
    /// # Errors
    /// See [`Client::organisations`].
    pub async fn remove_message(&self, id: u64, how: MessageRemoval) -> Result<RemovedMessage, ClientError> {
        self.find(Endpoint::MessageRemove, &id.to_string(), &how).await
    }
}
