//! `[throttle]`: how owners are held to their budgets. What an owner may use stands in policies, never here.

use std::time::Duration;

use toml::de::DeValue;
use weir_gateway::settings::{CpuSource, OverBudget, ThrottleSettings};
use weir_throttle::fair::LimitRules;
use weir_throttle::rpc::{RpcFactor, RpcRules};

use super::key::Effect::{Reload, Restart};
use super::kind::{Count, Kind, OneOf, Switch, Time, duration};
use super::reader::Section;

const OVER_BUDGET: OneOf<OverBudget> = OneOf(&[("delay", OverBudget::Delay), ("refuse", OverBudget::Refuse)]);
const CPU_SOURCE: OneOf<CpuSource> = OneOf(&[("process", CpuSource::Process), ("host", CpuSource::Host)]);

/// How owners are held to their budgets.
#[derive(Clone, Debug)]
pub struct Throttle {
    /// Whether budgets are enforced, where the file says so; else the kind of origin decides (T20).
    pub enforce: Option<bool>,
    /// The gateway's part. Its `enforce` holds for the embedded origin; [`Config::gateway_settings`] puts the
    /// decision in.
    ///
    /// [`Config::gateway_settings`]: super::Config::gateway_settings
    pub gateway: ThrottleSettings,
}

impl Throttle {
    pub(super) fn read(s: &mut Section<'_, '_, '_>) -> Self {
        Self { enforce: s.optional("enforce", Reload, &Switch), gateway: gateway(s) }
    }
}

fn gateway(s: &mut Section<'_, '_, '_>) -> ThrottleSettings {
    let d = ThrottleSettings::default();
    ThrottleSettings {
        enforce: d.enforce,
        over_budget: s.value("over_budget", Reload, &OVER_BUDGET, d.over_budget),
        max_delay: s.value("max_delay", Reload, &MAX_DELAY, d.max_delay),
        concurrency_wait: s.value("concurrency_wait", Reload, &Time::seconds(0, 600), d.concurrency_wait),
        waiting_per_owner: s.value("waiting_per_owner", Reload, &Count(1, 100_000), d.waiting_per_owner),
        waiting: s.value("waiting", Reload, &Count(1, 1_000_000), d.waiting),
        refused_per_second: s.value("refused_per_second", Reload, &Count(0, 1_000), d.refused_per_second),
        budgets: s.value("budgets", Restart, &Count(1_000, 100_000_000), d.budgets),
        submitters: s.value("submitters", Restart, &Count(1_000, 10_000_000), d.submitters),
        subscriptions_per_owner: s.value(
            "subscriptions_per_owner",
            Reload,
            &Count(1, 1_000_000),
            d.subscriptions_per_owner,
        ),
        verifications: s.value("verifications", Restart, &Count(1, 64), d.verifications),
        cpu_source: s.value("cpu_source", Restart, &CPU_SOURCE, d.cpu_source),
        fair_share: fair_share(s),
        rpc: rules(s, ["rpc_throttling_factor", "rpc_latency_floor"], d.rpc),
        http: rules(s, ["http_throttling_factor", "http_latency_floor"], d.http),
    }
}

/// How many calls may run at an origin at once, found between two bounds; none where fair share is off (T23).
fn fair_share(s: &mut Section<'_, '_, '_>) -> Option<LimitRules> {
    let d = LimitRules::default();
    let is_on = s.value("fair_share", Reload, &Switch, true);
    let [min, initial, max] = [
        ("concurrency_limit_min", d.min()),
        ("concurrency_limit_initial", d.initial()),
        ("concurrency_limit_max", d.max()),
    ]
    .map(|(key, default)| s.value(key, Reload, &Count(1, 100_000), default));
    let goal = s.value("concurrency_limit_goal", Reload, &GOAL, duration(d.goal()));
    match LimitRules::new(min, initial, max, goal.into()) {
        Ok(rules) => is_on.then_some(rules),
        Err(error) => {
            s.mistake_at("concurrency_limit_initial", format!("throttle.concurrency_limit_initial: {error}"));
            is_on.then_some(d)
        }
    }
}

/// What those are judged by who may be faster than the origin.
fn rules(s: &mut Section<'_, '_, '_>, [factor, floor]: [&'static str; 2], d: RpcRules) -> RpcRules {
    let factor: u32 = s.value(factor, Reload, &Count(0, 5_000), d.factor.thousandths().into());
    let floor = s.value(floor, Reload, &Time::seconds(0, 60), Duration::ZERO);
    RpcRules { factor: RpcFactor::new(factor.into()).unwrap_or(d.factor), floor: floor.into() }
}

/// What `concurrency_limit_goal` may be.
const GOAL: Time = Time::millis(1, 60_000);

/// What `max_delay` may be.
const MAX_DELAY: Time = Time::seconds(0, 600);

/// Reads `60s` as the key `throttle.max_delay` does.
///
/// # Errors
/// What is wrong with it, and what is allowed.
pub(crate) fn max_delay(text: &str) -> Result<Duration, String> {
    MAX_DELAY.read(&DeValue::String(text.into()))
}
