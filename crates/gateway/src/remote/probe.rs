//! The background task of a remote origin: first connections, due retries, active checks (H10).
//!
//! No user's call pays for finding out whether a server is back. When the selector says that a retry is due, one
//! connection is made here – TCP, and TLS where the server is reached by it – and, where an active check is set, one
//! request on it. Any HTTP answer is a sign of life; whether one of 500 or above is, a setting says. Healthy servers are
//! asked by the active check alone, in rounds. What changes comes out as events.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::header::{CONNECTION, HOST};
use hyper::{Method, Request};
use tokio::sync::watch;
use tokio::task::JoinSet;
use weir_balance::{Attempt, Failure as How, State};
use weir_units::{Micros, Tick};

use super::origin::RemoteOrigin;
use super::server::Server;
use super::settings::ActiveCheck;
use super::upstream::{Outgoing, Upstream};

/// The shortest time between two rounds of checks or sweeps, whatever the settings say.
const ROUND_MIN: Micros = Micros::SECOND;

/// When what goes round is next due.
struct Rounds {
    check: Tick,
    sweep: Tick,
}

impl RemoteOrigin {
    /// Makes first connections, due retries and active checks, and closes idle connections that grew old, until `stop`
    /// turns true. Each server has at most one probe and one check at a time.
    pub(crate) async fn tend(self: Arc<Self>, mut stop: watch::Receiver<bool>) {
        let mut probes = JoinSet::new();
        let mut rounds = Rounds { check: self.next_check(), sweep: self.next_sweep() };
        loop {
            let now = self.clock.tick();
            while let Some(attempt) = self.selector.probe(now) {
                probes.spawn(Arc::clone(&self).probe(attempt));
            }
            self.go_round(&mut rounds, &mut probes, now);
            let next = self.selector.next_probe(now).min(rounds.check).min(rounds.sweep);
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => return,
                Some(_) = probes.join_next() => {}
                () = self.changed.notified() => {}
                () = self.clock.sleep_until(next) => {}
            }
        }
    }

    fn go_round(self: &Arc<Self>, rounds: &mut Rounds, probes: &mut JoinSet<()>, now: Tick) {
        if rounds.sweep <= now {
            self.members.iter().for_each(|member| member.pool.sweep(now));
            rounds.sweep = self.next_sweep();
        }
        if rounds.check <= now {
            for attempt in self.healthy() {
                probes.spawn(Arc::clone(self).probe(attempt));
            }
            rounds.check = self.next_check();
        }
    }

    fn next_sweep(&self) -> Tick {
        self.clock.tick().plus(Micros::from(self.settings.idle_time).max(ROUND_MIN))
    }

    /// A round begins no earlier than the longest check of the one before may end.
    fn next_check(&self) -> Tick {
        let Some(check) = &self.settings.check else { return Tick::NEVER };
        let longest = self.settings.connect_time + self.settings.tls_handshake + check.time;
        self.clock.tick().plus(Micros::from(check.interval.max(longest)).max(ROUND_MIN))
    }

    /// One attempt for each server that is healthy, or runs empty; the others have their retries.
    fn healthy(&self) -> Vec<Attempt> {
        let well = |target: &weir_balance::Listing| match target.state {
            State::Healthy | State::Draining => true,
            State::Unproved | State::Unhealthy | State::Disabled => false,
        };
        let listed = self.targets();
        listed
            .iter()
            .filter(|target| well(target))
            .filter_map(|at| self.selector.heartbeat(at.address))
            .collect()
    }

    async fn probe(self: Arc<Self>, attempt: Attempt) {
        let Some(member) = self.member(attempt.address()) else { return };
        let mut upstream = match Upstream::connect(&member.server, self.clock).await {
            Ok(upstream) => upstream,
            Err(failure) => return self.report(attempt, &failure),
        };
        let Some(check) = &self.settings.check else { return self.succeeded(attempt) };
        match ask(&mut upstream, check).await {
            Ok(()) => self.succeeded(attempt),
            Err(why) => self.failed(attempt, How::CheckFailed, &why),
        }
    }
}

/// Asks a server whether it works; why it does not, in words for the administrator.
async fn ask(upstream: &mut Upstream, check: &ActiveCheck) -> Result<(), String> {
    let request = request(upstream.server(), check).map_err(|error| error.to_string())?;
    let answer = upstream.send(request, check.time).await.map_err(|failure| failure.kind.to_string())?;
    if check.fail_on_5xx && answer.status().is_server_error() {
        return Err(format!("{} answers {}", check.path, answer.status()));
    }
    Ok(())
}

fn request(server: &Server, check: &ActiveCheck) -> Result<Request<Outgoing>, hyper::http::Error> {
    Request::builder()
        .method(Method::GET)
        .uri(check.path.as_str())
        .header(HOST, server.url.authority())
        .header(CONNECTION, "close")
        .body(Either::Right(Either::Left(Full::new(Bytes::new()))))
}

#[cfg(test)]
mod tests;
