//! What is due: look-ups, connections, messages that are too old, queues that may go.

use std::sync::Arc;

use tokio::sync::watch;
use weir_spool::MessageId;
use weir_transport::next_hop::{Levels, Never, Resolution, Targets};
use weir_transport::routing::NextHopKey;
use weir_units::{Micros, Tick};

use super::Shared;
use super::board::Board;
use super::delivery::Place;
use super::hop::Chosen;
use super::routing::reply_of;
use super::settle::Verdict;
use crate::settings::Delivery;

/// How long a queue without a way waits before its messages are routed again: by then the directory or a configuration
/// may say something else.
const REROUTE: Micros = Micros::MINUTE.times(5);

/// What a next hop needs.
enum Need {
    /// Its targets.
    Targets,
    /// A connection there.
    Connection(Chosen),
    /// A delivery into the embedded mailbox server.
    Delivery,
    /// Messages of it to be judged by their age, one after another: many may have come at once.
    Judgement(Vec<MessageId>),
    /// All that waits there to be routed anew.
    AnotherWay,
}

impl super::Queues {
    /// Delivers until `stop` turns true; then nothing is begun any more. What was begun ends by itself.
    pub(crate) async fn dispatch(&self, mut stop: watch::Receiver<bool>) {
        let shared = &self.shared;
        loop {
            let next = shared.look();
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => return,
                () = shared.wake.notified() => {}
                () = shared.works.clock.sleep_until(next) => {}
            }
        }
    }
}

impl Shared {
    /// Looks at every next hop where something happened or is due, and starts what it needs; answers when to look again.
    fn look(self: &Arc<Self>) -> Tick {
        let now = self.now();
        let mut board = self.board();
        let mut needs = Vec::new();
        for key in board.take_touched(now) {
            self.needs_of(&mut board, &key, now, &mut needs);
        }
        let next = board.next_timer();
        drop(board);
        for (key, need) in needs {
            self.meet(key, need);
        }
        next
    }

    fn needs_of(&self, board: &mut Board, key: &NextHopKey, now: Tick, needs: &mut Vec<(NextHopKey, Need)>) {
        let Some(hop) = board.hops.get_mut(key) else { return };
        let aged = hop.queue.take_aged(now);
        if !aged.is_empty() {
            needs.push((key.clone(), Need::Judgement(aged)));
        }
        if hop.queue.is_idle(now) {
            board.hops.remove(key);
            board.set_timer(key, Tick::NEVER);
            return;
        }
        let patience = self.works.settings.queue.max_idle_time_before_resubmit;
        let (no_way, every) = if *key == NextHopKey::Unreachable {
            (true, REROUTE)
        } else {
            (hop.queue.is_given_up(now), patience)
        };
        if no_way && hop.reroutes(every, now) {
            needs.push((key.clone(), Need::AnotherWay));
        }
        match key {
            NextHopKey::Unreachable => {}
            NextHopKey::Mailbox if self.works.settings.delivery == Delivery::Embedded => {
                while board.opens(key, now) {
                    needs.push((key.clone(), Need::Delivery));
                }
            }
            NextHopKey::Mailbox
            | NextHopKey::Server(_)
            | NextHopKey::Sources(_)
            | NextHopKey::Site(_)
            | NextHopKey::Dns(..)
            | NextHopKey::SmartHosts(_)
            | NextHopKey::Shadow(_) => Self::connections(board, key, now, needs),
        }
        if let Some(hop) = board.hops.get(key) {
            let reroute = if no_way { hop.reroute_at() } else { Tick::NEVER };
            let at = hop.queue.next_event(now).min(hop.queue.idle_at()).min(reroute);
            board.set_timer(key, at);
        }
    }

    /// The connections that a next hop should have more.
    fn connections(board: &mut Board, key: &NextHopKey, now: Tick, needs: &mut Vec<(NextHopKey, Need)>) {
        loop {
            let Some((hop, process)) = board.hop_and_connections(key) else { return };
            if !hop.queue.wants_connection(process, now) {
                return;
            }
            if hop.begin_to_resolve(now) {
                return needs.push((key.clone(), Need::Targets));
            }
            if !hop.is_resolved(now) {
                return;
            }
            match hop.pick(now) {
                Ok(chosen) => {
                    if !board.opens(key, now) {
                        return;
                    }
                    needs.push((key.clone(), Need::Connection(chosen)));
                }
                Err(until) => return hop.queue.block(until, now),
            }
        }
    }

    fn meet(self: &Arc<Self>, key: NextHopKey, need: Need) {
        let shared = Arc::clone(self);
        match need {
            Need::Targets => drop(tokio::spawn(shared.resolve(key))),
            Need::Connection(chosen) => {
                let place = Place::taken(Arc::clone(self), key);
                drop(tokio::spawn(shared.carry(place, chosen)));
            }
            Need::Delivery => {
                let mut place = Place::taken(Arc::clone(self), key.clone());
                place.is_open = true;
                if let Some(hop) = self.board().hops.get_mut(&key) {
                    hop.queue.connected(self.now());
                }
                let Some(mailboxes) = self.works.mailboxes.clone() else {
                    return tracing::error!("local mail waits: there is no mailbox server");
                };
                drop(tokio::spawn(shared.deliver(place, mailboxes)));
            }
            Need::Judgement(aged) => drop(tokio::spawn(async move {
                for id in aged {
                    shared.judge(id, &key).await;
                }
            })),
            Need::AnotherWay => drop(tokio::spawn(shared.route_again(key, false))),
        }
    }

    /// Looks up the targets of a next hop.
    async fn resolve(self: Arc<Self>, key: NextHopKey) {
        let works = &self.works;
        let resolution = works.resolver.levels(&key, &works.router, &works.settings.delivery).await;
        match resolution {
            Resolution::Targets(targets) => self.resolved(&key, &targets),
            Resolution::Later(later) => self.not_resolved(&key, &later.to_string()),
            Resolution::Never(never) => Arc::clone(&self).never(key, never).await,
        }
        self.wake.notify_one();
    }

    fn resolved(&self, key: &NextHopKey, targets: &Targets) {
        let now = self.now();
        let mut board = self.board();
        let Some(hop) = board.hops.get_mut(key) else { return };
        let before = hop.levels().cloned();
        let settings = self.works.settings.balance;
        match Levels::new(&targets.levels, before.as_deref(), settings, &self.works.health) {
            Ok(levels) => hop.resolved(Arc::new(levels), targets, now),
            Err(error) => {
                drop(board);
                self.not_resolved(key, &error.to_string());
                return;
            }
        }
        board.touch(key);
    }

    /// There are no targets for now: the queue waits, longer each time, as for one that is down.
    fn not_resolved(&self, key: &NextHopKey, error: &str) {
        let now = self.now();
        let mut board = self.board();
        let Some(hop) = board.hops.get_mut(key) else { return };
        let times = hop.not_resolved();
        hop.queue.opening();
        hop.queue.not_connected(&error.into());
        let schedule = &self.works.settings.balance.schedule;
        hop.queue.block(now.plus(schedule.interval(times - 1)), now);
        board.touch(key);
    }

    /// There are no targets ever: whatever waits goes back to its senders.
    async fn never(self: Arc<Self>, key: NextHopKey, never: Never) {
        if let Some(hop) = self.board().hops.get_mut(&key) {
            hop.not_resolved();
        }
        let reply = reply_of(&never.to_string());
        loop {
            let job = self.board().take(&key, self.now());
            let Some(job) = job else { return };
            let Some((envelope, _)) = self.load(&job, &key).await else { continue };
            let verdict = Verdict::failed(&reply);
            let verdicts = job.recipients.iter().map(|place| (*place, verdict.clone())).collect();
            self.settle(job.id, Some(&key), &envelope, verdicts).await;
        }
    }
}
