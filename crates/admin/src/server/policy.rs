//! Throttling policies: list, make, show, change, remove, make the default (T1, T15).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use weir_directory::PolicyRow;
use weir_throttle::{Parameter, Policy, PolicyError, Setting};

use super::AdminState;
use super::change::{blocking, changing};
use super::failure::Failure;
use super::input::{Body, Name};
use crate::names::{parameter, snake_case, unknown_parameter};
use crate::types::{Listing, NewPolicy, PolicyChange, PolicyView, SettingMap};

type Shared = State<Arc<AdminState>>;

pub(crate) async fn list(State(state): Shared) -> Result<Json<Listing<PolicyView>>, Failure> {
    let rows = blocking(&state, |state| Ok(state.store.policies()?)).await?;
    Ok(Json(Listing { items: rows.iter().map(|row| view(row, &rows)).collect() }))
}

pub(crate) async fn make(
    State(state): Shared,
    Body(wanted): Body<NewPolicy>,
) -> Result<(StatusCode, Json<PolicyView>), Failure> {
    let made = changing(&state, move |state| {
        let policy = whole(&wanted.settings)?;
        let row = state.store.new_policy(&wanted.name, wanted.organisation.as_deref(), &policy)?;
        let made = described(state, &row)?;
        state.record("policy.new", &made.name, None::<&()>, Some(&made));
        Ok(made)
    })
    .await?;
    Ok((StatusCode::CREATED, Json(made)))
}

pub(crate) async fn show(State(state): Shared, Name(name): Name) -> Result<Json<PolicyView>, Failure> {
    blocking(&state, move |state| named(state, &name)).await.map(Json)
}

pub(crate) async fn change(
    State(state): Shared,
    Name(name): Name,
    Body(wanted): Body<PolicyChange>,
) -> Result<Json<PolicyView>, Failure> {
    let changed = changing(&state, move |state| {
        let changes = settings(&wanted.settings, &wanted.leave_out)?;
        let before = named(state, &name)?;
        let row = state.store.set_policy(&name, &changes)?;
        let after = described(state, &row)?;
        state.record("policy.set", &after.name, Some(&before), Some(&after));
        Ok(after)
    })
    .await?;
    Ok(Json(changed))
}

pub(crate) async fn remove(State(state): Shared, Name(name): Name) -> Result<Json<PolicyView>, Failure> {
    let removed = changing(&state, move |state| {
        let before = named(state, &name)?;
        state.store.remove_policy(&name)?;
        state.record("policy.remove", &before.name, Some(&before), None::<&()>);
        Ok(before)
    })
    .await?;
    Ok(Json(removed))
}

pub(crate) async fn make_default(
    State(state): Shared,
    Name(name): Name,
) -> Result<Json<PolicyView>, Failure> {
    let changed = changing(&state, move |state| {
        let before = named(state, &name)?;
        let row = state.store.make_default(&name)?;
        let after = described(state, &row)?;
        state.record("policy.default", &after.name, Some(&before), Some(&after));
        Ok(after)
    })
    .await?;
    Ok(Json(changed))
}

fn named(state: &AdminState, name: &str) -> Result<PolicyView, Failure> {
    described(state, &state.store.policy(name)?)
}

fn described(state: &AdminState, row: &PolicyRow) -> Result<PolicyView, Failure> {
    Ok(view(row, &state.store.policies()?))
}

/// The policy of `row` as it is shown; its organisation's default policy is looked for among `all`.
pub(super) fn view(row: &PolicyRow, all: &[PolicyRow]) -> PolicyView {
    let nothing = Policy::new();
    let default = all
        .iter()
        .filter(|other| other.is_default && other.organisation == row.organisation)
        .find_map(|other| other.policy.content.as_deref().ok());
    let own = row.policy.content.as_deref();
    let policy = own.unwrap_or(&nothing);
    PolicyView {
        name: row.policy.name.clone(),
        organisation: row.organisation.clone(),
        default: row.is_default,
        settings: policy.settings().map(|(parameter, setting)| shown(parameter, setting)).collect(),
        effective: effective(policy, default.unwrap_or(&nothing)),
        not_enforced: not_enforced(policy),
        mailboxes: row.used_by,
        unreadable: own.err().cloned(),
    }
}

/// What holds where `policy` is assigned in an organisation with this default policy (T1).
fn effective(policy: &Policy, default: &Policy) -> SettingMap {
    let fallback = Policy::fallback();
    let chain = [policy, default, &fallback];
    let said = |parameter| chain.iter().map(move |policy| policy.setting(parameter));
    Parameter::all()
        .map(|parameter| {
            let setting = said(parameter).find(|setting| *setting != Setting::LeftOut);
            shown(parameter, setting.unwrap_or_default())
        })
        .collect()
}

/// The limits that `policy` sets and this build does not enforce.
fn not_enforced(policy: &Policy) -> Vec<String> {
    let set = policy.settings().filter(|(_, setting)| matches!(setting, Setting::Value(_)));
    set.filter(|(parameter, _)| !parameter.enforced())
        .map(|(parameter, _)| snake_case(parameter.name()))
        .collect()
}

fn shown(parameter: Parameter, setting: Setting) -> (String, Option<i64>) {
    let value = match setting {
        Setting::Value(value) => Some(i64::from(value)),
        Setting::Null | Setting::LeftOut => None,
    };
    (snake_case(parameter.name()), value)
}

/// A policy with these settings.
pub(super) fn whole(given: &SettingMap) -> Result<Policy, Failure> {
    let mut policy = Policy::new();
    for (parameter, setting) in settings(given, &[])? {
        policy.set(parameter, setting).map_err(refused)?;
    }
    Ok(policy)
}

/// What is asked for, parameter by parameter; a parameter named twice is refused, for it is not clear what
/// holds.
fn settings(given: &SettingMap, leave_out: &[String]) -> Result<Vec<(Parameter, Setting)>, Failure> {
    let mut changes: Vec<(Parameter, Setting)> = Vec::new();
    let set = given.iter().map(|(name, value)| (name, *value, false));
    for (name, value, left_out) in set.chain(leave_out.iter().map(|name| (name, None, true))) {
        let parameter = parameter(name).ok_or_else(|| Failure::bad_request(unknown_parameter(name)))?;
        if changes.iter().any(|(known, _)| *known == parameter) {
            return Err(Failure::bad_request(format!("{parameter} is given twice; give it once")));
        }
        changes.push((parameter, setting(parameter, value, left_out)?));
    }
    Ok(changes)
}

fn setting(parameter: Parameter, value: Option<i64>, left_out: bool) -> Result<Setting, Failure> {
    if left_out {
        return Ok(Setting::LeftOut);
    }
    let Some(value) = value else { return Ok(Setting::Null) };
    let wide = i128::from(value);
    u32::try_from(value)
        .map(Setting::Value)
        .map_err(|_| refused(PolicyError::OutOfRange { parameter, value: wide }))
}

#[allow(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
fn refused(error: PolicyError) -> Failure {
    Failure::bad_request(error.to_string())
}
