//! Mailboxes: list, make, show, change, remove, password, repair (T15).
//!
//! Whatever changes about a mailbox, its owner's accepted credentials are forgotten at once (T8).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use weir_directory::{Account, Guid, Link, Mailbox};
use weir_units::Owner;

use super::AdminState;
use super::change::{blocking, changing};
use super::failure::Failure;
use super::input::{Body, Name, Options};
use crate::types::{
    Listing, MailboxChange, MailboxFilter, MailboxView, NewMailbox, PasswordChange, Repaired, Secret,
};

type Shared = State<Arc<AdminState>>;

pub(crate) async fn list(
    State(state): Shared,
    Options(which): Options<MailboxFilter>,
) -> Result<Json<Listing<MailboxView>>, Failure> {
    let mailboxes = blocking(&state, move |state| {
        let store = &state.store;
        let mut mailboxes =
            if which.deleted_policy { store.mailboxes_with_deleted_policy() } else { store.mailboxes() }?;
        if let Some(policy) = &which.policy {
            let wanted = assigned(state, policy)?;
            mailboxes.retain(|mailbox| is_assigned(mailbox, wanted.as_ref()));
        }
        Ok(mailboxes)
    })
    .await?;
    Ok(Json(Listing { items: mailboxes.into_iter().map(view).collect() }))
}

pub(crate) async fn make(
    State(state): Shared,
    Body(wanted): Body<NewMailbox>,
) -> Result<(StatusCode, Json<MailboxView>), Failure> {
    let made = changing(&state, move |state| {
        let made = state.store.new_mailbox(
            &weir_directory::NewMailbox {
                address: &wanted.address,
                alias: wanted.alias.as_deref(),
                display_name: wanted.display_name.as_deref(),
                password: wanted.password.as_ref().map(Secret::expose),
            },
            (state.gateway.wall)(),
        )?;
        (state.gateway.forget_credentials)(&made.account.owner);
        let made = view(made);
        state.record("mailbox.new", &made.address, None::<&()>, Some(&made));
        Ok(made)
    })
    .await?;
    Ok((StatusCode::CREATED, Json(made)))
}

pub(crate) async fn show(State(state): Shared, Name(name): Name) -> Result<Json<MailboxView>, Failure> {
    blocking(&state, move |state| Ok(view(state.store.mailbox(&name)?))).await.map(Json)
}

pub(crate) async fn change(
    State(state): Shared,
    Name(name): Name,
    Body(wanted): Body<MailboxChange>,
) -> Result<Json<MailboxView>, Failure> {
    let changed = changing(&state, move |state| {
        let before = state.store.mailbox(&name)?;
        let owner = before.account.owner.clone();
        let before = view(before);
        let done = carry_out(state, &owner, &wanted);
        // What was done before a refusal stays done, and is written down.
        let after = view(state.store.mailbox(owner.name())?);
        if before != after {
            (state.gateway.forget_credentials)(&owner);
            state.record("mailbox.set", &after.address, Some(&before), Some(&after));
        }
        done.map(|()| after)
    })
    .await?;
    Ok(Json(changed))
}

pub(crate) async fn remove(State(state): Shared, Name(name): Name) -> Result<Json<MailboxView>, Failure> {
    let removed = changing(&state, move |state| {
        let before = state.store.mailbox(&name)?;
        state.store.remove_mailbox(before.account.owner.name())?;
        (state.gateway.forget_credentials)(&before.account.owner);
        let before = view(before);
        state.record("mailbox.remove", &before.address, Some(&before), None::<&()>);
        Ok(before)
    })
    .await?;
    Ok(Json(removed))
}

pub(crate) async fn set_password(
    State(state): Shared,
    Name(name): Name,
    Body(wanted): Body<PasswordChange>,
) -> Result<Json<MailboxView>, Failure> {
    let changed = changing(&state, move |state| {
        let before = view(state.store.mailbox(&name)?);
        let after =
            state.store.set_password(&before.address, wanted.password.as_ref().map(Secret::expose))?;
        (state.gateway.forget_credentials)(&after.account.owner);
        let after = view(after);
        state.record("mailbox.password", &after.address, Some(&before), Some(&after));
        Ok(after)
    })
    .await?;
    Ok(Json(changed))
}

pub(crate) async fn repair(State(state): Shared) -> Result<Json<Repaired>, Failure> {
    let repaired = changing(&state, |state| {
        let mut addresses = Vec::new();
        for mailbox in state.store.repair_mailboxes()? {
            let before = view(mailbox);
            let after = MailboxView { throttling_policy: None, policy_deleted: false, ..before.clone() };
            state.record("mailbox.repair", &before.address, Some(&before), Some(&after));
            addresses.push(before.address);
        }
        Ok(Repaired { mailboxes: addresses })
    })
    .await?;
    Ok(Json(repaired))
}

/// The fields of `wanted`, in the order in which they are documented.
fn carry_out(state: &AdminState, owner: &Owner, wanted: &MailboxChange) -> Result<(), Failure> {
    let (store, name) = (&state.store, owner.name());
    if let Some(policy) = &wanted.throttling_policy {
        store.set_mailbox_policy(name, policy.as_deref())?;
    }
    if let Some(display_name) = &wanted.display_name {
        store.set_display_name(name, display_name)?;
    }
    if let Some(alias) = &wanted.alias {
        store.set_alias(name, alias)?;
    }
    if let Some(allowed) = wanted.may_impersonate {
        store.set_impersonation(name, allowed)?;
    }
    for address in &wanted.remove_addresses {
        store.remove_address(name, address)?;
    }
    for address in &wanted.add_addresses {
        store.add_address(name, address)?;
    }
    Ok(())
}

/// The policy that `name` means; `null` is none.
fn assigned(state: &AdminState, name: &str) -> Result<Option<Guid>, Failure> {
    if name.eq_ignore_ascii_case("null") {
        return Ok(None);
    }
    Ok(Some(state.store.policy(name)?.policy.guid))
}

/// Whether this policy, or none, is assigned to the mailbox.
fn is_assigned(mailbox: &Mailbox, wanted: Option<&Guid>) -> bool {
    match &mailbox.policy {
        Link::Default => wanted.is_none(),
        Link::Policy(policy) => wanted == Some(&policy.guid),
        Link::Deleted { .. } | Link::Missing { .. } => false,
    }
}

fn view(mailbox: Mailbox) -> MailboxView {
    let (throttling_policy, policy_deleted) = match mailbox.policy {
        Link::Default => (None, false),
        Link::Policy(policy) => (Some(policy.name), false),
        Link::Deleted { tombstone } => (Some(tombstone), true),
        Link::Missing { guid } => (Some(guid.to_string()), true),
    };
    let Account {
        guid,
        address,
        alias,
        addresses,
        display_name,
        organisation,
        legacy_dn,
        has_password,
        may_impersonate,
        owner: _,
    } = mailbox.account;
    MailboxView {
        guid: guid.to_string(),
        address,
        alias,
        addresses,
        display_name,
        organisation,
        legacy_dn,
        has_password,
        may_impersonate,
        throttling_policy,
        policy_deleted,
    }
}
