//! Waiting until something happens in a mailbox.

use weir_wire::mapi::call::notification::{RegisterNotification, Scope};
use weir_wire::mapi::reply::Reply;
use weir_wire::mapi::reply::notify::Notify;

use super::batch::Batch;
use super::client::MapiClient;
use super::error::MapiError;
use super::mailbox::Mailbox;
use super::replies;

/// A registration for events; it lasts until [`MapiClient::unsubscribe`], or the session's end.
#[derive(Debug, PartialEq, Eq)]
pub struct Subscription {
    logon: u8,
    place: u8,
}

impl MapiClient {
    /// Asks to be told of events of these kinds, such as [`RegisterNotification::NEW_MAIL`], in all of a mailbox or a part of
    /// it.
    ///
    /// # Errors
    ///
    /// Where the server does not tell of that; and see [`MapiClient::execute`].
    pub async fn subscribe(
        &mut self,
        mailbox: &Mailbox,
        scope: Scope,
        kinds: u16,
    ) -> Result<Subscription, MapiError> {
        let (logon, place) = (mailbox.logon(), self.take_place()?);
        let call = RegisterNotification { input: mailbox.place(), output: place, kinds, scope };
        let replies = self.execute(Batch::new(logon).with(call)).await;
        let registered = replies.and_then(|replies| replies::last("tell of events", replies));
        registered.inspect_err(|_| self.free_place(place))?;
        Ok(Subscription { logon, place })
    }

    /// Ends a registration.
    ///
    /// # Errors
    ///
    /// See [`MapiClient::execute`].
    pub async fn unsubscribe(&mut self, subscription: Subscription) -> Result<(), MapiError> {
        self.close(subscription.logon, &[subscription.place]).await
    }

    /// Waits until something happens that somebody registered for, and gives it; nothing, where nothing happened for some
    /// minutes. What came with other answers meanwhile is given at once.
    ///
    /// # Errors
    ///
    /// The server knows the session no longer, or cannot be reached.
    pub async fn wait(&mut self) -> Result<Vec<Notify>, MapiError> {
        let came = self.take_notifications();
        if !came.is_empty() || !self.event().await? {
            return Ok(came);
        }
        self.session.fetch();
        self.execute_all([]).await?;
        Ok(self.take_notifications())
    }

    fn take_notifications(&mut self) -> Vec<Notify> {
        let notifications = self.session.take_notifications().into_iter();
        let notifications = notifications.filter_map(|reply| match reply {
            Reply::Notify(notify) => Some(notify),
            Reply::Pending { .. }
            | Reply::Done { .. }
            | Reply::Failed { .. }
            | Reply::Backoff(_)
            | Reply::BufferTooSmall(_) => None,
        });
        notifications.collect()
    }
}
