//! What limits an owner at this moment, and why (T21).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use weir_directory::{CacheState, Directory};
use weir_throttle::submissions::Submitted;
use weir_throttle::{Budget, ComponentLimits, Limits, PartState, Snapshot};
use weir_units::{Owner, Part, Percent, Tick, TimePart};

use super::AdminState;
use super::change::blocking;
use super::failure::Failure;
use super::input::{Name, Options};
use super::session;
use crate::gateway::Spender;
use crate::types::{
    ComponentBudget, Listing, OwnerBudgets, PartBudget, PolicyInForce, SubmissionBudget, TopBudget,
};

/// How many budgets are listed where nobody says.
const USUAL_TOP: usize = 20;
/// How many can be asked for.
const MOST_TOP: usize = 1_000;

/// What a listing may be narrowed to.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Which {
    /// So many, the fullest first.
    #[serde(default = "usual_top")]
    top: usize,
}

const fn usual_top() -> usize {
    USUAL_TOP
}

pub(crate) async fn list(
    State(state): State<Arc<AdminState>>,
    Options(Which { top }): Options<Which>,
) -> Result<Json<Listing<TopBudget>>, Failure> {
    if !(1..=MOST_TOP).contains(&top) {
        return Err(Failure::bad_request(format!("top is {top}; allowed is 1 to {MOST_TOP}")));
    }
    let items = blocking(&state, move |state| {
        Ok((state.gateway.spenders)(top).into_iter().map(top_budget).collect())
    })
    .await?;
    Ok(Json(Listing { items }))
}

pub(crate) async fn show(
    State(state): State<Arc<AdminState>>,
    Name(name): Name,
) -> Result<Json<OwnerBudgets>, Failure> {
    blocking(&state, move |state| explain(state, &name)).await.map(Json)
}

fn explain(state: &AdminState, name: &str) -> Result<OwnerBudgets, Failure> {
    let account = state.store.resolve(name)?;
    let owner = account.as_ref().map_or_else(|| Owner::new(name), |account| account.owner.clone());
    let now = (state.gateway.tick)();
    // To be looked at is no use: an entry in the cache does not live longer for it.
    let known = state.cache.peek(&owner, now).filter(|known| now < known.rereads_at);
    let policy =
        known.as_ref().map_or_else(|| state.cache.lookup(&owner, now), |known| Arc::clone(&known.policy));
    let cached = state.cache.peek(&owner, now);
    let components = state.gateway.served.iter().map(|component| {
        let limits = policy.limits.component(*component);
        let seen = (state.gateway.snapshot)(&owner, limits, now);
        // Who was not seen lately has an empty budget.
        component_budget(limits, seen.is_some(), &seen.unwrap_or_else(|| Budget::new().snapshot(limits, now)))
    });
    Ok(OwnerBudgets {
        owner: owner.to_string(),
        in_directory: account.is_some(),
        policy: PolicyInForce {
            name: policy.name.clone(),
            source: policy.source.name().to_owned(),
            reasons: policy.reasons.iter().map(ToString::to_string).collect(),
            observe_only: policy.limits.observe_only,
            cached: known.is_some(),
            age_ms: now.since(policy.loaded_at).floor_millis().count(),
            rereads_in_ms: rereads_in(cached.as_ref(), now),
        },
        components: components.collect(),
        origins: (state.gateway.at_origins)(&owner),
        submission: submission(&policy.limits, (state.gateway.submitted)(&owner, now)),
        sessions: session::of_owner(state, &owner),
        history: (state.gateway.history)(&owner),
    })
}

/// One of the fullest budgets as it is told.
pub(crate) fn top_budget(spender: Spender) -> TopBudget {
    TopBudget {
        owner: spender.owner.to_string(),
        policy: spender.policy,
        observe_only: spender.observe_only,
        part: spender.fullest.map(|(part, _)| part.name().to_owned()),
        share_percent: spender.fullest.map(|(_, share)| share),
        budget: component_budget(&spender.limits, true, &spender.snapshot),
    }
}

fn rereads_in(cached: Option<&CacheState>, now: Tick) -> u64 {
    cached.map_or(0, |cached| cached.rereads_at.since(now).ceil_millis().count())
}

fn component_budget(limits: &ComponentLimits, active: bool, snapshot: &Snapshot) -> ComponentBudget {
    let (find_count_limit, find_count) = snapshot.find_count;
    let (max_subscriptions, subscriptions) = snapshot.subscriptions;
    ComponentBudget {
        component: limits.component.name().to_owned(),
        active,
        running: snapshot.connections,
        max_concurrency: limits.max_concurrency,
        waiting: snapshot.waiting,
        hanging: snapshot.hanging,
        max_hanging: Some(limits.hanging).filter(|most| *most < u32::MAX),
        parts: TimePart::ALL
            .into_iter()
            .zip(&snapshot.time)
            .map(|(part, state)| part_budget(part, state))
            .collect(),
        find_count,
        find_count_limit,
        subscriptions,
        max_subscriptions,
    }
}

fn submission(limits: &Limits, submitted: Submitted) -> SubmissionBudget {
    SubmissionBudget {
        messages: submitted.messages,
        message_rate_limit: limits.message_rate,
        recipients: submitted.recipients,
        recipient_rate_limit: limits.recipient_rate,
    }
}

fn part_budget(part: TimePart, state: &PartState) -> PartBudget {
    PartBudget {
        part: Part::Time(part).name().to_owned(),
        allowance_ms: state.allowance.map(|allowance| allowance.floor_millis().count()),
        used_ms: state.used.floor_millis().count(),
        remainder_ms: state.remainder(),
        used_percent: Percent::of_minute_used(state.used),
    }
}
