//! Policies imported as a file says, all or none; each that differs is a line of the audit log (T1, T15).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use weir_directory::{PolicyImport as Import, WantedPolicy as Wanted};

use super::AdminState;
use super::change::changing;
use super::failure::Failure;
use super::input::Body;
use super::policy::{view, whole};
use crate::types::{
    ImportedPolicies, PolicyDifference, PolicyImport, PolicyView, SettingDifference, SettingMap, WantedPolicy,
};

/// A policy before and after.
type Sides = (Option<PolicyView>, Option<PolicyView>);

pub(super) async fn import(
    State(state): State<Arc<AdminState>>,
    Body(wanted): Body<PolicyImport>,
) -> Result<Json<ImportedPolicies>, Failure> {
    let done = changing(&state, move |state| {
        let PolicyImport { policies, prune, dry_run } = wanted;
        let policies = policies.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let import = Import { policies, prune, rehearse: true };
        let mut differing = carry_out(state, &import)?;
        if !dry_run && !differing.is_empty() {
            differing = carry_out(state, &Import { rehearse: false, ..import.clone() })?;
            for (before, after) in &differing {
                if let Some(policy) = after.as_ref().or(before.as_ref()) {
                    state.record("policy.import", &policy.name, before.as_ref(), after.as_ref());
                }
            }
        }
        let unchanged = import.policies.iter().filter(|wanted| !is_among(&differing, wanted)).count();
        let differences = differing.iter().filter_map(difference).collect();
        Ok(ImportedPolicies { dry_run, differences, unchanged })
    });
    done.await.map(Json)
}

fn read(wanted: WantedPolicy) -> Result<Wanted, Failure> {
    let WantedPolicy { name, organisation, default, settings } = wanted;
    let policy = whole(&settings).map_err(|failure| failure.about(&name))?;
    Ok(Wanted { name, organisation, default, policy })
}

/// Carries the import out, and says which policies differ since, as they are shown.
fn carry_out(state: &AdminState, import: &Import) -> Result<Vec<Sides>, Failure> {
    let done = state.store.import_policies(import)?;
    let (before, after) = (&done.before, &done.after);
    let gone = before.iter().filter(|row| !after.iter().any(|other| other.policy.guid == row.policy.guid));
    let gone = gone.map(|row| (Some(view(row, before)), None));
    let there = after.iter().filter_map(|row| {
        let old = before.iter().find(|other| other.policy.guid == row.policy.guid);
        let same = old
            .is_some_and(|old| old.policy.content == row.policy.content && old.is_default == row.is_default);
        (!same).then(|| (old.map(|old| view(old, before)), Some(view(row, after))))
    });
    Ok(there.chain(gone).collect())
}

/// Whether the policy that is wanted is among those that differ.
fn is_among(differing: &[Sides], wanted: &Wanted) -> bool {
    let same = |left: &str, right: &str| left.to_lowercase() == right.to_lowercase();
    differing.iter().any(|(_, after)| {
        after.as_ref().is_some_and(|after| {
            let organisation =
                wanted.organisation.as_ref().is_none_or(|name| same(name, &after.organisation));
            organisation && same(&wanted.name, &after.name)
        })
    })
}

fn difference((before, after): &Sides) -> Option<PolicyDifference> {
    let shown = after.as_ref().or(before.as_ref())?;
    let nothing = SettingMap::new();
    let settings = |side: &Option<PolicyView>| side.as_ref().map(|side| side.settings.clone());
    let (old, new) =
        (settings(before).unwrap_or_else(|| nothing.clone()), settings(after).unwrap_or(nothing));
    let was = before.as_ref().is_some_and(|before| before.default);
    let action = match (before, after) {
        (None, _) => "added",
        (_, None) => "removed",
        (Some(_), Some(_)) => "changed",
    };
    Some(PolicyDifference {
        name: shown.name.clone(),
        organisation: shown.organisation.clone(),
        action: action.to_owned(),
        default: after.as_ref().map(|after| after.default).filter(|is| *is != was),
        unreadable: before.as_ref().and_then(|before| before.unreadable.clone()),
        settings: setting_differences(&old, &new),
    })
}

fn setting_differences(old: &SettingMap, new: &SettingMap) -> Vec<SettingDifference> {
    let parameters = old.keys().chain(new.keys().filter(|parameter| !old.contains_key(*parameter)));
    let differing = parameters.filter(|parameter| old.get(*parameter) != new.get(*parameter));
    differing
        .map(|parameter| SettingDifference {
            parameter: parameter.clone(),
            before: old.get(parameter).copied(),
            after: new.get(parameter).copied(),
        })
        .collect()
}
