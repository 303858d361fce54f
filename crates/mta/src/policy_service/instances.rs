//! What was charged for each message that Postfix asks about, so that nothing is charged twice.
//!
//! A message is remembered by its instance, whatever connection it is asked about on. The table is bounded: the message that
//! was asked about first is forgotten first, and is charged anew if Postfix asks about it after that many others.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use weir_wire::smtp::policy::PolicyRequest;

/// Messages that are remembered at the same time.
const MESSAGES: usize = 10_000;
/// The longest instance, and the longest recipient, that is remembered; Postfix's are far shorter.
const LONGEST: usize = 512;

/// What is still to be charged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Owed {
    /// The message.
    pub(super) message: bool,
    /// So many of its recipients.
    pub(super) recipients: u32,
}

/// The messages that Postfix asked about.
#[derive(Debug, Default)]
pub(super) struct Instances(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    messages: HashMap<String, Charged>,
    /// Their instances, the oldest first.
    order: VecDeque<String>,
}

/// What was charged for one message.
#[derive(Debug, Default)]
struct Charged {
    message: bool,
    recipients: u32,
    /// The recipient who was charged last: several restrictions may ask about the same one.
    last: String,
}

impl Instances {
    /// What a question is about that was not charged yet; nothing where it concerns no limit.
    pub(super) fn owed(&self, request: &PolicyRequest) -> Option<Owed> {
        let table = self.lock();
        let charged = table.messages.get(request.instance());
        let recipients = match request.state() {
            "MAIL" => 0,
            "RCPT" => u32::from(charged.is_none_or(|charged| charged.last != request.value("recipient"))),
            "DATA" | "END-OF-MESSAGE" => {
                let all = u32::try_from(request.recipient_count()).unwrap_or(u32::MAX);
                all.saturating_sub(charged.map_or(0, |charged| charged.recipients))
            }
            _ => return None,
        };
        Some(Owed { message: charged.is_none_or(|charged| !charged.message), recipients })
    }

    /// Remembers what was charged for the message that the request is about. A message without an instance, or with one that
    /// is too long, cannot be told from others, and is charged for each question.
    pub(super) fn charged(&self, request: &PolicyRequest, what: Owed) {
        let instance = request.instance();
        if instance.is_empty() || instance.len() > LONGEST {
            return;
        }
        let mut table = self.lock();
        if !table.messages.contains_key(instance) {
            table.begin(instance);
        }
        let Some(charged) = table.messages.get_mut(instance) else { return };
        charged.message |= what.message;
        charged.recipients = charged.recipients.saturating_add(what.recipients);
        if request.state() == "RCPT" && what.recipients > 0 {
            let recipient = request.value("recipient");
            charged.last.clear();
            charged.last.push_str(if recipient.len() > LONGEST { "" } else { recipient });
        }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn begin(&mut self, instance: &str) {
        if self.order.len() >= MESSAGES
            && let Some(oldest) = self.order.pop_front()
        {
            self.messages.remove(&oldest);
        }
        self.order.push_back(instance.to_owned());
        self.messages.insert(instance.to_owned(), Charged::default());
    }
}
