//! What the API shows of owners and of the whole, in the gateway's words and in its own (T21).

use std::path::Path;

use weir_admin::gateway::Spender;
use weir_admin::types::{
    ClientProgram, MinuteView, OriginCalls, OriginLoad, Overview, OwnerCalls, OwnerHistory, OwnerLog,
    SecondView, ThrottledCall, Traffic, timestamp,
};
use weir_gateway::Gateway;
use weir_gateway::history::{Minute, Program, Throttled};
use weir_gateway::overview::AtOrigin;
use weir_gateway::pulse::{self, Beat};
use weir_gateway::request_log::search;
use weir_throttle::Busy;
use weir_units::{Owner, Tick, WallTime};

/// The beats of a minute.
const MINUTE: u32 = 60;

/// What is remembered of `owner`.
pub(super) fn history(gateway: &Gateway, owner: &Owner) -> OwnerHistory {
    let history = gateway.history(owner).unwrap_or_default();
    OwnerHistory {
        programs: history.programs.into_iter().map(program).collect(),
        throttled: history.throttled.into_iter().map(throttled).collect(),
        minutes: history.minutes.into_iter().map(minute).collect(),
    }
}

/// What the request log in `logs` says of `owner` from `from` to `to`.
pub(super) fn owner_log(
    logs: &Path,
    owner: &Owner,
    from: WallTime,
    to: WallTime,
) -> Result<OwnerLog, String> {
    let found = search::search(logs, owner, from, to).map_err(|error| {
        format!(
            "the request log in {} cannot be read: {error}; let this user read the folder",
            logs.display()
        )
    })?;
    Ok(OwnerLog {
        from: timestamp(from),
        to: timestamp(to),
        requests: found.requests,
        refused: found.refused,
        delayed: found.delayed,
        would_refuse: found.would_refuse,
        would_delay: found.would_delay,
        throttled: found.throttled,
        slowest: found.slowest,
        complete: !found.cut_off,
    })
}

/// What of `owner`'s calls runs and waits at each origin (T23).
pub(super) fn at_origins(gateway: &Gateway, owner: &Owner) -> Vec<OwnerCalls> {
    let origins = gateway.origins_of(owner).into_iter();
    let calls = origins.map(|(at, holding)| OwnerCalls {
        running: holding.running,
        waiting: holding.waiting,
        ahead_ms: holding.ahead.floor_millis().count(),
        all: load(&at),
        origin: at.origin,
    });
    calls.collect()
}

/// The budgets of which most is used, the fullest first.
pub(super) fn spenders(gateway: &Gateway, most: usize, now: Tick) -> Vec<Spender> {
    let spenders = gateway.spenders(most, now).into_iter();
    let view = spenders.map(|spender| Spender {
        owner: spender.owner,
        policy: spender.policy.as_ref().map(|policy| policy.name.clone()),
        observe_only: spender.policy.is_some_and(|policy| policy.limits.observe_only),
        limits: spender.limits,
        snapshot: spender.snapshot,
        fullest: spender.fullest,
    });
    view.collect()
}

/// How it goes at `now`.
pub(super) fn overview(gateway: &Gateway, now: WallTime) -> Overview {
    let overview = gateway.overview();
    let minute = usize::try_from(MINUTE).unwrap_or(usize::MAX);
    let last_minute: Vec<&Beat> = overview.beats.iter().rev().take(minute).collect();
    let sum = |count: fn(&pulse::Traffic) -> u64| last_minute.iter().map(|beat| count(&beat.traffic)).sum();
    let last_minute = Traffic {
        requests: sum(|traffic| traffic.requests),
        refused: sum(|traffic| traffic.refused),
        delayed: sum(|traffic| traffic.delayed),
        would_refuse: sum(|traffic| traffic.would_refuse),
        would_delay: sum(|traffic| traffic.would_delay),
    };
    let requests = u32::try_from(last_minute.requests).unwrap_or(u32::MAX);
    Overview {
        at: timestamp(now),
        enforces: overview.enforces,
        bypass: gateway.is_bypassed(),
        connections: overview.connections,
        cpu_percent: percent(overview.cpu),
        budgets: overview.budgets,
        waiting: overview.waiting,
        origins: gateway.origins().into_iter().map(origin).collect(),
        requests_per_second: f64::from(requests) / f64::from(MINUTE),
        last_minute,
        seconds: overview.beats.iter().map(second).collect(),
    }
}

fn origin(at: AtOrigin) -> OriginCalls {
    OriginCalls { load: load(&at), origin: at.origin }
}

fn load(at: &AtOrigin) -> OriginLoad {
    OriginLoad {
        running: at.load.running,
        limit: at.is_limited.then_some(at.load.places),
        waiting: at.load.waiting,
    }
}

fn program(program: Program) -> ClientProgram {
    ClientProgram {
        user_agent: program.user_agent,
        first_seen: timestamp(program.first_seen),
        last_seen: timestamp(program.last_seen),
        requests: program.requests,
    }
}

fn throttled(call: Throttled) -> ThrottledCall {
    ThrottledCall {
        at: timestamp(call.at),
        first_at: timestamp(call.first_at),
        count: call.count,
        component: call.component.name().to_owned(),
        verdict: call.verdict.name().to_owned(),
        part: call.part.name().to_owned(),
        waited_ms: call.waited.floor_millis().count(),
        status: call.status,
        line: call.line,
    }
}

fn minute(minute: Minute) -> MinuteView {
    MinuteView {
        at: timestamp(minute.at),
        requests: minute.requests,
        refused: minute.refused,
        delayed: minute.delayed,
        would_refuse: minute.would_refuse,
        would_delay: minute.would_delay,
        cas_ms: minute.worked.floor_millis().count(),
        rpc_ms: minute.origin.floor_millis().count(),
    }
}

fn second(beat: &Beat) -> SecondView {
    let pulse::Traffic { requests, refused, delayed, would_refuse, would_delay } = beat.traffic;
    SecondView {
        at: timestamp(beat.at),
        traffic: Traffic { requests, refused, delayed, would_refuse, would_delay },
        connections: beat.connections,
        cpu_percent: percent(beat.cpu),
    }
}

fn percent(busy: Busy) -> f64 {
    f64::from(busy.hundredths()) / 100.0
}
