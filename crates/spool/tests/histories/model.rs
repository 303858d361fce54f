//! What the queue should be, in the slowest and most obvious way.
//!
//! For each message it knows what was acknowledged, and what was asked since without a clear answer: after a crash, any
//! first part of that may have happened, and nothing else.

use weir_spool::{Change, Due, MessageId, SpoolError, State};
use weir_units::WallTime;

/// A message that was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    /// Unlike any other's, so that it is known again.
    pub(crate) envelope: Vec<u8>,
    pub(crate) body: Vec<u8>,
    /// Known when it is acknowledged, or found after a crash.
    pub(crate) id: Option<MessageId>,
    /// Who asked for it; nobody when that is answered.
    token: Option<u64>,
    /// Whether the answer was that nobody knows.
    in_doubt: bool,
    /// How it stands with the recipients, as was acknowledged.
    pub(crate) states: Vec<State>,
    /// When the queue should hand out each recipient; `None` when it has been, or is done.
    hands_out: Vec<Option<WallTime>>,
    asked: Vec<Asked>,
    /// Everything that was ever said of the recipients, also of a message that was done by then.
    pub(crate) past: Vec<Vec<State>>,
}

/// An update that was asked for.
#[derive(Clone, Debug)]
struct Asked {
    token: u64,
    changes: Vec<Change>,
    in_doubt: bool,
}

impl Message {
    pub(crate) fn is_finished(&self) -> bool {
        is_finished(&self.states)
    }

    /// What the recipients' states may be after a crash.
    fn candidates(&self) -> Vec<Vec<State>> {
        let mut candidates = vec![self.states.clone()];
        for asked in &self.asked {
            let mut states = candidates.last().unwrap().clone();
            apply(&mut states, &asked.changes);
            candidates.push(states);
        }
        candidates
    }

    fn hand_out_anew(&mut self) {
        self.hands_out = self.states.iter().map(|state| state.due).collect();
    }
}

fn is_finished(states: &[State]) -> bool {
    states.iter().all(|state| state.due.is_none())
}

/// A message that is done stays so.
fn apply(states: &mut [State], changes: &[Change]) {
    if !is_finished(states) {
        for change in changes {
            states[usize::try_from(change.recipient).unwrap()] = change.state.clone();
        }
    }
}

/// All messages that were asked for, in that order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) messages: Vec<Message>,
    next_tag: u64,
    next_token: u64,
    last_id: Option<MessageId>,
}

/// What a message is found to be.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) id: MessageId,
    pub(crate) envelope: Vec<u8>,
    pub(crate) states: Vec<State>,
    pub(crate) body: Vec<u8>,
}

impl Model {
    pub(crate) fn tag(&mut self) -> u64 {
        self.next_tag += 1;
        self.next_tag
    }

    /// A message is asked for; with what token.
    pub(crate) fn ask_queue(&mut self, envelope: Vec<u8>, body: Vec<u8>, states: Vec<State>) -> u64 {
        self.next_token += 1;
        let (token, hands_out, past) = (Some(self.next_token), Vec::new(), vec![states.clone()]);
        let (id, in_doubt, asked) = (None, false, Vec::new());
        self.messages.push(Message { envelope, body, id, token, in_doubt, states, hands_out, asked, past });
        self.next_token
    }

    /// An update is asked for; with what token.
    pub(crate) fn ask_update(&mut self, id: MessageId, changes: Vec<Change>) -> u64 {
        self.next_token += 1;
        let token = self.next_token;
        self.message(id).asked.push(Asked { token, changes, in_doubt: false });
        token
    }

    /// Messages that are known to be there.
    pub(crate) fn queued(&self) -> Vec<MessageId> {
        self.messages
            .iter()
            .filter(|message| !message.is_finished())
            .filter_map(|message| message.id)
            .collect()
    }

    pub(crate) fn message(&mut self, id: MessageId) -> &mut Message {
        self.messages.iter_mut().find(|message| message.id == Some(id)).unwrap()
    }

    /// An answer.
    pub(crate) fn answer(&mut self, token: u64, answer: Result<MessageId, SpoolError>) {
        match answer {
            Ok(id) => {
                self.nothing_is_in_doubt();
                self.acknowledge(token, id);
            }
            Err(SpoolError::InDoubt(_)) => self.doubt(token),
            Err(
                SpoolError::NotKept(_)
                | SpoolError::Full { .. }
                | SpoolError::TooMany { .. }
                | SpoolError::TooLarge { .. },
            ) => {
                self.refuse(token);
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn acknowledge(&mut self, token: u64, id: MessageId) {
        if let Some(message) = self.messages.iter_mut().find(|message| message.token == Some(token)) {
            assert!(self.last_id < Some(id), "{id} was given after {:?}", self.last_id);
            self.last_id = Some(id);
            (message.id, message.token) = (Some(id), None);
            message.hand_out_anew();
            return;
        }
        let message = self.message(id);
        assert_eq!(message.asked[0].token, token, "updates are acknowledged in order");
        let asked = message.asked.remove(0);
        apply(&mut message.states, &asked.changes);
        let mut said = message.states.clone();
        for change in asked.changes {
            said[usize::try_from(change.recipient).unwrap()] = change.state.clone();
            message.hands_out[usize::try_from(change.recipient).unwrap()] = change.state.due;
        }
        if message.is_finished() {
            message.hands_out.fill(None);
        }
        message.past.push(said);
    }

    fn doubt(&mut self, token: u64) {
        for message in &mut self.messages {
            message.in_doubt |= message.token == Some(token);
            for asked in message.asked.iter_mut().filter(|asked| asked.token == token) {
                asked.in_doubt = true;
            }
        }
    }

    fn refuse(&mut self, token: u64) {
        self.messages.retain(|message| message.token != Some(token));
        for message in &mut self.messages {
            message.asked.retain(|asked| asked.token != token);
        }
    }

    /// Something was acknowledged after it was in doubt: then it did not happen.
    fn nothing_is_in_doubt(&mut self) {
        self.messages.retain(|message| !message.in_doubt);
        for message in &mut self.messages {
            message.asked.retain(|asked| !asked.in_doubt);
        }
    }

    /// What the queue should hand out by `now`.
    pub(crate) fn take_due(&mut self, most: usize, now: WallTime) -> Vec<Due> {
        let first = |message: &Message| message.hands_out.iter().flatten().min().copied();
        let mut due: Vec<_> = self
            .messages
            .iter()
            .filter_map(|message| Some((first(message)?, message.id?)))
            .filter(|(at, _)| *at <= now)
            .collect();
        due.sort();
        due.truncate(most);
        due.into_iter().map(|(_, id)| self.take(id, now)).collect()
    }

    fn take(&mut self, id: MessageId, now: WallTime) -> Due {
        let mut recipients = Vec::new();
        for (at, number) in self.message(id).hands_out.iter_mut().zip(0..) {
            if at.is_some_and(|at| at <= now) {
                *at = None;
                recipients.push(number);
            }
        }
        Due { id, recipients }
    }

    pub(crate) fn remind(&mut self, id: MessageId, recipient: u32, at: WallTime) {
        let recipient = usize::try_from(recipient).unwrap();
        let message = self.message(id);
        if message.states[recipient].due.is_some() {
            message.hands_out[recipient] = Some(at);
        }
    }

    /// After a crash, `seen` is in the queue: all that has to be there is, and nothing else, and that is what holds from now on.
    pub(crate) fn recover(&mut self, seen: &[Seen]) {
        for found in seen {
            let message = self.messages.iter_mut().find(|message| message.envelope == found.envelope);
            let message = message.unwrap_or_else(|| panic!("nobody queued {found:?}"));
            assert!(message.id.is_none_or(|id| id == found.id), "it was {:?}, and is {found:?}", message.id);
            assert!(message.body == found.body, "the body of {} has changed", found.id);
            let candidates = message.candidates();
            assert!(candidates.contains(&found.states), "{found:?} is none of {candidates:?}");
            message.id = Some(found.id);
            message.states.clone_from(&found.states);
            message.past.push(found.states.clone());
        }
        let is_seen = |message: &Message| seen.iter().any(|found| Some(found.id) == message.id);
        for message in self.messages.iter().filter(|message| !is_seen(message)) {
            let may_be_gone =
                message.id.is_none() || message.candidates().iter().any(|states| is_finished(states));
            assert!(may_be_gone, "{:?} is lost", message.id);
        }
        self.messages.retain(is_seen);
        for message in &mut self.messages {
            message.asked.clear();
            (message.token, message.in_doubt) = (None, false);
            message.hand_out_anew();
        }
        let ids: Vec<_> = self.messages.iter().map(|message| message.id).collect();
        assert!(ids.is_sorted(), "the order has changed: {ids:?}");
        self.last_id = self.last_id.max(ids.last().copied().flatten());
    }
}
