//! Queues of the mail transport: list, look into, and what the administrator says about one (H1, H6).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::AdminState;
use super::change::{alone, blocking};
use super::failure::Failure;
use super::input::{Name, Options};
use crate::transport::{QueueChange, TransportView};
use crate::types::{Listing, QueueFilter, QueueMessages, QueueView};

type Shared = State<Arc<AdminState>>;
type Changed = Result<Json<QueueView>, Failure>;

/// How many messages are shown where nobody says.
const USUAL_TOP: usize = 50;
/// How many can be asked for at once.
const MOST_TOP: usize = 1_000;
/// How many names an unknown one is answered with.
const CLOSE: usize = 3;
/// The longest name that close ones are looked for, in bytes.
const LONGEST: usize = 512;

pub(crate) async fn list(State(state): Shared) -> Result<Json<Listing<QueueView>>, Failure> {
    let listed = blocking(&state, |state| Ok(Listing { items: (transport(state)?.queues)() }));
    listed.await.map(Json)
}

pub(crate) async fn show(
    State(state): Shared,
    Name(name): Name,
    Options(which): Options<QueueFilter>,
) -> Result<Json<QueueMessages>, Failure> {
    let top = which.top.unwrap_or(USUAL_TOP);
    if !(1..=MOST_TOP).contains(&top) {
        return Err(Failure::bad_request(format!("top is {top}; allowed is 1 to {MOST_TOP}")));
    }
    let shown = blocking(&state, move |state| {
        let transport = transport(state)?;
        let queue = find((transport.queues)(), &name)?;
        let mut messages = (transport.messages)(&queue.next_hop, which.after, top + 1);
        let more = messages.len() > top;
        messages.truncate(top);
        let next = messages.last().filter(|_| more).map(|message| message.id);
        Ok(QueueMessages { queue, messages, next })
    });
    shown.await.map(Json)
}

pub(crate) async fn retry(State(state): Shared, Name(name): Name) -> Changed {
    change(&state, name, QueueChange::Retry).await
}

pub(crate) async fn suspend(State(state): Shared, Name(name): Name) -> Changed {
    change(&state, name, QueueChange::Suspend).await
}

pub(crate) async fn resume(State(state): Shared, Name(name): Name) -> Changed {
    change(&state, name, QueueChange::Resume).await
}

async fn change(state: &Arc<AdminState>, name: String, wanted: QueueChange) -> Changed {
    let changed = alone(state, move |state| {
        let transport = transport(state)?;
        let before = find((transport.queues)(), &name)?;
        if !(transport.change_queue)(&before.next_hop, wanted) {
            return Err(unknown(&before.next_hop, &[]));
        }
        let of_name = |queue: &QueueView| queue.next_hop == before.next_hop;
        // One that ran empty is gone by itself.
        let after = (transport.queues)().into_iter().find(of_name).unwrap_or_else(|| before.clone());
        state.record(wanted.action(), &before.next_hop, Some(&before), Some(&after));
        Ok(after)
    });
    changed.await.map(Json)
}

/// The mail transport, where one runs.
pub(super) fn transport(state: &AdminState) -> Result<&TransportView, Failure> {
    state.transport.as_ref().ok_or_else(|| {
        Failure::conflict(
            "no mail transport runs here, since the mailboxes are elsewhere; write transport.delivery = \"lmtp\" and name \
             the LMTP servers in transport.lmtp, and start the server again",
        )
    })
}

/// The queue that `name` means: its whole name, or a domain, site, server or connector that only one has. Case does not
/// matter.
fn find(queues: Vec<QueueView>, name: &str) -> Result<QueueView, Failure> {
    let is = |part: &str| part.eq_ignore_ascii_case(name);
    if let Some(at) = queues.iter().position(|queue| is(&queue.next_hop)) {
        return queues.into_iter().nth(at).ok_or_else(|| unknown(name, &[]));
    }
    let names: Vec<String> = queues.iter().map(|queue| queue.next_hop.clone()).collect();
    let mut found = queues.into_iter().filter(|queue| parts(queue).any(is));
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (Some(one), Some(other)) => {
            let others = [one, other].into_iter().chain(found).map(|queue| queue.next_hop);
            let others: Vec<String> = others.take(CLOSE).collect();
            Err(Failure::conflict(format!(
                "{name:?} means more than one queue: {}; write the whole name",
                others.join(", ")
            )))
        }
        (None, _) => Err(unknown(name, &close_to(name, &names))),
    }
}

/// What a queue is called besides its name.
fn parts(queue: &QueueView) -> impl Iterator<Item = &str> {
    [&queue.next_hop_domain, &queue.next_hop_connector].into_iter().filter_map(|part| part.as_deref())
}

fn unknown(name: &str, close: &[&str]) -> Failure {
    let close = match close {
        [] => "list the queues to see those there are".to_owned(),
        close => format!("close names are {}", close.join(", ")),
    };
    Failure::not_found(format!(
        "there is no queue {name:?}, as there soon is none for a next hop that nothing waits for; {close}"
    ))
}

/// The names that hold what was typed, or of which a part is nearly that.
fn close_to<'n>(typed: &str, names: &'n [String]) -> Vec<&'n str> {
    if typed.len() > LONGEST {
        return Vec::new();
    }
    let typed = typed.to_lowercase();
    let near = (typed.chars().count() / 3).max(1);
    let is_near = |name: &&String| {
        let name = name.to_lowercase();
        let words = name.split('/').chain([name.as_str()]);
        let mut distances =
            words.filter(|word| !word.is_empty()).map(|word| strsim::osa_distance(&typed, word));
        !typed.is_empty() && name.contains(&typed) || distances.any(|distance| distance <= near)
    };
    names.iter().filter(is_near).map(String::as_str).take(CLOSE).collect()
}
