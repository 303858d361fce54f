//! A mail transport that does as it is told.

use std::sync::{Arc, Mutex};

use crate::gateway::TargetChange;
use crate::transport::{QueueChange, TransportView};
use crate::types::{MessageSource, MessageView, QueueView, RecipientView, TargetView, UsedBy};

/// What the pretended transport has, and was told.
#[derive(Default)]
pub(super) struct Mail {
    pub(super) queues: Mutex<Vec<QueueView>>,
    pub(super) messages: Mutex<Vec<MessageView>>,
    pub(super) targets: Mutex<Vec<TargetView>>,
    /// Messages removed, and whether with a report.
    pub(super) removed: Mutex<Vec<(u64, bool)>>,
    /// Why nothing can be removed.
    pub(super) broken: Mutex<Option<String>>,
}

impl Mail {
    pub(super) fn view(mail: &Arc<Self>) -> TransportView {
        let [queues, messages, message, changing] = std::array::from_fn(|_| Arc::clone(mail));
        let [removing, targets, ordering] = std::array::from_fn(|_| Arc::clone(mail));
        TransportView {
            queues: Arc::new(move || queues.queues.lock().unwrap().clone()),
            messages: Arc::new(move |name, after, most| messages.messages_of(name, after, most)),
            message: Arc::new(move |id| message.message(id)),
            change_queue: Arc::new(move |name, change| changing.change_queue(name, change)),
            remove_message: Arc::new(move |id, report| removing.remove(id, report)),
            targets: Arc::new(move || targets.targets.lock().unwrap().clone()),
            change_target: Arc::new(move |address, change| Ok(ordering.change_target(address, change))),
        }
    }

    /// Three queues, and five messages in the first of them.
    pub(super) fn fill(&self) {
        let names = [
            ("DnsConnectorDelivery/pool.test/internet", Some("pool.test"), Some("internet")),
            ("DnsConnectorDelivery/lake.test/internet", Some("lake.test"), Some("internet")),
            ("SmartHostConnectorDelivery/lab", None, Some("lab")),
        ];
        *self.queues.lock().unwrap() =
            names.map(|(name, domain, connector)| queue(name, domain, connector)).into();
        *self.messages.lock().unwrap() = (11..16).map(message).collect();
    }

    fn messages_of(&self, name: &str, after: Option<u64>, most: usize) -> Vec<MessageView> {
        let messages = self.messages.lock().unwrap();
        let waits = |message: &&MessageView| message.next_hops.iter().any(|hop| hop == name);
        let later = |message: &&MessageView| after.is_none_or(|after| message.id > after);
        messages.iter().filter(waits).filter(later).take(most).cloned().collect()
    }

    fn message(&self, id: u64) -> Option<MessageView> {
        self.messages.lock().unwrap().iter().find(|message| message.id == id).cloned()
    }

    fn change_queue(&self, name: &str, change: QueueChange) -> bool {
        let mut queues = self.queues.lock().unwrap();
        let Some(queue) = queues.iter_mut().find(|queue| queue.next_hop == name) else { return false };
        let state = match change {
            QueueChange::Retry => "Active",
            QueueChange::Suspend => "Suspended",
            QueueChange::Resume => "Ready",
        };
        state.clone_into(&mut queue.state);
        true
    }

    fn remove(&self, id: u64, report: bool) -> Result<bool, String> {
        if let Some(why) = self.broken.lock().unwrap().clone() {
            return Err(why);
        }
        let mut messages = self.messages.lock().unwrap();
        let before = messages.len();
        messages.retain(|message| message.id != id);
        self.removed.lock().unwrap().push((id, report));
        Ok(messages.len() < before)
    }

    fn change_target(&self, address: &str, change: TargetChange) -> TargetView {
        let mut targets = self.targets.lock().unwrap();
        let target = targets.iter_mut().find(|target| target.address == address).unwrap();
        let state = match change {
            TargetChange::Disable => "disabled",
            TargetChange::Drain => "draining",
            TargetChange::Enable => "unproved",
            TargetChange::Retry => "unhealthy",
        };
        state.clone_into(&mut target.state);
        target.clone()
    }
}

/// A queue in retry, one of whose two targets is down.
fn queue(name: &str, domain: Option<&str>, connector: Option<&str>) -> QueueView {
    let target = |port: u16, state: &str| TargetView {
        address: format!("192.0.2.25:{port}"),
        name: "mx1.pool.test".to_owned(),
        used_by: UsedBy::Transport,
        state: state.to_owned(),
        error: (state == "unhealthy").then(|| "connection refused".to_owned()),
        retries: 2,
        last_attempt_ms: None,
        next_retry_ms: None,
        probing: false,
    };
    QueueView {
        next_hop: name.to_owned(),
        delivery_type: name.split('/').next().unwrap_or_default().to_owned(),
        next_hop_domain: domain.map(str::to_owned),
        next_hop_connector: connector.map(str::to_owned),
        state: "Retry".to_owned(),
        message_count: 6,
        ready: 5,
        sending: 0,
        deferred: 1,
        connections: 0,
        connection_limit: 5,
        last_error: Some("<script>alert(1)</script> refused".to_owned()),
        retry_count: 2,
        first_retry_time: Some("2010-03-09T15:00:00.000000Z".to_owned()),
        last_retry_time: Some("2010-03-09T15:14:00.000000Z".to_owned()),
        next_retry_time: Some("2010-03-09T15:19:00.000000Z".to_owned()),
        incoming_rate: 1.5,
        outgoing_rate: 0.0,
        velocity: -1.5,
        targets: vec![target(25, "unhealthy"), target(26, "healthy")],
    }
}

/// A message for two people, one of whom has it.
fn message(id: u64) -> MessageView {
    let next_hop = "DnsConnectorDelivery/pool.test/internet";
    MessageView {
        id,
        from: "john.doe@example.com".to_owned(),
        recipients: vec![
            RecipientView {
                address: "ann@pool.test".to_owned(),
                state: "waiting".to_owned(),
                last_error: Some("451 4.7.1 <b>later</b>".to_owned()),
                attempts: 2,
                next_try: Some("2010-03-09T15:19:00.000000Z".to_owned()),
                next_hop: Some(next_hop.to_owned()),
                partner: None,
            },
            RecipientView {
                address: "bob@lake.test".to_owned(),
                state: "done".to_owned(),
                last_error: None,
                attempts: 0,
                next_try: None,
                next_hop: None,
                partner: None,
            },
        ],
        size: 4_321,
        accepted: "2010-03-09T15:00:00.000000Z".to_owned(),
        expires: "2010-03-11T15:00:00.000000Z".to_owned(),
        source: MessageSource {
            address: Some("192.0.2.7".to_owned()),
            connector: Some("submission".to_owned()),
            owner: Some("john.doe@example.com".to_owned()),
            server: None,
        },
        next_hops: vec![next_hop.to_owned()],
    }
}
