//! Organisations: list, make, remove.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use weir_directory::Organisation;

use super::AdminState;
use super::change::{blocking, changing};
use super::failure::Failure;
use super::input::{Body, Name};
use crate::types::{Listing, NewOrganisation, OrganisationView};

type Shared = State<Arc<AdminState>>;

pub(crate) async fn list(State(state): Shared) -> Result<Json<Listing<OrganisationView>>, Failure> {
    let organisations = blocking(&state, |state| Ok(state.store.organisations()?)).await?;
    Ok(Json(Listing { items: organisations.into_iter().map(view).collect() }))
}

pub(crate) async fn make(
    State(state): Shared,
    Body(wanted): Body<NewOrganisation>,
) -> Result<(StatusCode, Json<OrganisationView>), Failure> {
    let made = changing(&state, move |state| {
        let domains: Vec<&str> = wanted.domains.iter().map(String::as_str).collect();
        let made = view(state.store.new_organisation(&weir_directory::NewOrganisation {
            name: &wanted.name,
            short_name: &wanted.short_name,
            domains: &domains,
        })?);
        state.record("organisation.new", &made.name, None::<&()>, Some(&made));
        Ok(made)
    })
    .await?;
    Ok((StatusCode::CREATED, Json(made)))
}

pub(crate) async fn remove(
    State(state): Shared,
    Name(name): Name,
) -> Result<Json<OrganisationView>, Failure> {
    let removed = changing(&state, move |state| {
        let before = view(state.store.organisation(&name)?);
        state.store.remove_organisation(&name)?;
        state.record("organisation.remove", &before.name, Some(&before), None::<&()>);
        Ok(before)
    })
    .await?;
    Ok(Json(removed))
}

fn view(organisation: Organisation) -> OrganisationView {
    let Organisation { name, short_name, domains, default_policies, mailboxes } = organisation;
    OrganisationView { name, short_name, domains, default_policies, mailboxes }
}
