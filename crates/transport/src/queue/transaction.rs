//! One message over one connection: each recipient's fate, once.
//!
//! A refusal of one recipient stands whatever happens later; what concerns the whole message concerns those who have no
//! fate yet. A connection that is lost after the message was sent and before it was answered leaves its recipients in
//! doubt: they are deferred, and may get it twice. SMTP answers a message once for all, LMTP once for each recipient
//! it accepted.

use super::reply::{Context, Fate, Meaning, Reply, Stage};

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The next command, or the message.
    Go,
    /// RSET: this message is over, and the connection is good for another.
    Reset,
    /// This message is over, and the connection is good for another as it is.
    Next,
    /// Close the connection; the message goes to the next target if somebody has no fate yet.
    Close,
}

/// What became of a recipient, and what the peer said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// His fate.
    pub fate: Fate,
    /// The reply that decided it; nothing where the connection broke.
    pub reply: Option<Reply>,
    /// He may have the message all the same: nobody knows whether the peer took it.
    pub in_doubt: bool,
}

/// One message over one connection.
#[derive(Clone, Debug)]
pub struct Transaction {
    outcomes: Vec<Option<Outcome>>,
    accepted: Vec<usize>,
    tls_required: bool,
    /// The message was sent whole, and is not answered.
    sent: bool,
}

impl Transaction {
    /// A message for `recipients` recipients.
    pub fn new(recipients: usize, tls_required: bool) -> Self {
        Self { outcomes: vec![None; recipients], accepted: Vec::new(), tls_required, sent: false }
    }

    /// The reply to MAIL.
    pub fn mail(&mut self, reply: &Reply) -> Step {
        match reply.meaning(Stage::Mail, self.context()) {
            Meaning::Proceed => Step::Go,
            Meaning::Message(fate) => self.all(fate, reply, Step::Reset),
            Meaning::Without | Meaning::Recipient(_) | Meaning::NextTarget | Meaning::Lost => {
                self.lost(Some(reply))
            }
        }
    }

    /// The reply to RCPT for the recipient at `place`.
    pub fn recipient(&mut self, place: usize, reply: &Reply) -> Step {
        match reply.meaning(Stage::Recipient, self.context()) {
            Meaning::Proceed => {
                self.accepted.push(place);
                Step::Go
            }
            Meaning::Recipient(fate) => {
                self.decide(place, fate, Some(reply));
                Step::Go
            }
            Meaning::Without | Meaning::Message(_) | Meaning::NextTarget | Meaning::Lost => {
                self.lost(Some(reply))
            }
        }
    }

    /// Whether somebody is left to send the message to, when all recipients were named: else RSET comes next.
    pub fn has_recipients(&self) -> bool {
        !self.accepted.is_empty()
    }

    /// The reply to DATA.
    pub fn data(&mut self, reply: &Reply) -> Step {
        match reply.meaning(Stage::Data, self.context()) {
            Meaning::Proceed => Step::Go,
            Meaning::Message(fate) => self.all(fate, reply, Step::Reset),
            Meaning::Without | Meaning::Recipient(_) | Meaning::NextTarget | Meaning::Lost => {
                self.lost(Some(reply))
            }
        }
    }

    /// The message was sent to its last byte.
    pub const fn sent(&mut self) {
        self.sent = true;
    }

    /// The reply to the message, for all that were accepted.
    pub fn message(&mut self, reply: &Reply) -> Step {
        match reply.meaning(Stage::Message, self.context()) {
            Meaning::Message(fate) => {
                self.sent = false;
                for place in std::mem::take(&mut self.accepted) {
                    self.decide(place, fate, Some(reply));
                }
                Step::Next
            }
            Meaning::Proceed
            | Meaning::Without
            | Meaning::Recipient(_)
            | Meaning::NextTarget
            | Meaning::Lost => self.lost(Some(reply)),
        }
    }

    /// The next of LMTP's replies to the message, which come in the order in which recipients were accepted. Answers
    /// [`Step::Go`] while more are to come.
    pub fn message_for_next(&mut self, reply: &Reply) -> Step {
        match reply.meaning(Stage::Message, self.context()) {
            Meaning::Message(fate) if !self.accepted.is_empty() => {
                let place = self.accepted.remove(0);
                self.decide(place, fate, Some(reply));
                self.sent = !self.accepted.is_empty();
                if self.sent { Step::Go } else { Step::Next }
            }
            Meaning::Message(_)
            | Meaning::Proceed
            | Meaning::Without
            | Meaning::Recipient(_)
            | Meaning::NextTarget
            | Meaning::Lost => self.lost(Some(reply)),
        }
    }

    /// The connection broke, or the peer ended it with `reply`.
    ///
    /// A peer that refused with a reply of its own took nothing, so that nobody is in doubt.
    pub fn lost(&mut self, reply: Option<&Reply>) -> Step {
        let answered = reply.is_some_and(|reply| (400..600).contains(&reply.code));
        let in_doubt = self.sent && !answered;
        for place in 0..self.outcomes.len() {
            let in_doubt = in_doubt && self.accepted.contains(&place);
            self.settle(place, Outcome { fate: Fate::Deferred, reply: reply.cloned(), in_doubt });
        }
        Step::Close
    }

    /// What became of each recipient, in their order. Who was never answered for is deferred.
    pub fn finish(self) -> Vec<Outcome> {
        let deferred = || Outcome { fate: Fate::Deferred, reply: None, in_doubt: false };
        self.outcomes.into_iter().map(|outcome| outcome.unwrap_or_else(deferred)).collect()
    }

    fn all(&mut self, fate: Fate, reply: &Reply, step: Step) -> Step {
        for place in 0..self.outcomes.len() {
            self.decide(place, fate, Some(reply));
        }
        step
    }

    fn decide(&mut self, place: usize, fate: Fate, reply: Option<&Reply>) {
        self.settle(place, Outcome { fate, reply: reply.cloned(), in_doubt: false });
    }

    /// The first word about a recipient stands.
    fn settle(&mut self, place: usize, outcome: Outcome) {
        if let Some(known) = self.outcomes.get_mut(place) {
            known.get_or_insert(outcome);
        }
    }

    fn context(&self) -> Context {
        Context { tls_required: self.tls_required, accepted: self.accepted.len() }
    }
}

#[cfg(test)]
mod tests;
